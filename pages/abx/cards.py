"""What the measures of ABX are, in few words."""

from __future__ import annotations

from pages.widgets.card import DE_SEYSSEL, Card

LANGUAGE = Card(
    name="Language discrimination",
    question="Is a sentence nearer to another sentence of its own language than to that sentence's translation?",
    formula=(
        r"\frac{1}{n(n-1)}\sum_{p \ne q}\Big[\cos(a_p, a_q) > \cos(a_p, b_q)\Big] "
        r"+ \tfrac12\Big[\cos(a_p, a_q) = \cos(a_p, b_q)\Big]"
    ),
    reading=(
        "Share of triplets, mean of both directions. 1: the layer tells the two languages apart by their form; 0.5: chance; "
        "below 0.5: meaning outweighs language."
    ),
    interval="Intervals: 95%, delete-one jackknife over sentences.",
    source="de Seyssel et al. 2025, section 3; every triplet counted, none sampled",
    bibtex=DE_SEYSSEL,
)
MEANING = Card(
    name="Meaning discrimination",
    question="Is a sentence nearer to its own translation than to the translation of another sentence?",
    formula=(
        r"\frac{1}{n(n-1)}\sum_{p \ne q}\Big[\cos(a_p, b_p) > \cos(a_p, b_q)\Big] "
        r"+ \tfrac12\Big[\cos(a_p, b_p) = \cos(a_p, b_q)\Big]"
    ),
    reading=(
        "Share of triplets, mean of both directions. 1: translations always lie nearer than other sentences (higher = better "
        "aligned meaning); 0.5: chance."
    ),
    interval="Intervals: 95%, delete-one jackknife over sentences.",
    source="de Seyssel et al. 2025, section 3; every triplet counted, none sampled",
    bibtex=DE_SEYSSEL,
)
BOTH = Card(
    name="ABX discrimination",
    question="Does this layer tell languages apart? Does it tell meanings apart?",
    formula=(
        r"\text{language: } \cos(a_p, a_q) > \cos(a_p, b_q) \quad "
        r"\text{meaning: } \cos(a_p, b_p) > \cos(a_p, b_q) \quad p \ne q"
    ),
    reading=(
        "Share of triplets (a sentence p in language a; sentences q; translations b) for which it holds; ties count one half; "
        "mean of both directions and of all pairs of languages. 0.5 is chance, 1 is perfect."
    ),
    interval=(
        "Intervals: 95%, delete-one jackknife over sentences. A mean's interval is the mean of its pairs' intervals, "
        "the widest it can be."
    ),
    source="de Seyssel et al. 2025, sections 3 and 4; every triplet counted, none sampled",
    bibtex=DE_SEYSSEL,
)
RETRIEVAL = Card(
    name="Retrieval accuracy, top-1",
    question="Is the nearest sentence of the other language the translation?",
    formula=r"\frac{1}{n}\sum_{p}\Big[\arg\max_q \cos(a_p, b_q) = p\Big]",
    reading="Share of sentences, mean of both directions (higher = better aligned). Chance is 1/n.",
    source="de Seyssel et al. 2025, section 4.1",
    bibtex=DE_SEYSSEL,
)
