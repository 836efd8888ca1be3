"""What a probe's scores say, in few words."""

from __future__ import annotations

from pages.probing import frames
from pages.widgets.card import DE_SEYSSEL, Card

HEWITT = r"""@inproceedings{hewitt-liang-2019-designing,
  title     = {Designing and Interpreting Probes with Control Tasks},
  author    = {Hewitt, John and Liang, Percy},
  booktitle = {Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing and the 9th
               International Joint Conference on Natural Language Processing (EMNLP-IJCNLP)},
  year      = {2019},
  pages     = {2733--2743}
}"""
VOITA = r"""@inproceedings{voita-titov-2020-information,
  title     = {Information-Theoretic Probing with Minimum Description Length},
  author    = {Voita, Elena and Titov, Ivan},
  booktitle = {Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing (EMNLP)},
  year      = {2020},
  pages     = {183--196}
}"""
INTERVAL = (
    "Intervals: 95%, over test sentences and seeds, Wilson's for as many trials as their variance is worth. A mean's interval "
    "is the mean of its languages' and layers' intervals."
)
SAME = "One probe reads one layer; the mean of layers and a learned mix of them are probed too."
ACCURACY = Card(
    name="Probe accuracy",
    question="Can a linear classifier read the tag of a word, or the label of a sentence, off the frozen model's vectors?",
    formula=r"\hat{y} = \arg\max_t \; (W h + b)_t \qquad \frac1n \sum_i [\hat{y}_i = y_i]",
    reading=(
        f"Share right in the test part, 0 to 1 (higher = more of it can be read off), mean over seeds. {SAME} Beside it, the "
        "most frequent tag of all and the most frequent tag of each word, which need no vectors, and the control task, whose "
        "tags are random: what a probe adds to these is what the vectors hold."
    ),
    interval=INTERVAL,
    source="de Seyssel et al. 2025, section 5, after Blevins et al. 2022",
    bibtex=DE_SEYSSEL,
)
F1 = Card(
    name="Entity F1",
    question="How many of the names are found whole, with their kind?",
    formula=r"F_1 = \frac{2\,|\text{found} \cap \text{there}|}{|\text{found}| + |\text{there}|}",
    reading="0 to 1 (higher = more of it can be read off), mean over seeds; a name counts only with its exact words and kind.",
    interval=INTERVAL,
    source="seqeval's count of entities, over all kinds together; the paper gives accuracy",
    bibtex=DE_SEYSSEL,
)
SELECTIVITY = Card(
    name="Selectivity and control task",
    question="Does a probe read the tag off the vector, or does it learn each word by heart?",
    formula=r"\text{selectivity} = \text{accuracy} - \text{accuracy}_{\text{control}}",
    reading=(
        "In the control task every word type has a random tag, drawn as often as the real ones occur. The same probe learns "
        "it; what it gets right there it learnt by heart. Selectivity, -1 to 1: higher = less is learnt by heart; 0: random "
        "tags of words are told as well as the real ones. Of the language trained on alone."
    ),
    interval="Intervals: 95%, over test sentences and seeds; both tasks on the same words.",
    source="Hewitt & Liang 2019",
    bibtex=HEWITT,
)
LENGTH = Card(
    name="Description length and compression",
    question="In how many bits can the labels be sent to someone who has the vectors?",
    formula=r"L = t_1 \log_2 K - \sum_{i=1}^{S-1} \log_2 p_{\theta_i}(y_{t_i+1:t_{i+1}} \mid x_{t_i+1:t_{i+1}})",
    reading=(
        "Bits for the training part (lower = easier to read off): a probe learns while it sends, block after block. "
        "Compression: how many times shorter than the uniform code, n log₂ K (higher = easier); 1: the vectors help nothing."
    ),
    interval="Intervals: 95%, Student's over seeds.",
    source="Voita & Titov 2020, online code",
    bibtex=VOITA,
)
CONFUSION = Card(
    name="Confusion matrix",
    question="Which tags are taken for which?",
    formula=r"C_{tu} = \frac{|\{i : y_i = t, \; \hat{y}_i = u\}|}{|\{i : y_i = t\}|}",
    reading="Share of the words of a tag (row) that were told to have another (column). A row sums to 1.",
    source="de Seyssel et al. 2025, section 5; the first seed's probe",
    bibtex=DE_SEYSSEL,
)
REGRESSION = Card(
    name="Accuracy regressed on LD and MD",
    question="Does what ABX tells of a language, or of a pair of languages, tell what probes of it reach?",
    formula=r"\text{accuracy} = \beta_0 + \beta_1 \, \text{LD} + \beta_2 \, \text{MD} + \varepsilon",
    reading=(
        "Ordinary least squares; a row a language (monolingual; LD and MD the mean over its pairs) or a pair (cross-lingual; "
        "that pair's). All are means over layers, at the last checkpoint or the mean over checkpoints. R², 0 to 1: higher = "
        "better predicted. A coefficient: by how much accuracy changes with one unit, negative = less."
    ),
    interval="p: Student's, rows as independent; then from permuting languages, for pairs share languages (MRQAP).",
    source="de Seyssel et al. 2025, table 1; permutations: Dekker, Krackhardt & Snijders 2007",
    bibtex=DE_SEYSSEL,
)
CARDS = {
    frames.ACCURACY: ACCURACY,
    frames.F1: F1,
    frames.SELECTIVITY: SELECTIVITY,
    frames.CONTROL: SELECTIVITY,
    frames.LENGTH: LENGTH,
    frames.COMPRESSION: LENGTH,
}
