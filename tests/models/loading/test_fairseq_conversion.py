"""fairseq's layout, built from a transformers model, must give that model's outputs back."""

from __future__ import annotations

import argparse
import io
import runpy
import subprocess
import sys
import types
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.library import describe as describing
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.fairseq import describe, read_fairseq
from isogloss.backend.models.loading.load import load
from isogloss.backend.models.loading.tokenizer_alone import tokeniser_of
from isogloss.backend.settings import Settings
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

_NAMES = {
    "attention.self.query": "self_attn.q_proj",
    "attention.self.key": "self_attn.k_proj",
    "attention.self.value": "self_attn.v_proj",
    "attention.output.dense": "self_attn.out_proj",
    "attention.output.LayerNorm": "self_attn_layer_norm",
    "intermediate.dense": "fc1",
    "output.dense": "fc2",
    "output.LayerNorm": "final_layer_norm",
}


def to_fairseq(model: Any, prefix: str, embedding_norm: str = "emb_layer_norm") -> dict[str, torch.Tensor]:
    """The state of an `XLMRobertaModel` under fairseq's names."""
    state = {}
    for name, value in model.state_dict().items():
        if name == "embeddings.word_embeddings.weight":
            state["embed_tokens.weight"] = value
        elif name == "embeddings.position_embeddings.weight":
            state["embed_positions.weight"] = value
        elif name.startswith("embeddings.LayerNorm"):
            state[f"{embedding_norm}.{name.rsplit('.', 1)[1]}"] = value
        elif name.startswith("encoder.layer."):
            _, _, number, *rest = name.split(".")
            middle, kind = ".".join(rest[:-1]), rest[-1]
            state[f"layers.{number}.{_NAMES[middle]}.{kind}"] = value
    state = {f"{prefix}.sentence_encoder.{name}": value for name, value in state.items()}
    head = f"{prefix}.lm_head.dense.weight"
    return {**state, head: torch.zeros(2, 2), f"{prefix}.version": torch.tensor([3.0])}


