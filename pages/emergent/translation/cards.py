"""What the figures that set XferBench against something else are, in few words."""

from __future__ import annotations

from pages.emergent.shared.cards import BOLDT
from pages.widgets.card import Card

AGAINST = Card(
    name="Translation against XferBench",
    question="Does a source that XferBench prefers also help a model that learns to translate?",
    formula=r"r = \frac{\sum_s (h_s - \bar h)(c_s - \bar c)}{\sqrt{\sum_s (h_s - \bar h)^2 \sum_s (c_s - \bar c)^2}}",
    reading=(
        "A point a source. Across: its XferBench score, lower = better. Up: chrF or BLEU of a BART that was pre-trained on "
        "the source by text infilling and tuned to translate, higher = better. So r near −1 says that both prefer the same "
        "sources. Full: all weights are tuned. Frozen: the embeddings alone. Reduced: all, at a lower learning rate on less "
        "text (in the paper, a tenth and a fifth)."
    ),
    interval="Pearson's r needs three sources, and says little of so few.",
    source="Boldt & Mortensen 2024, section 5, figure 3 and tables 2 and 4",
    bibtex=BOLDT,
)
EXAMPLES = Card(
    name="Translations",
    question="What do translations of this quality look like?",
    formula=r"\text{chrF} = \frac{1}{|B|} \sum_{b \in B} \text{chrF}_b",
    reading=(
        "Held-out sentences, their translations in the corpus, and what the model wrote with the narrowest beam. Scores are "
        "the mean over all widths of the beam search, each of all sentences that are translated."
    ),
    source="Boldt & Mortensen 2024, section 5; sacrebleu (Post 2018)",
    bibtex=BOLDT,
)
STATISTIC = Card(
    name="XferBench against a statistic",
    question="Does something that needs no training tell how good a corpus is to pre-train on?",
    formula=r"\rho = r(\operatorname{rank} h, \operatorname{rank} x)",
    reading=(
        "A point a corpus: its statistic, and its XferBench score as the mean over the targets that all of them have; lower = "
        "better. Pearson's r is of the values, Spearman's ρ of their ranks."
    ),
    interval="Both need three corpora. With few, either may be near 1 by chance; with many statistics to choose from, more so.",
    source="Boldt & Mortensen 2024, section 3, for the score",
    bibtex=BOLDT,
)
