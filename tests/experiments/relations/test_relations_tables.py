"""Measures at a unit against pandas, on invented scores with gaps, seeds, directions and shards computed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from tables_by_hand import CHECKPOINTS, LANGUAGES, LAYERS, fill, frame, reading, write

from isogloss.backend.experiments.relations import cubes
from isogloss.backend.experiments.relations.catalogue import catalogue
from isogloss.backend.experiments.relations.correlations import all_against_all, everywhere, over, relate
from isogloss.backend.experiments.relations.reading import Question, Reading, Scored, Unit
from isogloss.backend.experiments.relations.tables import join, joined, table
from isogloss.backend.listing import listed_once
from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.correlation import pearson

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    fill(tmp_path)
    return tmp_path


def value(rows: pd.DataFrame, metric: str, **where: object) -> float:
    """The mean of the scores of a pair (or more) over layers at each checkpoint, then over checkpoints."""
    own = rows[rows["metric"] == metric]
    for column, wanted in where.items():
        own = own[own[column] == wanted]
    return float(own.groupby("checkpoint")["value"].mean().mean()) if len(own) else float("nan")


@pytest.mark.parametrize("checkpoint", ["last", "mean", "c1"])
@pytest.mark.parametrize("layer", ["mean", "last", 1])
def test_pairs_are_those_of_pandas(workspace: Path, checkpoint: str, layer: str | int) -> None:
    asked = {"x": reading("form", checkpoint=checkpoint, layer=layer), "y": reading("task", checkpoint=checkpoint)}
    found = table(Question(unit="pair", readings=asked), [workspace]).set_index(["source", "target"])
    rows = frame(workspace)
    rows = rows if checkpoint == "mean" else rows[rows["checkpoint"] == {"last": "c2"}.get(checkpoint, checkpoint)]
    layers = {"mean": list(LAYERS), "last": [2]}.get(str(layer), [layer])
    form = rows[rows["layer"].isin(layers)]
    assert len(found) == len(LANGUAGES) * (len(LANGUAGES) - 1)  # the symmetric one has a value for every pair but one
    for (source, target), own in found.iterrows():
        assert own["x"] == pytest.approx(value(form, "form", source=source, target=target), nan_ok=True)
        assert own["y"] == pytest.approx(value(rows, "task", source=source, target=target), nan_ok=True)
    assert np.isnan(found.loc[("hi", "de"), "y"])  # no source
    assert np.isnan(found.loc[("de", "en"), "x"]) == (layer == 1)


def test_symmetric_measures_have_each_pair_once(workspace: Path) -> None:
    question = Question(unit="pair", readings={"x": reading("form"), "again": reading("form", layer=0)})
    found = table(question, [workspace])
    assert len(found) == 15
    assert (found["source"] < found["target"]).all()


@pytest.mark.parametrize("role", ["itself", "both", "source", "target"])
def test_languages_by_their_role(workspace: Path, role: str) -> None:
    question = Question(unit="language", readings={"y": reading("task", role=role), "x": reading("form")})
    found = table(question, [workspace]).set_index("language")
    rows = frame(workspace)
    rows = rows[(rows["metric"] == "task") & (rows["checkpoint"] == "c2")]
    others = rows[rows["source"] != rows["target"]]
    for tag in LANGUAGES:
        match role:
            case "itself":
                own = rows[(rows["source"] == tag) & (rows["target"] == tag)]
            case "source":
                own = others[others["source"] == tag]
            case "target":
                own = others[others["target"] == tag]
            case _:
                own = others[(others["source"] == tag) | (others["target"] == tag)]
        assert found.loc[tag, "y"] == pytest.approx(own["value"].mean(), nan_ok=True)


def test_layers_checkpoints_and_models(workspace: Path) -> None:
    rows = frame(workspace)
    form = rows[rows["metric"] == "form"]
    found = table(Question(unit="layer", readings={"x": reading("form")}), [workspace])
    last = form[form["checkpoint"] == "c2"].groupby("layer")["value"].mean()
    assert found["layer"].tolist() == ["0", "1", "2"]
    assert found["x"].tolist() == pytest.approx(last.tolist())
    found = table(Question(unit="checkpoint", readings={"x": reading("form", layer=0), "y": reading("task")}), [workspace])
    assert found["checkpoint"].tolist() == list(CHECKPOINTS)
    assert found["x"].tolist() == pytest.approx(form[form["layer"] == 0].groupby("checkpoint")["value"].mean().tolist())
    one = reading("form", layer=0)
    other = one.of.model_copy(update={"checkpoints": ("c0",), "steps": (0,)})  # type: ignore[union-attr]
    both = one.model_copy(update={"models": {"B": one.of, "a": other}})
    found = table(Question(unit="model", readings={"x": both}), [workspace])
    assert found["model"].tolist() == ["a", "B"]
    means = form[form["layer"] == 0].groupby("checkpoint")["value"].mean()
    assert found["x"].tolist() == pytest.approx([means["c0"], means["c2"]])


def test_pooled_over_checkpoints_and_over_layers(workspace: Path) -> None:
    asked = {"x": reading("form", checkpoint="each", layer=0), "y": reading("form", checkpoint="last", layer=2)}
    found = table(Question(unit="pair", along="checkpoint", readings=asked), [workspace])
    assert len(found) == 3 * 15
    rows = frame(workspace)
    for row in found.to_dict("records"):
        where = {"source": row["source"], "target": row["target"]}
        assert row["x"] == pytest.approx(value(rows[rows["layer"] == 0], "form", checkpoint=row["checkpoint"], **where))
        assert row["y"] == pytest.approx(value(rows[rows["layer"] == 2], "form", checkpoint="c2", **where))
    layers = {"x": reading("form", layer="each"), "y": reading("task")}
    found = table(Question(unit="language", along="layer", readings=layers), [workspace])
    assert len(found) == 3 * 6
    assert found.groupby("language")["y"].nunique().max() == 1  # what has no layers is the same at each


def test_a_shard_computed_again_is_the_newest_and_a_mean_without_seed_stands_for_the_seeds(tmp_path: Path) -> None:
    row = {"source": "de", "target": "en"}
    write(tmp_path, "two", "task", [row | {"value": 0.1, "seed": 0}, row | {"value": 0.5, "seed": 1}], "a" * 24)
    write(tmp_path, "two", "task", [row | {"value": 0.3, "seed": 0}], "b" * 24)
    question = Question(unit="pair", readings={"y": reading("task", checkpoint="c0")})
    assert table(question, [tmp_path])["y"].tolist() == pytest.approx([0.4])
    write(tmp_path, "two", "task", [row | {"value": 0.9, "seed": None}], "c" * 24)
    assert table(question, [tmp_path])["y"].tolist() == [0.9]


def test_checkpoints_of_another_model_are_joined_by_their_step(workspace: Path) -> None:
    own = [{"source": "de", "target": "en", "layer": 0, "value": 0.1}]
    for i, step in enumerate((100, 200, 300)):
        write(workspace, "one", "form", own, f"{50 + i:024d}", checkpoint=f"d{i}", step=step, model="Other")
    other = reading("form").of.model_copy(update={"checkpoints": ("d0", "d1", "d2"), "steps": (100, 200, 300)})  # type: ignore[union-attr]
    asked = {"x": reading("form"), "y": reading("form").model_copy(update={"of": other})}
    found = table(Question(unit="checkpoint", readings=asked), [workspace])
    assert found["checkpoint"].tolist() == ["step 0", "step 100", "step 200", "step 300"]
    assert found[["x", "y"]].notna().to_numpy().tolist() == [[True, False], [True, True], [True, True], [False, True]]


def test_nothing_computed_is_an_empty_table(tmp_path: Path) -> None:
    for unit in ("pair", "language", "layer", "checkpoint", "model"):
        question = Question(unit=unit, readings={"x": reading("form"), "y": reading("task")})  # type: ignore[arg-type]
        assert table(question, [tmp_path]).empty
    question = Question(
        unit="pair", along="checkpoint", readings={"x": reading("form", checkpoint="each"), "y": reading("task")}
    )
    assert table(question, [tmp_path]).empty
    assert everywhere(question, [tmp_path], "x", "y").empty


@pytest.mark.parametrize("follows", [{}, {"checkpoint": "each"}])
def test_where_it_predicts_is_one_correlation_a_cell(workspace: Path, follows: dict[str, str]) -> None:
    question = Question(unit="pair", readings={"x": reading("form"), "y": reading("task", **follows)})
    found = everywhere(question, [workspace], "x", "y").set_index(["checkpoint", "layer"])
    assert len(found) == 9
    for (checkpoint, layer), own in found.iterrows():
        at = checkpoint if follows else "last"
        asked = {"x": reading("form", checkpoint=checkpoint, layer=layer), "y": reading("task", checkpoint=at)}
        joined = join(Question(unit="pair", readings=asked), [workspace])
        rows = joined.frame().dropna()
        assert own["n"] == len(rows)
        assert own["value"] == pytest.approx(np.corrcoef(rows["x"], rows["y"])[0, 1])
        x, y = joined.shared("x", "y")
        p = permutation.correlation(y, x, pairs=True, amount=99 if follows else 199).p
        assert own["p"] == pytest.approx(p, abs=0.0 if follows else 0.1)  # else languages without this cell are permuted too
        again = everywhere(question, [workspace], "x", "y", "Spearman").set_index(["checkpoint", "layer"])
        assert again.loc[(checkpoint, layer), "value"] == pytest.approx(rows["x"].corr(rows["y"], method="spearman"))


def test_correlations_of_two_and_of_all(workspace: Path) -> None:
    readings = {"x": reading("form"), "y": reading("task"), "z": reading("form", layer=0)}
    question = Question(unit="pair", readings=readings)
    found = all_against_all(question, [workspace])
    assert len(found) == 6
    rows = join(question, [workspace]).frame()
    for row in found.to_dict("records"):
        both = rows[[row["x"], row["y"]]].dropna()
        assert row["value"] == pytest.approx(both.corr().iloc[0, 1])
        assert row["n"] == len(both)
        x, y = join(question, [workspace]).shared(row["x"], row["y"])
        first, second = (x, y) if row["x"] < row["y"] else (y, x)
        assert row["p"] == pytest.approx(permutation.correlation(first, second, pairs=True, amount=199).p, abs=0.02)
    first, second = relate(join(question, [workspace]), "x", "y")
    both = rows[["x", "y"]].dropna()
    assert first.plain == pearson(both["x"], both["y"])
    assert first.permuted.value == pytest.approx(first.plain.value)
    assert second.plain.value == pytest.approx(both.corr(method="spearman").iloc[0, 1])


def test_at_each_checkpoint(workspace: Path) -> None:
    readings = {"x": reading("form", checkpoint="each"), "y": reading("form", checkpoint="each", layer=2)}
    question = Question(unit="pair", along="checkpoint", readings=readings)
    found = over(question, [workspace], "x", "y")
    rows = table(question, [workspace])
    assert found["checkpoint"].tolist() == [key for key in CHECKPOINTS for _ in range(2)]
    for row in found[found["statistic"] == "Pearson"].to_dict("records"):
        own = rows[rows["checkpoint"] == row["checkpoint"]]
        assert row["value"] == pytest.approx(own["x"].corr(own["y"]))
        assert row["n"] == 15


def test_the_catalogue_says_what_is_there_and_at_which_unit(workspace: Path) -> None:
    known = [("c2", "Named", "late", 200, 1), ("c0", "Named", "early", 0, 0)]
    form, task = catalogue(cubes.files_of([workspace]), known)
    assert (form.metric, form.layers, form.own, form.directed) == ("form", LAYERS, False, False)
    assert (task.metric, task.layers, task.own, task.directed) == ("task", (), True, True)
    assert form.names == LANGUAGES
    named, own = form.of("Named"), form.of("Own")
    assert named is not None
    assert own is not None
    assert (named.checkpoints, named.labels) == (("c0", "c2"), ("early", "late"))
    assert (own.checkpoints, own.labels, own.steps) == (("c1",), ("step 100",), (100,))  # of no kept model any more
    assert [form.at(unit) for unit in ("pair", "language", "layer", "checkpoint", "model")] == [True] * 5
    assert not task.at("layer")
    assert own.series
    assert form.scores == 3 * (3 * 15 - 1)
    assert catalogue((), known) == []
    staged = [(*each, "stage", float(place)) for place, each in zip((7, 3), known, strict=True)]  # a series of several stages
    assert catalogue(cubes.files_of([workspace]), staged) == [form, task]


def test_trainings_side_by_side_are_no_series(tmp_path: Path) -> None:
    for place, source in enumerate(("one", "two")):
        rows = [{"source": source, "target": "de", "value": float(place)}]
        write(tmp_path, "two", "task", rows, f"{place:024d}", checkpoint=f"trained on {source}")
    (found,) = catalogue(cubes.files_of([tmp_path]), [])
    assert not found.models[0].series
    assert not found.at("checkpoint")


def test_where_it_predicts_over_languages(workspace: Path) -> None:
    question = Question(unit="language", readings={"x": reading("form"), "y": reading("task", role="itself")})
    found = everywhere(question, [workspace], "x", "y").set_index(["checkpoint", "layer"])
    for (checkpoint, layer), own in found.iterrows():
        asked = {"x": reading("form", checkpoint=checkpoint, layer=layer), "y": question.readings["y"]}
        rows = table(Question(unit="language", readings=asked), [workspace]).dropna()
        assert own["n"] == len(rows) == 4
        assert own["value"] == pytest.approx(np.corrcoef(rows["x"], rows["y"])[0, 1])


@pytest.mark.parametrize("layer", ["mean", "last", 1])
@pytest.mark.parametrize("unit", ["pair", "language", "layer", "model"])
def test_one_checkpoint_read_alone_is_that_of_the_whole(workspace: Path, unit: Unit, layer: str | int) -> None:
    """What asks for one checkpoint reads no other: the same numbers as in the array of all."""
    for checkpoint in ("last", "c1"):
        names = ["form"] if unit == "layer" else ["form", "task"]
        readings = {name: reading(name, checkpoint=checkpoint, layer=layer) for name in names}
        question = Question(unit=unit, readings=readings)
        if unit == "model":
            readings = {name: each.model_copy(update={"models": {"Own": each.of}}) for name, each in readings.items()}
            question = Question(unit=unit, readings=readings)
        found = table(question, [workspace])
        whole = {name: cubes.squares_of(each.of, [workspace]) for name, each in readings.items()}
        if unit == "model":
            single = {name: joined(Question(unit="model", readings={name: readings[name]}), whole).frame() for name in readings}
            expected = pd.DataFrame({"model": ["Own"]} | {name: own[name] for name, own in single.items()})
        else:
            expected = joined(question, whole).frame()
        pd.testing.assert_frame_equal(found, expected)


def test_a_checkpoint_without_a_number_is_not_the_last(tmp_path: Path) -> None:
    rows = [{"source": "de", "target": "en", "layer": 0, "value": 0.25}]
    write(tmp_path, "one", "form", rows, checkpoint="c0", step=0)
    write(tmp_path, "one", "form", [row | {"value": float("nan")} for row in rows], "1" * 24, checkpoint="c2", step=200)
    found = table(Question(unit="pair", readings={"x": reading("form", checkpoint="last")}), [tmp_path])
    assert found["x"].tolist() == [0.25]


def test_a_directed_measure_of_one_source_is_not_mirrored(tmp_path: Path) -> None:
    """Arabic comes first in the alphabet: nothing in its rows says that the way back was not measured."""
    rows = [{"source": "ar", "target": tag, "value": 0.1 * place} for place, tag in enumerate(("de", "en", "fi"))]
    write(tmp_path, "transfer", "igap", rows)
    write(tmp_path, "one", "unnamed", rows)
    gap, unnamed = (
        Scored(experiment=family, metric=metric, corpus="corpus", variant="v", checkpoints=("c0",), steps=(0,))
        for family, metric in (("transfer", "igap"), ("one", "unnamed"))
    )
    assert not cubes.squares_of(gap, [tmp_path]).symmetric
    assert cubes.squares_of(unnamed, [tmp_path]).symmetric
    found = table(Question(unit="pair", readings={"x": Reading(of=gap), "y": Reading(of=unnamed)}), [tmp_path])
    assert found.dropna()[["source", "target"]].to_numpy().tolist() == [["ar", "de"], ["ar", "en"], ["ar", "fi"]]
    assert [each.directed for each in catalogue(cubes.files_of([tmp_path]), [])] == [False, True]


def test_files_that_were_listed_once_are_those_of_each_family(workspace: Path) -> None:
    plain = {name: cubes.files_of([workspace], name) for name in (None, "one", "two", "three")}
    with listed_once():
        assert {name: cubes.files_of([workspace], name) for name in plain} == plain
    assert len(plain["one"]) == len(plain["two"]) == 3
    assert plain["three"] == ()


def test_two_series_that_share_a_checkpoint_are_joined_by_their_steps(tmp_path: Path) -> None:
    """Two fine-tunings of one base: joined by what they share, all their other checkpoints would be lost."""
    series = {"form": ("base", "a1", "a2"), "task": ("base", "b1", "b2")}
    random = np.random.default_rng(5)
    values = {(metric, key): random.random() for metric, keys in series.items() for key in keys}
    for metric, keys in series.items():
        for step, key in enumerate(keys):
            row = {"source": "de", "target": "en", "layer": 0, "value": values[metric, key]}
            write(
                tmp_path,
                {"form": "one", "task": "two"}[metric],
                metric,
                [row],
                f"{metric}{key}".ljust(24, "0"),
                checkpoint=key,
                step=step,
            )
    question = Question(
        unit="checkpoint",
        readings={
            name: Reading(of=reading(name).of.model_copy(update={"checkpoints": keys, "steps": (0, 1, 2)}))
            for name, keys in series.items()
        },
    )
    found = table(question, [tmp_path])
    assert found["checkpoint"].tolist() == ["step 0", "step 1", "step 2"]
    for name, keys in series.items():
        assert found[name].tolist() == [values[name, key] for key in keys]


def test_models_with_the_same_checkpoints_are_one_point(workspace: Path) -> None:
    of = {name: reading(name).of for name in ("form", "task")}
    fewer = {name: each.model_copy(update={"checkpoints": CHECKPOINTS[:2], "steps": (0, 100)}) for name, each in of.items()}
    readings = {name: Reading(of=of[name], models={"whole": of[name], "Again": of[name], "begun": fewer[name]}) for name in of}
    found = table(Question(unit="model", readings=readings), [workspace])
    assert found["model"].tolist() == ["Again = whole", "begun"]
    last = {name: each.model_copy(update={"checkpoint": CHECKPOINTS[0]}) for name, each in readings.items()}
    assert table(Question(unit="model", readings=last), [workspace])["model"].tolist() == ["Again = begun = whole"]
