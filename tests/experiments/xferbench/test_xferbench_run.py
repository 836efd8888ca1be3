"""Whole XferBench runs, tiny: what they leave, and that nothing is trained twice or comes out otherwise."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.sources import text as xferbench_text
from isogloss.backend.experiments.sources.compute import missing
from isogloss.backend.experiments.sources.source import EmergentSource
from isogloss.backend.experiments.sources.text import text_digest
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.xferbench import amounts
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.experiments.xferbench import shard as xferbench
from isogloss.backend.experiments.xferbench.shard import compute
from isogloss.backend.store import bases, details, scores
from isogloss.backend.training.language_model.pretrain import pretrain
from isogloss.backend.training.language_model.target import target_text
from isogloss.backend.training.language_model.tune import tune
from isogloss.backend.training.resumable.options import Stage
from tests.experiments.training_runs import watched
from tests.experiments.xferbench.small_xferbench import (
    SmallXferBench,
    only_cell,
    options,
    run_all,
    small_corpus,
)
from tests.training.language_model.language_modelling import tiny_source

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def whole(small: SmallXferBench) -> Context:
    """A workspace in which everything was computed at one go."""
    context = small.context("whole")
    run_all(small.spec("emergent en none", "fi da", seeds=(0, 1)), context)
    return context


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was pre-trained and tuned, or gone on with."""
    return watched(xferbench, monkeypatch)


def values(context: Context, small: SmallXferBench, **changes: Any) -> dict[tuple[str, str, int], float]:
    frame = xferbench_queries.each_seed([context.workspace], small.spec(**changes).variant.name)
    return {(row.source, row.target, row.seed): row.value for row in frame.itertuples()}


def files_of(workspace: Path) -> list[str]:
    return sorted(str(path.relative_to(workspace)) for path in workspace.rglob("*") if path.is_file())


def test_a_score_is_that_of_pretraining_and_tuning_by_hand(small: SmallXferBench, whole: Context, tmp_path: Path) -> None:
    texts = dict(zip(("da", "en", "fi"), (small_corpus().align([tag])[1][tag] for tag in ("da", "en", "fi")), strict=True))
    sources = {small.emergent: tiny_source(), f"{small.text}/en": xferbench_text.text_corpus(texts["en"], 299), "none": None}
    found = values(whole, small)
    assert len(found) == 12
    assert len(set(found.values())) == 12
    for (source, target, seed), value in found.items():
        corpus, chosen = sources[source], options(seed=seed)
        folder = tmp_path / source.replace("/", "-") / f"{seed}"
        base = None if corpus is None else pretrain(corpus, chosen, folder / "base", device="cpu").model
        again = tune(base, target_text(texts[target], chosen), chosen, folder / target, device="cpu")
        assert value == again.cross_entropy


def test_a_row_says_what_it_is_of(small: SmallXferBench, whole: Context) -> None:
    spec = small.spec("emergent en none", "fi da", seeds=(0, 1))
    for key, cell in spec.cells().items():
        (row,) = pq.read_table(scores.shard_path(whole.workspace, "emergent", key)).to_pylist()
        row.pop("created_at")
        assert 0 < row.pop("value") < 10
        assert np.isnan([row.pop("low"), row.pop("high")]).all()
        test = target_text(small_corpus().align([cell.target.language])[1][cell.target.language], options()).test
        assert row == {
            "run": key,
            "experiment": "emergent",
            "metric": "cross_entropy",
            "model": "custom",
            "checkpoint": None if cell.base is None else cell.base.key,
            "step": None,
            "layer": None,
            "source": cell.source.key,
            "target": cell.target.language,
            "corpus": small.text,
            "variant": spec.variant.name,
            "seed": cell.options.seed,
            "n": len(test) - 1,
        }
    texts = {file.provenance["target_text"] for file in scores.shards([whole.workspace], "emergent")}
    assert texts == {text_digest(small_corpus().align([tag])[1][tag]) for tag in ("fi", "da")}


def test_a_printed_target_is_a_variant_of_its_own_and_says_what_it_had(small: SmallXferBench) -> None:
    """It shares the base model with `correct`, has the whole budget to tune on, and its file says how much was its own."""
    context, budget = small.context("printed"), options(tuning=Stage(tokens=4_000, epochs=1, batch=8, learning_rate=1e-2))
    found = {}
    for protocol in ("correct", "printed"):
        spec = small.spec(protocol=protocol, custom=budget.model_copy(update={"protocol": protocol}))
        run_all(spec, context)
        footer = next(file.provenance for file in scores.shards([context.workspace], "emergent") if file.run == only_cell(spec))
        found[protocol] = (spec, footer["tuned_tokens"], footer.get("own_tokens"))
    assert len(list(context.workspace.glob("bases/*"))) == 1
    (correct, tuned, no), (printed, whole_budget, own) = found.values()
    assert correct.variant.name == printed.variant.name.replace("/printed/", "/correct/")
    assert (no, whole_budget) == (None, 4_008)  # whole windows of 12
    assert tuned == own // 12 * 12 < 1_000
    (short,) = amounts.short_targets(printed.variant.name, [context.workspace]).values()
    assert (short.tuned, short.updates) == (own, 42)


def test_what_is_left_in_the_workspace(small: SmallXferBench, whole: Context) -> None:
    """Base models that `transformers` loads, scores, curves and tokenisers; no tuned model, no unfinished training."""
    spec = small.spec("emergent en none", "fi da", seeds=(0, 1))
    kept = {piece.key for piece in spec.shards().values()} - set(spec.cells())
    assert len(kept) == 4
    expected = [f"bases/{key}/{name}" for key in kept for name in ("about.json", "config.json", "model.safetensors")]
    expected += [f"scores/emergent/{key}.parquet" for key in spec.cells()]
    expected += [f"details/{key}.parquet" for key in spec.shards()]
    found = [name for name in files_of(whole.workspace) if not name.startswith("tokenizers/")]
    assert found == sorted(expected)
    assert len(files_of(whole.workspace)) - len(found) == 3  # one a language, for all sources and seeds
    assert list((whole.workspace / "training").iterdir()) == []


