"""The least that a file of scores or records says of itself, for tests that look at its rows."""

from __future__ import annotations

from typing import Any

LEAST: dict[str, dict[str, Any]] = {
    "abx": {"languages": ["de", "en"], "variant": "exact/mean"},
    "geometry": {"languages": ["de", "en"], "variant": "mean"},
    "alignment": {"pairs": [["de", "en"]], "variant": "word"},
    "similarity": {"pairs": [["de", "en"]], "variant": "mean"},
    "probing": {"corpus": "c" * 24, "source": "en", "targets": ["en"], "variant": "words", "options": {}, "extras": []},
    "emergent": {},
    "transfer": {},
    "records": {
        "version": 1,
        "data": "task",
        "source": "en",
        "languages": ["de", "en"],
        "complete": True,
        "corruption": 0.0,
        "classes": 2,
        "steps": 20,
        "options": {
            "algorithm": "vanilla",
            "learning_rate": 1e-5,
            "seed": 0,
            "epochs": 1,
            "batch": 32,
            "patience": None,
            "windows": "all",
        },
        "extra": None,
        "sentences": None,
        "draw": 0,
        "validation_share": 0.2,
    },
}


def footer(folder: str, **said: Any) -> dict[str, Any]:
    """What a file in `folder` says at least, and `said`."""
    return {"fingerprint": "f", "corpus": "c", "experiment": folder} | LEAST.get(folder, {}) | said
