"""Batched must equal unbatched must equal transformers called by hand, for every architecture of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from isogloss.backend import device_memory
from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding import encode as encode_module
from isogloss.backend.models.encoding import reduce
from isogloss.backend.models.encoding.encode import StoppedError, encode
from isogloss.backend.models.encoding.tokens import tokenize
from isogloss.backend.models.entry import Pooling
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import Loaded, load
from isogloss.backend.settings import Settings
from tests.models.tiny import ARCHITECTURES, SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

POOLINGS = get_args(Pooling)
ENCODER_DECODERS = ("mbart", "mt5")
# Lengths from one token to nearly the longest, in no order: padding and sorting have something to get wrong.
TEXTS = [SENTENCES[0], "a", *SENTENCES[3:7], "Die Fähre", SENTENCES[1] + " " + SENTENCES[0][:20], "!"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Loaded]]:
    root = tmp_path_factory.mktemp("tiny-models")
    settings = Settings(workspace=root / "workspace", device="cpu")
    made = {}
    for architecture in ARCHITECTURES:
        folder = tiny_model(root / architecture, architecture, layers=3)
        made[architecture] = (folder, load(discover(str(folder)).checkpoints[0], settings))
    return made


def true_vectors(encoded: Any, pooling: str) -> np.ndarray:
    return np.ldexp(encoded.vectors[pooling].astype(np.float64), encoded.exponents[pooling][..., None])


def by_hand(folder: Path, architecture: str, texts: list[str]) -> dict[str, np.ndarray]:
    """Each text alone through the whole model of transformers; pooled by plain indexing."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()
    model = model.get_encoder() if architecture in ENCODER_DECODERS else model
    rows: dict[str, list[np.ndarray]] = {pooling: [] for pooling in POOLINGS}
    for text in texts:
        encoded = tokenizer(text, return_special_tokens_mask=True)
        ordinary = [i for i, mark in enumerate(encoded["special_tokens_mask"]) if not mark]
        with torch.no_grad():
            hidden = model(input_ids=torch.tensor([encoded["input_ids"]]), output_hidden_states=True).hidden_states
        layers = torch.stack([layer[0] for layer in hidden]).double()
        rows["mean"].append(layers[:, ordinary].mean(1).numpy())
        rows["mean_special"].append(layers.mean(1).numpy())
        rows["first"].append(layers[:, 0].numpy())
        rows["last"].append(layers[:, -1].numpy())
        rest = [i for i in ordinary if i > 0] or ordinary
        rows["without_first"].append(layers[:, rest].mean(1).numpy())
        places = torch.arange(1, layers.shape[1] + 1).double()
        rows["weighted"].append(((layers * places[:, None]).sum(1) / places.sum()).numpy())
    return {pooling: np.stack(vectors) for pooling, vectors in rows.items()}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_batched_equals_transformers_by_hand(models: dict[str, tuple[Path, Loaded]], architecture: str) -> None:
    folder, loaded = models[architecture]
    expected = by_hand(folder, architecture, TEXTS)
    encoded = encode(loaded, TEXTS, POOLINGS)
    for pooling in POOLINGS:
        assert encoded.vectors[pooling].shape == (len(TEXTS), 4, 32)
        scale = np.abs(expected[pooling]).max(axis=-1, keepdims=True)
        np.testing.assert_allclose(true_vectors(encoded, pooling) / scale, expected[pooling] / scale, atol=1.5e-3)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_batched_equals_unbatched_to_float_tolerance(
    models: dict[str, tuple[Path, Loaded]], architecture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, loaded = models[architecture]
    # Compare before the rounding to float16, which would hide anything below 5e-4.
    kept: list[torch.Tensor] = []

    def keep(vectors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        kept.append(vectors.clone())
        return vectors.half(), torch.zeros(vectors.shape[:-1], dtype=torch.int16)

    monkeypatch.setattr(reduce, "to_half", keep)
    encode(loaded, TEXTS, ["mean"], sort_by_length=False, token_budget=10_000)
    (together,) = kept
    kept.clear()
    for text in TEXTS:
        encode(loaded, [text], ["mean"])
    torch.testing.assert_close(together, torch.cat(kept), atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("architecture", ["xlm-roberta", "bloom", "qwen3"])
@pytest.mark.parametrize("budget", [1, 40, 100, 10_000])
def test_neither_budget_nor_order_changes_anything(
    models: dict[str, tuple[Path, Loaded]], architecture: str, budget: int
) -> None:
    _, loaded = models[architecture]
    whole = encode(loaded, TEXTS, ["mean", "last"])
    parts = encode(loaded, TEXTS[::-1], ["mean", "last"], token_budget=budget)
    for pooling in ("mean", "last"):
        np.testing.assert_allclose(true_vectors(parts, pooling)[::-1], true_vectors(whole, pooling), atol=3e-3, rtol=3e-3)
    assert parts.tokens == whole.tokens


def test_layer_0_is_the_input_embedding(models: dict[str, tuple[Path, Loaded]]) -> None:
    _, loaded = models["qwen2"]
    ids = loaded.tokenizer(SENTENCES[0])["input_ids"]
    expected = loaded.module.get_input_embeddings().weight[ids].mean(0)
    found = encode(loaded, [SENTENCES[0]], ["mean"]).vectors["mean"][0, 0]
    np.testing.assert_allclose(found.astype(np.float32), expected.numpy(), atol=1e-3)


def test_the_decoder_of_an_encoder_decoder_is_not_kept(models: dict[str, tuple[Path, Loaded]]) -> None:
    for architecture in ENCODER_DECODERS:
        names = [name for name, _ in models[architecture][1].module.named_parameters()]
        assert not [name for name in names if "decoder" in name or "encoder_attn" in name or "EncDec" in name]


def test_what_is_longer_than_the_model_is_cut_and_counted(models: dict[str, tuple[Path, Loaded]]) -> None:
    _, loaded = models["xlm-roberta"]
    assert loaded.max_tokens == 64
    long = " ".join(SENTENCES)
    encoded = encode(loaded, [long, "a", long + " more"], ["mean", "last"])
    assert encoded.truncated.tolist() == [True, False, True]
    assert encoded.tokens == 64 + 64 + len(loaded.tokenizer("a")["input_ids"])
    np.testing.assert_array_equal(encoded.vectors["mean"][0], encoded.vectors["mean"][2])


@pytest.mark.parametrize("architecture", ["xlm-roberta", "mt5", "qwen2", "llama", "gpt2"])
def test_a_text_without_tokens_is_its_special_tokens(models: dict[str, tuple[Path, Loaded]], architecture: str) -> None:
    _, loaded = models[architecture]
    encoded = encode(loaded, ["", SENTENCES[0]], POOLINGS)
    assert encoded.empty == 1
    assert np.isfinite(encoded.vectors["mean"]).all()
    np.testing.assert_array_equal(encoded.vectors["mean"][0], encoded.vectors["mean_special"][0])


def test_no_texts_give_empty_arrays(models: dict[str, tuple[Path, Loaded]]) -> None:
    encoded = encode(models["bert"][1], [], ["mean"])
    assert encoded.vectors["mean"].shape == (0, 4, 32)


def test_tokens_can_be_shared_between_checkpoints(models: dict[str, tuple[Path, Loaded]]) -> None:
    _, loaded = models["bert"]
    tokens = tokenize(loaded.tokenizer, TEXTS, loaded.max_tokens)
    np.testing.assert_array_equal(
        encode(loaded, tokens, ["mean"]).vectors["mean"], encode(loaded, TEXTS, ["mean"]).vectors["mean"]
    )


def test_xlm_is_told_the_language_it_has_an_embedding_for(models: dict[str, tuple[Path, Loaded]]) -> None:
    _, loaded = models["xlm"]
    plain, german, unknown = (encode(loaded, TEXTS, ["mean"], language=tag).vectors["mean"] for tag in (None, "de", "fi"))
    assert not np.allclose(plain, german)
    np.testing.assert_array_equal(plain, unknown)


def test_progress_and_stopping(models: dict[str, tuple[Path, Loaded]]) -> None:
    _, loaded = models["bert"]
    seen: list[tuple[int, int]] = []
    encode(loaded, TEXTS, ["mean"], token_budget=30, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(TEXTS), len(TEXTS))
    assert len(seen) > 2
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    with pytest.raises(StoppedError):
        encode(loaded, TEXTS, ["mean"], token_budget=30, should_stop=lambda: True)


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("CUDA out of memory"), RuntimeError("DefaultCPUAllocator: can't allocate memory")]
)
def test_out_of_memory_halves_the_batch_and_goes_on(
    models: dict[str, tuple[Path, Loaded]], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    _, loaded = models["bert"]
    expected = encode(loaded, TEXTS, ["mean"]).vectors["mean"]
    real, sizes = encode_module._run, []

    def scarce(*arguments: Any) -> Any:
        rows = arguments[-1]
        sizes.append(len(rows))
        if len(rows) > 2:
            raise error
        return real(*arguments)

    monkeypatch.setattr(encode_module, "_run", scarce)
    monkeypatch.setattr(device_memory, "_known", device_memory._Known())
    found = encode(loaded, TEXTS, ["mean"], token_budget=10_000).vectors["mean"]
    np.testing.assert_allclose(found.astype(float), expected.astype(float), atol=2e-3)
    assert sizes[0] == len(TEXTS)
    sizes.clear()
    encode(loaded, TEXTS, ["mean"])  # of the next language
    assert max(sizes) < len(TEXTS)
    monkeypatch.setattr(encode_module, "_run", lambda *arguments: (_ for _ in ()).throw(error))
    with pytest.raises(ModelError, match=r"One sentence of \d+ tokens does not fit"):
        encode(loaded, TEXTS, ["mean"])


def test_other_errors_are_not_taken_for_lack_of_memory(
    models: dict[str, tuple[Path, Loaded]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("a bug")

    monkeypatch.setattr(encode_module, "_run", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        encode(models["bert"][1], TEXTS, ["mean"])


def test_a_layer_that_is_not_finite_is_named(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "broken", "xlm-roberta", layers=3)
    loaded = load(discover(str(folder)).checkpoints[0], Settings(workspace=tmp_path / "w", device="cpu"))
    loaded.module.encoder.layer[1].output.dense.weight.data.fill_(float("nan"))
    with pytest.raises(ModelError, match="Layer 2 of 'broken' gives values that are not finite in float32"):
        encode(loaded, TEXTS, ["mean"])


def test_values_beyond_float16_keep_their_direction(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "huge", "llama", layers=2)
    loaded = load(discover(str(folder)).checkpoints[0], Settings(workspace=tmp_path / "w", device="cpu"))
    plain = encode(loaded, TEXTS, ["mean"])
    loaded.module.embed_tokens.weight.data.mul_(1e7)
    encoded = encode(loaded, TEXTS, ["mean"])
    assert encoded.exponents["mean"].any()
    assert np.isfinite(encoded.vectors["mean"]).all()
    np.testing.assert_allclose(
        true_vectors(encoded, "mean")[:, 0] / 1e7, true_vectors(plain, "mean")[:, 0], rtol=2e-3, atol=1e-6
    )
