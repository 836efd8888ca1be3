"""Probing by language and the matrix of sentences collapse to groups of languages too, and say what they draw of each."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.charts.parts.framed import INSET
from isogloss.backend.figures import alignment, latent, probing
from isogloss.backend.figures.collapsed import drawn_rows

TAGS = ["de", "en", "fi", "hu", "ja", "ru"]
ORDER = {"order": "family", "languages": TAGS}


def values(figure: object, number: int = 0) -> np.ndarray:
    maps = [trace for trace in figure.data if trace.type == "heatmap"]  # type: ignore[attr-defined]
    return np.asarray(maps[number].z, float)


@pytest.mark.parametrize("opened", [None, [], ["Uralic"]])
def test_probes_of_a_family_are_a_row_and_frames_are_of_languages_alone(opened: list[str] | None) -> None:
    """Each language's second checkpoint is told from the first: it alone is framed, where the language is drawn."""
    rows = pd.DataFrame(
        [
            {
                "metric": "probe_accuracy",
                "target": tag,
                "checkpoint": key,
                "value": value,
                "low": value - 0.01,
                "high": value + 0.01,
                "n": 9,
                "level": 0.1,
            }
            for place, tag in enumerate(TAGS)
            for key, value in (("a", 0.3 + 0.05 * place), ("b", 0.6 + 0.05 * place))
        ]
    )
    figure = probing.by_language(
        rows,
        metric="probe_accuracy",
        unit="words",
        columns={"a": "0", "b": "1"},
        column_title="Step",
        normalised=False,
        title="t",
        opened=opened,
        **ORDER,  # type: ignore[arg-type]
    )
    shown = drawn_rows(TAGS, "family", opened) or [("", tag) for tag in ("en", "de", "ru", "ja", "fi", "hu")]
    of = {"Indo-European": ["de", "en", "ru"], "Japonic": ["ja"], "Uralic": ["fi", "hu"]}
    score = {(row["target"], row["checkpoint"]): row["value"] for row in rows.to_dict("records")}
    expected = [
        [np.mean([score[tag, key] for tag in ([one] if one else of[group])]) for key in ("a", "b")] for group, one in shown
    ]
    np.testing.assert_allclose(values(figure), expected, atol=1e-6)
    framed = {
        (round(y + INSET), round(x + INSET))
        for trace in figure.data
        if trace.type == "scatter" and trace.mode == "lines" and trace.line.width
        for x, y in [(trace.x[0], trace.y[0])]
        if x is not None
    }
    languages = [place for place, (_, tag) in enumerate(shown) if tag]
    assert len(framed) == bool(languages)  # one trace holds all frames; the first corner is that of the first
    if framed:
        assert next(iter(framed))[0] in languages


def test_the_matrix_of_sentences_is_one_of_groups_of_both_directions() -> None:
    random = np.random.default_rng(2)
    rows = pd.DataFrame(
        [
            {"variant": variant, "source": a, "target": b, "value": random.random(), "low": 0.0, "high": 1.0, "n": 9}
            for variant in ("mean", "first")
            for a, b in itertools.permutations(TAGS, 2)
        ]
    )
    figure = alignment.matrix(
        rows,
        measure="weak",
        vectors={"mean": "Mean", "first": "First"},
        shared=True,
        title="t",
        opened=["Uralic"],
        **ORDER,  # type: ignore[arg-type]
    )
    of = {"Indo-European": ["de", "en", "ru"], "Japonic": ["ja"], "Uralic": ["fi", "hu"]}
    shown = drawn_rows(TAGS, "family", ["Uralic"]) or []
    for number, variant in enumerate(("mean", "first")):
        own = rows[rows["variant"] == variant]
        found = values(figure, number)
        for (i, (group, one)), (j, (other, two)) in itertools.product(enumerate(shown), repeat=2):
            sources, targets = [one] if one else of[group], [two] if two else of[other]
            cells = own[own["source"].isin(sources) & own["target"].isin(targets)]["value"]
            assert found[i, j] == pytest.approx(cells.mean(), abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("by", [None, [], ["Uralic"]])
def test_what_layers_tell_is_drawn_by_family_too(by: list[str] | None) -> None:
    score = {(tag, layer): 0.1 * place + 0.01 * layer for place, tag in enumerate(TAGS) for layer in (0, 1)}
    rows = pd.DataFrame(
        [
            {"language": tag, "layer": layer, "value": value, "low": value, "high": value, "n": 9}
            for (tag, layer), value in score.items()
        ]
    )
    figure = latent.languages_by_layers(rows, layers=[0, 1], title="t", opened=by, **ORDER)  # type: ignore[arg-type]
    shown = drawn_rows(TAGS, "family", by) or [("", tag) for tag in ("en", "de", "ru", "ja", "fi", "hu")]
    of = {"Indo-European": ["de", "en", "ru"], "Japonic": ["ja"], "Uralic": ["fi", "hu"]}
    expected = [
        [np.mean([score[tag, layer] for tag in ([one] if one else of[group])]) for layer in (0, 1)] for group, one in shown
    ]
    np.testing.assert_allclose(values(figure), expected, atol=1e-6)
