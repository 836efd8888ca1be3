"""A model run layer by layer gives what it gives run whole, reads its weights once, and says what it cannot."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
import torch

from isogloss.backend import device_memory
from isogloss.backend.errors import ModelError
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.models import memory
from isogloss.backend.models.encoding.encode import StoppedError, encode
from isogloss.backend.models.encoding.tokens import tokenize
from isogloss.backend.models.encoding.words import WordTokens
from isogloss.backend.models.layered import encode as layered_encode
from isogloss.backend.models.layered import mapped
from isogloss.backend.models.layered.encode import Asked, encode_all
from isogloss.backend.models.layered.mapped import Lying
from isogloss.backend.models.layered.run import LayerByLayer
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import load as loading
from isogloss.backend.models.loading.load import load
from isogloss.backend.models.memory import TRIED
from isogloss.backend.settings import Settings
from tests.models.tiny import ARCHITECTURES, SENTENCES, tiny_model
from tests.models.today import TODAY, Today, todays_model

if TYPE_CHECKING:
    from isogloss.backend.models.encoding.reduce import Encoded
    from isogloss.backend.models.entry import Checkpoint

TEXTS = [SENTENCES[0], "a", *SENTENCES[3:7], "Die Fähre", SENTENCES[1] + " " + SENTENCES[0][:20], "!"]
POOLINGS = ("mean", "first", "last")
SMALLEST = 1e-6
"""GiB: nothing fits."""


def made(folder: Path, architecture: Any, shards: str | None = None) -> Checkpoint:
    """A model of three layers and more, its weights in shards of so much where that is said."""
    if architecture in get_args(Today):
        todays_model(folder, architecture)
    else:
        tiny_model(folder, architecture, layers=3)
    if shards:
        from transformers import AutoModel, AutoTokenizer

        tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
        (folder / "model.safetensors").unlink()
        model.save_pretrained(folder, max_shard_size=shards)
        tokenizer.save_pretrained(folder)
        assert len(list(folder.glob("model-*.safetensors"))) > 2
    return discover(str(folder)).checkpoints[0]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(workspace=tmp_path / "workspace", demo=None, device="cpu")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each weight was mapped, by its name in the files."""
    seen: Counter[str] = Counter()
    real = Lying.mapped

    def counted(self: Lying) -> torch.Tensor:
        seen[self.place.name] += 1
        return real(self)

    monkeypatch.setattr(Lying, "mapped", counted)
    return seen


def both(checkpoint: Checkpoint, settings: Settings, *, budget: int = 40) -> tuple[Encoded, Encoded]:
    """The vectors of all texts and their words, whole and layer by layer."""
    given = []
    for gib in (None, SMALLEST):
        loaded = load(checkpoint, replace(settings, memory_gib=gib), layered=True)
        assert (loaded.layered is None) == (gib is None)
        tokens = tokenize(loaded.tokenizer, TEXTS, loaded.max_tokens)
        words = WordTokens([[np.arange(min(2, len(ids))), np.arange(len(ids))[-1:]] for ids in tokens.ids], 0, 0)
        given.append(encode(loaded, tokens, POOLINGS, words=words, token_budget=budget))
    return given[0], given[1]


def same(one: Encoded, other: Encoded) -> bool:
    """Whether all that is kept of two passes is equal, byte for byte."""
    return (
        all(np.array_equal(one.vectors[kind], other.vectors[kind]) for kind in one.vectors)
        and all(np.array_equal(one.exponents[kind], other.exponents[kind]) for kind in one.vectors)
        and all(np.array_equal(one.first_shares[kind], other.first_shares[kind]) for kind in one.first_shares)
        and np.array_equal(one.sinks, other.sinks)
        and one.tokens == other.tokens
        and one.vectors.keys() == other.vectors.keys() == {*POOLINGS, "words"}
    )


@pytest.mark.parametrize("architecture", TRIED)
def test_the_same_vectors_as_of_the_whole_model(tmp_path: Path, settings: Settings, architecture: str) -> None:
    whole, in_layers = both(made(tmp_path / "model", architecture), settings)
    assert same(whole, in_layers)
    assert len({bytes(layer) for layer in in_layers.vectors["mean"][0]}) == in_layers.vectors["mean"].shape[1]


def test_every_architecture_of_the_tests_was_tried_but_xlm() -> None:
    assert set(TRIED) == {*ARCHITECTURES, *TODAY} - {"xlm"}


