"""How a measure changes between checkpoints: against loops over the stored rows, and leaving sentences out by hand."""

from __future__ import annotations

import math
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from isogloss.backend.experiments import changes, checkpoint_scores
from isogloss.backend.experiments.abx import sentences
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.settings import Settings
from isogloss.backend.store import older
from tests.experiments.abx.test_compared import LANGUAGES, LAYERS, PAIRS, N, Vectors, by_hand, keep, of_means, share, sides

if TYPE_CHECKING:
    from pathlib import Path

BEFORE, AFTER = (Checkpoint(source="folder", location=f"/{name}", label=name, fingerprint=name * 24) for name in "ab")
METRIC = "abx_meaning"


def place(pair: tuple[str, str]) -> tuple[int, int]:
    return LANGUAGES.index(pair[0]), LANGUAGES.index(pair[1])


def asked(**fields: Any) -> AbxSpec:
    common = {"model": "m", "checkpoints": [BEFORE, AFTER], "corpus": "c" * 24, "languages": LANGUAGES}
    return validate(AbxSpec, common | fields)


def score(workspace: Path, spec: AbxSpec, checkpoint: Checkpoint, vectors: Vectors, lacking: Any = (), by: float = 0) -> None:
    """Write what a run of `spec` writes: all its values `by` more, nan at (layer, pair) that are `lacking`."""
    rows = []
    for layer, each in enumerate(vectors):
        for pair in spec.scored:
            for task in ("meaning", "language"):
                value = share(each, task, place(pair), None) + by
                value = math.nan if (layer, pair) in lacking else value
                named = {"metric": f"abx_{task}", "layer": layer, "source": pair[0], "target": pair[1], "n": N}
                rows.append(named | {"value": value, "low": value - 0.02 * (layer + 1), "high": value + 0.03})
    plain = spec.model_copy(update={"per_sentence": False, "checkpoints": (checkpoint,)})
    (own,) = plain.shards()
    provenance = plain.provenance(checkpoint) | {"complete": True, **older.TODAY}
    context = Context(Settings(workspace=workspace, demo=None))
    checkpoint_scores.write(context, own, rows, provenance, model="m", label=checkpoint.label)
    if spec.per_sentence:
        ((key, _),) = spec.model_copy(update={"checkpoints": (checkpoint,)}).shards().items()
        keep(workspace, key, vectors)


def cells(workspace: Path, spec: AbxSpec, checkpoint: Checkpoint, layers: Any) -> dict[tuple[Any, ...], tuple[float, ...]]:
    """Every stored row, looked at one by one: (layer, pair) → value, low and high."""
    found: dict[tuple[Any, ...], tuple[float, ...]] = {}
    for path in (workspace / "scores" / "abx").glob("*.parquet"):
        for row in pq.ParquetFile(path).read().to_pylist():
            at = row["layer"], (row["source"], row["target"])
            of = row["metric"] == METRIC and row["checkpoint"] == checkpoint.fingerprint and row["variant"] == spec.variant
            if of and at[1] in spec.scored and (layers is None or at[0] in layers) and not math.isnan(row["value"]):
                found[at] = row["value"], row["low"], row["high"]
    return found


def slowly(workspace: Path, spec: AbxSpec, layers: Any) -> tuple[float, float, float, float]:
    """Before, after and the widest interval of their difference, over the cells that both have."""
    first, second = (cells(workspace, spec, each, layers) for each in (BEFORE, AFTER))
    both = sorted(first.keys() & second.keys())
    old, old_low, old_high = (fmean(first[at][place] for at in both) for place in range(3))
    new, new_low, new_high = (fmean(second[at][place] for at in both) for place in range(3))
    gap = new - old
    return old, new, max(gap - (new - new_low) - (old_high - old), -1), min(gap + (new_high - new) + (old - old_low), 1)


def shown(found: changes.Change | None) -> tuple[float, float, float, float]:
    assert found is not None
    return found.before, found.after, found.low, found.high


@pytest.mark.parametrize("languages", [LANGUAGES, ("de", "en")], ids=["three pairs", "one pair"])
@pytest.mark.parametrize("layers", [None, (0,), (1, 2, 3)], ids=["all", "one", "some that are missing"])
def test_a_change_is_that_of_loops_over_the_stored_scores(tmp_path: Path, languages: Any, layers: Any) -> None:
    spec, of = asked(languages=languages), sides(6)
    score(tmp_path, spec, BEFORE, of["A"])
    score(tmp_path, spec, AFTER, of["B"])
    found = changes.change(spec, BEFORE, AFTER, METRIC, layers, [tmp_path])
    assert shown(found) == pytest.approx(slowly(tmp_path, spec, layers))
    assert found is not None
    assert not found.paired
    value = changes.value(spec, AFTER, METRIC, layers, [tmp_path])
    assert value is not None
    assert value.value == pytest.approx(found.after)


