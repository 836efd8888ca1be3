"""The alignment figures' aggregations against pandas, on rows whose runs, pairs and files overlap."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import t as student

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.alignment.queries import BY, Among, Ways
from isogloss.backend.store import by_pair, cube, scores, sums
from isogloss.backend.store.scores import SCORES
from tests.footers import footer

METRICS, VARIANT = ["word_weak", "word_strong"], "word/csls10/5000 pairs"
EVERY = [*METRICS, "cosine_random", "overlap_random"]
"""The last two have a pair once, from the language that is first in the alphabet; overlaps have no interval."""


def shard(workspace: Path, name: str, checkpoint: str, pairs: list[tuple[str, str]], runs: int, seed: int) -> pd.DataFrame:
    """A file with a row a metric, layer, directed pair and run."""
    generator = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for metric, layer, pair, run in itertools.product([*METRICS, "other"], (0, 1), pairs, range(runs)):
        for source, target in (pair, pair[::-1]):
            value = float(generator.random())
            low, high = (value - 0.1, value + 0.1) if runs == 1 else (np.nan, np.nan)
            rows.append(
                {
                    "run": name,
                    "experiment": "alignment",
                    "metric": metric,
                    "model": "m",
                    "checkpoint": checkpoint,
                    "layer": layer,
                    "source": source,
                    "target": target,
                    "variant": VARIANT,
                    "seed": run,
                    "value": value,
                    "low": low,
                    "high": high,
                    "n": int(generator.integers(10, 99)),
                    "created_at": dt.datetime.now(dt.UTC),
                }
            )
    scores.write(workspace, "alignment", name, pa.Table.from_pylist(rows, schema=SCORES), {})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("runs", [1, 4])
def test_pairs_and_their_mean_are_those_of_pandas(tmp_path: Path, runs: int) -> None:
    first = shard(tmp_path, "aaaa", "c1", [("de", "en"), ("en", "ru")], runs, 1)
    shard(tmp_path, "bbbb", "c1", [("de", "en")], runs, 2)  # the same pair again, by another dictionary: not asked for
    third = shard(tmp_path, "cccc", "c2", [("de", "en"), ("en", "ru")], runs, 3)
    files = [scores.shard_path(tmp_path, "alignment", name) for name in ("aaaa", "bbbb", "cccc")]
    wanted = [(run, *ends) for run in ("aaaa", "cccc") for ends in (("de", "en"), ("en", "de"), ("en", "ru"))]
    rows = pd.concat([first, third])
    rows = rows[rows["metric"].isin(METRICS) & ~((rows["source"] == "ru") & (rows["target"] == "en"))]

    found = alignment_queries.pairs(files, wanted, METRICS, [VARIANT], runs)
    assert len(found) == 2 * 2 * 2 * 3
    for _, row in found.iterrows():
        same = rows[
            np.logical_and.reduce([rows[key] == row[key] for key in ("metric", "checkpoint", "layer", "source", "target")])
        ]
        assert row["runs"] == len(same) == runs
        assert row["value"] == pytest.approx(same["value"].mean())
        assert row["n"] == same["n"].min()
        if runs == 1:
            assert np.isnan(row["deviation"])
            assert (row["low"], row["high"]) == (same["low"].iloc[0], same["high"].iloc[0])
        else:
            half = student.ppf(0.975, runs - 1) * same["value"].std() / np.sqrt(runs)
            assert row["deviation"] == pytest.approx(same["value"].std())
            assert (row["low"], row["high"]) == pytest.approx((same["value"].mean() - half, same["value"].mean() + half))

    grid = alignment_queries.grid(files, wanted, METRICS, [VARIANT], runs)
    expected = found.groupby(["metric", "variant", "checkpoint", "layer"]).agg(
        value=("value", "mean"), low=("low", "mean"), high=("high", "mean"), pairs=("value", "size"), n=("n", "min")
    )
    pd.testing.assert_frame_equal(grid.set_index(["metric", "variant", "checkpoint", "layer"]), expected, check_dtype=False)
    each = alignment_queries.by_language(files, wanted, METRICS, [VARIANT], runs)
    pd.testing.assert_frame_equal(each, of_each_language(found), check_dtype=False)


def of_each_language(rows: pd.DataFrame) -> pd.DataFrame:
    """The mean over each language's directed pairs, of the rows of `pairs`, by pandas."""
    ends = pd.concat([rows.assign(language=rows[end]) for end in ("source", "target")])
    means = {name: (name, "mean") for name in ("value", "low", "high")}
    return ends.groupby([*BY, "language"], as_index=False).agg(**means, pairs=("value", "size"))