def test_curves_are_kept_under_the_keys_of_the_scores_rows(small: SmallXferBench, whole: Context) -> None:
    frame = xferbench_queries.each_seed([whole.workspace], small.spec().variant.name)
    for row in frame.itertuples():
        curve = details.load(row.run, [whole.workspace])
        assert curve is not None
        assert curve["step"].tolist() == list(range(1, len(curve) + 1))
        assert curve["loss"].iloc[-1] < curve["loss"].iloc[0]
        provenance = details.provenance(row.run, [whole.workspace])
        assert provenance is not None
        assert (provenance["variant"], provenance["source"]) == (small.spec().variant.name, row.source)
        assert tuple(provenance[name] for name in ("preset", "mode", "digits")) == small.spec().variant
        assert provenance["seconds"] > 0
        assert provenance["held_out_texts"] == 6
        if row.source != "none":
            curve = details.load(row.base, [whole.workspace])
            assert curve is not None
            assert len(curve) == options().pretraining.steps(42)
    assert frame["base"].isna().tolist() == (frame["source"] == "none").tolist()


def test_protocols_and_options_never_mix(small: SmallXferBench, whole: Context) -> None:
    context = small.context("mixed")
    run_all(small.spec("none"), context)
    run_all(small.spec("none", protocol="released"), context)
    run_all(small.spec("none", custom=options(evaluation_tokens=50), preset="custom"), context)
    frames = [
        xferbench_queries.cross_entropies([context.workspace], variant)
        for variant in xferbench_queries.variants([context.workspace])["variant"]
    ]
    assert [len(frame) for frame in frames] == [1, 1, 1]
    assert len({float(frame["value"].iloc[0]) for frame in frames}) == 3
    assert xferbench_queries.cross_entropies([context.workspace], "quick/correct/000000").empty
    released = small.spec("none", protocol="released")
    provenance = details.provenance(only_cell(released), [context.workspace])
    assert provenance is not None
    tokens, spans = provenance["test_tokens"], 0
    for begin in range(0, tokens, 6):  # windows of 12, each half a window after the one before
        spans += min(begin + 12, tokens) - begin - 1
        if begin + 12 >= tokens:
            break
    (row,) = xferbench_queries.each_seed([context.workspace], released.variant.name).itertuples()
    assert row.n == spans > tokens


def test_nothing_is_computed_twice(small: SmallXferBench, whole: Context, trainings: list[str]) -> None:
    spec = small.spec("emergent en none", "fi da", seeds=(0, 1))
    assert missing(spec, [whole.workspace]) == []
    run_all(spec, whole)
    shared = dataclasses.replace(
        whole, settings=dataclasses.replace(whole.settings, workspace=small.folder / "beside", demo=whole.workspace)
    )
    run_all(spec, shared)
    assert not trainings
    more = small.spec("emergent none", "fi en", seeds=(1, 2))
    wanted = [more.shards()[key].label for key in missing(more, [whole.workspace])]
    assert wanted == [
        "Tiny → English, training seed 1",
        "No pre-training → English, training seed 1",
        "pre-training on Tiny, training seed 2",
        "Tiny → Finnish, training seed 2",
        "No pre-training → Finnish, training seed 2",
        "Tiny → English, training seed 2",
        "No pre-training → English, training seed 2",
    ]


def test_a_base_model_that_was_removed_is_trained_only_where_a_score_needs_it(
    small: SmallXferBench, trainings: list[str]
) -> None:
    import shutil

    spec, context = small.spec(), small.context("removed")
    run_all(spec, context)
    shutil.rmtree(context.workspace / "bases")
    run_all(spec, context)
    assert trainings == ["pre-training on Tiny, training seed 0", "Tiny → Finnish, training seed 0"]
    more = small.spec("emergent", "da")
    assert len(missing(more, [context.workspace])) == 2
    compute(more, only_cell(more), context)  # a cell by itself: it trains its base model
    assert trainings[2:] == ["Tiny → Danish, training seed 0", "pre-training on Tiny, training seed 0"]
    assert list((context.workspace / "training").iterdir()) == []


def test_a_damaged_base_model_is_trained_again(small: SmallXferBench, whole: Context, trainings: list[str]) -> None:
    spec, context = small.spec(), small.context("damaged")
    base, cell = spec.shards()
    compute(spec, base, context)
    for name, content in (("model.safetensors", b"\x00" * 99), ("about.json", b"{"), ("about.json", b"[]")):
        (bases.path(context.workspace, base) / name).write_bytes(content)
        assert missing(spec, [context.workspace]) == [base, cell]
        compute(spec, base, context)
        assert missing(spec, [context.workspace]) == [cell]
    assert len(trainings) == 4
    compute(spec, cell, context)
    assert values(context, small).items() <= values(whole, small).items()


def test_what_cannot_be_computed_is_said(small: SmallXferBench) -> None:
    context = small.context("impossible")
    spec = small.spec("none", "ja")
    with pytest.raises(CorpusError, match="no language 'ja'"):
        compute(spec, only_cell(spec), context)
    spec = small.spec((EmergentSource(corpus="f" * 24),))
    with pytest.raises(CorpusError, match="no emergent corpus"):
        compute(spec, only_cell(spec), context)
