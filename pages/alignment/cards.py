"""What weak and strong alignment are, in few words."""

from __future__ import annotations

from pages.alignment.selection import Selection
from pages.widgets.card import Card

GASCHI = r"""@inproceedings{gaschi-etal-2022-multilingual,
  title     = {Multilingual Transformer Encoders: a Word-Level Task-Agnostic Evaluation},
  author    = {Gaschi, F{\'e}lix and Plesse, Fran{\c c}ois and Rastin, Parisa and Toussaint, Yannick},
  booktitle = {2022 International Joint Conference on Neural Networks (IJCNN)},
  year      = {2022},
  doi       = {10.1109/IJCNN55064.2022.9892197}
}"""
INTERVAL = (
    "Intervals: 95%, Student's over the runs; Wilson's over the pairs where every run would take the same ones. A mean's "
    "interval is the mean of its pairs' intervals."
)
WORDS = Card(
    name="Word alignment, weak and strong",
    question=(
        "Is a word, in its sentence, nearer to its translation than to any other word of the other language (weak)? "
        "Than to any other word of its own language (strong)?"
    ),
    formula=(
        r"\text{weak: } s(u_i, v_i) > \max_{j \ne i} s(u_i, v_j) \quad "
        r"\text{strong: } s(u_i, v_i) > \max_{j \ne i} s(u_i, u_j) \qquad "
        r"s(x, y) = 2\cos(x, y) - r(x) - r(y)"
    ),
    reading=(
        "Share of words for which it holds (higher = better aligned); chance is about one in as many as there are words. "
        "r is the mean cosine with the 10 nearest of the other set (CSLS). Whether a word is one of the 10 nearest to itself "
        "in its own language, the paper does not say; in the code that made table IV it is: Options, Strong. Strong below "
        "weak: words of one language lie together, whatever they mean."
    ),
    interval=INTERVAL,
    source="Gaschi et al. 2022, equations 1 and 3",
    bibtex=GASCHI,
)
SENTENCES = Card(
    name="Sentence alignment, weak and strong",
    question=(
        "Is a sentence nearer to its translation than to any other sentence of the other language (weak)? "
        "Than to any other sentence of its own language (strong)?"
    ),
    formula=WORDS.formula,
    reading=(
        "Share of sentences for which it holds (higher = better aligned); chance is about one in as many as there are. "
        "r is the mean cosine with the 10 nearest of the other set (CSLS)."
    ),
    interval="Intervals: 95%, Wilson's over the sentences. A mean's interval is the mean of its pairs' intervals.",
    source="Gaschi et al. 2022, equations 1 and 3, table I",
    bibtex=GASCHI,
)
SIMILARITY = Card(
    name="Similarity of translated and of random pairs",
    question="Are translations nearer to each other than sentences that mean different things?",
    formula=r"\frac1n \sum_i \cos(u_i, v_i) \quad\text{against}\quad \frac1n \sum_i \cos(u_i, v_{\pi(i)}), \; \pi(i) \ne i",
    reading=(
        "Mean cosine, -1 to 1. What counts is the distance of the two curves: where both are near 1, all sentences point the "
        "same way. Overlap: 1 less the Kolmogorov-Smirnov distance of the two distributions (lower = better told apart)."
    ),
    interval="Intervals: 95%, Student's over the sentences of each pair of languages; the mean's is the mean of theirs.",
    source="Gaschi et al. 2022, figure 4",
    bibtex=GASCHI,
)
DISTRIBUTIONS = Card(
    name="Distributions of similarity",
    question="How similar are words that translate each other, and how similar are words that do not?",
    formula=r"\text{overlap} = 1 - \max_x \left| F_{\text{pairs}}(x) - F_{\text{random}}(x) \right|",
    reading=(
        "Share of pairs by cosine, -1 to 1. Dictionary: pairs that the dictionary gives. Aligner: words of two translated "
        "sentences that are each other's nearest at this layer. Overlap with the random pairs: 0 if a threshold tells them "
        "apart, 1 if nothing does (lower = better)."
    ),
    interval="",
    source="Gaschi et al. 2022, figure 5; aligner: SimAlign's argmax (Jalili Sabet et al. 2020)",
    bibtex=GASCHI,
)
SOURCES = Card(
    name="Sources of word pairs",
    question="Of the word pairs that a dictionary, an aligner or the model itself gives, how many are right?",
    formula=(
        r"\text{precision} = \frac{|A \cap P|}{|A|} \quad \text{recall} = \frac{|A \cap S|}{|S|} \quad "
        r"\text{error rate} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}"
    ),
    reading=(
        "A: the source's pairs, every occurrence counted. S: gold's sure links; P: sure and possible ones. A pair is right "
        "where its words share characters with the two tokens of a link. The model's pairs are the words of two translated "
        "sentences that are each other's nearest at a layer. Only sentences with a gold link count. Links of punctuation "
        "count for recall though no source pairs any."
    ),
    interval="",
    source="Gaschi et al. 2022, table II; Och & Ney 2003; mutual nearest words: SimAlign's argmax (Jalili Sabet et al. 2020)",
    bibtex=GASCHI,
)


def card(selection: Selection) -> Card:
    """The card of the unit looked at."""
    return WORDS if selection.unit == "word" else SENTENCES
