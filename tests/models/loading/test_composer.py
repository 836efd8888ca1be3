"""Composer's checkpoints of a ModernBERT, in both of their namings, become folders that encode as the model does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import ModernBertConfig, ModernBertForMaskedLM
from typer.testing import CliRunner

from isogloss.backend.cli.library.models import app
from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import composer
from isogloss.backend.models.loading.load import load
from isogloss.backend.settings import Settings
from tests.models.tiny import SENTENCES, tiny_model


class Clock:
    """Stands for the objects of Composer's own that a checkpoint holds."""

    def __init__(self) -> None:
        self.batch = 3


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """A ModernBERT saved by `transformers`, with a tokeniser."""
    folder = tiny_model(tmp_path / "like", "bert")
    config = ModernBertConfig(
        vocab_size=200 + max(_vocabulary(folder), 0),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=3,
        num_attention_heads=4,
        pad_token_id=0,
        cls_token_id=2,
        bos_token_id=2,
        sep_token_id=3,
        eos_token_id=3,
    )
    torch.manual_seed(5)
    ModernBertForMaskedLM(config).save_pretrained(folder)
    return folder


def _vocabulary(folder: Path) -> int:
    from transformers import AutoTokenizer

    return len(AutoTokenizer.from_pretrained(folder))


def saved(original: Path, path: Path, *, flex: bool, without: str = "") -> Path:
    """Save the model as Composer does; `flex`: with FlexBERT's names of its parts."""
    state: dict[str, Any] = ModernBertForMaskedLM.from_pretrained(original).state_dict()
    named = {}
    for name, value in state.items():
        own = name.replace("model.layers.", "bert.encoder.layers.").replace("model.", "bert.") if flex else name
        named[f"model.{own}"] = value
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in named.items() if not without or without not in name}
    torch.save({"state": {"model": kept, "timestamp": Clock()}, "rng": [1, 2]}, path)
    return path


@pytest.mark.parametrize("flex", [True, False])
def test_a_series_is_converted_ordered_and_encodes_as_the_model(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flex: bool
) -> None:
    files = [
        saved(original, tmp_path / stage / f"ep0-ba{batch}-rank0.pt", flex=flex)
        for stage, batch in (("decay", 5), ("pretrain", 90))
    ]
    monkeypatch.setenv("ISOGLOSS_ALLOW_PICKLE", "1")
    done = CliRunner().invoke(app, ["convert", *map(str, files), "--like", str(original), "--into", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["decay-ep0-ba5-rank0", "pretrain-ep0-ba90-rank0"]
    assert not [path for path in (tmp_path / "out").rglob("*") if path.suffix in (".bin", ".pt")]
    one = discover(str(tmp_path / "out" / names[1])).checkpoints[0]
    assert (one.stage, one.step) == ("pretrain", 90)
    settings = Settings(workspace=tmp_path / "ws", device="cpu")
    whole = discover(str(original)).checkpoints[0]
    ours, theirs = (encode(load(each, settings), SENTENCES, ["mean"]).vectors["mean"] for each in (one, whole))
    assert torch.equal(torch.as_tensor(ours), torch.as_tensor(theirs))


def test_what_does_not_fit_is_refused_in_a_sentence(original: Path, tmp_path: Path) -> None:
    torn = saved(original, tmp_path / "torn.pt", flex=True, without="layers.1.mlp")
    with pytest.raises(ModelError, match=r"differ in \d+ weights, layers\.1\.mlp"):
        composer.convert(torn, original, tmp_path / "out")
    other = tmp_path / "other.pt"
    torch.save({"model": {}}, other)
    with pytest.raises(ModelError, match="is no checkpoint of Composer"):
        composer.convert(other, original, tmp_path / "out")
    other.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(ModelError, match="cannot be opened"):
        composer.convert(other, original, tmp_path / "out")
    with pytest.raises(ModelError, match="is bert"):
        composer.convert(torn, tiny_model(tmp_path / "bert", "bert"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_pickles_are_read_only_where_the_operator_says_so(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ISOGLOSS_ALLOW_PICKLE", raising=False)
    file = saved(original, tmp_path / "ep0-ba5-rank0.pt", flex=True)
    done = CliRunner().invoke(app, ["convert", str(file), "--like", str(original), "--into", str(tmp_path / "out")])
    assert isinstance(done.exception, ModelError)
    assert "ISOGLOSS_ALLOW_PICKLE=1" in str(done.exception)
