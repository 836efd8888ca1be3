"""The options that experiments of alignment share, each declared once: how vectors are compared, and what a run draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from isogloss.backend.corpora.dictionaries.word_pairs import UNIQUE
from isogloss.backend.metrics.retrieval.options import NEIGHBOURS, SIMILARITIES, TASKS
from isogloss.backend.models.entry import SENTENCE_VECTOR
from isogloss.backend.option import Option

SIMILARITY = Option(
    "How near two vectors are: csls is the cosine less how crowded both their places are, margin over it, l2 less the distance",
    "Similarity",
    SIMILARITIES,
)
K = Option(
    f"Nearest neighbours whose mean cosine counts (default: {', '.join(f'{k} for {name}' for name, k in NEIGHBOURS.items())})",
    "Nearest neighbours",
    told="{} nearest neighbours",
    when={"similarity": tuple(NEIGHBOURS)},
)
CENTRED = Option(
    "Take each language's mean vector out first (Pires et al. 2019)",
    "Language-centred",
    told="language-centred",
    variant="centred",
)
SELF_NEIGHBOUR = Option(  # no control of its own: pages ask for it among the candidates of strong alignment
    "Count a candidate of the query's language among its own nearest neighbours (code of table IV)",
    told="self a neighbour",
    variant="self-neighbour",
    when={"similarity": tuple(NEIGHBOURS)},
)
SEED = Option("Of what is drawn, and of random pairs: the same for every model", "Seed", told="seed {}", key="words_seed")
N_PAIRS = Option(
    "Word pairs drawn for a run; all where there are no more",
    "Word pairs per run",
    told="{:,} word pairs per run",
    always=True,
    variant="{} pairs",
)
N_PAIRS_ONCE = Option("Word pairs drawn; all where there are no more", told="{:,} word pairs", always=True)
"""Of an experiment that has one run."""
RUNS = Option("Draws to average over; one where all pairs are taken", "Runs", told="{:,} run|{:,} runs", always=True)
REPEATED = Option(
    "Count every occurrence of a word pair, not only its first", "Repeated pairs", told="repeated pairs", variant="repeated"
)
MASKED = Option(
    "Put the mask token in place of both words before encoding (figure 8)",
    "Masked words",
    told="masked words",
    variant="masked",
)
UNIQUE_WORDS = Option(
    "Of a dictionary's pairs, which words have one candidate only in the two sentences: both; the source, which is of the "
    "language whose tag comes first (the paper's wording); both, and each word in one pair alone (the authors' code)",
    "Words that count",
    UNIQUE,
    variant={"source": "unique source", "once": "each word once"},
)
Candidates = Literal["both", "source"]
CANDIDATES = replace(UNIQUE_WORDS, words={value: UNIQUE[value] for value in get_args(Candidates)})
"""Where a dictionary's pairs count as often as they occur."""
N_SENTENCES = Option(  # no control of its own, nor have its runs: a page begins with table I's ten runs
    "Sentences drawn for a run (table I: 5000), all where there are no more; 0 or none: all, in one run",
    told="{:,} sentences per run",
    variant="{} sentences",
)
RUNS_OF_SENTENCES = Option("Draws of so many sentences to average over (table I: 10)", told="{:,} run|{:,} runs")
PER_SENTENCE = Option(  # no control of its own: a page asks for it where a comparison lacks it
    "Also keep which sentences are found: Compare's paired intervals",
    told="which sentences are found kept",
)
OTHER_POOLING = replace(  # no control of its own: a page asks which vector to show, and two of them come from one run
    SENTENCE_VECTOR, help="A sentence's vector in place of mean and first token, which are both scored by default", label=""
)
TASK = Option("Among which words the translation must be nearest", words=TASKS, always=True)


def usual_neighbours(others: Mapping[str, Any]) -> int:
    """Return the neighbours of the similarity's own paper; 10, as pages have it, of one that asks for none."""
    return NEIGHBOURS.get(others.get("similarity", "csls"), NEIGHBOURS["csls"])
