"""Models side by side from the table of scores: the public functions' numbers on pivoted rows, whatever models lack."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from tables_by_hand import LANGUAGES, write

import isogloss
from isogloss.backend.experiments.relations.catalogue import OfModel
from isogloss.backend.experiments.relations.reading import Question, Reading, Scored
from isogloss.backend.experiments.relations.side_by_side import apart, families_of, languages_of, ranked
from isogloss.backend.experiments.relations.trainings import by_seed
from isogloss.backend.metrics.ranking.apart import differences, significance
from isogloss.backend.metrics.ranking.contributions import of_languages

if TYPE_CHECKING:
    from pathlib import Path

MODELS = ("A", "B", "C", "D")
TAGS = (*LANGUAGES, "ja", "sw")
LEVEL = {"A": 0.0, "B": 0.9, "C": 0.05, "D": 0.5}


def rows_of(model: str, kind: str) -> list[dict]:
    """Scores of one checkpoint: of pairs at two layers, of languages by themselves, or of two sources into all."""
    draw = np.random.default_rng([ord(model), len(kind)])
    hard = np.random.default_rng(0).normal(size=len(TAGS))
    own = dict(zip(TAGS, LEVEL[model] + hard + 0.05 * draw.normal(size=len(TAGS)), strict=True))
    match kind:
        case "pairs":
            return [
                {"layer": layer, "source": a, "target": b, "value": own[a] + own[b] + layer + 0.1 * draw.normal()}
                for layer in (0, 1)
                for place, a in enumerate(TAGS)
                for b in TAGS[place + 1 :]
            ]
        case "own":
            return [{"source": tag, "target": tag, "value": own[tag]} for tag in TAGS]
        case _:
            return [
                {"source": a, "target": b, "value": own[b] + 0.1 * draw.normal()} for a in ("de", "en") for b in TAGS if a != b
            ]


def reading(kind: str, models: tuple[str, ...] = MODELS, **how: object) -> Reading:
    of = {
        model: Scored(
            experiment=kind,
            metric=kind,
            corpus="corpus",
            variant="v",
            checkpoints=(f"{model}0", f"{model}1"),
            steps=(0, 1),
            model=model,
        )
        for model in models
    }
    return Reading.model_validate({"of": of[models[0]], "models": of, **how})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for place, model in enumerate(MODELS):
        for kind_place, kind in enumerate(("pairs", "own", "transfer")):
            write(
                tmp_path,
                kind,
                kind,
                rows_of(model, kind),
                f"{place}{kind_place:023d}",
                model=model,
                checkpoint=f"{model}0",
                step=0,
            )
    return tmp_path


def square(rows: list[dict]) -> np.ndarray:
    frame = pd.DataFrame(rows)
    wide = frame.pivot_table(index="source", columns="target", values="value").reindex(index=sorted(TAGS), columns=sorted(TAGS))
    return wide.combine_first(wide.T).to_numpy()


def checked(found: pd.DataFrame, expected: pd.DataFrame, over: str) -> None:
    assert set(found["over"]) == {over}
    own = found[[*expected.columns]].reset_index(drop=True)
    pd.testing.assert_frame_equal(own, expected, check_dtype=False)


def test_pairs_are_ranked_as_their_matrices_are(workspace: Path) -> None:
    question = Question(unit="model", readings={"pairs": reading("pairs", layer=1)})
    found = ranked(question, [workspace], {"pairs": "lower"})
    matrices = {model: square([row for row in rows_of(model, "pairs") if row["layer"] == 1]) for model in MODELS}
    checked(found, isogloss.rank_models(matrices, better="lower"), "pairs")
    assert found["checkpoint"].tolist() == [f"{model}0" for model in found["model"]]  # the last that has scores
    assert found["n"].tolist() == [8] * 4
    both = apart(question, [workspace], "pairs").set_index(["first", "second"])
    expected = isogloss.compare_models(matrices).set_index(["first", "second"])
    pd.testing.assert_frame_equal(both.sort_index(), expected.sort_index(), check_dtype=False)


def test_families_are_drawn_as_a_whole(workspace: Path) -> None:
    """Of eight languages in six families, three are Indo-European; without the one of Atlantic-Congo five tell nothing."""
    question = Question(unit="model", readings={"own": reading("own", role="itself")})
    found = apart(question, [workspace], "own", drawn="families").set_index(["first", "second"])
    tags = sorted(TAGS)
    groups = np.array([("ar", "sw", "fi", "tr", "ja").index(tag) if tag not in ("de", "en", "hi") else 5 for tag in tags])
    values = np.array(
        [[next(row["value"] for row in rows_of(model, "own") if row["source"] == tag) for tag in tags] for model in "AB"]
    )
    of = replace(of_languages(values), groups=groups)
    row = found.loc[("A", "B")]
    assert (row["low"], row["high"]) == pytest.approx((differences(of).low[0, 1], differences(of).high[0, 1]))
    assert row["p"] == pytest.approx(significance(of).p[0, 1])
    few = ranked(question, [workspace], {"own": "higher"}, languages=[tag for tag in tags if tag != "sw"], drawn="families")
    assert few["value"].notna().all()
    assert few["low"].isna().all()
    assert few["group"].tolist() == ["a"] * 4


def test_families_are_drawn_by_the_same_program_on_the_page_and_in_python(workspace: Path) -> None:
    question = Question(unit="model", readings={"own": reading("own", role="itself"), "pairs": reading("pairs", layer=1)})
    found = ranked(question, [workspace], {"own": "higher", "pairs": "higher"}, drawn="families")
    numbers = {model: {row["source"]: row["value"] for row in rows_of(model, "own")} for model in MODELS}
    own = found[found["measure"] == "own"].reset_index(drop=True)
    checked(own, isogloss.rank_models(numbers, families=True), "languages")
    assert own["low"].notna().all()
    plain = isogloss.rank_models(numbers)
    assert (own["high"] - own["low"] != plain["high"] - plain["low"]).any()
    matrices = {model: square([row for row in rows_of(model, "pairs") if row["layer"] == 1]) for model in MODELS}
    of_pairs = found[found["measure"] == "pairs"].reset_index(drop=True)
    checked(of_pairs, isogloss.rank_models(matrices, families=True, languages=sorted(TAGS)), "pairs")
    both = apart(question, [workspace], "pairs", drawn="families").set_index(["first", "second"])
    expected = isogloss.compare_models(matrices, families=True, languages=sorted(TAGS)).set_index(["first", "second"])
    pd.testing.assert_frame_equal(both.sort_index(), expected.sort_index(), check_dtype=False)
    with pytest.raises(isogloss.SpecError, match="of 8 none is named: give `languages`"):
        isogloss.rank_models(matrices, families=True)
    with pytest.raises(isogloss.SpecError, match="of 8 2 are named"):
        isogloss.compare_models(matrices, families=True, languages=["de", "en"])


def test_a_language_of_no_known_family_is_one_by_itself() -> None:
    found = families_of(["de", "en", "fi", "xx-nobody", "pairs", "hu", "zh"]).tolist()
    assert found[0] == found[1]
    assert found[2] == found[5]
    assert sorted(set(found)) == [0, 1, 2, 3, 4]


def test_means_over_layers_and_some_languages(workspace: Path) -> None:
    question = Question(unit="model", readings={"pairs": reading("pairs", layer="mean")})
    some = sorted(TAGS)[:7]
    found = ranked(question, [workspace], {}, some)
    matrices = {}
    for model in MODELS:
        mean = pd.DataFrame(rows_of(model, "pairs")).groupby(["source", "target"], as_index=False)["value"].mean()
        matrices[model] = square(mean.to_dict("records"))[:7, :7]
    checked(found, isogloss.rank_models(matrices), "pairs")
    assert languages_of(question, [workspace]) == tuple(sorted(TAGS))


def test_one_language_is_the_mean_of_its_pairs(workspace: Path) -> None:
    question = Question(unit="model", readings={"pairs": reading("pairs", layer=0)})
    found = ranked(question, [workspace], {}, ["fi"])
    at = sorted(TAGS).index("fi")
    lines = {
        model: np.delete(square([row for row in rows_of(model, "pairs") if row["layer"] == 0])[at], at) for model in MODELS
    }
    checked(found, isogloss.rank_models(lines), "others")


def test_languages_by_themselves(workspace: Path) -> None:
    question = Question(unit="model", readings={"own": reading("own", role="itself")})
    numbers = {model: {row["source"]: row["value"] for row in rows_of(model, "own")} for model in MODELS}
    checked(ranked(question, [workspace], {"own": "higher"}), isogloss.rank_models(numbers), "languages")
    one = ranked(question, [workspace], {}, ["fi"])
    assert one["value"].tolist() == pytest.approx(sorted((own["fi"] for own in numbers.values()), reverse=True))
    assert one["low"].isna().all()
    assert set(one["group"]) == {"a"}


def test_few_sources_are_the_same_for_every_target(workspace: Path) -> None:
    question = Question(unit="model", readings={"transfer": reading("transfer")})
    found = ranked(question, [workspace], {})
    targets = {}
    for model in MODELS:
        frame = pd.DataFrame(rows_of(model, "transfer"))
        targets[model] = frame.groupby("target")["value"].mean().to_dict()
    checked(found, isogloss.rank_models(targets), "others")


def test_a_model_without_scores_or_with_few_stands_below_without_a_rank(workspace: Path) -> None:
    few = [row for row in rows_of("D", "own") if row["source"] in ("de", "en")]
    write(workspace, "own", "own", few, "e" * 24, model="E", checkpoint="E0", step=0)
    question = Question(unit="model", readings={"own": reading("own", (*MODELS, "E", "F"), role="itself")})
    found = ranked(question, [workspace], {})
    assert found["model"].tolist()[-2:] == ["E", "F"]
    left = found.iloc[-2:]
    assert left[["value", "low", "high", "rank"]].isna().all(axis=None)
    assert left["group"].tolist() == ["", ""]
    assert left["n"].tolist() == [0, 0]
    pairs = apart(question, [workspace], "own")
    assert set(pairs["first"]) == set(MODELS)


def test_nothing_in_common_is_no_row(workspace: Path) -> None:
    question = Question(unit="model", readings={"own": reading("own", ("Y", "Z"), role="itself")})
    assert ranked(question, [workspace], {})["value"].isna().all()
    assert apart(question, [workspace], "own").empty


def test_a_checkpoint_counts_once_with_the_model_whose_last_it_is(workspace: Path) -> None:
    models = reading("own", role="itself").models
    further = models["A"].model_copy(update={"model": "A, further", "checkpoints": ("A0", "later"), "steps": (0, 1)})
    base = models["A"].model_copy(update={"model": "A, alone", "checkpoints": ("A0",), "steps": (0,)})
    both = reading("own", role="itself").model_copy(update={"models": {"further": further, "base": base, "B": models["B"]}})
    found = ranked(Question(unit="model", readings={"own": both}), [workspace], {}).set_index("model")
    assert found["n"].to_dict() == {"B": 8, "base": 8, "further": 0}
    assert found["checkpoint"].to_dict() == {"B": "B0", "base": "A0", "further": ""}


def test_seeds_of_a_model_are_one_as_the_public_functions_have_it(workspace: Path) -> None:
    question = Question(unit="model", readings={"own": reading("own", role="itself")})
    called = {"A": "x seed 1", "B": "x seed 2", "C": "C", "D": "D"}
    numbers = {called[model]: {row["source"]: row["value"] for row in rows_of(model, "own")} for model in MODELS}
    seeds = {"A": "x", "B": "x"}
    found = ranked(question, [workspace], {"own": "higher"}, seeds=seeds)
    checked(found, isogloss.rank_models(numbers, seeds=True), "languages")
    own = found.set_index("model").loc["x"]
    assert (own["seeds"], own["checkpoint"]) == (2, "")
    means = [np.mean([row["value"] for row in rows_of(model, "own")]) for model in "AB"]
    assert own["seed_deviation"] == pytest.approx(np.std(means, ddof=1))
    both = apart(question, [workspace], "own", seeds=seeds).set_index(["first", "second"])
    expected = isogloss.compare_models(numbers, seeds=True).set_index(["first", "second"])
    pd.testing.assert_frame_equal(both.sort_index(), expected.sort_index(), check_dtype=False)


def test_checkpoints_that_tell_seeds_are_trainings_side_by_side() -> None:
    several = OfModel("M", ("a", "b", "c"), ("seed_0-step_1", "seed_0-step_2", "seed_1-step_2"), (1, 2, 2), series=True)
    one = OfModel("N", ("d", "e"), ("seed_0", "step_2"), (None, 2), series=True)
    found, together = by_seed([several, one])
    assert [(each.model, each.checkpoints, each.steps) for each in found] == [
        ("M, seed 0", ("a", "b"), (1, 2)),
        ("M, seed 1", ("c",), (2,)),
        ("N", ("d", "e"), (None, 2)),
    ]
    assert together == {"M, seed 0": "M", "M, seed 1": "M"}


def test_intervals_end_where_the_measure_does(tmp_path: Path) -> None:
    """Of two seeds Student's interval goes far beyond a share."""
    numbers = {model: dict.fromkeys(TAGS, level) for model, level in (("A seed 1", 1.0), ("A seed 2", 0.9), ("B", 0.4))}
    for place, (model, own) in enumerate(numbers.items()):
        rows = [{"source": tag, "target": tag, "value": value} for tag, value in own.items()]
        write(tmp_path, "probing", "probe_accuracy", rows, f"{place:024d}", model=model, checkpoint=f"{model}0", step=0)
    read = reading("own", tuple(numbers), role="itself")
    named = {"experiment": "probing", "metric": "probe_accuracy"}
    of = {model: each.model_copy(update=named) for model, each in read.models.items()}
    question = Question(unit="model", readings={"p": read.model_copy(update={"of": of["B"], "models": of})})
    found = ranked(question, [tmp_path], {}, seeds={"A seed 1": "A", "A seed 2": "A"})
    plain = isogloss.rank_models(numbers, seeds=True)
    assert plain["seed_high"].max() > 1.5
    assert found.set_index("model").loc["A", ["seed_low", "seed_high"]].tolist() == pytest.approx([0.95 - 0.05 * 12.7062, 1.0])
    checked(found, isogloss.rank_models(numbers, seeds=True, bounds=(0, 1)), "languages")
