"""The interval of each difference: against leaving every sentence out by hand, and what is said where it cannot be paired."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

from isogloss.backend.experiments import compared
from isogloss.backend.experiments.abx import compared as abx_compared
from isogloss.backend.experiments.abx import sentences
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.spec import validate
from isogloss.backend.metrics.abx.exact import with_sums
from isogloss.backend.metrics.intervals import jackknife_interval
from isogloss.backend.metrics.jackknife import difference_interval

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LANGUAGES = ("de", "en", "fr")
PAIRS = list(combinations(LANGUAGES, 2))
N, LAYERS = 7, 2
Vectors = list[np.ndarray]
"""[languages, sentences, dims], an array a layer."""


def share(vectors: np.ndarray, task: str, pair: tuple[int, int], without: int | None) -> float:
    """The share of right triplets of a pair, both directions, triplet by triplet, among all sentences but one."""
    units = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    outcomes = []
    for i, j in (pair, pair[::-1]):
        for p in range(N):
            for q in range(N):
                if p != q and without not in (p, q):
                    right = units[i, p] @ (units[i, q] if task == "language" else units[j, p])
                    gap = right - units[i, p] @ units[j, q]
                    outcomes.append(0.5 if abs(gap) < 1e-12 else float(gap > 0))
    return float(np.mean(outcomes))


def by_hand(first: np.ndarray, second: np.ndarray, task: str, of: list[tuple[int, int]]) -> tuple[float, float, float]:
    """The difference of the means over pairs, and its interval: each sentence left out of both sides at once."""

    def mean(vectors: np.ndarray, without: int | None) -> float:
        return float(np.mean([share(vectors, task, pair, without) for pair in of]))

    return of_means(partial(mean, first), partial(mean, second))


def of_means(*mean: Callable[[int | None], float]) -> tuple[float, float, float]:
    """The difference of two means, each asked without a sentence or with all (None), and its interval.

    No nearer than the ends of both sides by themselves are, put together with their correlation.
    """

    def error(of: list[float]) -> float:
        return ((N - 1) / N * sum((each - np.mean(of)) ** 2 for each in of)) ** 0.5

    values = [side(None) for side in mean]
    left = [[side(k) for k in range(N)] for side in mean]
    a, b = (value - np.array(jackknife_interval(value, error(own), N)) for value, own in zip(values, left, strict=True))
    r = np.corrcoef(left)[0, 1]
    ends = [math.sqrt(x**2 + y**2 + 2 * r * x * y) for x, y in ((a[0], b[1]), (a[1], b[0]))]  # x and y of opposite signs
    gap, t, paired = values[0] - values[1], stats.t.ppf(0.975, N - 1), error([x - y for x, y in zip(*left, strict=True)])
    half = [t * max(paired, end / 1.959963985) for end in ends]
    return gap, max(gap - half[0], -1.0), min(gap + half[1], 1.0)


def sides(seed: int) -> dict[str, Vectors]:
    """Two sides that share half of what they are: whole numbers, so that triplets tie."""
    draw = np.random.default_rng(seed)
    common = [draw.integers(-2, 3, (3, N, 4)) for _ in range(LAYERS)]
    return {side: [each * 2 + draw.integers(-2, 3, (3, N, 4)) + 0.25 for each in common] for side in ("A", "B")}


def keep(workspace: Path, key: str, vectors: Vectors) -> None:
    rows: list[dict[str, Any]] = []
    for layer, each in enumerate(vectors):
        rows += sentences.rows(layer, PAIRS, with_sums(torch.from_numpy(each))[1])
    sentences.write(workspace, key, rows, {"sentences": N})


def frame(of: dict[str, Vectors], task: str, *, by_language: bool) -> pd.DataFrame:
    """The rows that a page hands on: means over pairs with made-up intervals."""
    rows = []
    for side, vectors in of.items():
        for layer, each in enumerate(vectors):
            for language in LANGUAGES if by_language else ("",):
                chosen = [pair for pair in PAIRS if not language or language in pair]
                value = np.mean([share(each, task, tuple(map(LANGUAGES.index, pair)), None) for pair in chosen])
                at = {"layer": layer} | ({"language": language} if by_language else {"at": "step"})
                named = {"side": side, "metric": f"abx_{task}", "checkpoint": f"{side}-weights"}
                rows.append(at | named | {"value": value, "low": max(value - 0.2, 0), "high": min(value + 0.2, 1)})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("task", ["language", "meaning"])
@pytest.mark.parametrize("by_language", [False, True])
def test_the_paired_interval_is_that_of_leaving_each_sentence_out_of_both(tmp_path: Path, task: str, by_language: bool) -> None:
    of = sides(seed=3 + by_language)
    for side, vectors in of.items():
        keep(tmp_path, f"key-{side}", vectors)
    keys = ["layer", "language" if by_language else "at"]
    found = abx_compared.paired(
        compared.difference(frame(of, task, by_language=by_language), keys=keys, names=["A", "B"]),
        workspaces=[tmp_path],
        kept={"A-weights": "key-A", "B-weights": "key-B"},
        metric=f"abx_{task}",
        languages=LANGUAGES,
    )
    assert len(found) == LAYERS * (3 if by_language else 1)
    assert set(found["interval"]) == {"paired"}
    for row in compared.corrected(found).to_dict("records"):
        chosen = [pair for pair in PAIRS if not by_language or row["language"] in pair]
        at = [tuple(map(LANGUAGES.index, pair)) for pair in chosen]
        expected = by_hand(of["A"][row["layer"]], of["B"][row["layer"]], task, at)
        assert (row["difference"], row["low"], row["high"]) == pytest.approx(expected, abs=1e-9)
        error = abs(expected[0] - expected[1 if expected[0] > 0 else 2]) / stats.t.ppf(0.975, N - 1)
        assert row["p"] == pytest.approx(2 * stats.t.sf(abs(expected[0]) / error, N - 1))


def test_sides_that_are_all_right_may_still_differ() -> None:
    """Few sentences have not seen what makes triplets wrong: as far as either side's own interval goes, and no nearer."""
    right = np.ones((1, 30))
    (low,), (high,) = difference_interval([0.0], right, right)
    own = 1 - float(jackknife_interval(1.0, 0.0, 30)[0])
    assert -low == high == pytest.approx(own * stats.t.ppf(0.975, 29) / 1.959963985)
    none = difference_interval([np.nan], np.full((1, 30), np.nan), right)
    assert np.isnan(none).all()


