"""Parallel corpora from the Hugging Face Hub: which configurations to load, and every failure in one sentence.

The rows become a corpus in `layouts`. Code from data sets is never run: `datasets` no longer can, and nothing here asks it to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, get_args

from isogloss.backend.corpora.languages.languages import language, languages
from isogloss.backend.corpora.parallel import layouts
from isogloss.backend.corpora.parallel.assemble import Column, Skips, assemble
from isogloss.backend.corpora.shared import limits
from isogloss.backend.corpora.shared.tables import Table
from isogloss.backend.errors import CorpusError, IsoglossError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus

HubDataset = Literal[
    "google/wmt24pp", "openlanguagedata/flores_plus", "facebook/xnli", "Helsinki-NLP/opus-100", "wmt/wmt19", "wmt/wmt14"
]
HUB_DATASETS: tuple[HubDataset, ...] = get_args(HubDataset)


@dataclass(frozen=True)
class _About:
    layout: layouts.Layout
    split: str
    """The split that is loaded unless another is asked for."""
    splits: tuple[str, ...]
    text: str
    """What it is, for people who choose."""


ABOUT: dict[HubDataset, _About] = {
    "google/wmt24pp": _About(
        "WMT24++", "train", ("train",), "WMT24++: 998 segments of four domains, English to 55 languages and dialects."
    ),
    "openlanguagedata/flores_plus": _About(
        "FLORES+",
        "dev",
        ("dev", "devtest"),
        "FLORES+: some 2,000 sentences in over 200 languages. Gated: needs HF_TOKEN on the server.",
    ),
    "facebook/xnli": _About(
        "XNLI", "validation", ("train", "validation", "test"), "XNLI: premises or hypotheses in 15 languages."
    ),
    "Helsinki-NLP/opus-100": _About(
        "translation pairs", "test", ("train", "validation", "test"), "OPUS-100: pairs of 100 languages with English."
    ),
    "wmt/wmt19": _About(
        "translation pairs",
        "validation",
        ("train", "validation"),
        "WMT19: news, eight languages with English, and French with German; the training split has millions of rows.",
    ),
    "wmt/wmt14": _About(
        "translation pairs",
        "validation",
        ("train", "validation", "test"),
        "WMT14: news, five languages with English. XferBench's translation check tunes on English–French, split train: "
        "40 million pairs, so take the first 2 million rows.",
    ),
}


PAIRS: dict[HubDataset, str] = {"Helsinki-NLP/opus-100": "OPUS-100", "wmt/wmt19": "WMT19", "wmt/wmt14": "WMT14"}
"""What the data sets of translation pairs are called."""


def load(
    dataset: HubDataset,
    wanted: Sequence[str],
    *,
    split: str | None = None,
    revision: str = "main",
    side: layouts.Side = "premise",
    limit: int | None = None,
) -> ParallelCorpus:
    """Return a corpus from the Hub, in the languages `wanted` (tags, or the data set's own names).

    `revision` (a branch, tag or commit) is resolved to a commit first, and that commit is what is loaded and what the report's
    `source` names. `side` chooses XNLI's sentences. `limit` keeps the first rows of each configuration. WMT24++ always has
    English; OPUS-100, WMT19 and WMT14 pair every language with English, unless two are wanted that they have as a pair.
    Raises `CorpusError`: no network, gated, no such data set, revision, split or language.
    """
    if dataset not in ABOUT:
        raise CorpusError(f"The data set '{dataset}' is not one that is read.", remedy=did_you_mean(dataset, HUB_DATASETS))
    provenance = ABOUT[dataset]
    split = split or provenance.split
    if split not in provenance.splits:
        raise CorpusError(f"{dataset} has no split '{split}'.", remedy=did_you_mean(split, provenance.splits))
    try:
        commit = commit_of(dataset, revision)
        chosen = choose(dataset, wanted, _configurations(dataset, commit))
        tables = [table(f"{dataset} {name}", rows_of(dataset, name, split, commit, limit)) for name in chosen]
    except IsoglossError:
        raise
    except Exception as error:
        raise explain(error, dataset, revision) from error
    return corpus_of(dataset, tables, wanted, split=split, side=side, source=f"{dataset}@{commit}, {split}")


def corpus_of(
    dataset: HubDataset,
    tables: Sequence[Table],
    wanted: Sequence[str],
    *,
    split: str,
    side: layouts.Side = "premise",
    source: str | None = None,
) -> ParallelCorpus:
    """The corpus in loaded rows, one table for each configuration; of XNLI, which has all languages, the `wanted` ones."""
    layout, skips = ABOUT[dataset].layout, Skips()
    for loaded in tables:
        if layout == "FLORES+":
            loaded.columns.setdefault("split", [split] * len(loaded.lines))
    columns: list[Column] = layouts.columns(layout, tables, skips, (side,))
    if dataset == "facebook/xnli" and wanted:
        tags = {language(name).tag for name in wanted}
        columns = [c for c in columns if language(c.name).tag in tags]
    kind = PAIRS.get(dataset, layout)
    return assemble(kind, columns, skips=skips, source=source, strict=False)


def table(name: str, rows: Iterable[Mapping[str, Any]]) -> Table:
    """Rows of a data set as a table; `lines` count rows from 1."""
    kept = list(rows)
    keys = dict.fromkeys(key for row in kept for key in row)
    return Table(name, {key: [row.get(key) for row in kept] for key in keys}, range(1, len(kept) + 1))


def choose(dataset: HubDataset, wanted: Sequence[str], available: Sequence[str]) -> list[str]:
    """Return the configurations that hold the `wanted` languages. Raises `CorpusError` naming a language that none holds."""
    if not wanted:
        raise CorpusError("No language was chosen.", remedy=f"Name at least two languages of {dataset}.")
    match dataset:
        case "facebook/xnli":
            return ["all_languages"]
        case "openlanguagedata/flores_plus":
            by_name = {name: name for name in available if name != "default"}
            return [_match(name, by_name) for name in dict.fromkeys(wanted)]
        case "google/wmt24pp":
            by_name = {name.removeprefix("en-"): name for name in available if name.startswith("en-")}
            return [_match(name.removeprefix("en-"), by_name) for name in dict.fromkeys(wanted) if name not in ("en", "eng")]
        case "Helsinki-NLP/opus-100" | "wmt/wmt19" | "wmt/wmt14":
            return _opus_pairs(wanted, available)


def _opus_pairs(wanted: Sequence[str], available: Sequence[str]) -> list[str]:
    tags = sorted({language(name).tag for name in wanted})
    pairs = {tuple(sorted(language(code).tag for code in name.split("-"))): name for name in available if name.count("-") == 1}
    if len(tags) == 2 and (tags[0], tags[1]) in pairs:
        return [pairs[tags[0], tags[1]]]
    with_english = {other: name for pair, name in pairs.items() if "en" in pair for other in pair if other != "en"}
    return [_match(tag, with_english) for tag in tags if tag != "en"]


def _match(name: str, by_name: Mapping[str, str]) -> str:
    """Return the configuration whose language is called `name`, or is the language that `name` means."""
    if name in by_name:
        return by_name[name]
    tags = {known.tag: by_name[source] for source, known in languages(by_name).items()}
    tags |= {language(source).tag: configuration for source, configuration in by_name.items()}
    tag = language(name).tag
    if tag not in tags:
        raise CorpusError(f"The data set has no '{name}'.", remedy=did_you_mean(tag, tags))
    return tags[tag]


def commit_of(dataset: str, revision: str) -> str:
    """Return the commit that a branch or tag points to now."""
    if re.fullmatch("[0-9a-f]{40}", revision):
        return revision
    from huggingface_hub import HfApi

    return str(HfApi().dataset_info(dataset, revision=revision, timeout=20).sha)


def _configurations(dataset: str, commit: str) -> list[str]:
    if dataset == "facebook/xnli":
        return ["all_languages"]
    import datasets

    return list(datasets.get_dataset_config_names(dataset, revision=commit))


def rows_of(dataset: str, configuration: str, split: str, commit: str, limit: int | None) -> list[Mapping[str, Any]]:
    """Return the rows of a split, whole. Raises `TooLargeError` for too many: this process may be the dashboard's."""
    rows: list[Mapping[str, Any]] = []
    left = limits.most_streamed()
    for row in islice(stream(dataset, configuration, split, commit), limit):
        rows.append(row)
        left -= len(repr(row))
        if left < 0:
            raise limits.too_large(f"{dataset} {configuration}")
    return rows


def stream(dataset: str, configuration: str, split: str, commit: str, *, folder: bool = False) -> Any:
    """A split as `datasets` streams it, so that nothing else is fetched; `folder`: the configuration is a folder of files."""
    import datasets

    named: dict[str, str] = {"data_dir": configuration} if folder else {"name": configuration}
    return datasets.load_dataset(dataset, **named, split=split, revision=commit, streaming=True)


def explain(error: Exception, dataset: str, revision: str, *, droppable: bool = True) -> CorpusError:
    """What went wrong with the Hub, in one sentence, whichever library raised it; `droppable`: its files can be dropped too."""
    files = ", or drop the data set's Parquet or JSON Lines files" if droppable else ""
    kinds, text = {c.__name__ for c in type(error).__mro__}, str(error)
    if "GatedRepoError" in kinds or "gated" in text:
        return CorpusError(
            f"{dataset} is gated.",
            remedy=f"Accept its terms on https://huggingface.co/datasets/{dataset} and start the server with HF_TOKEN set.",
        )
    if "RevisionNotFoundError" in kinds or "Revision '" in text:
        return CorpusError(
            f"{dataset} has no revision '{revision[:60]}'.", remedy="Use a branch, a tag or a full commit, or 'main'."
        )
    if kinds & {"RepositoryNotFoundError", "DatasetNotFoundError"}:
        return CorpusError(
            f"The Hub has no data set '{dataset}', or it is private.",
            remedy="Check its name, and set HF_TOKEN where it is private.",
        )
    if kinds & {"TransportError", "ConnectionError", "OfflineModeIsEnabled", "TimeoutError", "LocalEntryNotFoundError"}:
        return CorpusError(
            f"{dataset} could not be loaded, for the Hugging Face Hub cannot be reached.",
            remedy=f"Check the server's network{files}.",
        )
    return CorpusError(
        f"{dataset} could not be loaded ({type(error).__name__}: {text.splitlines()[0][:200] if text else 'no message'}).",
        remedy=f"Try again later{files}.",
    )
