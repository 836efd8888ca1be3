"""Regressions and choices read from a table of scores, against pandas; and what cannot be fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
import pytest
from tables_by_hand import LAYERS, fill, reading

from isogloss.backend.corpora.covariates import library, reader
from isogloss.backend.corpora.languages.facts import logarithm_of_speakers
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.relations import catalogue, cubes, regressions, selections
from isogloss.backend.experiments.relations.printed import tables as published
from isogloss.backend.experiments.relations.reading import SPEAKERS, Given, Guides, Question, Reading
from isogloss.backend.experiments.relations.tables import table
from isogloss.backend.metrics.regression import least_squares
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    fill(tmp_path)
    return tmp_path


def covariate(workspace: Path, end: str = "source") -> Reading:
    found = reader.read(b"language,words\nar,5\nde,7\nen,9.5\nfi,2\ntr,4\n", "words.csv")
    entry = library.keep(found, "Words", workspace)
    of = Given(covariate=entry.id, column="words", end=end, languages=("ar", "de", "en", "fi", "hi", "tr"))  # type: ignore[arg-type]
    return Reading(of=of, role="itself")


def test_a_regression_is_that_of_its_table(workspace: Path) -> None:
    readings = {"y": reading("task"), "form": reading("form"), "words": covariate(workspace)}
    question = Question(unit="pair", readings=readings)
    rows = table(question, [workspace])
    found = regressions.fit(question, [workspace], "y")
    expected = least_squares(rows["y"], {"form": rows["form"], "words": rows["words"]})
    assert found.regression.coefficients == expected.coefficients
    assert (found.regression.r2, found.regression.n) == (expected.r2, expected.n)
    assert set(found.permuted) == {"form", "words"}
    assert all(0 < each.p <= 1 for each in found.permuted.values())
    frame = regressions.coefficients(question, [workspace], "y")
    assert frame["predictor"].tolist() == ["intercept", "form", "words"]
    partial = regressions.partial(question, [workspace], "y")
    for name, own in partial.groupby("predictor"):
        slope = np.polyfit(own["x"], own["y"], 1)[0]
        assert slope == pytest.approx(frame.set_index("predictor").loc[name, "coefficient"])


def test_covariates_of_either_end_and_of_the_language(workspace: Path) -> None:
    question = Question(
        unit="pair", readings={"y": reading("task"), "a": covariate(workspace), "b": covariate(workspace, "target")}
    )
    rows = table(question, [workspace]).set_index(["source", "target"])
    assert rows.loc[("de", "en"), ["a", "b"]].tolist() == [7.0, 9.5]
    assert np.isnan(rows.loc[("de", "hi"), "b"])
    own = table(Question(unit="language", readings={"a": covariate(workspace), "y": reading("task")}), [workspace])
    assert own.set_index("language")["a"].to_dict() == pytest.approx(
        {"ar": 5.0, "de": 7.0, "en": 9.5, "fi": 2.0, "tr": 4.0, "hi": float("nan")}, nan_ok=True
    )


def test_how_many_speak_a_language_is_known_of_either_end(workspace: Path) -> None:
    tags = ("ar", "de", "en", "fi", "hi", "tr")
    ends: dict[str, Literal["source", "target"]] = {"a": "source", "b": "target"}
    speakers = {name: Reading(of=Given(column=SPEAKERS, end=end, languages=tags), role="itself") for name, end in ends.items()}
    pairs = table(Question(unit="pair", readings={"y": reading("task"), **speakers}), [workspace])
    assert len(pairs) > 5
    for row in pairs.to_dict("records"):
        assert (row["a"], row["b"]) == (logarithm_of_speakers(row["source"]), logarithm_of_speakers(row["target"]))
    own = table(Question(unit="language", readings={"a": speakers["a"], "y": reading("task")}), [workspace])
    assert own.set_index("language")["a"].to_dict() == {tag: logarithm_of_speakers(tag) for tag in own["language"]}


def test_what_cannot_be_fitted_is_a_sentence(workspace: Path) -> None:
    same = Question(unit="pair", readings={"y": reading("task"), "a": reading("form"), "b": reading("form")})
    with pytest.raises(SpecError, match="“b” follows from “a” exactly"):
        regressions.fit(same, [workspace], "y")
    few = Question(unit="checkpoint", readings={"y": reading("task"), "a": reading("form"), "b": reading("form", layer=0)})
    with pytest.raises(SpecError, match="2 predictors need at least 4 rows"):
        regressions.fit(few, [workspace], "y")


def test_checkpoints_are_those_of_pandas(workspace: Path) -> None:
    guide, outcome = reading("form"), reading("task", role="itself")
    readings = {"x": reading("form", checkpoint="each"), "y": reading("task", checkpoint="each", role="itself")}
    rows = table(Question(unit="language", along="checkpoint", readings=readings), [workspace]).dropna()
    found = selections.checkpoint_table(guide, outcome, [workspace], "lowest", "higher").set_index("language")
    assert set(found.index) == set(rows["language"])
    for tag, own in rows.groupby("language"):
        own = own.set_index("checkpoint")
        picked = own["x"].idxmin()
        assert found.loc[tag, "chosen"] == picked
        assert found.loc[tag, "best"] == own["y"].idxmax()
        assert found.loc[tag, "delta"] == pytest.approx(own["y"][picked] - own["y"]["c2"])
    assert found["delta"].abs().is_monotonic_decreasing
    summary = selections.by_checkpoint(guide, outcome, [workspace], "lowest", "higher")
    assert summary.nearer == (found["delta"] > 0).sum()


def test_sources_are_those_of_pandas_and_choosers_are_ranked(workspace: Path) -> None:
    guide, outcome = reading("form"), reading("task")
    rows = table(Question(unit="pair", readings={"x": guide, "y": outcome}), [workspace]).dropna()
    found = selections.source_table(guide, outcome, [workspace], "highest", "lower").set_index("target")
    assert set(found.index) == set(rows["target"])
    for tag, own in rows.groupby("target"):
        own = own.set_index("source")
        picked = own["x"].idxmax()
        assert found.loc[tag, "chosen"] == picked
        assert found.loc[tag, "rank"] == 1 + (own["y"] < own["y"][picked]).sum()
        assert found.loc[tag, "wins"] == pytest.approx((own["y"].drop(picked) > own["y"][picked]).mean())
    guides = Guides(readings={"form": guide, "task": outcome}, choose={"form": "highest", "task": "lowest"})
    ranked = selections.ranked(guides, outcome, [workspace], "lower")
    assert ranked["measure"].tolist() == ["task", "form"]
    assert ranked["wins"].tolist() == pytest.approx([1.0, found["wins"].mean()])


def test_the_printed_tables_are_the_papers() -> None:
    table1 = published.regressions()
    assert table1["r2"].tolist() == [0.395, 0.37, 0.085, 0.087, 0.275, 0.224, 0.324, 0.146, 0.3009]
    assert table1["language_discrimination"].iloc[6] == "-1.66 (p < .001)"
    printed = published.selection()
    assert set(printed["where"]) == {"appendix H", "appendix K"}
    assert "29/36" in printed["value"].tolist()
    assert isinstance(printed, pd.DataFrame)


def test_what_there_is_is_read_from_footers_and_from_the_rows_of_older_files(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Footers of files written now say what a scan of all rows finds; only a file that lacks it is scanned."""
    files, scanned = cubes.files_of([workspace]), []
    query = scores.query

    def counted(sql: str, parameters: dict, paths: list[Path]) -> pd.DataFrame:
        scanned.extend(paths)
        return query(sql, parameters, paths)

    monkeypatch.setattr(scores, "query", counted)
    by_footers = catalogue.catalogue(files, [])
    assert not scanned
    assert [(each.metric, each.directed, each.layers) for each in by_footers] == [("form", False, LAYERS), ("task", True, ())]
    monkeypatch.setattr(scores, "FOOTER", "none")
    catalogue._catalogue.cache_clear()
    assert catalogue.catalogue(files, []) == by_footers
    assert len(scanned) == len(files)
