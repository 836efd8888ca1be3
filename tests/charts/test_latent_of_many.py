"""Latent languages where there are many: the few that count in colour, all others in grey, each told under the pointer."""

from __future__ import annotations

import pandas as pd
import pytest

from isogloss.backend.charts.parts.apart import OTHERS
from isogloss.backend.figures import latent

TAGS = ["ar", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "tr"]


def rows(tags: list[str]) -> pd.DataFrame:
    own = {"low": 0.0, "high": 1.0, "n": 12}
    places = [(tag, place, layer) for place, tag in enumerate(tags) for layer in (0, 1)]
    found = [{"language": tag, "layer": layer, "value": place / 100 + layer / 1000} for tag, place, layer in places]
    return pd.DataFrame([row | own for row in found])


def drawn(tags: list[str]):
    return latent.over(rows(tags), x="layer", languages=tags, pivot="en", source="de", target="fi", title="T")


def test_of_many_languages_those_with_a_part_and_those_told_most_are_in_colour() -> None:
    figure = drawn(TAGS)
    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    assert len(lines) == len(figure.data) == len(TAGS)  # no bands, and no language is left out
    coloured = [trace for trace in lines if trace.line.color != OTHERS]
    assert [trace.name for trace in coloured][:3] == ["Finnish (answer)", "English (pivot)", "German (asked from)"]
    assert {trace.name for trace in coloured[3:]} == {"Turkish", "Korean", "Japanese", "Italian"}
    assert len({trace.line.color for trace in coloured}) == 7
    assert figure.data[-7:] == tuple(coloured)  # above the grey ones
    named = [trace.name for trace in lines if trace.showlegend]
    assert named == ["11 others", *(trace.name for trace in coloured)]
    assert "Czech" in " ".join(text for trace in lines for text in trace.hovertext)
    assert not any(note.axref == "x" for note in figure.layout.annotations)
    assert figure.layout.height == 440


@pytest.mark.parametrize("amount", [8, 14])
def test_up_to_fourteen_are_all_in_colour(amount: int) -> None:
    figure = drawn(TAGS[:amount])
    assert not any(trace.line.color == OTHERS for trace in figure.data)
