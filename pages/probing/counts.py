"""What the scores rest on, and what the probes could not read: said once above the figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from isogloss.backend.experiments.words import count
from isogloss.backend.store.scores import ShardFile
from isogloss.pages.probing.selection import Selection

TOGETHER = "; rows with the same first sentence stand in one part, unless they are more than a tenth of all"
MANY = 0.05
"""The share of probes still learning from which on it is said in sight."""


def tell(selection: Selection) -> None:
    """How many examples were trained and tested on, over the files shown, and which languages the means are over."""
    files = [file for file, _ in selection.serving]
    counts = [file.provenance["counts"] for file in files if file.provenance.get("counts")]
    sentences = [_lacking(selection)]
    if counts:
        trained = [each["train"]["rows"] for each in counts]
        tested = [part["rows"] for each in counts for name, part in each.items() if name.startswith("test ")]
        sentences.append(f"Trained on {_range(trained)} {selection.data.rows} a language, tested on {_range(tested)}.")
    sentences.append(_unfinished(selection, files))
    if said := " ".join(filter(None, sentences)):
        st.caption(said, help=_parts(selection, counts))


def _unfinished(selection: Selection, files: Sequence[ShardFile]) -> str:
    """Return how many probes reached their last epoch before they stopped by themselves, where they are many."""
    layers = {each.fingerprint: model.layers for model in selection.models for each in model.checkpoints}
    seeds = len(selection.options.probe.seeds)
    probes = sum((layers[file.provenance["fingerprint"]] + 3) * seeds for file in files)
    share = sum(int(file.provenance.get("unfinished", 0)) for file in files) / max(1, probes)
    return f"{share:.0%} of probes were still learning at their last epoch: allow more." if share >= MANY else ""


def _parts(selection: Selection, counts: Sequence[dict[str, Any]]) -> str | None:
    """Return what had no vector, and which parts are split from others; None where there is nothing to say."""
    parts = [part for each in counts for part in each.values()]
    lost, rows = sum(part["lost"] for part in parts), sum(part["rows"] for part in parts)
    notes = []
    if lost:
        share = f"{100 * lost / (lost + rows):.2g}%"
        notes.append(f"{share} of {selection.data.rows} had no vector: truncated, or without a token.")
    if origins := sorted({part["of"] for part in parts} - {"train", "validation", "test"}):
        apart = TOGETHER if selection.data.unit == "sentences" else ""
        notes.append(f"Parts that the data lack are split from others: {', '.join(origins)}{apart}.")
    return " ".join(notes) or None


def _lacking(selection: Selection) -> str:
    """Return which of the languages chosen no mean has in it, where some lack."""
    there, chosen = selection.computed_sources, selection.sources
    return "" if len(there) == len(chosen) else f"Means are over {len(there)} of {count(len(chosen), 'language')} trained on."


def _range(numbers: list[int]) -> str:
    """`1,200`, or `1,200 to 3,400`."""
    least, most = min(numbers), max(numbers)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
