"""What a user brings: a small table in three languages, and a model of two checkpoints."""

from __future__ import annotations

import sys
from pathlib import Path

SUBJECTS = {
    "en": ["The ferry", "A child", "My neighbour", "The old bridge", "Our train", "The storm"],
    "de": ["Die Fähre", "Ein Kind", "Mein Nachbar", "Die alte Brücke", "Unser Zug", "Der Sturm"],
    "fi": ["Lautta", "Lapsi", "Naapurini", "Vanha silta", "Junamme", "Myrsky"],
}
ENDS = {
    "en": ["comes in the morning.", "is seen from the hill.", "waits for nobody.", "was there yesterday.", "stays until June."],
    "de": ["kommt am Morgen.", "ist vom Hügel zu sehen.", "wartet auf niemanden.", "war gestern da.", "bleibt bis Juni."],
    "fi": ["tulee aamulla.", "näkyy mäeltä.", "ei odota ketään.", "oli täällä eilen.", "pysyy kesäkuuhun."],
}


def table() -> str:
    """A TSV with a column a language and thirty sentences."""
    columns = [[f"{subject} {end}" for subject in SUBJECTS[tag] for end in ENDS[tag]] for tag in SUBJECTS]
    return "\n".join("\t".join(row) for row in [tuple(SUBJECTS), *zip(*columns, strict=True)]) + "\n"


def make_model(folder: Path) -> Path:
    """Two random checkpoints of a tiny encoder."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
    from tiny import tiny_model

    for step in (0, 500):
        tiny_model(folder / f"checkpoint-{step}", "xlm-roberta", seed=step)
    return folder
