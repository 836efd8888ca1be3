"""What the measures of tokenisers are, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from isogloss.backend.boards.card import Card, cards

FERTILITY, PREMIUM, ONE_PIECE_WORDS = cards(__file__, "fertility", "premium", "one_piece_words")
PIECES_PER_SENTENCE, PIECES_PER_CHARACTER = cards(__file__, "pieces_per_sentence", "pieces_per_character")
BYTES_PER_CHARACTER, TRUNCATED_SENTENCES = cards(__file__, "bytes_per_character", "truncated_sentences")
UNKNOWN_PIECES, PIECES = cards(__file__, "unknown_pieces", "pieces")
SHARED_VOCABULARY, SHARED_USE = cards(__file__, "shared_vocabulary", "shared_use")
OF: dict[str, Card] = {
    "tokeniser_fertility": FERTILITY,
    "tokeniser_premium": PREMIUM,
    "tokeniser_one_piece_words": ONE_PIECE_WORDS,
    "tokeniser_pieces_per_sentence": PIECES_PER_SENTENCE,
    "tokeniser_pieces_per_character": PIECES_PER_CHARACTER,
    "tokeniser_bytes_per_character": BYTES_PER_CHARACTER,
    "tokeniser_truncated_sentences": TRUNCATED_SENTENCES,
    "tokeniser_unknown_pieces": UNKNOWN_PIECES,
    "tokeniser_shared_vocabulary": SHARED_VOCABULARY,
    "tokeniser_shared_use": SHARED_USE,
}
"""By metric."""
