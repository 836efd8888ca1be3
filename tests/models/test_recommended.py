"""Which sentence vector is recommended, and why: by card, by architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.files.catalogue import CATALOGUE
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.recommended import BY_CARD, BY_PAPERS, BY_SINK, DECODERS, recommended
from tests.models.tiny import ARCHITECTURES, Architecture, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

ENCODERS = ("bert", "xlm", "xlm-roberta", "mbart", "mt5", "deberta-v2")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_decoders_are_told_by_their_architecture(tmp_path: Path, architecture: Architecture) -> None:
    model = discover(str(tiny_model(tmp_path / "model", architecture)))
    assert recommended(model) == (("mean", BY_PAPERS) if architecture in ENCODERS else ("without_first", BY_SINK))


def test_a_card_comes_before_the_architecture() -> None:
    def of(hub_id: str, architecture: str, part: str | None = None) -> Model:
        told = {"source": "hub", "location": hub_id, "label": "main", "part": part, "fingerprint": "0" * 24}
        checkpoint = Checkpoint.model_validate(told)
        return Model(name="Mine", architecture=architecture, layers=1, dims=2, checkpoints=(checkpoint,))

    assert recommended(of("Qwen/Qwen3-Embedding-0.6B", "qwen3")) == ("last", BY_CARD)
    assert recommended(of("Qwen/Qwen3-0.6B-Base", "qwen3")) == ("without_first", BY_SINK)
    assert recommended(of("a/mbart", "mbart", "decoder")) == ("without_first", BY_SINK)
    assert recommended(of("a/mbart", "mbart")) == ("mean", BY_PAPERS)


def test_what_transformers_calls_encoders_alone_is_no_decoder() -> None:
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    assert not [name for name in MASKED if name.startswith(DECODERS)]
    assert sum(name.startswith(DECODERS) for name in CAUSAL) > 60
    assert {line.kind for line in CATALOGUE} == {"encoder", "encoder-decoder", "decoder"}
