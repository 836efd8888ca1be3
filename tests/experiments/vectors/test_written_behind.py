"""What is computed is written while the next is computed, as far as there is room, and nothing is lost without a word."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.experiments.vectors.keeping import Keeping, Saving
from isogloss.backend.models.encoding import encode as encode_module
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import Settings
from isogloss.backend.store import embeddings as store
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.models.entry import Checkpoint

MANY = 150
"""Sentences of a language: what a file has beside the vectors is then little."""
IDS = [f"s{i}" for i in range(MANY)]
TEXTS = {tag: [SENTENCES[(i + first) % 10] for i in range(MANY)] for first, tag in enumerate(("de", "en", "ru"))}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return discover(str(tiny_model(tmp_path_factory.mktemp("model") / "model", "bert"))).checkpoints[0]


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(Settings(workspace=tmp_path / "workspace", demo=None, device="cpu"))


def kept(checkpoint: Checkpoint, context: Context) -> set[tuple[str, str]]:
    keys = [
        store.EmbeddingKey(checkpoint.fingerprint, "corpus", tag, pooling, store.sentences_digest(IDS))
        for tag in TEXTS
        for pooling in ("mean", "first")
    ]
    return {(key.language, key.pooling) for key in keys if store.exists(context.workspace, key)}


def ask(checkpoint: Checkpoint, context: Context) -> embeddings.CorpusEmbeddings:
    return embeddings.of_corpus(checkpoint, "corpus", IDS, TEXTS, ["mean"], context)


def test_the_next_language_is_encoded_while_one_is_written(
    checkpoint: Checkpoint, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded, happened = {tag: threading.Event() for tag in TEXTS}, []
    encode, save = encode_module.encode, store.save

    def encoding(*given: Any, **options: Any) -> Any:
        encoded[options["language"]].set()
        return encode(*given, **options)

    def saving(workspace: Path, key: store.EmbeddingKey, *rest: Any) -> Any:
        if key.language == "de":
            assert encoded["en"].wait(60), "nothing else was computed meanwhile"
        happened.append((key.language, key.pooling, threading.current_thread() is threading.main_thread()))
        return save(workspace, key, *rest)

    monkeypatch.setattr(encode_module, "encode", encoding)
    monkeypatch.setattr(store, "save", saving)
    ask(checkpoint, context)
    assert happened == [(tag, pooling, False) for tag in TEXTS for pooling in ("first", "mean")]
    assert kept(checkpoint, context) == {(tag, pooling) for tag in TEXTS for pooling in ("mean", "first")}


@pytest.mark.parametrize("tag", TEXTS)
def test_what_cannot_be_written_is_said(
    checkpoint: Checkpoint, context: Context, monkeypatch: pytest.MonkeyPatch, tag: str
) -> None:
    save = store.save

    def full(workspace: Path, key: store.EmbeddingKey, *rest: Any) -> Any:
        if key.language == tag:
            raise StoreError("the disk is full")
        return save(workspace, key, *rest)

    monkeypatch.setattr(store, "save", full)
    with pytest.raises(StoreError, match="the disk is full"):
        ask(checkpoint, context)
    before = list(TEXTS)[: list(TEXTS).index(tag)]
    assert kept(checkpoint, context) == {(each, pooling) for each in before for pooling in ("mean", "first")}


def test_what_ends_the_passes_is_said_before_what_cannot_be_written(context: Context) -> None:
    done: list[str] = []

    def fail() -> None:
        done.append("tried")
        raise StoreError("the disk is full")

    with pytest.raises(Cancelled), Keeping(context) as keeping:
        keeping.put([Saving(1, fail)])
        raise Cancelled
    assert done == ["tried"]
    with pytest.raises(StoreError), Keeping(context) as keeping:
        keeping.put([Saving(1, fail)])
        keeping.put([Saving(1, lambda: done.append("not reached"))])
    assert done == ["tried", "tried"]


def test_a_run_longer_than_the_budget_keeps_its_beginning(checkpoint: Checkpoint, context: Context) -> None:
    ask(checkpoint, context)
    keys = [store.EmbeddingKey(checkpoint.fingerprint, "corpus", tag, "mean", store.sentences_digest(IDS)) for tag in TEXTS]
    files = [(context.workspace / store.FOLDER / key.file).stat() for key in keys]
    budget = 3.5 * max(each.st_size for each in files) / 2**30
    small = replace(context.settings, workspace=context.workspace / "small", embeddings_gib=budget)
    run = Context(small, since=min(each.st_mtime for each in files))
    assert ask(checkpoint, run).texts == 3 * MANY
    # First what was asked for, then the other pooling; words are too many, and after that only what was asked for is kept.
    assert kept(checkpoint, run) == {("de", "mean"), ("de", "first"), ("en", "mean")}
    again = ask(checkpoint, run)
    assert again.texts == MANY
    assert kept(checkpoint, run) == {("de", "mean"), ("de", "first"), ("en", "mean")}
    later = Context(small)  # of another run: the oldest make room
    assert ask(checkpoint, later).texts == MANY
    assert ("ru", "mean") in kept(checkpoint, later)


def test_without_a_budget_nothing_is_kept(checkpoint: Checkpoint, context: Context) -> None:
    unkept = replace(context, settings=replace(context.settings, embeddings_gib=0.0))
    assert ask(checkpoint, unkept).texts == 3 * MANY
    assert kept(checkpoint, unkept) == set()
