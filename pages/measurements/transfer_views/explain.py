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
ACCURACY = Card(
    name="Test accuracy across languages",
    question="How often is a model right in a language that it was not fine-tuned in?",
    formula=r"1 - E_\text{target}",
    reading=(
        "Percent of the validation examples (higher = better), of the last model of each run; the mean over seeds at the "
        "learning rate that is best in the source language. On the diagonal the language that was trained on."
    ),
    interval="",
    source="Chi, Huang & Mao 2023, figures 2 and 4",
    bibtex=CHI,
)
TRANSFER_GAP = Card(
    name="Cross-lingual transfer gap",
    question="How much more often is a fine-tuned model wrong in another language than in the one that it was fine-tuned in?",
    formula=r"E_\text{target} - E_\text{source}",
    reading=(
        "Percentage points of error on validation examples (lower = better transfer; below 0 the target is easier than the "
        "source). A poor model of the source has a small gap too: read it beside the accuracy."
    ),
    interval="",
    source="Chi, Huang & Mao 2023, equation 2, figure 6",
    bibtex=CHI,
)
ASYMMETRY = Card(
    name="Asymmetry of transfer",
    question="Does it matter which of two languages is trained on and which is asked in?",
    formula=r"v(s \to t) - v(t \to s)",
    reading=(
        "Percentage points: the value of the direction less that of the way back. 0: both ways are alike. The two halves of "
        "the matrix have opposite signs."
    ),
    interval="",
    source="Chi, Huang & Mao 2023, section 5",
    bibtex=CHI,
)
EXAMPLES = Card(
    name="Examples that do not transfer",
    question="Which examples does a model label rightly in the language that it learned in, and wrongly in translation?",
    formula=r"\hat y(x_\text{source}) = y \;\wedge\; \hat y(x_\text{target}) \ne y",
    reading=(
        "One model: that of the record behind an IGap, or the last of a run. A translated training example has its source's "
        "label, a validation example that of its own language."
    ),
    interval="",
    source="Chi, Huang & Mao 2023, equation 4",
    bibtex=CHI,
)
