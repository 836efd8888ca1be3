"""The views of the latent language, by their titles."""

from __future__ import annotations

from isogloss.pages.latent import languages, layers, trends, words

VIEWS = {
    "Layers": layers.draw,
    "Languages × layers": languages.draw,
    "Checkpoints": trends.draw,
    "Words": words.draw,
}
