"""A configuration that describes more than the weights hold is refused by what it would build, before anything is allocated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import transformers as hf

from isogloss.backend.errors import ModelError
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import blueprint
from isogloss.backend.models.loading.load import load
from isogloss.backend.settings import Settings
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

SIZES = {"vocab_size": 400, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
MIXTRAL = hf.MixtralConfig(**SIZES, num_key_value_heads=2, num_local_experts=4)
ALBERT = hf.AlbertConfig(**SIZES, embedding_size=16)
LED = hf.LEDConfig(
    vocab_size=400,
    d_model=32,
    **dict.fromkeys(("encoder_layers", "decoder_layers"), 2),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 4),
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 64),
    **dict.fromkeys(("max_encoder_position_embeddings", "max_decoder_position_embeddings"), 64),
    attention_window=[8, 8],
)
MAMBA = hf.Mamba2Config(vocab_size=400, hidden_size=32, num_hidden_layers=2, state_size=4, num_heads=8, head_dim=8, n_groups=1)
REFORMER = hf.ReformerConfig(
    vocab_size=400,
    hidden_size=32,
    num_attention_heads=2,
    attention_head_size=16,
    axial_pos_shape=[8, 8],
    axial_pos_embds_dim=[16, 16],
    feed_forward_size=32,
    attn_layers=["local", "lsh"],
    **dict.fromkeys(("local_attn_chunk_length", "lsh_attn_chunk_length", "num_buckets"), 8),
)
LXMERT = hf.LxmertConfig(**{**SIZES, "num_hidden_layers": {"vision": 1, "language": 1}}, l_layers=1, x_layers=1, r_layers=1)


def folder_of(folder: Path, kind: Any, changes: dict[str, Any]) -> Path:
    """A small model of one of the tests' architectures, or of a configuration, whose config.json was changed afterwards."""
    if isinstance(kind, str):
        tiny_model(folder, kind)  # type: ignore[arg-type]
    else:
        tiny_model(folder, "bert")
        hf.AutoModel.from_config(kind).save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
    return folder


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("bert", {"max_position_embeddings": 1 << 24}),
        ("xglm", {"max_position_embeddings": 1 << 24}),
        (MIXTRAL, {"num_local_experts": 60_000}),
        (ALBERT, {"inner_group_num": 60_000}),
        (ALBERT, {"num_hidden_groups": 60_000}),
        (LXMERT, {"l_layers": 60_000, "num_hidden_layers": 2}),
        (LED, {"attention_window": [10**9, 10**9]}),
        (MAMBA, {"chunk_size": 60_000}),
        (REFORMER, {"local_num_chunks_after": 10**30}),
    ],
)
def test_what_would_be_built_is_held_against_the_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Any, changes: dict[str, Any]
) -> None:
    monkeypatch.setattr(blueprint, "PARTS", 200)  # a part takes a third of a millisecond
    monkeypatch.setattr(blueprint, "STEPS", 200)
    monkeypatch.setattr(hf.AutoModel, "from_pretrained", lambda *_, **__: pytest.fail("memory was taken for it"))
    checkpoint = discover(str(folder_of(tmp_path / "m", kind, changes))).checkpoints[0]
    key, value = next((key, value[0] if isinstance(value, list) else value) for key, value in changes.items())
    with pytest.raises(ModelError, match=f"config.json of 'm' does not fit its weights: it says {key} {value:,}, which makes"):
        load(checkpoint, Settings(workspace=tmp_path / "workspace", device="cpu"))


@pytest.mark.parametrize("kind", [MIXTRAL, ALBERT, LED, MAMBA])
def test_a_model_that_fits_loads(tmp_path: Path, kind: Any) -> None:
    checkpoint = discover(str(folder_of(tmp_path / "m", kind, {}))).checkpoints[0]
    assert load(checkpoint, Settings(workspace=tmp_path / "workspace", device="cpu")).layers == 2
