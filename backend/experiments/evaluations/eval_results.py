"""Scores as the Hub's `.eval_results/*.yaml`: an entry a measure, layer and language, by `huggingface_hub`'s own classes."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

import pandas as pd
import yaml  # type: ignore[import-untyped]

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.words import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEYS = ["corpus", "metric", "variant", "layer"]
"""What tells two means apart; a score that was computed again counts once."""
HUB = re.compile(r"^([\w.-]+/[\w.-]+)@(\w+), ")
"""How a corpus that was fetched from the Hub says whence."""


def entries(frame: pd.DataFrame, sources: Mapping[str, str], dataset: str, label: str) -> str:
    """Return the scores of one checkpoint as YAML: `EvalResultEntry` objects, as `huggingface_hub` writes and checks them.

    `frame` are rows of the table of scores with `corpus_name`; a measure has its mean over pairs of languages, or over
    languages by themselves, and that of each language. `sources` says of corpora by id whence they are; `dataset`, a Hub id,
    stands for those that are from elsewhere. `label` is the checkpoint's. Raises `SpecError` where a corpus is of no data set
    of the Hub, and where `huggingface_hub` is not there or too old.
    """
    try:
        hub = importlib.import_module("huggingface_hub")
        entry, to_yaml = hub.EvalResultEntry, hub.eval_result_entries_to_yaml
    except (ImportError, AttributeError) as error:
        raise SpecError("`.eval_results` is written by huggingface_hub's EvalResultEntry: install or upgrade it.") from error
    made = frame["created_at"].max().date().isoformat()
    found = []
    for said in _means(frame):
        source = HUB.match(sources.get(str(said["corpus"]), ""))
        if not (source or dataset):
            name = said["corpus_name"] if isinstance(said["corpus_name"], str) else said["corpus"]
            raise SpecError(f"'{name}' is of no data set of the Hub. Name one, such as openlanguagedata/flores_plus.")
        notes = [f"Isogloss, {said['over']}", *([label] if label else []), *([said["variant"]] if said["variant"] else [])]
        of_hub = (
            {"dataset_id": dataset} if dataset or source is None else {"dataset_id": source[1], "dataset_revision": source[2]}
        )
        found.append(entry(task_id=said["task"], value=said["value"], date=made, notes="; ".join(notes), **of_hub))
    return str(yaml.safe_dump(to_yaml(found), sort_keys=False, allow_unicode=True))


def _means(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield every mean with its task, no two of a corpus alike."""
    again = [*KEYS, "source", "target", "seed"]
    known = frame[pd.notna(frame["value"])].sort_values("created_at", kind="stable").drop_duplicates(again, keep="last")
    known["variant"] = known["variant"].fillna("")
    known["layer"] = known["layer"].astype("Float64").fillna(-1).astype(int)
    for (corpus, metric), own in known.groupby(["corpus", "metric"], dropna=False, sort=True):
        variants, itself = sorted(own["variant"].unique()), own["source"] == own["target"]
        several = itself.any() and not itself.all()
        for key, rows in own.groupby(["variant", "layer", itself], sort=True):
            variant, layer, alone = str(key[0]), int(str(key[1])), bool(key[2])
            task = [str(metric), *(["pairs"] if several and not alone else []), *([f"layer_{layer}"] if layer >= 0 else [])]
            task += [re.sub(r"\W+", "_", variant).strip("_")] if len(variants) > 1 else []
            same = {"corpus": corpus, "corpus_name": rows["corpus_name"].iloc[0], "variant": variant}
            scores = _of_seeds(rows)
            over = count(len(scores), *(("language",) if alone else ("pair of languages", "pairs of languages")))
            yield same | {"task": "_".join(task), "value": float(scores.mean()), "over": f"mean over {over}"}
            ends = [scores.index.get_level_values(name) for name in ("source", "target")]
            for tag in sorted({*ends[0], *ends[1]}):
                has = scores[(ends[0] == tag) | (ends[1] == tag)]
                over = "the language itself" if alone else f"mean over {count(len(has), 'pair')} of the language"
                yield same | {"task": "_".join([*task, tag]), "value": float(has.mean()), "over": over}


def _of_seeds(rows: pd.DataFrame) -> pd.Series:
    """Return the value of each source and target: the mean over seeds, or that which is kept without a seed."""
    without = rows[rows["seed"].isna()].groupby(["source", "target"])["value"].mean()
    return without.combine_first(rows.groupby(["source", "target"])["value"].mean())
