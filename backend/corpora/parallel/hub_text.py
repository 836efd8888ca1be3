"""Text of one language from the Hub: Wikipedia's articles as a corpus, for XferBench's targets and human sources.

The rows are streamed up to a budget of characters, and kept like any other corpus: an article is a text of it.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel.corpus import SCHEMA, SHOWN, ParallelCorpus, ReadReport, Skipped
from isogloss.backend.corpora.parallel.hub import commit_of, explain
from isogloss.backend.errors import CorpusError, IsoglossError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

WIKIPEDIA = "wikimedia/wikipedia"
REVISION = "b04c8d1ceb2f5cd4588862100d08de323dccfbaa"
"""The commit that is loaded unless another is asked for: the same text in every year."""
DUMP = "20231101"
"""Of Wikipedia; the commit's configurations are called `20231101.eu`."""
RELEASED_REVISION = "97323c5edeffcf4bd6786b4ed0788c84abd24b03"
"""The commit that XferBench's released code loads (`scripts/wikipedia.py`), of the same dump."""
Released = Literal["target", "source"]
RELEASED_ARTICLES: dict[Released, int] = {"target": 100_000, "source": 15_000}
"""What that code reads of either, in the data set's order. Of a source it downloads 200,000 and reads the first of them."""
LICENCE = "CC BY-SA 3.0 and GFDL"
CHARACTERS = 60_000_000
"""Enough for a human source (15 million tokens) and for a target (2 million to tune on and 1 million held out)."""


def wikipedia(
    wanted: str,
    *,
    dump: str = DUMP,
    revision: str = REVISION,
    characters: int = CHARACTERS,
    articles: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> ParallelCorpus:
    """Return the first articles of a language's Wikipedia, in the data set's order, up to a budget.

    Args:
        wanted: Wikipedia's own code (`eu`, `zh-min-nan`), or any name of the language.
        dump: The date of the dump.
        revision: A branch, tag or commit of the data set; a commit is what the report's `source` names.
        characters: The article that reaches them is the last.
        articles: Read so many rows, or all where there are fewer, however long they are; None goes by `characters`.
        progress: Told how many characters were read, every 1,000 articles.

    Raises `CorpusError`: no network, no such revision, dump or language, no text.
    """
    try:
        commit = commit_of(WIKIPEDIA, revision)
        configuration = _configuration(wanted, dump, commit)
        rows = _streamed(configuration, commit)
        source = f"{WIKIPEDIA}@{commit}, {configuration}"
        return corpus_of(rows, configuration, characters, articles=articles, source=source, progress=progress)
    except IsoglossError:
        raise
    except Exception as error:
        raise explain(error, WIKIPEDIA, revision, droppable=False) from error


def corpus_of(
    rows: Iterable[Mapping[str, Any]],
    configuration: str,
    characters: int,
    *,
    articles: int | None = None,
    source: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> ParallelCorpus:
    """Return the corpus in rows with `id` and `text`, up to a budget (`wikipedia`); those without text are counted."""
    code = configuration.split(".", 1)[-1]
    tag = language(code).tag
    ids: list[str] = []
    texts: list[str] = []
    skipped: list[Skipped] = []
    left_out = read = 0
    seen: set[str] = set()
    for place, row in enumerate(islice(rows, articles), start=1):
        text, name = row.get("text"), str(row.get("id"))
        if not isinstance(text, str) or not text.strip() or name in seen:
            left_out += 1
            reason = "an id that an article before has" if name in seen else "no text"
            if len(skipped) < SHOWN:
                skipped.append(Skipped(configuration, place, reason))
            continue
        seen.add(name)
        ids.append(name)
        texts.append(text)
        read += len(text)
        if progress is not None and len(ids) % 1000 == 0:
            progress(read)
        if articles is None and read >= characters:
            break
    if not ids:
        raise CorpusError(f"{configuration} has no text.", remedy="Choose another language or dump.")
    columns = [pa.array(ids), pa.repeat(pa.scalar(tag), len(ids)), pa.array(texts), pa.nulls(len(ids), pa.string())]
    report = ReadReport("Wikipedia", {tag: code}, tuple(skipped), left_out - len(skipped), source=source)
    return ParallelCorpus(pa.table([column.cast(pa.string()) for column in columns], schema=SCHEMA), report)


def _configuration(wanted: str, dump: str, commit: str) -> str:
    """Return the configuration of a dump that is called `wanted`, or whose language is. Raises `CorpusError` where none is."""
    import datasets

    names = datasets.get_dataset_config_names(WIKIPEDIA, revision=commit)
    codes = [name.split(".", 1)[1] for name in names if name.startswith(f"{dump}.")]
    if not codes:
        raise CorpusError(
            f"{WIKIPEDIA} has no dump '{dump[:40]}'.", remedy=did_you_mean(dump, {name.split(".", 1)[0] for name in names})
        )
    if wanted in codes:
        return f"{dump}.{wanted}"
    tag = language(wanted).tag
    for code in codes:
        if _tag(code) == tag:
            return f"{dump}.{code}"
    raise CorpusError(f"There is no Wikipedia of '{wanted}' in this dump.", remedy=did_you_mean(wanted, codes))


def _tag(code: str) -> str | None:
    """Return some of Wikipedia's codes are no language's (`simple`)."""
    try:
        return language(code).tag
    except CorpusError:
        return None


def _streamed(configuration: str, commit: str) -> Iterable[Mapping[str, Any]]:
    import datasets

    found: Iterable[Mapping[str, Any]] = datasets.load_dataset(
        WIKIPEDIA, configuration, split="train", revision=commit, streaming=True
    )
    return found