@pytest.mark.parametrize("architecture", ["llama", "modernbert", "mt5", "m2m_100", "bloom"])
def test_the_same_where_activations_lie_in_a_file(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, architecture: str
) -> None:
    monkeypatch.setattr(layered_encode, "IN_MEMORY", 0.0)
    assert same(*both(made(tmp_path / "model", architecture), settings))
    assert not any((settings.workspace / "scratch").iterdir())


@pytest.mark.parametrize("architecture", ["qwen3", "xlm-roberta", "t5", "gemma3_text"])
def test_the_same_in_the_precision_of_a_gpu(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, architecture: str
) -> None:
    monkeypatch.setattr(loading, "choose_dtype", lambda _device: (torch.bfloat16, "as on a GPU"))
    assert same(*both(made(tmp_path / "model", architecture), settings))


def test_weights_in_shards_are_read_once_for_all_languages(tmp_path: Path, settings: Settings, reads: Counter[str]) -> None:
    checkpoint = made(tmp_path / "model", "llama", "60KB")
    texts = {"de": TEXTS[:6], "en": TEXTS[1:7], "ru": TEXTS[3:9]}
    ids = [str(i) for i in range(6)]
    whole, in_layers = (
        embeddings.of_corpus(
            checkpoint, "corpus", ids, texts, POOLINGS, Context(replace(settings, workspace=place, memory_gib=gib))
        )
        for place, gib in ((tmp_path / "whole", None), (tmp_path / "layers", SMALLEST))
    )
    of_layers = {name: count for name, count in reads.items() if name.startswith("layers.")}
    assert set(of_layers.values()) == {1}
    assert len(of_layers) == 3 * 9
    for pooling in POOLINGS:
        for language in texts:
            one, other = whole.of[pooling][language], in_layers.of[pooling][language]
            assert np.array_equal(one.vectors, other.vectors)
            assert one.precision == other.precision
    assert whole.tokens == in_layers.tokens > 0


def test_batches_that_have_no_room_together_go_one_after_the_other(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, reads: Counter[str]
) -> None:
    monkeypatch.setattr(layered_encode, "MOST", 2)
    checkpoint = made(tmp_path / "model", "qwen2")
    assert same(*both(checkpoint, settings))
    assert max(reads.values()) > 2  # each wave reads them


