"""One checkpoint's values read pair by pair from beside its file are those of its scores; else the scores are read."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tables_by_hand import LANGUAGES, write

from isogloss.backend.experiments.relations import cubes, side_by_side
from isogloss.backend.experiments.relations.reading import Question, Reading, Scored
from isogloss.backend.experiments.relations.reduced import reduced
from isogloss.backend.store import by_pair, sums

if TYPE_CHECKING:
    from pathlib import Path

OF = Scored(experiment="one", metric="form", corpus="corpus", variant="v", checkpoints=("c0", "c1"), steps=(0, 1), model="Own")


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "WORTH", 0)
    monkeypatch.setattr(by_pair, "WORTH", 0)


def rows(kind: str, seed: int = 0) -> list[dict[str, Any]]:
    draw = np.random.default_rng(seed)
    half = list(itertools.combinations(LANGUAGES, 2))
    pairs = {"directed": [*half, *(pair[::-1] for pair in half)], "itself": [(tag, tag) for tag in LANGUAGES]}.get(kind, half)
    found = [
        {"layer": layer, "source": one, "target": other, "value": draw.random(), "n": 9}
        for layer in (0, 1, 2)
        for one, other in pairs
        if kind != "gaps" or draw.random() < 0.6
    ]
    if kind == "without a layer":
        return [row | {"layer": None} for row in found[: len(pairs)]]
    if kind == "unknown":
        return [row | ({"value": None, "n": None} if draw.random() < 0.3 else {}) for row in found]
    return found


@pytest.mark.parametrize("layer", ["mean", 0, 2, 7])
@pytest.mark.parametrize("kind", ["pairs", "directed", "itself", "gaps", "unknown", "without a layer"])
def test_it_is_what_the_scores_give(tmp_path: Path, kind: str, layer: Any) -> None:
    write(tmp_path, "one", "form", rows(kind), checkpoint="c1")
    reading = Reading(of=OF, layer=layer)
    expected = cubes.squares_of(OF, [tmp_path], "c1")
    found = cubes.one_square(OF, [tmp_path], "c1", None if layer == "mean" else layer)
    wanted = reduced(expected, reading)[0, 0]
    if found is None:
        assert not np.isfinite(wanted).any()
        return
    assert (found.checkpoints, found.steps, found.symmetric) == (expected.checkpoints, expected.steps, expected.symmetric)
    at = np.searchsorted(expected.names, found.names)
    np.testing.assert_allclose(reduced(found, reading)[0, 0], wanted[np.ix_(at, at)], rtol=1e-6)
    assert np.isfinite(wanted).sum() == np.isfinite(found.values).sum()


def test_what_is_not_asked_for_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = {}
    for place, name in enumerate("ABC"):
        write(tmp_path, "one", "form", rows("pairs", place), f"{place:024d}", checkpoint=f"{name}0", model=name)
        models[name] = OF.model_copy(update={"checkpoints": (f"{name}0",), "steps": (0,), "model": name})
    question = Question(unit="model", readings={"form": Reading(of=models["A"], models=models, layer=1)})
    with monkeypatch.context() as patched:
        patched.setattr(side_by_side, "some_of", None)
        found = side_by_side.ranked(question, [tmp_path], {"form": "higher"}).set_index("model")["value"]
    for place, name in enumerate("ABC"):
        values = [row["value"] for row in rows("pairs", place) if row["layer"] == 1]
        assert found[name] == pytest.approx(np.mean(values), rel=1e-6)


@pytest.mark.parametrize("again", ["newer", "seeds"])
def test_what_lies_in_several_files_is_left_to_the_scores(tmp_path: Path, again: str) -> None:
    for place in (0, 1):
        own = [row | ({"seed": place} if again == "seeds" else {}) for row in rows("pairs", place)]
        write(tmp_path, "one", "form", own, f"{place:024d}", checkpoint="c0")
    assert cubes.one_square(OF, [tmp_path], "c0", 0) is None


@pytest.mark.parametrize("of", [{"corpus": "other"}, {"variant": "w"}, {"metric": "m"}, {"checkpoints": ("x",), "steps": (0,)}])
def test_other_scores_are_not_taken_for_these(tmp_path: Path, of: dict[str, Any]) -> None:
    write(tmp_path, "one", "form", rows("pairs"))
    assert cubes.one_square(OF, [tmp_path], "c0", 0) is not None
    assert cubes.one_square(OF.model_copy(update=of), [tmp_path], of.get("checkpoints", ("c0",))[0], 0) is None


def test_small_files_are_left_to_the_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "WORTH", 1 << 40)
    write(tmp_path, "one", "form", rows("pairs"))
    assert cubes.one_square(OF, [tmp_path], "c0", 0) is None
