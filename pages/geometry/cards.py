"""What the measures of geometry are, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from isogloss.backend.boards.card import cards
from isogloss.backend.experiments.geometry.measures import KINDS

MEXA, MUTUAL_KNN, RSA, CKA, ANC = cards(__file__, "mexa", "mutual_knn", "rsa", "cka", "anc")
LANGUAGE_PROBE, ANISOTROPY, HUBNESS = cards(__file__, "language_probe", "anisotropy", "hubness")
EFFECTIVE_RANK, SPECTRUM_ENTROPY = cards(__file__, "effective_rank", "spectrum_entropy")
SINK_RATIO, FIRST_TOKEN_SHARE, TOP_DIMENSIONS_SHARE = cards(__file__, "sink_ratio", "first_token_share", "top_dimensions_share")

OF_PAIRS = (MEXA, MUTUAL_KNN, RSA, CKA, ANC)
OF_LANGUAGES = (LANGUAGE_PROBE, ANISOTROPY, HUBNESS, EFFECTIVE_RANK, SPECTRUM_ENTROPY)
OF_TOKENS = (SINK_RATIO, FIRST_TOKEN_SHARE, TOP_DIMENSIONS_SHARE)
CARDS = dict(zip(KINDS, (*OF_PAIRS, *OF_LANGUAGES, *OF_TOKENS), strict=True))
"""By metric, in the order of `KINDS`."""