def test_the_same_side_twice_differs_by_next_to_nothing(tmp_path: Path) -> None:
    same = {"A": sides(1)["A"], "B": sides(1)["A"]}
    for side in same:
        keep(tmp_path, f"key-{side}", same[side])
    kept = {"A-weights": "key-A", "B-weights": "key-B"}
    rows = compared.difference(frame(same, "meaning", by_language=False), keys=["layer", "at"], names=["A", "B"])
    found = abx_compared.paired(rows, workspaces=[tmp_path], kept=kept, metric="abx_meaning", languages=LANGUAGES)
    assert found["difference"].tolist() == [0, 0]
    assert ((found["low"] <= 0) & (found["high"] >= 0) & (found["high"] - found["low"] < 0.06)).all()
    assert (rows["high"] - rows["low"] > 0.5).all(), "the widest does not know that the errors move together"


def test_swapped_sides_give_the_same_interval_turned_round(tmp_path: Path) -> None:
    of = sides(5)
    for side, vectors in of.items():
        keep(tmp_path, f"key-{side}", vectors)
    more: dict[str, Any] = {"workspaces": [tmp_path], "metric": "abx_language", "languages": LANGUAGES}
    more["kept"] = {"A-weights": "key-A", "B-weights": "key-B"}
    rows = frame(of, "language", by_language=True)
    keys = ["layer", "language"]
    one, other = (
        abx_compared.paired(compared.difference(rows, keys=keys, names=names), **more) for names in (["A", "B"], ["B", "A"])
    )
    assert one["low"].to_numpy() == pytest.approx(-other["high"].to_numpy())
    assert one["difference"].to_numpy() == pytest.approx(-other["difference"].to_numpy())


def test_where_one_side_is_not_kept_the_interval_is_the_widest(tmp_path: Path) -> None:
    of = sides(2)
    keep(tmp_path, "key-A", of["A"])
    rows = compared.difference(frame(of, "meaning", by_language=False), keys=["layer", "at"], names=["A", "B"])
    more: dict[str, Any] = {"workspaces": [tmp_path], "metric": "abx_meaning", "languages": LANGUAGES}
    found = abx_compared.paired(rows, kept={"A-weights": "key-A", "B-weights": "gone"}, **more)
    pd.testing.assert_frame_equal(found, rows)
    assert set(found["interval"]) == {"widest"}
    of_a, of_b = (frame(of, "meaning", by_language=False).query("side == @side").reset_index() for side in "AB")
    above = (of_a["high"] - of_a["value"]) + (of_b["value"] - of_b["low"])
    assert (found["high"] - found["difference"]).to_numpy() == pytest.approx(np.minimum(above, 1 - found["difference"]))


def test_two_corpora_are_apart_and_what_has_no_interval_gives_none() -> None:
    rows = frame(sides(4), "meaning", by_language=False)
    apart = compared.difference(rows, keys=["layer", "at"], names=["A", "B"], apart=True)
    assert set(apart["interval"]) == {"apart"}
    first, second = rows[rows["side"] == "A"], rows[rows["side"] == "B"]
    below = np.hypot(first["value"].to_numpy() - first["low"].to_numpy(), (second["high"] - second["value"]).to_numpy())
    assert (apart["difference"] - apart["low"]).to_numpy() == pytest.approx(below)
    found = compared.difference(rows.assign(low=np.nan, high=np.nan), keys=["layer", "at"], names=["A", "B"])
    assert set(found["interval"]) == {""}
    assert found[["low", "high"]].isna().to_numpy().all()


def test_which_file_serves(tmp_path: Path) -> None:
    checkpoint = {"source": "folder", "location": "/a", "label": "a", "step": 1, "fingerprint": "a" * 24}

    def spec(**fields: Any) -> AbxSpec:
        common = {"model": "m", "checkpoints": [checkpoint], "corpus": "c" * 24, "languages": LANGUAGES}
        return validate(AbxSpec, common | fields)

    def key(asked: AbxSpec) -> str | None:
        return abx_compared.key_of(asked, asked.checkpoints[0], LANGUAGES, [tmp_path])

    assert key(spec()) is None
    ((whole, _),) = spec(per_sentence=True).shards().items()
    sentences.write(tmp_path, whole, [], {"sentences": N, "complete": False})
    assert key(spec()) == key(spec(pairs=[("de", "en")])) == whole
    assert key(spec(languages=("de", "en"))) is None, "with gaps, other languages leave other sentences"
    sentences.write(tmp_path, whole, [], {"sentences": N, "complete": True})
    assert key(spec(languages=("de", "en"))) == whole
    assert key(spec(pooling="first")) is None
