"""What the transfer measures are, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from isogloss.backend.boards.card import cards

(
    IGAP,
    ACCURACY,
    TRANSFER_GAP,
    ASYMMETRY,
    EXAMPLES,
    CURVES,
    INTERLINGUAL,
    DECOMPOSITION,
    MEMORISATION,
    RANKING,
    INTRALINGUAL,
    TRAINING_ERROR,
    TRANSFERRED,
) = cards(
    __file__,
    "igap",
    "accuracy",
    "transfer_gap",
    "asymmetry",
    "examples",
    "curves",
    "interlingual",
    "decomposition",
    "memorisation",
    "ranking",
    "intralingual",
    "training_error",
    "transferred",
)