@pytest.mark.parametrize("languages", [LANGUAGES, ("de", "en")], ids=["three pairs", "one pair"])
@pytest.mark.parametrize("layers", [None, (1,), (1, 2)], ids=["all", "one", "one that is missing"])
def test_the_paired_interval_is_that_of_each_sentence_left_out_of_both(tmp_path: Path, languages: Any, layers: Any) -> None:
    spec, of = asked(languages=languages, per_sentence=True), sides(7)
    score(tmp_path, spec, BEFORE, of["A"])
    score(tmp_path, spec, AFTER, of["B"])
    found = changes.change(spec, BEFORE, AFTER, METRIC, layers, [tmp_path])
    assert found is not None
    assert found.paired
    at = [place(pair) for pair in spec.scored]
    used = [layer for layer in range(LAYERS) if layers is None or layer in layers]

    # Leaving a sentence out of a mean over layers is to leave it out of each: `by_hand` of one layer knows no other.
    def mean(side: str, without: int | None) -> float:
        return fmean(share(of[side][layer], "meaning", pair, without) for layer in used for pair in at)

    gap, low, high = of_means(partial(mean, "B"), partial(mean, "A"))
    assert (found.difference, found.low, found.high) == pytest.approx((gap, low, high))
    if len(used) == 1:
        expected = by_hand(of["B"][used[0]], of["A"][used[0]], "meaning", at)
        assert (found.difference, found.low, found.high) == pytest.approx(expected)
    assert found.high - found.low < slowly(tmp_path, spec, layers)[3] - slowly(tmp_path, spec, layers)[2] or high - low > 0.08


def test_a_cell_that_is_not_a_number_is_left_out_of_both_sides_and_nothing_is_paired(tmp_path: Path) -> None:
    spec, of = asked(per_sentence=True), sides(8)
    score(tmp_path, spec, BEFORE, of["A"], lacking={(0, PAIRS[1])})
    score(tmp_path, spec, AFTER, of["B"], lacking={(1, PAIRS[2])})
    found = changes.change(spec, BEFORE, AFTER, METRIC, None, [tmp_path])
    assert shown(found) == pytest.approx(slowly(tmp_path, spec, None))
    assert found is not None
    assert not found.paired, "what sentences contribute is to the mean over all cells"
    nothing = {(layer, pair) for layer in range(LAYERS) for pair in PAIRS}
    score(tmp_path, spec, AFTER, of["B"], lacking=nothing)
    assert changes.change(spec, BEFORE, AFTER, METRIC, None, [tmp_path]) is None
    assert changes.value(spec, AFTER, METRIC, None, [tmp_path]) is None


def test_layers_that_no_checkpoint_has_and_a_checkpoint_without_scores_give_nothing(tmp_path: Path) -> None:
    spec = asked()
    score(tmp_path, spec, BEFORE, sides(1)["A"])
    assert changes.value(spec, BEFORE, METRIC, (LAYERS, LAYERS + 1), [tmp_path]) is None
    assert changes.change(spec, BEFORE, AFTER, METRIC, None, [tmp_path]) is None


@pytest.mark.parametrize("per_sentence", [False, True])
def test_scores_of_another_pooling_that_came_later_are_not_taken(tmp_path: Path, per_sentence: bool) -> None:
    spec, of = asked(per_sentence=per_sentence), sides(9)
    for checkpoint, side in ((BEFORE, "A"), (AFTER, "B")):
        score(tmp_path, spec, checkpoint, of[side])
        score(tmp_path, asked(pooling="first"), checkpoint, of[side], by=-0.3)
    found = changes.change(spec, BEFORE, AFTER, METRIC, None, [tmp_path])
    assert shown(found)[:2] == pytest.approx(slowly(tmp_path, spec, None)[:2])


def test_of_a_file_of_more_languages_the_pairs_asked_for_are_read(tmp_path: Path) -> None:
    spec, of = asked(languages=("de", "en")), sides(10)
    for checkpoint, side in ((BEFORE, "A"), (AFTER, "B")):
        score(tmp_path, asked(per_sentence=True), checkpoint, of[side])
    found = changes.change(spec, BEFORE, AFTER, METRIC, None, [tmp_path])
    assert shown(found)[:2] == pytest.approx(slowly(tmp_path, spec, None)[:2])


def test_of_two_sentences_there_is_no_paired_interval(tmp_path: Path) -> None:
    spec, of = asked(per_sentence=True), sides(11)
    for checkpoint, side in ((BEFORE, "A"), (AFTER, "B")):
        score(tmp_path, spec, checkpoint, of[side])
        ((key, _),) = spec.model_copy(update={"checkpoints": (checkpoint,)}).shards().items()
        rows = [
            {"metric": METRIC, "layer": layer, "source": one, "target": two, "sums": b"\0" * 4}
            for layer in range(LAYERS)
            for one, two in PAIRS
        ]
        sentences.write(tmp_path, key, rows, {"sentences": 2})
    found = changes.change(spec, BEFORE, AFTER, METRIC, None, [tmp_path])
    assert found is not None
    assert not found.paired
