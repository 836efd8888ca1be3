"""Queries over the scores of probes, against plain pandas on the very rows; and what figures are made of them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.experiments.frames import label_checkpoints
from isogloss.backend.experiments.probing import frames, means, queries, rows
from isogloss.backend.experiments.probing.queries import Served
from isogloss.backend.experiments.probing.spec import FAMILY, LEARNED, MEAN, ProbingWordsSpec
from isogloss.backend.experiments.probing.together import together
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.store import scores

LANGUAGES = ("de", "en", "zh")
LAYERS = 4
CHECKPOINTS = tuple(
    Checkpoint(source="folder", location=f"/m/{i}", label=f"step {i}", step=100 * i, fingerprint=f"{i}" * 24) for i in (1, 2, 3)
)


def spec(**options: Any) -> ProbingWordsSpec:
    given: dict[str, Any] = {"model": "m", "checkpoints": CHECKPOINTS, "corpus": "c" * 24, "sources": LANGUAGES}
    return ProbingWordsSpec(**(given | {"targets": LANGUAGES} | options))


def publish(workspace: Path, asked: ProbingWordsSpec, seed: int = 0, n: int | None = None) -> pd.DataFrame:
    """Random scores of every shard of a spec, written as a shard writes them; all rows as a frame, with `mix`.

    Each is of `n` words; of another number each, and some without an interval, where None.
    """
    draw = np.random.default_rng(seed)
    every = []
    for key, shard in asked.shards().items():
        made = []
        for target in asked.targets_of(shard.source):
            own: list[dict[str, Any]] = [_row("majority_accuracy", draw), _row("word_majority_accuracy", draw)]
            for place in (*range(LAYERS), MEAN, LEARNED):
                of_place = {"layer": place} if isinstance(place, int) else {"mix": place}
                for metric in ("probe_accuracy", *(["selectivity", "description_length"] if target == shard.source else [])):
                    own.append(_row(metric, draw) | of_place)
                    own += [_row(metric, draw) | of_place | {"seed": seed, "low": None, "high": None} for seed in range(2)]
            made += rows.filed(own, shard.source, target, asked.variant)
            every += [
                row | {"checkpoint": shard.checkpoint.fingerprint, "source": shard.source, "target": target} for row in own
            ]
        provenance = asked.provenance(shard)
        fixed = {
            "model": "m",
            "checkpoint": provenance["fingerprint"],
            "step": shard.checkpoint.step,
            "corpus": provenance["corpus"],
        }
        same_n = {} if n is None else {"n": n}
        every = [row | same_n for row in every]
        table = scores.table([row | same_n for row in made], run=key, family=FAMILY, **fixed)
        scores.write(workspace, FAMILY, key, table, provenance)
    found = pd.DataFrame(every)
    return found.assign(layer=found["layer"].astype("Int64"), seed=found["seed"].astype("Int64"))


def _row(metric: str, draw: np.random.Generator) -> dict[str, Any]:
    value = float(draw.integers(0, 40)) / 40  # ties occur
    ends = {"low": None, "high": None} if draw.random() < 0.1 else {"low": value - 0.1, "high": value + 0.1}
    numbers = {"value": value, **ends, "n": int(draw.integers(50, 99))}
    return {"metric": metric, "layer": None, "mix": None, "seed": None} | numbers


@pytest.fixture(params=[None, 60])
def everything(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[pd.DataFrame, Served]:
    asked = spec()
    every = publish(tmp_path, asked, n=request.param)
    publish(tmp_path, spec(corpus="d" * 24), seed=1)
    publish(tmp_path, spec(probe={"batch": 8}), seed=2)
    found = queries.served(asked, [tmp_path])
    assert not found.missing
    assert sum(len(targets) for _, targets in found.wanted) == 27
    return every, found


def same(found: pd.DataFrame, expected: pd.DataFrame, keys: list[str]) -> None:
    """Whether two frames have the same rows, in any order, as far as the columns of the first go."""
    assert len(found) == len(expected)
    one, other = (
        each[found.columns].astype(dict.fromkeys(keys, "string")).fillna(dict.fromkeys(keys, "")).sort_values(keys)
        for each in (found, expected)
    )
    assert one[keys].reset_index(drop=True).equals(other[keys].reset_index(drop=True))
    for column in [name for name in found.columns if name not in keys]:
        assert np.allclose(one[column].astype(float), other[column].astype(float), equal_nan=True), column


def test_rows_are_the_means_over_seeds(everything: tuple[pd.DataFrame, Served]) -> None:
    every, found = everything
    metrics = ["probe_accuracy", "majority_accuracy"]
    expected = every[every["seed"].isna() & every["metric"].isin(metrics)]
    same(queries.rows(found, metrics), expected, ["metric", "checkpoint", "layer", "mix", "source", "target"])


def test_the_grid_is_a_mean_over_pairs(everything: tuple[pd.DataFrame, Served]) -> None:
    every, found = everything
    metrics = ["probe_accuracy", "selectivity", "majority_accuracy"]
    chosen = every[every["seed"].isna() & every["metric"].isin(metrics)]
    keys = ["metric", "checkpoint", "layer", "mix"]
    means = {"value": ("value", "mean"), "low": ("low", "mean"), "high": ("high", "mean"), "n": ("n", "min")}
    expected = chosen.groupby(keys, dropna=False).agg(pairs=("value", "size"), **means).reset_index()
    same(queries.grid(found, metrics), expected, keys)
    assert set(queries.grid(found, ["selectivity"])["pairs"]) == {3}  # each language in itself
    assert set(queries.grid(found, ["probe_accuracy"])["pairs"]) == {9}


@pytest.mark.parametrize("at", [[0], [1, 3], MEAN, LEARNED])
def test_pairs_at_some_layers_or_a_mix(everything: tuple[pd.DataFrame, Served], at: queries.At) -> None:
    every, found = everything
    here = every["mix"] == at if isinstance(at, str) else every["layer"].isin(at).fillna(False)
    flat = every["layer"].isna() & every["mix"].isna()
    metrics = ["probe_accuracy", "word_majority_accuracy"]
    chosen = every[every["seed"].isna() & (here | flat) & every["metric"].isin(metrics)]
    keys = ["metric", "checkpoint", "source", "target"]
    means = {"value": ("value", "mean"), "low": ("low", "mean"), "high": ("high", "mean"), "n": ("n", "min")}
    same(queries.by_pair(found, metrics, at), chosen.groupby(keys).agg(**means).reset_index(), keys)


def test_best_layers_and_seeds(everything: tuple[pd.DataFrame, Served]) -> None:
    every, found = everything
    of = every[(every["metric"] == "probe_accuracy") & every["layer"].notna()]
    best = queries.best_layers(found, ["probe_accuracy"])
    assert len(best) == 27
    for row in best.itertuples():
        own = of[of["seed"].isna() & (of["checkpoint"] == row.checkpoint) & (of["source"] == row.source)]
        own = own[own["target"] == row.target]
        assert row.value == own["value"].max()
        assert row.layer == own.loc[own["value"] == own["value"].max(), "layer"].min()
    expected = every[every["seed"].notna() & (every["metric"] == "probe_accuracy")]
    means = {"value": ("value", "mean"), "n": ("n", "min")}
    keys = ["metric", "checkpoint", "layer", "mix", "seed"]
    grid = expected.groupby(keys, dropna=False).agg(**means, pairs=("value", "count")).reset_index()
    same(queries.seed_grid(found, ["probe_accuracy"]), grid, keys)
    for at, here in (([0, 2], expected["layer"].isin([0, 2])), ("learned mix", expected["mix"] == "learned mix")):
        keys = ["metric", "checkpoint", "seed"]
        same(queries.by_seed(found, ["probe_accuracy"], at), expected[here].groupby(keys).agg(**means).reset_index(), keys)


def test_the_best_description_length_is_the_lowest(everything: tuple[pd.DataFrame, Served]) -> None:
    every, found = everything
    with_length = queries.best_layers(found, ["description_length"])
    of = every[(every["metric"] == "description_length") & every["layer"].notna() & every["seed"].isna()]
    lowest = of.groupby(["checkpoint", "source", "target"])["value"].min()
    assert len(with_length) == len(lowest) == 9
    assert sorted(with_length["value"]) == sorted(lowest)


def test_a_spec_is_served_by_the_files_of_wider_ones(tmp_path: Path) -> None:
    publish(tmp_path, spec(sources=("de", "en")))
    narrow = queries.served(spec(sources=("en",), targets=("zh",)), [tmp_path])
    assert len(narrow.files) == 3
    assert not narrow.missing
    assert {targets for _, targets in narrow.wanted} == {frozenset({"zh"})}
    assert set(queries.rows(narrow, ["probe_accuracy"])["target"]) == {"zh"}
    wider = queries.served(spec(targets=("de", "fr")), [tmp_path])
    assert {shard.source for shard in wider.missing} == {"de", "en", "zh"}
    assert {targets for _, targets in wider.wanted} == {frozenset({"de"})}
    alone = queries.served(spec(sources=("de", "en"), targets=()), [tmp_path])
    assert not alone.missing
    own = queries.rows(alone, ["probe_accuracy"])
    assert set(zip(own["source"], own["target"], strict=True)) == {("de", "de"), ("en", "en")}
    nothing = queries.served(spec(corpus="e" * 24), [tmp_path])
    assert (nothing.files, nothing.wanted, len(nothing.missing)) == ((), (), 9)
    assert queries.rows(nothing, ["probe_accuracy"]).empty


def labelled(found: pd.DataFrame) -> pd.DataFrame:
    known = [(each.fingerprint, "m", each.label, each.step, i) for i, each in enumerate(CHECKPOINTS)]
    return label_checkpoints(found, known)


def test_normalised_per_language_with_its_peak(everything: tuple[pd.DataFrame, Served]) -> None:
    pairs = queries.by_pair(everything[1], ["probe_accuracy"], [2])
    found = labelled(pairs[pairs["source"] == pairs["target"]].rename(columns={"source": "language"}))
    made, peaks = frames.normalised(found), frames.peaks(found)
    for language, own in made.groupby("language"):
        values, scaled = own["value"].to_numpy(), own["normalised"].to_numpy()
        if np.ptp(values):
            assert np.allclose(scaled, (values - values.min()) / np.ptp(values))
        highest, *others = own.sort_values("value", ascending=False).itertuples()
        told = highest.low > max(each.high for each in others)
        assert peaks.loc[peaks["language"] == language, "position"].tolist() == [highest.position] * told
    flat = frames.normalised(found.assign(value=0.5))
    assert flat["normalised"].isna().all()
    apart = found.assign(low=found["value"] - 1e-9, high=found["value"] + 1e-9)
    assert (frames.peaks(apart).set_index("language")["value"] == apart.groupby("language")["value"].max()).all()
    assert frames.peaks(found.assign(value=0.5, low=0.5, high=0.5)).empty, "equal ones are told from nothing"
    assert frames.peaks(apart[apart["checkpoint"] == apart["checkpoint"].iloc[0]]).empty, "the only one is the best of nothing"
    assert frames.peaks(apart.assign(high=np.nan)).empty
    assert len(frames.peaks(found.assign(value=np.nan))) == 0


def test_the_best_source_of_each_target(everything: tuple[pd.DataFrame, Served]) -> None:
    scored = queries.by_pair(everything[1], ["probe_accuracy", "majority_accuracy"], [1])
    found = frames.beside_level(scored, "probe_accuracy")
    assert len(found) == 27
    for row in found.itertuples():
        same = scored[(scored["metric"] == "majority_accuracy") & (scored["checkpoint"] == row.checkpoint)]
        [level] = same.loc[(same["source"] == row.source) & (same["target"] == row.target), "value"]
        assert row.level == level
    narrow = found.assign(low=found["value"] - 1e-9, high=found["value"] + 1e-9, level=0.0)
    for own, rows_of in itertools.product((False, True), (found, narrow, narrow.assign(level=narrow["value"].median()))):
        best = frames.best_sources(rows_of, own=own)
        rows = [row for row in rows_of.itertuples() if own or row.source != row.target]
        expected = {
            (row.checkpoint, row.source, row.target)
            for row in rows
            if row.low > row.level
            and all(
                row.low > each.high
                for each in rows
                if each.checkpoint == row.checkpoint and each.target == row.target and each.source != row.source
            )
        }
        assert set(zip(best["checkpoint"], best["source"], best["target"], strict=True)) == expected
        assert expected or rows_of is found


def test_what_is_read_of_a_file_is_kept_until_it_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = spec()
    publish(tmp_path, asked)
    found = queries.served(asked, [tmp_path])
    first = queries.grid(found, ["probe_accuracy"])
    with monkeypatch.context() as patched:
        patched.setattr(means, "read_whole", lambda *_, **__: pytest.fail("read a second time"))
        fewer = queries.by_pair(found, ["probe_accuracy"], [1])
        assert len(fewer) == 27
    for path in found.files:
        path.unlink()
    publish(tmp_path, asked, seed=5)
    again = queries.grid(queries.served(asked, [tmp_path]), ["probe_accuracy"])
    assert len(again) == len(first)
    assert not np.allclose(again["value"], first["value"])


def test_curves_have_their_lines_apart(everything: tuple[pd.DataFrame, Served]) -> None:
    found = queries.grid(everything[1], ["selectivity", "probe_accuracy", "majority_accuracy"])
    curves = found[found["layer"].notna()]
    assert set(curves["metric"]) == {"probe_accuracy", "selectivity"}
    assert len(curves) == 2 * 3 * LAYERS
    named = frames.name_rows(found)
    assert set(named["layer_name"]) == {"", "layer 0", "layer 1", "layer 2", "layer 3", MEAN, LEARNED}
    over = frames.over_checkpoints(labelled(curves))
    assert [own["step"].tolist() for _, own in over.groupby("metric")] == [[100.0, 200.0, 300.0]] * 2


def test_what_two_specs_share_is_there_once() -> None:
    german, english = frozenset({"de"}), frozenset({"en"})
    one = Served((Path("a"), Path("b")), (("a", german), ("b", german)), ())
    two = Served((Path("b"), Path("c")), (("b", german | english), ("c", english)), ())
    both = together(one, two)
    assert both.files == (Path("a"), Path("b"), Path("c"))
    assert both.wanted == (("a", german), ("b", german | english), ("c", english))
    assert together(one) == one
    assert together() == Served((), (), ())
