"""What the statistics of a corpus are, in few words. Those of the benchmark have a card file of their own."""

from __future__ import annotations

from pages.widgets.card import Card

BOLDT = r"""@inproceedings{boldt-mortensen-2024-xferbench,
  title     = {{XferBench}: a Data-Driven Benchmark for Emergent Language},
  author    = {Boldt, Brendon and Mortensen, David R.},
  booktitle = {Proceedings of the 2024 Conference of the North American Chapter of the Association for
               Computational Linguistics: Human Language Technologies},
  year      = {2024}
}"""
SHANNON = r"""@article{shannon-1951-prediction,
  title   = {Prediction and Entropy of Printed {English}},
  author  = {Shannon, Claude E.},
  journal = {Bell System Technical Journal},
  volume  = {30},
  number  = {1},
  pages   = {50--64},
  year    = {1951},
  doi     = {10.1002/j.1538-7305.1951.tb01366.x}
}"""
MANDELBROT = r"""@incollection{mandelbrot-1953-informational,
  title     = {An Informational Theory of the Statistical Structure of Language},
  author    = {Mandelbrot, Beno{\^i}t},
  booktitle = {Communication Theory},
  editor    = {Jackson, Willis},
  publisher = {Butterworths},
  pages     = {486--502},
  year      = {1953}
}"""
HEAPS = r"""@book{heaps-1978-information,
  title     = {Information Retrieval: Computational and Theoretical Aspects},
  author    = {Heaps, Harold Stanley},
  publisher = {Academic Press},
  year      = {1978}
}"""
LEWIS = r"""@inproceedings{kharitonov-etal-2019-egg,
  title     = {{EGG}: a toolkit for research on Emergence of lan{G}uage in Games},
  author    = {Kharitonov, Eugene and Chaabouni, Rahma and Bouchacourt, Diane and Baroni, Marco},
  booktitle = {Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing:
               System Demonstrations},
  year      = {2019}
}"""
OVERVIEW = Card(
    name="A corpus in numbers",
    question="How large, how varied and how regular is this language, before any model learns it?",
    formula=(
        r"H = -\sum_s p(s) \log_2 p(s) \qquad H(X_2 \mid X_1) = H(X_1 X_2) - H(X_1) \qquad "
        r"p(r) \propto (r + \beta)^{-\alpha}"
    ),
    reading=(
        "Entropies in bits a symbol, by the plug-in estimate. Their difference says how much neighbours tell of each other; a "
        "random language has none. Compression: zlib, bits a token with the ends of utterances; below the entropy, there is "
        "structure. None of these is a score: XferBench asks a model instead."
    ),
    source="Boldt & Mortensen 2024; Shannon 1951; Mandelbrot 1953",
    bibtex=BOLDT,
)
RANKS = Card(
    name="Rank and frequency",
    question="Are a few symbols said very often and most of them rarely, as words of human languages are?",
    formula=r"p(r) = \frac{(r + \beta)^{-\alpha}}{\sum_{k=1}^{n} (k + \beta)^{-\alpha}}",
    reading=(
        "Share of all tokens, by rank; on logarithmic axes a power law is a line of slope −α, bent at its top by β. The fit is "
        "of largest likelihood over the symbols that occur. No α where the fit runs to its bounds: equal or exponentially "
        "falling shares are no power law. Words of human languages: α near 1."
    ),
    source="Mandelbrot 1953; XferBench's Paren synth has α = 1, β = 2.7",
    bibtex=MANDELBROT,
)
TYPE_TOKEN = Card(
    name="Type–token curve",
    question="Does the language go on to say new symbols, or are all of them soon known?",
    formula=r"V(t) = \left|\{ s_1, \dots, s_t \}\right|",
    reading=(
        "Different symbols among the first t tokens, in the order of the corpus. Flat: a closed inventory, as in most "
        "signalling games. Rising as a power of t (Heaps' law): an open vocabulary, as of words."
    ),
    source="Heaps 1978",
    bibtex=HEAPS,
)
LENGTHS = Card(
    name="Utterance lengths",
    question="How long are utterances, and do lengths vary?",
    formula=r"P(\ell) = \frac{1}{U} \left|\{ u : |u| = \ell \}\right|",
    reading="Share of utterances by their tokens. One length for all: messages cannot end early, or never do.",
    source="Boldt & Mortensen 2024, table 1",
    bibtex=BOLDT,
)
ENTROPIES = Card(
    name="Entropies by n-gram order",
    question="How much less surprising is a symbol once those before it are known?",
    formula=r"F_n = H(X_1 \dots X_n) - H(X_1 \dots X_{n-1})",
    reading=(
        "Bits, within utterances, by the plug-in estimate. Conditional: of the n-th symbol when n − 1 are known; the faster it "
        "falls, the more order there is. A fall where most n-grams occur once says only that the corpus is small: compare with "
        "the shuffled version."
    ),
    source="Shannon 1951",
    bibtex=SHANNON,
)
POSITIONS = Card(
    name="Positional entropy",
    question="How freely do symbols vary at each place of an utterance?",
    formula=r"H_i = -\sum_s p(s \mid \text{position } i) \log_2 p(s \mid \text{position } i)",
    reading=(
        "Bits, over the utterances that are long enough, by the plug-in estimate: too low where these are few. 0: always the "
        "same symbol there. The first 32 places, or the last."
    ),
    source="Shannon 1951",
    bibtex=SHANNON,
)
FREQUENT = Card(
    name="Most frequent",
    question="What does the language say most often?",
    formula=r"p(g) = \frac{\text{count}(g)}{\sum_{g'} \text{count}(g')}",
    reading=(
        "Symbols, n-grams (within utterances) and whole utterances, in the source's own symbols; share of all of their kind. "
        "Those as frequent are in the order of their ids, utterances in that of the corpus."
    ),
    source="Shannon 1951",
    bibtex=SHANNON,
)
SHUFFLED = Card(
    name="Against its shuffled version",
    question="How much of the language's regularity is in the order of its symbols, and how much in their frequencies?",
    formula=r"F_n^{\text{shuffled}} - F_n",
    reading=(
        "Bits. The same tokens in a random order: within their utterances (what is said stays, how it is ordered goes) or over "
        "the corpus (only frequencies stay). Where both lines lie together, order says nothing; where both fall, the corpus is "
        "too small for that order."
    ),
    source="Shannon 1951",
    bibtex=SHANNON,
)
GROWTH = Card(
    name="Success in the signalling game",
    question="How well do sender and receiver understand each other while they learn?",
    formula=r"\text{success} = \frac{1}{|O|} \sum_{o \in O} \big[\text{the receiver finds } o\big]",
    reading=(
        "Share of objects (higher = better): picked among distractors, or all attributes named rightly. Held out: objects "
        "never trained on. Chance is in the table."
    ),
    source="Kharitonov et al. 2019; games as in Boldt & Mortensen 2024",
    bibtex=LEWIS,
)
