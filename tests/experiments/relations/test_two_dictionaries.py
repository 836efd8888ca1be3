"""Scores of one pair of languages by a dictionary and by a word alignment: both are there, apart, and each says which it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.experiments.relations import cubes
from isogloss.backend.experiments.relations.catalogue import Available, catalogue
from isogloss.backend.experiments.relations.reading import Scored
from isogloss.backend.store import scores, told_apart
from tests.footers import footer

if TYPE_CHECKING:
    from pathlib import Path

DICTIONARY, ALIGNMENT, OTHER = "a" * 24, "b" * 24, "d" * 24
VARIANT = "word/csls10/300 pairs"
VALUES = {("de", "en", DICTIONARY): 0.066, ("de", "en", ALIGNMENT): 0.029, ("de", "fr", OTHER): 0.5}


def write(workspace: Path, number: int, values: dict[tuple[str, str, str], float], **said: Any) -> Path:
    """One file of word scores, of two layers and two runs; the older, the smaller its number."""
    rows = [
        {"metric": "word_weak", "layer": layer, "source": ends[0], "target": ends[1], "seed": run, "value": value + layer}
        for (one, other, _), value in values.items()
        for ends in ((one, other), (other, one))
        for layer in (0, 1)
        for run in (0, 1)
    ]
    run = f"{number:024d}"
    table = scores.table(rows, run=run, family="alignment", model="M", corpus="c", checkpoint="f", variant=VARIANT)
    said = {"pairs": [list(pair) for pair in values], "variant": VARIANT, "runs": 2, "seed": 0} | said
    path = scores.write(workspace, "alignment", run, table, footer("alignment", **said))
    os.utime(path, (1000 + number, 1000 + number))
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for number, (pair, value) in enumerate(VALUES.items()):
        write(tmp_path, number, {pair: value})
    return tmp_path


def weak(workspace: Path) -> list[Available]:
    return [each for each in catalogue(cubes.files_of([workspace]), []) if each.metric == "word_weak"]


def cell(of: Scored, workspace: Path, source: str = "de", target: str = "en") -> float:
    cube = cubes.squares_of(of, [workspace])
    return float(cube.values[0, 0, cube.names.index(source), cube.names.index(target)])


def test_a_query_has_both_and_what_paired_the_words(workspace: Path) -> None:
    found = scores.sql(
        "SELECT * FROM scores WHERE layer = 0 AND seed = 0 AND source = 'de' ORDER BY target, value", [workspace]
    )
    assert list(zip(found["value"], found["dictionary"], strict=True)) == [
        (0.029, ALIGNMENT),
        (0.066, DICTIONARY),
        (0.5, OTHER),
    ]
    assert set(found["variant"]) == {VARIANT}


def test_relations_reads_one_of_them_at_a_time(workspace: Path) -> None:
    first, second = weak(workspace)
    assert (first.dictionaries, second.dictionaries) == ((DICTIONARY, OTHER), (ALIGNMENT,))
    assert [first.later, second.later] == [False, True]
    assert [cell(each.scored(each.models[0]), workspace) for each in (first, second)] == [0.066, 0.029]
    assert cell(first.scored(first.models[0]), workspace, "de", "fr") == 0.5
    assert (first.scores, second.scores) == (16, 8)


def test_what_was_pinned_when_there_was_one_goes_on_reading_that(workspace: Path) -> None:
    asked = {"experiment": "alignment", "metric": "word_weak", "corpus": "c", "variant": VARIANT}
    pinned = Scored.model_validate(asked | {"checkpoints": ["f"], "steps": [None]})
    assert cell(pinned, workspace) == 0.066
    assert "dictionaries" not in pinned.model_dump_json()


def test_one_dictionary_a_pair_is_nothing_to_choose_from(tmp_path: Path) -> None:
    write(tmp_path, 0, {("de", "en", DICTIONARY): 0.1, ("de", "fr", OTHER): 0.2})
    (only,) = weak(tmp_path)
    assert only.dictionaries is None
    assert cell(only.scored(only.models[0]), tmp_path) == 0.1


def test_other_draws_are_another_variant_and_an_old_link_still_reads_them(tmp_path: Path) -> None:
    write(tmp_path, 0, {("de", "en", DICTIONARY): 0.1}, seed=3)
    (only,) = weak(tmp_path)
    assert only.variant == f"{VARIANT}/drawn by seed 3"
    assert told_apart.without_more(only.variant) == VARIANT
    old = only.scored(only.models[0]).model_copy(update={"variant": VARIANT})
    assert cell(old, tmp_path) == cell(only.scored(only.models[0]), tmp_path) == 0.1
    write(tmp_path, 1, {("de", "en", DICTIONARY): 0.2})
    assert [each.variant for each in weak(tmp_path)] == [VARIANT, f"{VARIANT}/drawn by seed 3"]
    assert cell(old, tmp_path) == 0.2
    found = scores.sql(
        "SELECT variant, value FROM scores WHERE layer = 0 AND seed = 1 AND source = 'de' ORDER BY ALL", [tmp_path]
    )
    assert found.values.tolist() == [[VARIANT, 0.2], [f"{VARIANT}/drawn by seed 3", 0.1]]


def test_the_control_of_abx_is_told_apart_by_the_languages_it_compares_with(tmp_path: Path) -> None:
    for number, languages in enumerate((["de", "en"], ["de", "en", "fr"])):
        rows = [
            {"metric": metric, "layer": 0, "source": "de", "target": "en", "value": 0.5 + number / 10}
            for metric in ("abx_meaning", "abx_meaning_baseline")
        ]
        run = f"{number:024d}"
        table = scores.table(rows, run=run, family="abx", model="M", corpus="c", checkpoint="f", variant="exact/mean")
        scores.write(tmp_path, "abx", run, table, footer("abx", languages=languages, baseline=True, complete=True))
    found = scores.sql("SELECT metric, variant, value FROM scores ORDER BY ALL", [tmp_path])
    assert found["metric"].tolist() == ["abx_meaning", "abx_meaning_baseline", "abx_meaning_baseline"]
    assert found["variant"][0] == "exact/mean"
    assert [each.split(" (")[0] for each in found["variant"][1:]] == [f"exact/mean/among {n} languages" for n in (2, 3)]
