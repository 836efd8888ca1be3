"""Paired differences of probes: against the interval of each cell made by hand from what is kept, and where none can be."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.boards.recipe import Recipe, argument
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.compared import corrected, difference
from isogloss.backend.experiments.probing import compared, predictions, queries, rows
from isogloss.backend.experiments.probing.predictions import Predictions
from isogloss.backend.experiments.probing.spec import MEAN, ProbingWordsSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.metrics.paired import of_ratios
from isogloss.backend.metrics.probing.entities import entity_f1
from isogloss.backend.metrics.probing.scores import accuracy
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.settings import Settings
from isogloss.backend.store import scores
from tests.experiments.probing.test_probing_queries import CHECKPOINTS, LANGUAGES, spec

LAYERS, SEEDS, TAGS = 3, tuple(range(2, 8)), ("B-PER", "I-PER", "O")
SPEC = partial(spec, checkpoints=CHECKPOINTS[:2], targets=(), probe={"seeds": SEEDS})


def publish(workspace: Path, asked: ProbingWordsSpec, checkpoint: Checkpoint, part: int = 0, *, keep: bool = True) -> None:
    """Write what the probes of one checkpoint told of test part number `part` in every language, and their scores."""
    context = Context(Settings(workspace=workspace, demo=None))
    for at, (key, shard) in enumerate(asked.shards().items()):
        if shard.checkpoint != checkpoint:
            continue
        test = np.random.default_rng([part, LANGUAGES.index(shard.source)])
        begins = np.concatenate([[0], np.cumsum(test.integers(1, 9, 40))])
        right = test.integers(0, 3, begins[-1]).astype(np.int16)
        draw = np.random.default_rng([at, part])
        shape = LAYERS + 1, len(SEEDS), len(right)
        hard = test.random(len(right)) < 0.2  # for every probe
        own = draw.random((LAYERS + 1, 1, len(right))) < 0.1  # for all seeds of a layer
        told = np.where(hard | own | (draw.random(shape) < 0.02), (right + 1) % 3, right).astype(np.int16)
        if shard.source == "zh":
            told[:] = right  # all right, at both checkpoints
        found = []
        for metric, score in (
            ("probe_accuracy", accuracy(told, right, begins)),
            ("probe_f1", entity_f1(told, right, TAGS, begins)),
            ("selectivity", accuracy(told, right, begins)),
        ):
            found += list(rows._rows(metric, score, len(right), [*range(LAYERS), MEAN], SEEDS))
        provenance = asked.provenance(shard)
        filed = rows.filed(found, shard.source, shard.source, asked.variant)
        checkpoint_scores.write(context, key, filed, provenance, model="m", label=checkpoint.label, step=checkpoint.step)
        if keep:
            sentences = np.repeat(np.arange(40), np.diff(begins)).astype(np.int32)
            words = (np.arange(len(right)) - begins[sentences]).astype(np.int32)
            places = {str(place): told[row, 0] for row, place in enumerate([*range(LAYERS), MEAN])}
            kept = Predictions(TAGS, SEEDS[0], sentences, words, right, places)
            predictions.save(workspace, provenance, shard.source, kept)


def differences(workspace: Path, metric: str) -> pd.DataFrame:
    """The recipe of the differences of the two checkpoints, made as a page makes it."""
    asked = SPEC()
    found = argument(partial(queries.served, spec=asked, workspaces=[workspace]))
    known = partial(_sides)
    calls: tuple[partial[Any], ...] = (found, partial(queries.rows, metrics=[metric]))
    frame = known(Recipe(calls).rows())
    both = difference(frame, keys=["language", "layer"], names=["A", "B"])
    return compared.paired(both, specs=[asked], found=queries.served(asked, [workspace]), metric=metric, workspaces=[workspace])


def _sides(frame: pd.DataFrame) -> pd.DataFrame:
    sides = {CHECKPOINTS[0].fingerprint: "A", CHECKPOINTS[1].fingerprint: "B"}
    layered = frame[frame["layer"].notna()]
    return layered.assign(side=layered["checkpoint"].map(sides), language=layered["target"])


@pytest.mark.parametrize("metric", compared.PAIRABLE)
def test_each_cell_is_that_of_what_is_kept(tmp_path: Path, metric: str) -> None:
    for checkpoint in CHECKPOINTS[:2]:
        publish(tmp_path, SPEC(), checkpoint)
    found = differences(tmp_path, metric)
    assert len(found) == len(LANGUAGES) * LAYERS
    assert (found["interval"] == "paired").all()
    told = {shard: predictions.load(SPEC().provenance(shard), shard.source, [tmp_path]) for shard in SPEC().every_shard()}
    scored = scores.query("SELECT * FROM {scores}", {}, queries.served(SPEC(), [tmp_path]).files)
    scored = scored[(scored["metric"] == metric) & scored["seed"].notna()]
    for row in found.to_dict("records"):
        sides, by_seed = [], []
        for checkpoint in CHECKPOINTS[:2]:
            kept = next(
                kept for shard, kept in told.items() if (shard.checkpoint, shard.source) == (checkpoint, row["language"])
            )
            assert kept is not None
            sides.append(_by_hand(kept, str(row["layer"]), metric))
            own = scored[(scored["checkpoint"] == checkpoint.fingerprint) & (scored["target"] == row["language"])]
            by_seed.append(own[own["layer"] == row["layer"]].sort_values("seed")["value"].to_numpy())
        low, high, freedom = of_ratios(row["difference"], *sides, by_seed[0] - by_seed[1])
        assert (row["low"], row["high"], row["freedom"]) == pytest.approx((float(low), float(high), float(freedom)))
        assert row["low"] < row["high"]  # of two that are all right, too
    p = corrected(found)
    assert (p.loc[p["language"] == "zh", "p_corrected"] == 1).all()


def _by_hand(kept: Predictions, layer: str, metric: str) -> tuple[list[int], list[int]]:
    """Right words and words of each sentence, or twice the entities found and those told and there, sentence by sentence."""
    part, whole = [], []
    for sentence in np.unique(kept.sentences):
        some = kept.sentences == sentence
        told, right = kept.told[layer][some].tolist(), kept.right[some].tolist()
        if metric == "probe_accuracy":
            part.append(sum(a == b for a, b in zip(told, right, strict=True)))
            whole.append(len(right))
        else:
            spans = [_spans([kept.tags[tag] for tag in tags]) for tags in (told, right)]
            part.append(2 * len(spans[0] & spans[1]))
            whole.append(len(spans[0]) + len(spans[1]))
    return part, whole


def _spans(tags: list[str]) -> set[tuple[int, int]]:
    """Begin and end of each name: `I-PER` after `O` begins one."""
    found, begun = set(), None
    for at, tag in enumerate([*tags, "O"]):
        if begun is not None and tag != "I-PER":
            found.add((begun, at))
            begun = None
        if tag == "B-PER" or (tag == "I-PER" and begun is None):
            begun = at
    return found


def test_other_words_and_other_measures_have_the_widest(tmp_path: Path) -> None:
    publish(tmp_path, SPEC(), CHECKPOINTS[0])
    publish(tmp_path, SPEC(), CHECKPOINTS[1], part=1)
    assert (differences(tmp_path, "probe_accuracy")["interval"] == "widest").all()
    assert (differences(tmp_path, "selectivity")["interval"] == "widest").all()


def test_what_is_not_kept_has_the_widest_until_it_is(tmp_path: Path) -> None:
    publish(tmp_path, SPEC(), CHECKPOINTS[0])
    publish(tmp_path, SPEC(), CHECKPOINTS[1], keep=False)
    widest = differences(tmp_path, "probe_accuracy")
    assert (widest["interval"] == "widest").all()
    publish(tmp_path, SPEC(), CHECKPOINTS[1])
    found = differences(tmp_path, "probe_accuracy")
    paired = found["interval"] == "paired"
    assert paired.sum() > len(found) / 2
    assert ((found["high"] - found["low"]) < (widest["high"] - widest["low"]))[paired].all()
    columns = ["low", "high", "freedom", "interval"]
    pd.testing.assert_frame_equal(found.loc[~paired, columns], widest.loc[~paired, columns])  # seeds that lie far apart


def test_without_the_seeds_own_values_nothing_is_paired(tmp_path: Path) -> None:
    asked = SPEC()
    for checkpoint in CHECKPOINTS[:2]:
        publish(tmp_path, asked, checkpoint)
    found = queries.served(asked, [tmp_path])
    frame = _sides(queries.rows(found, ["probe_accuracy"]))
    both = difference(frame, keys=["language", "layer"], names=["A", "B"])
    whole = compared.paired(both, specs=[asked], found=found, metric="probe_accuracy", workspaces=[tmp_path])
    lacking = compared.paired(
        both, specs=[asked], found=replace(found, wanted=()), metric="probe_accuracy", workspaces=[tmp_path]
    )
    assert (whole["interval"] == "paired").any()
    assert (lacking["interval"] == "widest").all()


def test_a_test_part_without_words_without_layers_or_of_a_long_sentence_is_summed(tmp_path: Path) -> None:
    none, long = np.zeros(0, np.int16), np.zeros(40_000, np.int16)

    def summed(target: str, right: np.ndarray, probe: str, metric: str) -> compared.Sums:
        words = np.arange(len(right), dtype=np.int32)
        kept = Predictions(TAGS, 0, right.astype(np.int32), words, right, {probe: right})
        predictions.save(tmp_path, {"of": "nothing"}, target, kept)
        found = compared._read(predictions.key({"of": "nothing"}, target), metric, [tmp_path])
        assert found is not None
        return found

    assert summed("none", none, "0", "probe_accuracy").part.shape == (1, 0)
    assert summed("long", long, "0", "probe_accuracy").part.tolist() == [[40_000]]
    for metric in compared.PAIRABLE:
        assert not summed("mixes", long[:2], MEAN, metric).layers
