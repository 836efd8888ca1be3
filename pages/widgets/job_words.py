"""What a run computes and where it stands, as text. No Streamlit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backend.corpora.languages import language
from backend.errors import CorpusError
from pages.widgets.words import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from backend.jobs.client import Job

NAMED = 6
"""Languages listed by name before the others are counted."""

PROTOCOLS = {"exact": "all triplets", "control": "control that must come out at 0.5"}
POOLINGS = {
    "mean": "mean of tokens",
    "mean_special": "mean with special tokens",
    "first": "first token",
    "last": "last token",
}


def title(spec: Mapping[str, Any]) -> str:
    """The run in a few words: `ABX · mini (12 checkpoints)`."""
    match spec.get("experiment"):
        case "abx":
            return f"ABX · {spec['model']} ({count(len(spec['checkpoints']), 'checkpoint')})"
        case "confusions":
            return f"Confused sentences · {spec['checkpoint']['label']}, layer {spec['layer']}"
        case other:
            return str(other)


def details(spec: Mapping[str, Any], corpora: Mapping[str, str]) -> str:
    """The rest of what was asked for: corpus, languages, protocol. `corpora` is content id → name."""
    corpus = corpora.get(str(spec.get("corpus")), f"a corpus no longer kept ({str(spec.get('corpus'))[:6]})")
    limit = spec.get("sentences")
    parts = [f"on {corpus}" + (f", first {limit:,} sentences" if limit else "")]
    match spec.get("experiment"):
        case "abx":
            parts += [listed(spec["languages"]), protocol(spec)]
        case "confusions":
            parts.append(f"{name(spec['source'])} and {name(spec['target'])}")
        case _:
            pass
    pooling = str(spec.get("pooling", "mean"))
    return " · ".join([*parts, POOLINGS.get(pooling, pooling)])


def protocol(spec: Mapping[str, Any]) -> str:
    kind = str(spec.get("protocol", "exact"))
    if kind == "sampled":
        return f"{spec['n_triplets']:,} sampled triplets a pair, seed {spec['seed']}"
    return PROTOCOLS.get(kind, kind)


def listed(tags: Sequence[str]) -> str:
    """Languages by name, those beyond `NAMED` counted."""
    names = [name(tag) for tag in tags]
    if len(names) <= NAMED:
        return ", ".join(names)
    return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more"


def name(tag: str) -> str:
    try:
        return language(tag).name
    except CorpusError:
        return tag


def outcome(job: Job) -> str:
    """Where the run stands, in one line."""
    of = f"{job.done} of {job.total}"
    match job.state:
        case "waiting":
            return "Waiting for a worker"
        case "running":
            return f"{of} checkpoints done" + (f", now {job.doing}" if job.doing else "")
        case "done":
            return f"{of} checkpoints done"
        case "failed":
            return f"{of} checkpoints done, {len(job.failures)} failed"
        case "cancelled":
            return f"{of} checkpoints done before it was cancelled"
