"""What can be taken out of vectors: for specs and pages, which import no torch."""

from __future__ import annotations

from typing import Literal

Removal = Literal["nothing", "mean", "lsar", "lir"]
REMOVALS: dict[Removal, str] = {
    "nothing": "Nothing",
    "mean": "Its mean (centred)",
    "lsar": "LSAR: what means differ in",
    "lir": "LIR: its top components",
}
