"""What the scores rest on, and what the probes could not read: said once above the figures."""

from __future__ import annotations

import streamlit as st

from pages.probing.selection import Selection


def tell(selection: Selection) -> None:
    """How many examples were trained and tested on, and how many words had no vector, over the files shown."""
    files = {file.run: file for file in selection.served.values()}
    counts = [file.about.get("counts") for file in files.values()]
    known = [each for each in counts if each]
    if not known:
        return
    trained = [each["train"]["rows"] for each in known]
    tested = [part["rows"] for each in known for name, part in each.items() if name.startswith("test ")]
    lost = sum(part["lost"] for each in known for part in each.values())
    rows = selection.data.rows
    origins = sorted({part["of"] for each in known for part in each.values()} - {"train", "validation", "test"})
    sentence = f"Trained on {_range(trained)} {rows} a language, tested on {_range(tested)}."
    if lost:
        total = lost + sum(part["rows"] for each in known for part in each.values())
        sentence += (
            f" {100 * lost / total:.2g}% of {rows} had no vector: cut off with their sentence's end, or without a token."
        )
    if origins:
        sentence += f" Parts that the data lack are split from others: {', '.join(origins)}."
    unfinished = sum(int(file.about.get("unfinished", 0)) for file in files.values())
    if unfinished:
        sentence += f" {unfinished} probes were still learning at their last epoch."
    st.caption(sentence)


def _range(numbers: list[int]) -> str:
    """`1,200`, or `1,200 to 3,400`."""
    least, most = min(numbers), max(numbers)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