def test_at_most_one_layer_and_one_tenth_are_in_memory(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = made(tmp_path / "model", "olmo2")
    loaded = load(checkpoint, replace(settings, memory_gib=SMALLEST), layered=True)
    seen: list[int] = []
    real = LayerByLayer._leave

    def watched(self: Any, *given: Any) -> Any:
        seen.append(sum(each.numel() for each in loaded.module.parameters() if not each.is_meta))
        return real(self, *given)

    monkeypatch.setattr(LayerByLayer, "_leave", watched)
    encode(loaded, TEXTS, ["mean"], token_budget=40)
    layer = sum(each.numel() for each in loaded.layered.skeleton.layers[0].parameters())
    rows = max(len(set(ids.tolist())) for ids in tokenize(loaded.tokenizer, TEXTS, 64).ids) * 9  # of a batch, at most
    assert layer < max(seen) < 1.1 * layer + rows * loaded.dims
    assert all(each.is_meta for one in loaded.layered.skeleton.layers for each in one.parameters())


def test_memory_that_runs_out_halves_the_batches(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = made(tmp_path / "model", "llama")
    whole = both(checkpoint, settings, budget=10_000)[0]
    loaded = load(checkpoint, replace(settings, memory_gib=SMALLEST), layered=True)
    real = LayerByLayer._copied

    def scarce(self: Any, here: Any, value: Any) -> Any:
        if here.at == 1 and here.inputs["input_ids"].numel() > 100:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(self, here, value)

    monkeypatch.setattr(LayerByLayer, "_copied", scarce)
    try:
        found = encode(loaded, TEXTS, POOLINGS, token_budget=10_000)
        assert device_memory.batch_of(10_000) < 10_000
    finally:
        device_memory.forget()
    for pooling in POOLINGS:
        np.testing.assert_allclose(found.vectors[pooling], whole.vectors[pooling], atol=3e-3, rtol=3e-3)


def test_progress_and_stopping(tmp_path: Path, settings: Settings) -> None:
    checkpoint = made(tmp_path / "model", "bert")
    loaded = load(checkpoint, replace(settings, memory_gib=SMALLEST), layered=True)
    asked = [Asked(tokenize(loaded.tokenizer, TEXTS, 64), ["mean"])]
    seen: list[float] = []
    encode_all(loaded, asked, token_budget=40, progress=seen.append)
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0.0, 1.0)
    assert len(set(seen)) > 6
    before = len(seen)
    with pytest.raises(StoppedError):
        encode_all(loaded, asked, token_budget=40, progress=seen.append, should_stop=lambda: len(seen) > before + 4)
    assert len(seen) == before + 5
    # What was under way is gone, and the model can be run again.
    assert same_mean(encode_all(loaded, asked)[0], encode(load(checkpoint, settings), TEXTS, ["mean"]))


def same_mean(one: Encoded, other: Encoded) -> bool:
    return np.allclose(one.vectors["mean"], other.vectors["mean"], atol=2e-3)


def test_no_texts_give_empty_arrays(tmp_path: Path, settings: Settings) -> None:
    loaded = load(made(tmp_path / "model", "bert"), replace(settings, memory_gib=SMALLEST), layered=True)
    assert encode(loaded, [], ["mean"]).vectors["mean"].shape == (0, 4, 32)


def test_what_cannot_be_run_so_says_so(tmp_path: Path, settings: Settings) -> None:
    small = replace(settings, memory_gib=SMALLEST)
    with pytest.raises(ModelError, match=r"architecture \(xlm\) is none of those that can be run layer by layer: apertus, "):
        load(made(tmp_path / "xlm", "xlm"), small, layered=True)
    with pytest.raises(ModelError, match=r"does not fit into the memory: 0 MB of weights .* Only vectors of texts"):
        load(made(tmp_path / "bert", "bert"), small, full_precision=True)


def test_a_weight_that_is_lacking_or_of_another_shape_is_named(tmp_path: Path, settings: Settings) -> None:
    from safetensors.torch import load_file, save_file

    made(tmp_path / "model", "llama")
    file = tmp_path / "model" / "model.safetensors"
    weights = load_file(file)
    for changed, said in (
        ({"model.layers.1.mlp.up_proj.weight": None}, "1 are missing, layers.1.mlp.up_proj.weight among them"),
        ({"model.norm.weight": torch.ones(16)}, r"its weight norm.weight of shape \[16\]"),
    ):
        save_file({k: v for k, v in (weights | changed).items() if v is not None}, file, metadata={"format": "pt"})
        checkpoint = discover(str(tmp_path / "model")).checkpoints[0]
        with pytest.raises(ModelError, match=said):
            load(checkpoint, replace(settings, memory_gib=SMALLEST), layered=True)


def test_a_layer_that_is_not_finite_is_named(tmp_path: Path, settings: Settings) -> None:
    from safetensors.torch import load_file, save_file

    made(tmp_path / "model", "llama")
    file = tmp_path / "model" / "model.safetensors"
    weights = load_file(file)
    weights["model.layers.1.mlp.up_proj.weight"][:] = torch.nan
    save_file(weights, file, metadata={"format": "pt"})
    loaded = load(discover(str(tmp_path / "model")).checkpoints[0], replace(settings, memory_gib=SMALLEST), layered=True)
    with pytest.raises(ModelError, match="Layer 2 of 'model' gives values that are not finite"):
        encode(loaded, TEXTS, ["mean"])


def test_whether_a_model_fits() -> None:
    eight = 8_030_000_000
    assert not memory.fits(eight, "float32", "cpu", 32 * 10**9)
    assert memory.fits(eight, "bfloat16", "cuda", 24 * 2**30)
    assert not memory.fits(eight, "bfloat16", "cuda", 16 * 10**9)
    assert (memory.said(16.06e9), memory.said(640e6)) == ("16.1 GB", "640 MB")


def test_the_next_layer_is_asked_for_piece_by_piece(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(mapped, "PIECE", 1000)
    monkeypatch.setattr(mapped.os, "posix_fadvise", lambda _file, begin, size, _how: asked.append((begin, size)))
    checkpoint = made(tmp_path / "model", "llama")
    loaded = load(checkpoint, replace(settings, memory_gib=SMALLEST), layered=True)
    encode(loaded, TEXTS[:2], ["mean"])
    lying = [at.place for layer in loaded.layered.skeleton.lying[1:] for at in layer.values()]
    assert sum(size for _, size in asked) == sum(place.end - place.begin for place in lying)
