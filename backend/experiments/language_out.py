"""Options that ABX, the detail of its triplets and Geometry share: what tells the language taken out of vectors."""

from __future__ import annotations

from isogloss.backend.metrics.geometry.options import REMOVALS
from isogloss.backend.option import Option

LANGUAGE_OUT = Option(
    "Take what tells the language out of the vectors first: each language's mean, the directions that the languages' means "
    "differ in (LSAR), or each language's top components (LIR)",
    "Language taken out",
    REMOVALS,
    variant={"mean": "centred", "lsar": "LSAR", "lir": "LIR"},
)
RANK = Option(
    "Directions taken out (r); LSAR has at most one fewer than there are languages",
    "Directions",
    told="{} direction|{} directions",
    always=True,
    variant="rank {}",
    when={"removed": ("lsar", "lir")},
    key="removed_rank",
)
