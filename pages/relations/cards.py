"""What the figures of Relations show, in few words."""

from __future__ import annotations

from pages.widgets.card import DE_SEYSSEL, Card

QAP = r"""@article{krackhardt-1988-predicting,
  title   = {Predicting with Networks: Nonparametric Multiple Regression Analysis of Dyadic Data},
  author  = {Krackhardt, David},
  journal = {Social Networks},
  volume  = {10},
  pages   = {359--381},
  year    = {1988}
}"""
MRQAP = r"""@article{dekker-etal-2007-sensitivity,
  title   = {Sensitivity of {MRQAP} Tests to Collinearity and Autocorrelation Conditions},
  author  = {Dekker, David and Krackhardt, David and Snijders, Tom A. B.},
  journal = {Psychometrika},
  volume  = {72},
  pages   = {563--581},
  year    = {2007}
}"""
PERMUTED = (
    "Pairs share languages and are not independent: p is the share of permutations of the languages (of one measure, QAP) "
    "that give a correlation as far from 0, the observed one among them. "
)

CORRELATION = Card(
    name="Correlation of two measures",
    question="Do units with more of one measure have more, or less, of the other?",
    formula=r"r = \frac{\sum (x - \bar x)(y - \bar y)}{\sqrt{\sum (x - \bar x)^2 \sum (y - \bar y)^2}}",
    reading="−1 to 1; 0: unrelated. A point is what the side bar says: a mean over pairs, layers or checkpoints where chosen.",
    interval=(
        "Intervals: 95%, Fisher's z, points as independent. " + PERMUTED + "Layers and checkpoints are permuted as if they had "
        "no order. Pooled over checkpoints or layers, all are permuted alike: what training or depth gives by itself stays. "
        "The band is that of the line's mean."
    ),
    source="de Seyssel et al. 2025, sections 4.1 and 4.2, figures 6, 7, 11 and 15; QAP: Mantel 1967, Krackhardt 1988",
    bibtex=QAP,
)
EVERYWHERE = Card(
    name="Where a measure predicts another",
    question="At which layer, and when in training, does the predictor go with the outcome?",
    formula=r"r_{\ell c} = \operatorname{corr}\big(x_{\ell c},\, y\big)",
    reading="−1 to 1 over the units at each layer and checkpoint of the predictor; 0: unrelated. Hatched: p ≥ 0.05.",
    interval=PERMUTED
    + "199 permutations a cell, 99 where the outcome moves along. One cell in twenty is below 0.05 by chance.",
    source="our figure, after de Seyssel et al. 2025, figures 4 and 7; QAP: Krackhardt 1988",
    bibtex=QAP,
)
MATRIX = Card(
    name="All measures against all",
    question="Which measures say the same?",
    formula=r"r_{ij} = \operatorname{corr}(x_i, x_j)",
    reading=(
        "−1 to 1 over the units that both have; 0: unrelated. Measures are ordered by clusters: neighbours go with the same "
        "others. Hatched: p ≥ 0.05."
    ),
    interval=PERMUTED + "199 permutations.",
    source="our figure; QAP: Krackhardt 1988",
    bibtex=QAP,
)
REGRESSION = Card(
    name="Regression",
    question="What does each predictor add, the others held fixed?",
    formula=r"y = \beta_0 + \beta_1 x_1 + \dots + \beta_k x_k + \varepsilon",
    reading=(
        "Ordinary least squares. R²: share of the outcome's variance that the predictors take up. Standardised: the slope in "
        "standard deviations. The slope of a partial plot is the coefficient."
    ),
    interval=(
        "Intervals and p take the rows as independent. p permuted: what the other predictors leave of the predictor is "
        "permuted by language and its t compared (MRQAP, double semi-partialling), 999 permutations."
    ),
    source="de Seyssel et al. 2025, section 5, table 1; Dekker, Krackhardt & Snijders 2007",
    bibtex=MRQAP,
)
CHECKPOINTS = Card(
    name="Choosing a checkpoint by a measure",
    question="Is the checkpoint that the guide chooses nearer to the best one than the last is?",
    formula=r"\Delta = \big(\max_c y_c - y_{\text{last}}\big) - \big(\max_c y_c - y_{c^*}\big) \qquad c^* = \arg\min_c x_c",
    reading=(
        "In the outcome's unit, a bar a language, sorted by |Δ|. Above 0: the chosen checkpoint is nearer to the best one. "
        "Of equal checkpoints the earliest is chosen."
    ),
    interval="p: Wilcoxon's signed-rank test, two-sided, without languages of Δ = 0.",
    source="de Seyssel et al. 2025, appendix H, figures 12 and 13",
    bibtex=DE_SEYSSEL,
)
SOURCES = Card(
    name="Choosing a source language by a measure",
    question="How good is the source that the guide chooses for each target?",
    formula=r"\text{wins}_t = \frac{|\{s \in S_t : y_{st} \prec y_{s^* t}\}|}{|S_t| - 1}, \qquad s^* = \arg\min_s x_{st}",
    reading=(
        "Share of the target's other sources that the chosen one beats strictly; 0.5: as good as a random source, where "
        "none are alike. The target itself is no source. Against 100 random: the same share of 100 draws, as the paper has it."
    ),
    source="de Seyssel et al. 2025, appendix K, figure 16",
    bibtex=DE_SEYSSEL,
)
