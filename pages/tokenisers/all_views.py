"""The views of tokenisers, by their titles."""

from __future__ import annotations

from isogloss.pages.tokenisers import languages, on_a_map, pairs, sentences

VIEWS = {"Languages": languages.draw, "Pairs": pairs.draw, "Map": on_a_map.draw, "Sentences": sentences.draw}
