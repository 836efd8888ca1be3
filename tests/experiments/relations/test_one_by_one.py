"""A large measure read a checkpoint at a time gives the numbers of one that is laid out whole."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, get_args

import numpy as np
import pandas as pd
import pytest
from tables_by_hand import write

from isogloss.backend.experiments.relations import cubes, one_by_one, where
from isogloss.backend.experiments.relations.correlations import everywhere
from isogloss.backend.experiments.relations.reading import Along, Question, Reading, Role, Scored, Unit
from isogloss.backend.experiments.relations.tables import join, joined
from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.laid_out import lay_out
from isogloss.backend.metrics.orders import MANY
from isogloss.backend.store import by_pair, sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from isogloss.backend.experiments.relations.tables import Joined

TAGS = ("ar", "cs", "de", "el", "en", "fi", "hi")
CHECKPOINTS = ("c0", "c1", "c2", "c3")
STEPS = (0, 10, 20, 30)


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return written(tmp_path, monkeypatch)


def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two measures: languages, layers, pairs and seeds differ between checkpoints, and the last has no number yet."""
    random = np.random.default_rng(3)
    for place, (key, step) in enumerate(zip(CHECKPOINTS, STEPS, strict=True)):
        layers = range(4 if place else 3)
        own = TAGS[1:] if place == 1 else TAGS
        for metric, pairs, seeds in (
            ("form", list(itertools.combinations(own, 2)), (None,)),
            ("task", list(itertools.permutations(own, 2)), (0, 1)),
        ):
            rows = [
                {"layer": layer, "source": a, "target": b, "value": random.normal() if key != "c3" else np.nan, "seed": seed}
                for layer in layers
                for a, b in pairs
                for seed in seeds
                if random.random() > 0.1
            ]
            write(tmp_path, "one", metric, rows, f"{metric}{place}".ljust(24, "0"), checkpoint=key, step=step)
    monkeypatch.setattr(one_by_one, "WHOLE", 0)
    return tmp_path


def scored(metric: str) -> Scored:
    return Scored(experiment="one", metric=metric, corpus="corpus", variant="v", checkpoints=CHECKPOINTS, steps=STEPS)


def readings() -> list[tuple[str, int | str]]:
    return list(itertools.product(("last", "mean", "c1", "c3", "elsewhere"), ("last", "mean", 0, 3, 9)))


@pytest.mark.parametrize("role", get_args(Role))
@pytest.mark.parametrize("unit", [each for each in get_args(Unit) if each != "model"])
def test_every_reading_is_that_of_the_whole(large: Path, unit: Unit, role: Role) -> None:
    whole = {name: cubes.squares_of(scored(name), [large]) for name in ("form", "task")}
    for checkpoint, layer in readings():
        for along in (None, *(get_args(Along) if unit in ("pair", "language") else ())):
            at = {"checkpoint": "each"} if along == "checkpoint" else {"layer": "each"} if along == "layer" else {}
            asked = {"checkpoint": checkpoint, "layer": layer} | at
            both = {name: Reading(of=scored(name), role=role, **asked) for name in whole}  # type: ignore[arg-type]
            question = Question(unit=unit, along=along, readings=both)
            frames = [each.frame() for each in (join(question, [large]), joined(question, whole))]
            pd.testing.assert_frame_equal(*frames, rtol=0, atol=1e-12)


@pytest.mark.parametrize("unit", ["pair", "language", "checkpoint"])
def test_what_is_kept_pair_by_pair_is_read_from_there(tmp_path: Path, unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sums, by_pair):
        monkeypatch.setattr(module, "WORTH", 0)
    of, whole = scored("form"), cubes.squares_of(scored("form"), [written(tmp_path, monkeypatch)])
    read: list[int] = []
    at_checkpoint = one_by_one.at_checkpoint
    monkeypatch.setattr(one_by_one, "at_checkpoint", lambda *asked: read.append(asked[2]) or at_checkpoint(*asked))
    for layer, along in itertools.product(("last", "mean", 0, 2), (None, "checkpoint") if unit != "checkpoint" else (None,)):
        reading = Reading(of=of, checkpoint="each" if along else "mean", layer=layer)  # type: ignore[arg-type]
        question = Question(unit=unit, along=along, readings={"form": reading})  # type: ignore[arg-type]
        found, expected = join(question, [tmp_path]), joined(question, {"form": whole})
        pd.testing.assert_frame_equal(found.frame(), expected.frame(), rtol=0, atol=1e-6)
    assert set(read) == {0, 3}  # the first lacks the last layer, the last any number: both are looked at closer


def test_models_have_the_means_of_the_whole(large: Path) -> None:
    for checkpoint, layer in readings():
        of = scored("task")
        reading = Reading(of=of, models={"Own": of}, checkpoint=checkpoint, layer=layer)  # type: ignore[arg-type]
        question = Question(unit="model", readings={"task": reading})
        alone = joined(Question(unit="model", readings=question.readings), {"task": cubes.squares_of(of, [large])})
        found = join(question, [large]).arrays["task"]
        np.testing.assert_allclose(found, alone.arrays["task"], rtol=0, atol=1e-12)


FOLLOWS = ({}, {"checkpoint": "each"}, {"layer": "each"}, {"checkpoint": "each", "layer": "each"}, {"checkpoint": "mean"})


