"""Outcomes of elsewhere in Relations: whose they are, and their join with scores against dictionaries and loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from isogloss.backend.corpora.covariates import library
from isogloss.backend.corpora.covariates.outcome import Cell, Outcome
from isogloss.backend.corpora.covariates.reader import Covariates
from isogloss.backend.experiments.relations import outcomes, tables
from isogloss.backend.experiments.relations.correlations import relate
from isogloss.backend.experiments.relations.reading import Given, Question, Reading
from isogloss.backend.figures import relations as figures
from isogloss.backend.models.entry import Checkpoint, Model

if TYPE_CHECKING:
    from pathlib import Path

COMMIT = "fd1525a9fd15316a2d503bf26ab031a61d056e98"


def checkpoint(location: str, number: int, revision: str | None = None, commit: str | None = None) -> Checkpoint:
    label = revision or "main"
    print_ = f"{number:024x}"
    return Checkpoint(source="hub", location=location, revision=revision, commit=commit, label=label, fingerprint=print_)


def model(name: str, *checkpoints: Checkpoint) -> Model:
    return Model(name=name, architecture="bert", layers=2, dims=4, checkpoints=checkpoints)


BASE = model("Base", checkpoint("org/base", 1, "step1"), checkpoint("org/base", 2, None, COMMIT))
SMALL = model("Small", checkpoint("org/small", 3))


def outcome(of: str, revision: str = "", **changes: str) -> Outcome:
    said = {"task": "belebele", "metric": "acc", "setting": "", "unit": "share", "better": "higher"} | changes
    return Outcome(model=of, revision=revision, **said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("of", "revision", "expected"),
    [
        ("org/base", "step1", 1),
        ("ORG/Base", "", 2),
        ("org/base", COMMIT, 2),
        ("org/base", COMMIT[:8], 2),
        ("org/base", "step2", None),
        ("org/base", "", 2),
        ("Base", "", 2),
        ("Base", "step1", 1),
        ("Base", "step9", None),
        ("org/other", "", None),
        ("", "", None),
    ],
)
def test_an_outcome_belongs_to_the_weights_that_its_file_names(of: str, revision: str, expected: int | None) -> None:
    owned = outcomes.owner(outcome(of, revision), [SMALL, BASE])
    assert (owned and int(owned[1].fingerprint, 16)) == expected


def kept(columns: dict[Outcome, dict[str, float]], workspace: Path, name: str = "Results") -> library.CovariatesEntry:
    cells = {each.column: {tag: Cell(100, 0.05, f"{tag}.json") for tag in own} for each, own in columns.items()}
    values = {each.column: own for each, own in columns.items()}
    heads = {each.column: each for each in columns}
    return library.keep(Covariates(values, outcomes=heads, cells=cells), name, workspace)


def test_outcomes_of_several_models_and_tables_are_one_measure(tmp_path: Path) -> None:
    one = kept({outcome("org/small"): {"de": 0.5}, outcome("org/base"): {"fi": 0.6}}, tmp_path, "One")
    two = kept({outcome("org/other", "v2"): {"de": 0.7}, outcome("org/small"): {"sw": 0.1}}, tmp_path, "Two")
    found = outcomes.available([one, two], [SMALL, BASE])
    models = {each.variant: [own.model for own in each.models] for _, each in found}
    assert models == {None: ["Small", "Base", "org/other@v2"], "table Two": ["Small"]}


def test_the_join_and_the_correlation_are_those_by_hand(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    tags = ["de", "fi", "sw", "tr", "ja", "ar", "hi", "ru"]
    of_small = dict(zip(tags[:7], rng.random(7).tolist(), strict=True))
    of_base = dict(zip(tags, rng.random(8).tolist(), strict=True))
    speakers = dict(zip(tags[1:], rng.random(7).tolist(), strict=True))
    entry = kept({outcome("org/small"): of_small, outcome("org/base"): of_base}, tmp_path)
    table = library.keep(Covariates({"speakers": speakers}), "Speakers", tmp_path)
    ((_, measure),) = outcomes.available([entry], [SMALL, BASE])
    given = Reading(of=Given(covariate=table.id, column="speakers", languages=tuple(sorted(tags))), role="itself")
    for own, values in ((measure.models[0], of_small), (measure.models[1], of_base)):
        question = Question(unit="language", readings={"x": given, "y": Reading(of=measure.scored(own), role="itself")})
        rows = tables.table(question, [tmp_path]).set_index("language")
        for tag in tags:
            assert rows["x"].get(tag, np.nan) == pytest.approx(speakers.get(tag, np.nan), nan_ok=True)
            assert rows["y"].get(tag, np.nan) == pytest.approx(values.get(tag, np.nan), nan_ok=True)
        assert rows.loc["fi", ["y_n", "y_source"]].tolist() == [100, "fi.json · Wilson interval"]
        assert rows["y_low"]["fi"] < values["fi"] < rows["y_high"]["fi"]
        shared = [tag for tag in tags if tag in speakers and tag in values]
        pearson, _ = relate(tables.join(question, [tmp_path]), "x", "y")
        expected = np.corrcoef([speakers[tag] for tag in shared], [values[tag] for tag in shared])[0, 1]
        assert pearson.plain.value == pytest.approx(expected)
        drawn = figures.scatter(
            rows.reset_index(), question=question, by="Nothing", fit=False, x_title="x", y_title="y", title=""
        )
        assert any("n = 100" in str(line) and "fi.json" in str(line) for line in drawn.data[0].customdata)
    of_models = Reading(of=measure.scored(measure.models[0]), models={own.model: measure.scored(own) for own in measure.models})
    question = Question(unit="model", readings={"y": of_models.model_copy(update={"role": "itself"})})
    rows = tables.table(question, [tmp_path])
    means = {"Base": np.mean([*of_base.values()]), "Small": np.mean([*of_small.values()])}
    assert dict(zip(rows["model"], rows["y"], strict=True)) == pytest.approx(means)