def test_nothing_asked_for_is_nothing_found(tmp_path: Path) -> None:
    assert alignment_queries.grid([], [], METRICS, [VARIANT]).empty
    shard(tmp_path, "aaaa", "c1", [("de", "en")], 1, 1)
    files = [scores.shard_path(tmp_path, "alignment", "aaaa")]
    assert alignment_queries.pairs(files, [], METRICS, [VARIANT]).empty
    assert alignment_queries.pairs(files, [("aaaa", "de", "en")], METRICS, ["another variant"]).empty


LANGUAGES = ["ar", "de", "en", "ja", "zh"]


def large(workspace: Path, name: str, checkpoint: str, lost: float, variants: tuple[str, ...] = (VARIANT,)) -> Path:
    """A file of one run: every measure, variant, layer and direction, some of it lost."""
    generator = np.random.default_rng(len(name))
    rows: list[dict[str, Any]] = []
    for metric, variant, layer, ends in itertools.product(EVERY, variants, (0, 1, 2), itertools.permutations(LANGUAGES, 2)):
        value = float(generator.random())
        own = {"metric": metric, "variant": variant, "layer": layer, "source": ends[0], "target": ends[1], "value": value}
        common = {"run": name, "experiment": "alignment", "model": "m", "checkpoint": checkpoint, "n": 30}
        low, high = (np.nan, np.nan) if metric == "overlap_random" else (value - 0.1, value + 0.2)
        if generator.random() >= lost and (metric in METRICS or ends[0] < ends[1]):
            rows.append(own | common | {"low": low, "high": high, "created_at": dt.datetime.now(dt.UTC)})
    said = footer("alignment", fingerprint=checkpoint, variant=list(variants))
    scores.write(workspace, "alignment", name, pa.Table.from_pylist(rows, schema=SCORES), said)
    return scores.shard_path(workspace, "alignment", name)


