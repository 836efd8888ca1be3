"""A table on a board has names, intervals and decimals, and nothing of the store."""

from __future__ import annotations

import pandas as pd

from isogloss.backend.boards.readable import as_text, readable

ROWS = pd.DataFrame(
    {
        "checkpoint": "f" * 24,
        "source": ["de", "de", "en"],
        "target": ["en", "fi", "fi"],
        "n": [252, 252, 252],
        "meaning": [0.8123, 0.5, 1.0],
        "meaning_low": [0.8, None, 0.99],
        "meaning_high": [0.82, None, 1.0],
        "meaning_change": [None, None, None],
        "step": [1000, 2000, 3000],
    }
)


def test_columns_are_called_as_people_call_them() -> None:
    table, formats = readable(ROWS)
    assert list(table) == ["Pair", "Meaning", "Meaning, 95%", "Step", "n"]
    assert list(table["Pair"]) == ["German – English", "German – Finnish", "English – Finnish"]
    assert list(table["Meaning, 95%"]) == ["0.800 to 0.820", "", "0.990 to 1.000"]
    assert formats == {"n": "%.0f", "Meaning": "%.3f", "Step": "%.0f"}
    assert list(as_text(ROWS)["Meaning"]) == ["0.812", "0.500", "1.000"]


def test_directions_measures_and_values_keep_their_words() -> None:
    rows = pd.DataFrame(
        {
            "metric": "abx_language",
            "source": ["en", "de"],
            "target": ["de", "en"],
            "value": [-12.5, 3.0],
            "low": 0.0,
            "high": 1.0,
        }
    )
    table, formats = readable(rows)
    assert list(table) == ["Metric", "Source", "Target", "Value", "Value, 95%"]
    assert table["Metric"][0] == "Language discrimination"
    assert list(table["Source"]) == ["English", "German"]
    assert formats == {"Value": "%.2f"}
    assert as_text(rows)["Value"][0] == "−12.50"
    assert list(readable(pd.DataFrame({"checkpoint": ["f" * 24]}))[0]) == ["Checkpoint"]  # nothing else to show
