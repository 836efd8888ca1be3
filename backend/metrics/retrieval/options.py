"""What retrieval can be asked for, with its words and formulas: how near two vectors are, and among which candidates.

Imports no torch: specs and pages may import this.
"""

from __future__ import annotations

from typing import Literal

Similarity = Literal["csls", "margin", "cosine", "l2"]
"""How near two vectors are; l2 is less their Euclidean distance, at their true length.

Sources: CSLS, Conneau et al. 2018, section 2.3; margin ratio, Artetxe & Schwenk 2019, "Margin-based Parallel Corpus Mining with
Multilingual Sentence Embeddings", section 3.
"""
SIMILARITIES: dict[Similarity, str] = {
    "csls": "CSLS",
    "margin": "Margin ratio",
    "cosine": "Cosine",
    "l2": "L2 (Euclidean) distance",
}
FORMULAS: dict[Similarity, str] = {
    "csls": r"2\cos(x, y) - r(x) - r(y)",
    "margin": r"2\cos(x, y) / (r(x) + r(y))",
    "cosine": r"\cos(x, y)",
    "l2": r"-\lVert x - y \rVert",
}
"""In LaTeX, r being the mean cosine to the k nearest."""
NEIGHBOURS: dict[Similarity, int] = {"csls": 10, "margin": 4}
"""Those that ask for the nearest neighbours of both vectors → how many in the paper that each is from."""

Task = Literal["weak", "strong", "strong_self", "strong_released"]
"""Which candidates there are, see `accuracy`: `strong_self` is strong with `self_neighbour`, `strong_released` of both sets."""
TASKS: dict[Task, str] = {
    "weak": "Weak",
    "strong": "Strong",
    "strong_self": "Strong (self a neighbour)",
    "strong_released": "Strong (both languages)",
}
