"""What the transfer measures are, in few words."""

from __future__ import annotations

from pages.widgets.cards import Card

CHI = r"""@inproceedings{chi-etal-2023-measuring,
  title     = {Measuring Cross-Lingual Transferability of Multilingual Transformers on Sentence Classification},
  author    = {Chi, Zewen and Huang, Heyan and Mao, Xian-Ling},
  booktitle = {ICASSP 2023 -- IEEE International Conference on Acoustics, Speech and Signal Processing},
  year      = {2023}
}"""
IGAP = Card(
    name="IGap, the interlingual transfer gap",
    question=(
        "A model has learned a task on sentences of one language. How much more often is it wrong on the translations of "
        "these very sentences?"
    ),
    formula=(
        r"\mathrm{IGap}(E') = \min_{0 \le E_\text{train} - E' < \varepsilon} G_\text{inter} \qquad "
        r"G_\text{inter} = E(\text{translations of the training examples}) - E_\text{train}"
    ),
    reading=(
        "Percentage points of error (lower = better transfer); the least over all fine-tuned models whose training error lies "
        "in the window. No model in the window: no value. 0 means nothing is lost."
    ),
    interval="",
    source="Chi, Huang & Mao 2023, equation 5",
    bibtex=CHI,
)
