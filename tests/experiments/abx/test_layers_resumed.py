"""A sweep that is killed in the middle of a checkpoint goes on at the layer that was not done, with the same scores."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import Settings
from isogloss.backend.store import embeddings as vectors_kept
from isogloss.backend.store import scored_layers, scores
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.models.entry import Model

LAYERS = 3


class Killed(BaseException):
    """As a signal that nobody catches."""


@pytest.fixture
def model(tmp_path: Path) -> Model:
    """Two checkpoints with weights of their own."""
    first, second = (discover(str(tiny_model(tmp_path / kind, kind)), name="Tiny") for kind in ("bert", "xlm-roberta"))
    return first.model_copy(update={"checkpoints": (*first.checkpoints, *second.checkpoints)})


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(Settings(workspace=tmp_path / "workspace", demo=None, device="cpu"))


@pytest.fixture
def spec(model: Model, context: Context, tmp_path: Path) -> AbxSpec:
    rows = [f"s{i}\tThe {i} ferries leave.\tDie {i} Fähren.\tLes {i} ferries." for i in range(9)]
    (tmp_path / "mine.tsv").write_text("id\ten\tde\tfr\n" + "\n".join(rows) + "\n", encoding="utf-8")
    corpus = corpora.keep(read([InputFile("mine.tsv", tmp_path / "mine.tsv")]), "Mine", context.workspace)
    return validate(
        AbxSpec, {"model": "Tiny", "checkpoints": model.checkpoints, "corpus": corpus.id, "languages": ("de", "en", "fr")}
    )


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The layers that are scored, as they are."""
    done: list[int] = []
    score = abx._score

    def scoring(spec: AbxSpec, vectors: Any, layer: int, context: Context) -> Any:
        done.append(layer)
        return score(spec, vectors, layer, context)

    monkeypatch.setattr(abx, "_score", scoring)
    monkeypatch.setattr(scored_layers, "EVERY", 0.0)
    return done


def sweep(spec: AbxSpec, context: Context) -> None:
    for shard in spec.shards():
        abx.compute(spec, shard, context)


def numbers(context: Context) -> dict[tuple[Any, ...], tuple[float, float, float, int]]:
    frame = scores.query("SELECT * FROM {scores}", {}, [each.path for each in scores.shards([context.workspace], "abx")])
    return {
        (row.checkpoint, row.metric, row.layer, row.source, row.target): (row.value, row.low, row.high, row.n)
        for row in frame.itertuples()
    }


def killed_at(spec: AbxSpec, context: Context, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """End the sweep where the layer after so many is begun."""
    begun = 0

    def step(self: Context, what: str, share: float) -> None:
        nonlocal begun
        begun += what.startswith("scoring layer")
        if begun > steps:
            raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(Context, "step", step)
        sweep(spec, context)


@pytest.mark.parametrize("steps", [1, LAYERS, LAYERS + 2])
def test_it_goes_on_at_the_layer(
    spec: AbxSpec, context: Context, scored: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, steps: int
) -> None:
    whole = Context(Settings(workspace=tmp_path / "whole", demo=context.workspace, device="cpu"))
    killed_at(spec, context, steps, monkeypatch)
    assert scored == (list(range(LAYERS)) * 2)[:steps]
    sweep(spec, context)
    assert scored == list(range(LAYERS)) * 2  # none twice, none left out
    found = numbers(context)
    assert len(found) == 2 * LAYERS * 3 * 3  # checkpoints, layers, pairs, measures
    assert not list((context.workspace / "scratch").glob("*"))
    monkeypatch.setattr(abx, "covering", lambda *_: None)
    sweep(spec, whole)
    assert numbers(whole) == found


@pytest.mark.parametrize("wrong", ["cut off", "of another precision"])
def test_what_is_not_of_these_vectors_is_not_taken(
    spec: AbxSpec, context: Context, scored: list[int], monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    killed_at(spec, context, 2, monkeypatch)
    shard = next(iter(spec.shards()))
    place = scored_layers.place_of(context.workspace, shard)
    if wrong == "cut off":
        place.write_bytes(place.read_bytes()[:-9])
    else:
        rows, layers, seconds = scored_layers.load(context.workspace, shard, "float32")
        scored_layers.keep(context.workspace, shard, rows, layers, seconds, "bfloat16")
    scored.clear()
    sweep(spec, context)
    assert scored == list(range(LAYERS)) * 2


def test_a_short_scoring_leaves_nothing_beside_it(
    spec: AbxSpec, context: Context, scored: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scored_layers, "EVERY", 1e9)
    killed_at(spec, context, 2, monkeypatch)
    assert not (context.workspace / "scratch").exists()


def test_of_checkpoints_whose_vectors_do_not_fit_the_scores_are_kept(
    spec: AbxSpec, context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the run's first checkpoint stay, those of the second are scored and dropped, and no score asks for them."""
    sweep(spec, context)
    folder = context.workspace / vectors_kept.FOLDER
    sizes = {path.name: path.stat().st_size for path in folder.glob("*.parquet")}
    assert len(sizes) == 2 * 3 * 3  # checkpoints, languages, two poolings and words
    budget = 0.75 * sum(sizes.values())
    settings = Settings(workspace=tmp_path / "small", demo=None, device="cpu", embeddings_gib=budget / 2**30)
    small = Context(settings, since=time.time() - 1)
    corpora.keep(corpora.load(spec.corpus, [context.workspace]), "Mine", small.workspace)
    sweep(spec, small)
    there = {path.name: path.stat().st_size for path in (small.workspace / vectors_kept.FOLDER).glob("*.parquet")}
    assert sum(there.values()) <= budget
    assert 0 < len(there) < len(sizes)
    ids, _ = corpora.load(spec.corpus, [context.workspace]).align(spec.languages)
    of_first = spec.checkpoints[0].fingerprint, spec.corpus
    keys = [vectors_kept.EmbeddingKey(*of_first, tag, "mean", vectors_kept.sentences_digest(ids)) for tag in spec.languages]
    assert {key.file for key in keys} <= set(there)
    assert numbers(small) == numbers(context)
    monkeypatch.setattr(abx.embeddings, "of_corpus", None)
    sweep(spec, small)
