"""What the transfer measures are, in few words."""

from __future__ import annotations

from pages.widgets.card import Card

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
        "in the window. No model in the window: no value. 0 means nothing is lost. Of runs that stopped early fewer models "
        "count, which can only raise it; the paper's went on to their last epoch."
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
CURVES = Card(
    name="IGap along the training error",
    question="How much is lost in translation by models that have learned their training examples equally well?",
    formula=IGAP.formula,
    reading=(
        "Each value is the least interlingual gap of all fine-tuned models with a training error from E′ to under E′ + ε, in "
        "percentage points of error (lower = better transfer). A gap in a line: no model there, or not all were evaluated. "
        "Points E′ lie ε apart, at most 0.01, so that each model lies in a window; where runs evaluated their targets in given "
        "windows alone, at the starts of these."
    ),
    interval="",
    source="Chi, Huang & Mao 2023, equation 5, figure 1b",
    bibtex=CHI,
)
INTERLINGUAL = Card(
    name="Interlingual gap",
    question="How much larger is a fine-tuned model's error on translations of its training examples than its training error?",
    formula=r"G_\text{inter} = E(\text{translations of the training examples}) - E_\text{train}",
    reading=(
        "Percentage points of error (lower = better transfer), of every fine-tuned model. A model that has learned little has "
        "a small gap too: IGap compares only models of equal training error."
    ),
    interval="",
    source="Chi, Huang & Mao 2023, equation 4",
    bibtex=CHI,
)
DECOMPOSITION = Card(
    name="Parts of the target error",
    question="Of the errors in another language, which come from learning, which from crossing languages, which from new text?",
    formula=(
        r"E_\text{target} = E_\text{train} + G_\text{inter} + G_\text{intra} \qquad "
        r"G_\text{intra} = E_\text{target} - E(\text{translations of the training examples})"
    ),
    reading=(
        "Percentage points, of the model behind each IGap. The parts sum to the error on the target's validation examples, "
        "exactly. A part below zero hangs below the axis: the validation examples can be easier than the translations."
    ),
    interval="",
    source="Chi, Huang & Mao 2023, equation 3, figure 7",
    bibtex=CHI,
)
MEMORISATION = Card(
    name="Memorisation of replaced labels",
    question="How fast does a model learn labels by heart that say nothing?",
    formula=r"E_\text{train}(t), \quad \text{a share of the labels replaced by random ones}",
    reading=(
        "Training error, percent of the training examples as they are labelled, replaced labels included. Mean over runs "
        "(learning rates and seeds); a run that ended early goes on at its last error."
    ),
    interval="Band: from the least to the greatest run.",
    source="Chi, Huang & Mao 2023, section 5.4, figure 3",
    bibtex=CHI,
)
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
