"""Views that were called otherwise once: their links, and those on boards, still open what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

VIEWS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "emergent": {
        "Shuffled": {"view": "Entropies", "shuffled": "true"},
        "Success": {"view": "Games"},
        "Training": {"view": "XferBench"},
        "Scatter": {"view": "Score × statistic"},
    },
}
"""By page and by the old name: the parameters that say the same today."""


def renamed(page: str, asked: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the parameters of a link as they are called today. What the link says of an option itself stays."""
    found = {key: list(values) for key, values in asked.items()}
    today = VIEWS.get(page, {}).get(found.get("view", [""])[-1], {})
    for key, value in today.items():
        if key == "view" or key not in found:
            found[key] = [value]
    return found
