"""One pass keeps what later questions ask for, and what is kept tells the same as what is computed, byte for byte."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.models import device
from isogloss.backend.models.encoding import encode as encode_module
from isogloss.backend.models.encoding import read_ahead
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import load as load_module
from isogloss.backend.settings import Settings
from isogloss.backend.store import cache
from isogloss.backend.store import embeddings as store
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.experiments.vectors.embeddings import CorpusEmbeddings
    from isogloss.backend.models.entry import Checkpoint, Pooling

# The first and the last are longer than the model's 64 tokens.
TEXTS = {
    "de": [" ".join(SENTENCES), *SENTENCES[2:6], " ".join(SENTENCES[::-1])],
    "en": [*SENTENCES[:5], " ".join(SENTENCES)],
    "ru": SENTENCES[4:10],
}
IDS = [f"s{i}" for i in range(6)]


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    """A decoder whose layers hold numbers beyond float16: the exponents then have something to tell."""
    folder = tiny_model(tmp_path / "model", "llama")
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights["model.embed_tokens.weight"] *= 1e7
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return discover(str(folder)).checkpoints[0]


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(Settings(workspace=tmp_path / "workspace", demo=None, device="cpu"))


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Pooling, ...]]]:
    """Every encoding pass: the language, and what was pooled in it."""
    seen: list[tuple[str, tuple[Pooling, ...]]] = []
    real = encode_module.encode

    def watched(loaded: Any, tokens: Any, poolings: Any, **options: Any) -> Any:
        seen.append((options["language"], tuple(poolings)))
        return real(loaded, tokens, poolings, **options)

    monkeypatch.setattr(encode_module, "encode", watched)
    return seen


def ask(checkpoint: Checkpoint, context: Context, *poolings: Pooling, texts: Any = None) -> CorpusEmbeddings:
    return embeddings.of_corpus(checkpoint, "corpus", IDS, texts or TEXTS, poolings, context)


TOLD = ("vectors", "exponents", "truncated", "pieces", "sinks", "first_shares")


def bytes_of(found: CorpusEmbeddings) -> dict[tuple[str, str], tuple[bytes, ...]]:
    return {
        (pooling, language): tuple(getattr(one, name).tobytes() for name in TOLD)
        for pooling, languages in found.of.items()
        for language, one in languages.items()
    }


def test_one_pass_serves_both_sentence_vectors(
    checkpoint: Checkpoint, context: Context, passes: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    mean = ask(checkpoint, context, "mean")
    assert [language for language, _ in passes] == list(TEXTS)
    assert set(mean.of) == {"mean"}
    monkeypatch.setattr(load_module, "load", lambda *_, **_options: pytest.fail("the model is loaded again"))
    both = ask(checkpoint, context, "mean", "first")
    assert len(passes) == len(TEXTS)
    assert both.tokens == 0
    assert set(both.of["first"]) == set(TEXTS)
    assert bytes_of(mean).items() <= bytes_of(both).items()


@pytest.mark.parametrize("poolings", [("mean",), ("first",), ("last", "mean"), ("mean_special", "first", "last")])
def test_kept_and_computed_are_the_same_bytes(
    checkpoint: Checkpoint, context: Context, tmp_path: Path, poolings: tuple[Pooling, ...]
) -> None:
    nothing_kept = Context(replace(context.settings, workspace=tmp_path / "other", embeddings_gib=0.0))
    alone = bytes_of(ask(checkpoint, nothing_kept, *poolings))
    assert not list((tmp_path / "other").rglob("embeddings/*.parquet"))
    computed, kept = ask(checkpoint, context, *poolings), ask(checkpoint, context, *poolings)
    assert bytes_of(computed) == bytes_of(kept) == alone
    assert (computed.tokens > 0, kept.tokens) == (True, 0)


def test_what_is_kept_tells_what_was_cut_and_scaled_and_where(checkpoint: Checkpoint, context: Context) -> None:
    computed, kept = ask(checkpoint, context, "mean"), ask(checkpoint, context, "mean", "first")
    assert computed.truncated == kept.truncated == 3
    assert kept.of["mean"]["de"].truncated.tolist() == [True, False, False, False, False, True]
    assert kept.of["first"]["en"].truncated.tolist() == [False] * 5 + [True]
    assert np.count_nonzero(kept.of["mean"]["ru"].exponents) > 0
    assert (kept.device, kept.precision) == (computed.device, computed.precision) == ("cpu", "float32")


def test_a_file_of_before_first_tokens_were_weighed_serves_as_it_is(
    checkpoint: Checkpoint, context: Context, passes: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = store.save

    def as_before(workspace: Path, key: Any, ids: Any, found: Any) -> Any:
        return real(workspace, key, ids, replace(found, pieces=None, sinks=None, first_shares=None))

    monkeypatch.setattr(store, "save", as_before)
    computed = ask(checkpoint, context, "mean")
    assert computed.of["mean"]["de"].pieces is not None
    kept = ask(checkpoint, context, "mean")
    assert len(passes) == len(TEXTS)
    for tag, one in kept.of["mean"].items():
        np.testing.assert_array_equal(one.vectors, computed.of["mean"][tag].vectors)
        assert (one.pieces, one.sinks, one.first_shares) == (None, None, None)


def test_only_what_is_missing_is_computed_and_what_is_kept_stays(
    checkpoint: Checkpoint, context: Context, passes: list[Any]
) -> None:
    before = bytes_of(ask(checkpoint, context, "mean", "first"))
    passes.clear()
    key = store.EmbeddingKey(checkpoint.fingerprint, "corpus", "en", "mean", store.sentences_digest(IDS))
    (context.workspace / store.FOLDER / key.file).unlink()
    others = {path: path.stat().st_ino for path in (context.workspace / store.FOLDER).iterdir()}
    found = ask(checkpoint, context, "mean", "first")
    assert passes == [("en", ("mean",))]
    assert bytes_of(found) == before
    assert {path: path.stat().st_ino for path in others} == others  # a published file is never written again


def test_another_pooling_is_computed_without_what_is_kept(checkpoint: Checkpoint, context: Context, passes: list[Any]) -> None:
    ask(checkpoint, context, "mean")
    passes.clear()
    ask(checkpoint, context, "last")
    assert {poolings for _, poolings in passes} == {("last",)}


def test_damaged_companions_are_computed_when_they_are_asked_for(checkpoint: Checkpoint, context: Context) -> None:
    ask(checkpoint, context, "mean")
    key = store.EmbeddingKey(checkpoint.fingerprint, "corpus", "ru", "first", store.sentences_digest(IDS))
    path = context.workspace / store.FOLDER / key.file
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert set(ask(checkpoint, context, "first").of["first"]) == set(TEXTS)
    assert path.read_bytes() == whole
    assert cache.check(context.workspace)[1] == []


def test_the_companion_goes_before_what_was_asked_for(checkpoint: Checkpoint, context: Context) -> None:
    ask(checkpoint, context, "mean", texts={"en": TEXTS["en"]})
    sentences = store.sentences_digest(IDS)
    keys = {p: store.EmbeddingKey(checkpoint.fingerprint, "corpus", "en", p, sentences) for p in ("mean", "first")}
    store.make_room(context.workspace, (context.workspace / store.FOLDER / keys["mean"].file).stat().st_size / 2**30)
    assert len(list((context.workspace / store.FOLDER).iterdir())) == 1
    assert {pooling: store.exists(context.workspace, key) for pooling, key in keys.items()} == {"mean": True, "first": False}


def test_magnitudes_come_back_with_the_exponents(checkpoint: Checkpoint, context: Context) -> None:
    found = ask(checkpoint, context, "mean").of["mean"]["en"]
    true = np.ldexp(found.vectors.astype(np.float64), found.exponents[..., None].astype(int))
    assert np.abs(true[:, 0]).max() > 65504
    layer = ask(checkpoint, context, "mean").layer(0, "mean", ["en"], context.settings).numpy()[0]
    np.testing.assert_array_equal(layer * 2.0 ** found.exponents[:, 0, None], true[:, 0])


def test_a_cancelled_pass_keeps_the_languages_that_are_done(checkpoint: Checkpoint, context: Context) -> None:
    done: list[str] = []
    stopping = Context(context.settings, progress=lambda what, _: done.append(what), should_stop=lambda: "encoding de" in done)
    with pytest.raises(Cancelled):
        ask(checkpoint, stopping, "mean")
    sentences = store.sentences_digest(IDS)
    keys = [store.EmbeddingKey(checkpoint.fingerprint, "corpus", tag, p, sentences) for tag in TEXTS for p in ("mean", "first")]
    kept = {(key.language, key.pooling) for key in keys if store.exists(context.workspace, key)}
    assert kept == {("de", "mean"), ("de", "first")}


def test_the_upcoming_checkpoint_is_read_where_this_one_had_to_be_loaded(
    checkpoint: Checkpoint, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    upcoming = checkpoint.model_copy(update={"label": "next"})
    happened: list[str] = []
    load = load_module.load
    monkeypatch.setattr(
        load_module, "load", lambda *a, **options: (happened.append(f"load {a[0].label}"), load(*a, **options))[1]
    )
    monkeypatch.setattr(read_ahead, "start", lambda wanted, *_: happened.append(f"read {wanted.label}"))
    for _ in range(2):  # the second time everything is kept
        ask(checkpoint, replace(context, upcoming=upcoming), "mean")
    assert happened == ["load model", "read next"]


@pytest.mark.parametrize(
    ("kept", "order"),
    [("ru", ["ru", "de", "en"]), ("de", ["de", "de", "ru", "en"])],
    ids=["what it comes to later", "what it does: it goes on from the other end"],
)
def test_what_another_worker_keeps_meanwhile_is_not_computed_again(
    checkpoint: Checkpoint, context: Context, passes: list[Any], monkeypatch: pytest.MonkeyPatch, kept: str, order: list[str]
) -> None:
    """Another keeps a language while this one encodes the first."""
    real, others = encode_module.encode, list[Any]()

    def beside(loaded: Any, tokens: Any, poolings: Any, **options: Any) -> Any:
        monkeypatch.setattr(encode_module, "encode", real)
        others.append(ask(checkpoint, context, "mean", texts={kept: TEXTS[kept]}))
        return real(loaded, tokens, poolings, **options)

    monkeypatch.setattr(encode_module, "encode", beside)
    found = ask(checkpoint, context, "mean")
    assert len(others) == 1
    assert [language for language, _ in passes] == order
    assert bytes_of(found) == bytes_of(ask(checkpoint, context, "mean"))


def test_vectors_of_another_precision_are_not_taken_for_these(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker on a GPU computes in bfloat16: beside vectors of a CPU in one workspace, each finds its own."""
    checkpoint = discover(str(tiny_model(tmp_path / "plain", "xlm-roberta"))).checkpoints[0]
    context = Context(Settings(workspace=tmp_path / "workspace", demo=None, device="cpu"))

    def computed() -> CorpusEmbeddings:
        return embeddings.of_corpus(checkpoint, "corpus", IDS, TEXTS, ["mean"], context)

    def vectors(of: CorpusEmbeddings) -> list[Any]:
        return [of.of["mean"][tag].vectors for tag in TEXTS]

    plain = computed()
    with monkeypatch.context() as patched:
        for module in (load_module, device):
            patched.setattr(module, "choose_dtype", lambda _: (torch.bfloat16, "bfloat16: as on a GPU"))
        coarse, again = computed(), computed()
    assert (plain.tokens, plain.precision, coarse.precision) == (coarse.tokens, "float32", "bfloat16")
    assert (again.tokens, again.precision) == (0, "bfloat16")
    assert not any(np.array_equal(*pair) for pair in zip(vectors(plain), vectors(coarse), strict=True))
    later = computed()
    assert (later.tokens, later.precision) == (0, "float32")
    assert all(np.array_equal(*pair) for pair in zip(vectors(plain), vectors(later), strict=True))
