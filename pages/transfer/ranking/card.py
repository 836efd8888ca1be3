"""What the accuracy of ranked transfer directions is, in few words."""

from __future__ import annotations

from pages.abx.cards import Card
from pages.transfer.shared.explain import CHI

RANKING = Card(
    name="Accuracy of ranked transfer directions",
    question=(
        "Which of two languages will a task reach better from this one? How often does a score that knows no task say what "
        "the task's accuracy says?"
    ),
    formula=(
        r"\begin{gathered} \frac{2}{n(n-1)} \sum_{i < j} \Big[ (g_i - g_j)(p_i - p_j) > 0 \Big] \\ "
        r"g: \text{test accuracy} \qquad p: -\mathrm{IGap},\; -\lVert u - v \rVert_2,\; u \cdot v,\; \cos(u, v) \end{gathered}"
    ),
    reading=(
        "Percent of pairs of directions that share the fixed language and that both rank alike (higher = better, chance 50). "
        "A tie in either is not alike. IGap: on random labels on a parallel corpus. L2, Dot, Cos: means over translations "
        "of the distance, dot product and cosine of sentence vectors (means of tokens) at one layer; the same both ways."
    ),
    interval="",
    source="Chi, Huang & Mao 2023, equation 6, tables 1 and 5",
    bibtex=CHI,
)
