"""Random weights in the shape of a model: none of the trained ones, the same wherever they are drawn, others by a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.models.untrained import is_of, untrained
from isogloss.backend.settings import settings
from tests.models.tiny import ARCHITECTURES, SENTENCES, Architecture, tiny_model

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "workspace"))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_no_weight_of_the_files_is_left_and_all_shapes_are(architecture: Architecture, tmp_path: Path) -> None:
    model = discover(str(tiny_model(tmp_path / "model", architecture)), name="Model")
    (random,) = untrained(model).checkpoints
    trained, state = load(model.checkpoints[0], settings()), torch.get_rng_state()
    drawn = load(random, settings())
    assert torch.equal(torch.get_rng_state(), state)
    weights, own = dict(trained.module.named_parameters()), dict(drawn.module.named_parameters())
    assert {name: each.shape for name, each in weights.items()}.items() <= {n: each.shape for n, each in own.items()}.items()
    assert not [name for name, each in weights.items() if torch.equal(each, own[name])]
    assert (drawn.layers, drawn.dims, drawn.max_tokens) == (trained.layers, trained.dims, trained.max_tokens)
    again = dict(load(random, settings()).module.named_parameters())
    assert all(torch.equal(each, again[name]) for name, each in own.items())


def test_weights_are_drawn_as_the_architecture_begins_a_training(tmp_path: Path) -> None:
    """Normal, as wide as the configuration says; norms are one. The tiny model's own have noise on all of them."""
    model = discover(str(tiny_model(tmp_path / "model", "llama", dims=64)), name="Model")
    module = load(untrained(model).checkpoints[0], settings()).module
    table = module.get_input_embeddings().weight.numpy()
    assert float(table.std()) == pytest.approx(module.config.initializer_range, rel=0.05)
    assert abs(float(table.mean())) < 0.001
    assert torch.equal(module.norm.weight, torch.ones(64))


def test_seeds_and_checkpoints_are_told_apart(tmp_path: Path) -> None:
    for step in (1, 2):
        tiny_model(tmp_path / "series" / f"checkpoint-{step}", "llama", seed=step)
    model = discover(str(tmp_path / "series"), name="Series")
    (one,), (other,) = untrained(model).checkpoints, untrained(model, seed=1).checkpoints
    assert len({one.fingerprint, other.fingerprint, *(each.fingerprint for each in model.checkpoints)}) == 4
    assert untrained(model).name == "Series, random weights"
    assert [is_of(each, model) for each in (one, other, *model.checkpoints)] == [True, True, False, False]
    assert one.step is None
    vectors = [encode(load(each, settings()), SENTENCES, ["mean"]).vectors["mean"] for each in (one, other)]
    assert not np.array_equal(vectors[0], vectors[1])


def test_files_that_changed_are_said_as_of_the_model_itself(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "model", "llama")
    random = untrained(discover(str(folder), name="Model")).checkpoints[0]
    tiny_model(folder, "llama", seed=5)
    with pytest.raises(ModelError, match="have changed since"):
        load(random, settings())


def test_older_entries_keep_their_json(tmp_path: Path) -> None:
    model = discover(str(tiny_model(tmp_path / "model", "bert")), name="Model")
    assert "untrained" not in model.model_dump_json()
    assert '"untrained":0' in untrained(model).model_dump_json()
