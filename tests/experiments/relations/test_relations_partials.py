"""Partial correlations of measures of pairs and of languages, against loops over the points that have every measure."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.relations.partials import COLUMNS, of_joined
from isogloss.backend.experiments.relations.tables import Joined
from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.correlation import pearson, spearman
from isogloss.backend.settings import DEMO
from tests.cli.typed import output

NAMES = tuple("abcdefgh")


def made(seed: int, *, pairs: bool, symmetric: bool = True) -> Joined:
    """Three measures, the first two driven by the third; some cells lack one."""
    random = np.random.default_rng(seed)
    shape = (len(NAMES), len(NAMES)) if pairs else (len(NAMES),)
    z = random.normal(size=shape)
    arrays = {name: z * by + random.normal(size=shape) for name, by in (("x", 2), ("y", -3))} | {"z": z}
    if pairs and symmetric:
        arrays = {name: np.triu(values, 1) + np.triu(values, 1).T for name, values in arrays.items()}
    if pairs:
        arrays = {name: np.where(np.eye(len(NAMES), dtype=bool), np.nan, values) for name, values in arrays.items()}
        arrays["y"][0, 1] = arrays["y"][1, 0] = np.nan
    else:
        arrays["z"][2] = np.nan
    return Joined("pair" if pairs else "language", None, NAMES, (), arrays, pairs and symmetric)


def points_by_hand(values: Joined) -> list[tuple[float, ...]]:
    found = []
    places = itertools.product(range(len(NAMES)), repeat=2) if values.pairs else [(i,) for i in range(len(NAMES))]
    for at in places:
        if values.symmetric and at[0] > at[1]:
            continue
        numbers = tuple(float(values.arrays[name][at]) for name in ("x", "y", "z"))
        if np.isfinite(numbers).all():
            found.append(numbers)
    return found


@pytest.mark.parametrize(("pairs", "symmetric"), [(True, True), (True, False), (False, False)])
def test_plain_and_partial_rest_on_the_same_points(pairs: bool, symmetric: bool) -> None:
    for seed in range(5):
        values = made(seed, pairs=pairs, symmetric=symmetric)
        rows = of_joined(values, "x", "y")
        assert list(rows.columns) == COLUMNS
        assert rows["fixed"].tolist() == ["", "z", "", "z"]
        x, y, z = map(np.array, zip(*points_by_hand(values), strict=True))
        assert (rows["n"] == len(x)).all()
        for place, (correlate, ranked) in enumerate(((pearson, lambda each: each), (spearman, stats.rankdata))):
            a, b, c = (np.corrcoef(ranked(one), ranked(other))[0, 1] for one, other in ((x, y), (x, z), (y, z)))
            plain, partial = rows["value"][2 * place], rows["value"][2 * place + 1]
            assert plain == pytest.approx(correlate(x, y).value)
            with np.errstate(invalid="ignore", divide="ignore"):
                expected = (a - b * c) / np.sqrt((1 - b**2) * (1 - c**2))
            if abs(c) < 1 - 1e-9 and abs(b) < 1 - 1e-9:
                assert partial == pytest.approx(expected)
                assert abs(partial) < abs(plain)
            else:  # the ranks of one are those of the third
                assert np.isnan(partial)
        assert rows["p"][rows["value"].notna()].between(0, 1).all()


def test_p_of_the_partial_one_is_that_of_the_regression() -> None:
    values = made(7, pairs=False)
    arrays = [np.delete(values.arrays[name], 2) for name in ("x", "y", "z")]
    expected = permutation.regression(arrays[1], {"x": arrays[0], "z": arrays[2]}, pairs=False)["x"].p
    assert of_joined(values, "x", "y")["p"][1] == expected


def test_what_only_the_third_explains_is_no_partial_correlation_but_for_chance() -> None:
    ps = [of_joined(made(seed, pairs=True), "x", "y")["p"][:2].tolist() for seed in range(40)]
    assert sum(plain < 0.05 for plain, _ in ps) > 36
    assert sum(partial < 0.05 for _, partial in ps) < 8


def test_the_command_prints_both(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    typed = ["relations", "correlation", "tokeniser_fertility", "abx_meaning", "--unit", "language"]
    typed += ["--model", "multilingual-e5-small, 4-bit weights"]
    said = output(*typed, "--fixed", "tokeniser_bytes_per_character", "-o", str(workspace / "found.csv"))
    assert "found.csv" in said
    lines = (workspace / "found.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split(",") == COLUMNS
    assert [line.split(",")[1] for line in lines[1:]] == ["", "tokeniser_bytes_per_character"] * 2
    with pytest.raises(SpecError, match="leave out --along"):
        output(*[*typed[:2], "abx_language", *typed[3:]], "--fixed", "retrieval_top1", "--along", "layer")