@pytest.mark.parametrize("lost", [0.0, 0.1])
@pytest.mark.parametrize("chosen", ["all", "some languages", "forward", "a few", "one more than there is"])
def test_means_over_a_large_file_are_those_of_its_rows(
    tmp_path: Path, lost: float, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two large files, of two checkpoints; a third adds a pair to the first, and is small."""
    monkeypatch.setattr(sums, "WORTH", 0)
    monkeypatch.setattr(by_pair, "WORTH", 0)
    files = [large(tmp_path, name, name, lost, (VARIANT, "another")) for name in ("one", "three")]
    more = shard(tmp_path, "more", "one", [("de", "fi")], 1, 4)
    files.append(scores.shard_path(tmp_path, "alignment", str(more["run"].iloc[0])))
    pairs = list(itertools.permutations(LANGUAGES, 2))
    match chosen:
        case "some languages":
            pairs = [each for each in pairs if "ja" not in each]
        case "forward":
            pairs = [each for each in pairs if each[0] < each[1]]
        case "a few":
            pairs = [("zh", "ar"), ("de", "en")]
        case "one more than there is":
            pairs = [*pairs, ("de", "fi")]
    wanted = [(run, *pair) for run in ("one", "three") for pair in pairs] + [("more", "de", "fi")]
    found = alignment_queries.grid(files, wanted, EVERY, [VARIANT])
    rows = alignment_queries.pairs(files, wanted, EVERY, [VARIANT])
    expected = rows.groupby(["metric", "variant", "checkpoint", "layer"], as_index=False).agg(
        value=("value", "mean"), low=("low", "mean"), high=("high", "mean"), pairs=("value", "size"), n=("n", "min")
    )
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-6)
    each = alignment_queries.by_language(files, wanted, EVERY, [VARIANT])
    pd.testing.assert_frame_equal(each, of_each_language(rows), check_dtype=False, rtol=1e-6)


@pytest.mark.parametrize("lost", [0.0, 0.1])
@pytest.mark.parametrize("ways", ["both", "forward", "backward"])
@pytest.mark.parametrize("languages", [LANGUAGES, ["ar", "de", "zh"], ["de", "en"], ["de", "fi", "zh"]])
@pytest.mark.parametrize("is_large", [True, False])
def test_languages_stand_for_their_pairs(
    tmp_path: Path, lost: float, ways: Ways, languages: list[str], is_large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_large:
        monkeypatch.setattr(sums, "WORTH", 0)
        monkeypatch.setattr(by_pair, "WORTH", 0)
    files = [large(tmp_path, name, name, lost, (VARIANT, "another")) for name in ("one", "three", "other")]
    runs = ["one", "three"]
    pairs = [
        pair for pair in itertools.permutations(languages, 2) if ways == "both" or (pair[0] < pair[1]) == (ways == "forward")
    ]
    wanted = [(run, *pair) for run in runs for pair in pairs]
    among = Among(runs, languages, ways)
    assert sorted(alignment_queries.listed(among)) == sorted(wanted)
    assert alignment_queries.listed(among, {"three"}) == [
        each for each in alignment_queries.listed(among) if each[0] == "three"
    ]
    for layers in (None, [1], [0, 2], [7]):
        asked = EVERY, [VARIANT], 1, layers
        found = alignment_queries.pairs(files, among, *asked)
        pd.testing.assert_frame_equal(found, alignment_queries.pairs(files, wanted, *asked))
        if layers is not None and len(found):
            monkeypatch.setattr(alignment_queries, "FEW", 0)  # by a query
            pd.testing.assert_frame_equal(found, alignment_queries.pairs(files, wanted, *asked))
            monkeypatch.setattr(alignment_queries, "FEW", 3)
    grid = alignment_queries.grid(files, among, EVERY, [VARIANT, "another"])
    pd.testing.assert_frame_equal(grid, alignment_queries.grid(files, wanted, EVERY, [VARIANT, "another"]), rtol=1e-6)
    both = EVERY, [VARIANT, "another"]
    expected = of_each_language(alignment_queries.pairs(files, wanted, *both))
    for asked in (among, wanted):
        each = alignment_queries.by_language(files, asked, *both)
        pd.testing.assert_frame_equal(each, expected, check_dtype=False, rtol=1e-6)


def test_a_missing_interval_is_unknown_where_some_files_are_summed_and_others_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "WORTH", 0)
    monkeypatch.setattr(by_pair, "WORTH", 0)
    files = [large(tmp_path, name, "c", 0.0) for name in ("one", "three")]
    summed = alignment_queries._of_large
    monkeypatch.setattr(
        alignment_queries, "_of_large", lambda path, *of, **how: summed(path, *of, **how) if path == files[0] else None
    )
    among = Among(["one", "three"], LANGUAGES)
    for query, pairs in ((alignment_queries.grid, 20), (alignment_queries.by_language, 8)):
        rows = query(files, among, ["overlap_random"], [VARIANT])
        assert rows["value"].between(0, 1).all()
        assert rows["pairs"].eq(pairs).all()
        assert rows[["low", "high"]].isna().all(axis=None)


def test_a_recipe_says_languages_and_not_their_pairs() -> None:
    languages = [f"x{number:03}" for number in range(204)]
    recipe = Recipe((partial(alignment_queries.grid, [], Among(["one"], languages), METRICS, [VARIANT]),))
    again = Recipe.from_json(json.loads(json.dumps(recipe.to_json())), [])
    assert again.calls[0].args == recipe.calls[0].args
    assert len(recipe.python()) < 5000
    assert recipe.rows().empty


def test_a_whole_large_file_is_asked_for_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "WORTH", 0)
    monkeypatch.setattr(by_pair, "WORTH", 0)
    path = large(tmp_path, "one", "one", 0.0)
    sums.of_file(path)
    monkeypatch.setattr(cube, "_read", None)
    asked: list[object] = []
    plain = alignment_queries.query
    monkeypatch.setattr(alignment_queries, "query", lambda *of: asked.append(of[2]) or plain(*of))
    wanted = [("one", *pair) for pair in itertools.permutations(LANGUAGES, 2)]
    assert len(alignment_queries.grid([path], wanted, EVERY, [VARIANT])) == 12
    assert len(alignment_queries.by_language([path], wanted, EVERY, [VARIANT])) == 12 * len(LANGUAGES)
    assert asked == []


def test_one_layer_is_read_without_the_others(tmp_path: Path) -> None:
    path = large(tmp_path, "one", "one", 0.1)
    wanted = [("one", *pair) for pair in itertools.permutations(LANGUAGES, 2)]
    whole = alignment_queries.pairs([path], wanted, METRICS, [VARIANT])
    for layers in ([1], [0, 2], [7], []):
        some = alignment_queries.pairs([path], wanted, METRICS, [VARIANT], layers=layers)
        expected = whole[whole["layer"].isin(layers)].reset_index(drop=True)
        pd.testing.assert_frame_equal(some, expected, check_dtype=bool(len(some)))
