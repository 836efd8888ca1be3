"""The views of tokenisers, by their titles."""

from __future__ import annotations

from isogloss.pages.tokenisers import languages, pairs, sentences

VIEWS = {"Languages": languages.draw, "Pairs": pairs.draw, "Sentences": sentences.draw}