def with_one_projection(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The earliest layout: query, key and value in one matrix."""
    joined = {name: value for name, value in state.items() if "_proj" not in name or "out_proj" in name}
    for name in [name for name in state if ".q_proj." in name]:
        parts = [state[name.replace("q_proj", f"{letter}_proj")] for letter in "qkv"]
        joined[name.replace("q_proj.", "in_proj_")] = torch.cat(parts)
    return joined


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is described by the program that does so in a process of its own, which would import torch first."""

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        said = io.StringIO()
        monkeypatch.setattr(sys, "argv", command[2:])
        with redirect_stdout(said):
            runpy.run_module(command[2], run_name="__main__")
        return subprocess.CompletedProcess(command, 0, said.getvalue(), "")

    monkeypatch.setattr(describing.subprocess, "run", run)


@pytest.fixture
def reference(tmp_path: Path) -> tuple[Path, Any]:
    """A tiny XLM-R whose token types add nothing (fairseq has none), and its folder."""
    folder = tiny_model(tmp_path / "tiny-xlmr", "xlm-roberta", layers=3)
    model = AutoModel.from_pretrained(folder, add_pooling_layer=False)
    with torch.no_grad():
        model.embeddings.token_type_embeddings.weight.zero_()
    model.save_pretrained(folder)
    return folder, model.eval()


def allowed(tmp_path: Path) -> Settings:
    return Settings(workspace=tmp_path / "workspace", allow_pickle=True, device="cpu")


def states_of(model: Any, folder: Path) -> np.ndarray:
    """Mean over ordinary tokens of every layer, one sentence at a time."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = []
    for text in SENTENCES:
        ids = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            hidden = model(**ids, output_hidden_states=True).hidden_states
        rows.append(torch.stack([layer[0, 1:-1].mean(0) for layer in hidden]).numpy())
    return np.stack(rows)


def write(folder: Path, model: Any, tokenizer_folder: Path, layout: str, options: dict[str, Any]) -> Path:
    prefix = "encoder" if layout == "encoder" else "decoder"
    state = to_fairseq(model, prefix, "layernorm_embedding" if layout == "encoder" else "emb_layer_norm")
    if layout == "oldest":
        state = with_one_projection(state)
    folder.mkdir()
    (folder / "tokenizer.json").write_bytes((tokenizer_folder / "tokenizer.json").read_bytes())
    path = folder / "checkpoint_3_1500.pt"
    torch.save({"model": state, "extra_state": {"epoch": 3}, "optimizer_history": [], **options}, path)
    return path


@pytest.mark.parametrize("layout", ["decoder", "encoder", "oldest"])
def test_outputs_are_those_of_transformers(
    tmp_path: Path, in_this_process: None, reference: tuple[Path, Any], layout: str
) -> None:
    folder, model = reference
    namespace = argparse.Namespace(encoder_attention_heads=4, arch="roberta_base", activation_fn="gelu")
    options = {"args": namespace, "cfg": None} if layout != "encoder" else {"args": None, "cfg": {"model": namespace}}
    path = write(tmp_path / "fairseq", model, folder, layout, options)
    entry = discover(str(path), allow_pickle=True)
    assert (entry.architecture, entry.layers, entry.dims) == ("xlm-roberta", 3, 32)
    assert entry.checkpoints[0].step == 1500
    loaded = load(entry.checkpoints[0], allowed(tmp_path))
    assert loaded.max_tokens == 64  # 66 positions, the first two never used
    alone = tokeniser_of(entry.checkpoints[0], allowed(tmp_path))
    assert alone.max_tokens == 64
    assert alone.tokenizer(SENTENCES)["input_ids"] == loaded.tokenizer(SENTENCES)["input_ids"]
    found = encode(loaded, SENTENCES, ["mean"]).vectors["mean"]
    np.testing.assert_allclose(found.astype(np.float32), states_of(model, folder), atol=2e-3, rtol=2e-3)


def test_a_dictionary_in_another_order_is_followed(tmp_path: Path, in_this_process: None, reference: tuple[Path, Any]) -> None:
    folder, model = reference
    tokenizer = AutoTokenizer.from_pretrained(folder)
    pieces = [piece for piece, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
    shuffled = pieces[4:-1]
    np.random.default_rng(0).shuffle(shuffled)
    order = [*pieces[:4], *shuffled, "<mask>"]
    expected = states_of(model, folder)
    with torch.no_grad():
        rows = model.embeddings.word_embeddings.weight.clone()
        model.embeddings.word_embeddings.weight.copy_(rows[[pieces.index(piece) for piece in order]])
    path = write(tmp_path / "fairseq", model, folder, "decoder", {"args": argparse.Namespace(encoder_attention_heads=4)})
    (path.parent / "dict.txt").write_text("".join(f"{piece} 1\n" for piece in shuffled), encoding="utf-8")
    loaded = load(discover(str(path), allow_pickle=True).checkpoints[0], allowed(tmp_path))
    found = encode(loaded, SENTENCES, ["mean"]).vectors["mean"]
    np.testing.assert_allclose(found.astype(np.float32), expected, atol=2e-3, rtol=2e-3)

    (path.parent / "dict.txt").write_text("".join(f"{piece} 1\n" for piece in shuffled[1:]), encoding="utf-8")
    with pytest.raises(ModelError, match=r"is not in dict\.txt"):
        load(discover(str(path), allow_pickle=True).checkpoints[0], allowed(tmp_path))


def test_a_folder_of_files_is_ordered_by_updates(tmp_path: Path, in_this_process: None, reference: tuple[Path, Any]) -> None:
    folder, model = reference
    path = write(tmp_path / "fairseq", model, folder, "decoder", {"args": argparse.Namespace(encoder_attention_heads=4)})
    for name in ("checkpoint_1_500.pt", "checkpoint_20_10000.pt", "checkpoint_best.pt"):
        state = torch.load(path, weights_only=False)
        state["model"]["decoder.sentence_encoder.embed_tokens.weight"] += len(name)
        state["extra_state"]["epoch"] = name
        torch.save(state, path.parent / name)
    entry = discover(str(path.parent), allow_pickle=True)
    assert [checkpoint.step for checkpoint in entry.checkpoints] == [500, 1500, 10000, None]
    with pytest.raises(ModelError, match="ISOGLOSS_ALLOW_PICKLE=1"):
        discover(str(path.parent), allow_pickle=False)
    with pytest.raises(ModelError, match="ISOGLOSS_ALLOW_PICKLE=1"):
        load(entry.checkpoints[0], Settings(workspace=tmp_path / "w", allow_pickle=False, device="cpu"))


def test_classes_in_a_checkpoint_are_never_run(tmp_path: Path, reference: tuple[Path, Any]) -> None:
    _, model = reference
    module = types.ModuleType("fairseq_options")
    marker = tmp_path / "ran"

    class Touch:
        def __init__(self, where: str) -> None:
            self.where = where

        def __reduce__(self) -> Any:
            return Touch, (str(marker),)

    Touch.__module__, Touch.__qualname__ = "fairseq_options", "Touch"
    module.Touch = Touch  # type: ignore[attr-defined]
    sys.modules["fairseq_options"] = module
    try:
        path = tmp_path / "checkpoint_1_10.pt"
        torch.save({"model": to_fairseq(model, "decoder"), "args": None, "cfg": Touch(str(marker))}, path)
    finally:
        del sys.modules["fairseq_options"]
    weights, _ = read_fairseq(path)  # the class is not importable any more, and is not needed
    assert "embed_tokens.weight" in weights


class _Command:
    def __reduce__(self) -> Any:
        import os

        return os.system, ("true",)


def test_a_pickle_that_runs_commands_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint_1_10.pt"
    torch.save({"model": {}, "args": _Command()}, path)
    with pytest.raises(ModelError, match=r"cannot be opened|holds no weights"):
        read_fairseq(path)


@pytest.mark.parametrize("content", [b"", b"not a pickle", b"PK\x03\x04 and then nothing"])
def test_a_damaged_file_is_one_sentence(tmp_path: Path, in_this_process: None, content: bytes) -> None:
    path = tmp_path / "checkpoint_1_10.pt"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="cannot be opened"):
        read_fairseq(path)
    with pytest.raises(ModelError, match="cannot be opened"):
        discover(str(path), allow_pickle=True)


def test_other_layouts_are_refused(tmp_path: Path, reference: tuple[Path, Any]) -> None:
    _, model = reference
    path = tmp_path / "model.pt"
    torch.save({"model": {"encoder.something.weight": torch.zeros(2)}}, path)
    with pytest.raises(ModelError, match="holds no weights named sentence_encoder"):
        describe(path)
    state = to_fairseq(model, "encoder")
    torch.save({"model": {**state, "encoder.sentence_encoder.layer_norm.weight": torch.ones(32)}}, path)
    with pytest.raises(ModelError, match="XLM-R XL"):
        describe(path)


def test_a_process_of_its_own_describes_it(tmp_path: Path, reference: tuple[Path, Any]) -> None:
    _, model = reference
    path = tmp_path / "model.pt"
    torch.save({"model": to_fairseq(model, "encoder"), "args": argparse.Namespace(encoder_attention_heads=4)}, path)
    shape, parameters = describing.describe_fairseq(path)
    found = {"layers": shape.layers, "dims": shape.dims, "parameters": parameters}
    assert found == describe(path)
    assert (shape.layers, shape.dims) == (3, 32)