@pytest.mark.parametrize("statistic", ["Pearson", "Spearman"])
@pytest.mark.parametrize("follows", FOLLOWS)
@pytest.mark.parametrize("unit", ["pair", "language"])
def test_a_heatmap_of_correlations_is_that_of_the_whole(
    large: Path, unit: Unit, follows: dict[str, str], statistic: str
) -> None:
    for x, y in (("form", "task"), ("task", "form")):
        both = {x: Reading(of=scored(x)), y: Reading(of=scored(y), **{"checkpoint": "c1", "layer": 2} | follows)}  # type: ignore[arg-type]
        question = Question(unit=unit, readings=both)
        found = everywhere(question, [large], x, y, statistic)  # type: ignore[arg-type]
        expected = slowly(question, large, x, y, ranks=statistic == "Spearman")
        assert found[["checkpoint", "layer", "n"]].to_numpy().tolist() == [[*each[:2], each[4]] for each in expected]
        assert len(found) == len(CHECKPOINTS) * 4
        assert np.isfinite(found["value"]).any()
        np.testing.assert_allclose(found["value"], [each[2] for each in expected], rtol=0, atol=1e-12)
        np.testing.assert_allclose(found["p"], [each[3] for each in expected], rtol=0, atol=1e-12)


@pytest.mark.parametrize("statistic", ["Pearson", "Spearman"])
@pytest.mark.parametrize("others", [itertools.combinations, itertools.permutations])
def test_what_lacks_nothing_is_laid_out_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statistic: str, others: Callable[..., Iterable[tuple[str, str]]]
) -> None:
    random = np.random.default_rng(5)
    for place, (key, step) in enumerate(zip(CHECKPOINTS, STEPS, strict=True)):
        for metric, pairs in (("form", itertools.combinations(TAGS, 2)), ("task", others(TAGS, 2))):
            rows = [
                {"layer": layer, "source": a, "target": b, "value": round(random.normal(), place % 2)}
                for a, b in pairs
                for layer in range(4)
            ]
            write(tmp_path, "one", metric, rows, f"{metric}{place}".ljust(24, "0"), checkpoint=key, step=step)
    monkeypatch.setattr(one_by_one, "WHOLE", 0)
    laid_out = []
    monkeypatch.setattr(where, "lay_out", lambda *args, **named: laid_out.append(args) or lay_out(*args, **named))
    for x, y in (("form", "task"), ("task", "form")):
        question = Question(
            unit="pair", readings={x: Reading(of=scored(x)), y: Reading(of=scored(y), checkpoint="c1", layer="mean")}
        )
        found = everywhere(question, [tmp_path], x, y, statistic)  # type: ignore[arg-type]
        expected = slowly(question, tmp_path, x, y, ranks=statistic == "Spearman")
        np.testing.assert_allclose(found[["value", "p", "n"]], [each[2:] for each in expected], rtol=0, atol=1e-12)
    assert len(laid_out) == 2


def slowly(question: Question, workspace: Path, x: str, y: str, *, ranks: bool) -> list[tuple[str, int, float, float, int]]:
    """Each cell by itself, of arrays of everything; where y is the same in all, the same languages are permuted in all."""
    whole = {name: cubes.squares_of(reading.of, [workspace]) for name, reading in question.readings.items()}
    parts: dict[tuple[str, int], Joined] = {}
    for layer in whole[x].layers:
        own = question.readings[x].model_copy(update={"layer": layer, "checkpoint": "each"})
        there = question.readings[y]
        there = there.model_copy(update={"layer": layer}) if there.layer == "each" else there
        stacked = joined(Question(unit=question.unit, along="checkpoint", readings={x: own, y: there}), whole)
        for place, key in enumerate(stacked.over):
            arrays = {name: each[place] for name, each in stacked.arrays.items()}
            parts[key, layer] = type(stacked)(stacked.unit, None, stacked.names, (), arrays, stacked.symmetric)
    fixed = "each" not in (question.readings[y].layer, question.readings[y].checkpoint)
    everywhere_known = [np.isfinite(part.arrays[x]) & np.isfinite(part.arrays[y]) for part in parts.values()]
    rows = []
    for (key, layer), part in parts.items():
        known = np.isfinite(part.arrays[x]) & np.isfinite(part.arrays[y])
        has = np.any(everywhere_known, axis=0) if fixed else known
        if part.pairs:
            has = has.any(axis=0) | has.any(axis=1)
        a, b = (part.arrays[name][np.ix_(has, has)] if part.pairs else part.arrays[name][has] for name in (y, x))
        amount = MANY if fixed else 99
        one = permutation.correlation(a, b, pairs=part.pairs, ranks=ranks, amount=amount)
        n = int(known.sum()) // (2 if part.pairs and part.symmetric else 1)
        value = one.value
        if ranks and n >= 4:
            keep = np.triu(known) if part.pairs and part.symmetric else known
            value = pd.Series(part.arrays[x][keep]).corr(pd.Series(part.arrays[y][keep]), method="spearman")
        rows.append((key, layer, value if n >= 4 else np.nan, one.p if n >= 4 else np.nan, n))
    return rows


def test_nothing_large_is_laid_out_whole(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    laid_out = cubes.laid_out

    def watched(of: Scored, parts: object, **how: bool) -> cubes.Squares:
        made.append(len(of.checkpoints))
        return laid_out(of, parts, **how)  # type: ignore[arg-type]

    for module in (cubes, one_by_one):
        monkeypatch.setattr(module, "laid_out", watched)
    both = {name: Reading(of=scored(name), checkpoint="mean") for name in ("form", "task")}
    join(Question(unit="pair", readings=both), [large])
    everywhere(Question(unit="pair", readings=both), [large], "form", "task")
    assert set(made) == {1}
