"""What the figures of the benchmark are, in few words."""

from __future__ import annotations

from pages.emergent.shared.cards import BOLDT
from pages.widgets.card import Card

SCORE = Card(
    name="XferBench score",
    question="How much does a model that first learned this language know of human languages already?",
    formula=r"h_s = \frac{1}{|T|} \sum_{t \in T} h_{s,t} \qquad h_{s,t} = -\frac{1}{N} \sum_{i} \ln p_{s,t}(x_i \mid x_{<i})",
    reading=(
        "Nats a token, mean over the targets: a model pre-trained on the source, tuned on the target, asked for text held out "
        "there. Lower = better. Compare only within one variant (preset, protocol, options) and the same targets."
    ),
    interval=(
        "Intervals: 95%, bootstrap over targets (BCa, 9,999 resamples) of the values normalised for each target, then "
        "mapped back. They say how a source's place would move with other targets, not with another training seed."
    ),
    source="Boldt & Mortensen 2024, section 3, figure 2 and appendix E",
    bibtex=BOLDT,
)
CELLS = Card(
    name="Cross-entropy by target",
    question="On which target languages does this source help?",
    formula=r"z_{s,t} = \frac{h_{s,t} - \operatorname{mean}_{s'} h_{s',t}}{\operatorname{sd}_{s'} h_{s',t}}",
    reading=(
        "Raw: nats a token of held-out text; lower = better. Targets differ far more than sources do: compare down a column. "
        "Normalised: standard deviations (n − 1) from the mean of the sources shown; below 0 = better than their average."
    ),
    source="Boldt & Mortensen 2024, table 5 and appendix E",
    bibtex=BOLDT,
)
PLACES = Card(
    name="Places in two variants",
    question="Does another preset, protocol or set of options rank the sources in the same order?",
    formula=r"r_s = 1 + \bigl|\{s' : h_{s'} < h_s\}\bigr|",
    reading=(
        "Each variant's sources, counted from the lowest score; equal scores share the mean of their places. Scores are means "
        "over the targets that both variants have, in nats of each variant's own models: do not compare them."
    ),
    interval="Of the correlation: 95%, Fisher's z with the standard error of Bonett & Wright 2000. It needs four sources.",
    source="Boldt & Mortensen 2024, section 3; Spearman's rank correlation",
    bibtex=BOLDT,
)
CHANGES = Card(
    name="Difference of normalised values",
    question="On which targets does a source stand better among the others in one variant than in the other?",
    formula=r"z^{(1)}_{s,t} - z^{(2)}_{s,t}",
    reading=(
        "Each variant's cross-entropies are normalised for each target over the sources that both have; then the second's are "
        "taken from the first's. Below 0: the source stands better among the others in the first."
    ),
    source="Boldt & Mortensen 2024, appendix E, for the normalisation",
    bibtex=BOLDT,
)
TRANSLATION = Card(
    name="Machine translation check",
    question="Does a source that XferBench prefers also help a model that learns to translate?",
    formula=r"\frac{1}{3} \sum_{b \in \{1, 3, 5\}} \text{chrF}_b",
    reading="English–French, percent, mean over beams of 1, 3 and 5. Higher = better.",
    source="Boldt & Mortensen 2024, tables 2 and 4",
    bibtex=BOLDT,
)
WRITING = Card(
    name="By writing system",
    question="Do sources help targets that are written as they are?",
    formula=r"\frac{1}{|S||T|} \sum_{s \in S} \sum_{t \in T} z_{s,t}",
    reading=(
        "Mean normalised cross-entropy of the sources in a group on the targets in a group; below 0 = better than the average "
        "of the sources shown. Scripts are CLDR's likely ones. Types are ISO 15924's and the Unicode Standard's, by script: "
        "Uyghur, which writes its vowels, is among the abjads. Han is the paper's Chinese, Korean its Hangul; its other names, "
        "and all its types, are the same."
    ),
    source="Boldt & Mortensen 2024, tables 7 and 8",
    bibtex=BOLDT,
)
TRAINING = Card(
    name="Training and tuning curves",
    question="Had pre-training and tuning converged when they ended, and did the source give tuning a better start?",
    formula=r"L(i) = -\frac{1}{N_i} \sum_{x \in B_i} \ln p_i(x \mid x_{<})",
    reading=(
        "Loss in nats a token on what is trained on, mean of the steps since the point before. Lower = better. The score is of "
        "held-out text, so it is not the last point. Pre-training and tuning read different symbols: their losses do not "
        "compare, nor do the pre-trainings of two sources."
    ),
    source="Boldt & Mortensen 2024, section 3",
    bibtex=BOLDT,
)
