"""Options of translation models: the paper's presets, what base models depend on, what cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from isogloss.backend.training.resumable.options import Stage
from isogloss.backend.training.translation.options import (
    SETTINGS,
    Infilling,
    TranslationArchitecture,
    TranslationOptions,
    TuningStage,
    preset,
)
from isogloss.backend.training.translation.run import fresh_model
from tests.training.translation.translating import SHAPE, tiny_options


def test_the_paper_preset_is_the_released_codes() -> None:
    """MtWmt, MtFreeze and MtLL of its `model/config.py`."""
    found = {setting: preset("paper", setting) for setting in SETTINGS}
    shape = found["full"].architecture
    assert (shape.encoder_layers, shape.decoder_layers, shape.heads, shape.dims, shape.feed_forward) == (6, 6, 8, 512, 2048)
    assert (shape.context, shape.vocabulary, shape.dropout) == (256, 30_000, 0.1)
    for options in found.values():
        stage = options.pretraining
        assert (stage.tokens, stage.epochs, stage.batch, stage.learning_rate) == (100_000_000, 5, 32, 1e-4)
        assert (options.infilling.mask_ratio, options.infilling.mean_span, options.beams) == (0.3, 3.0, (1, 3, 5))
        assert (options.tuning.epochs, options.tuning.batch, options.tuning.weight_decay) == (3, 32, 0.01)
        assert (options.tuning.pairs, options.test_pairs, options.translation_tokens) == (2_000_000, 5000, 128)
        assert options.held_out == 0.2
    assert {name: (each.tuning.tokens, each.tuning.learning_rate) for name, each in found.items()} == {
        "full": (50_000_000, 2e-4),
        "frozen": (50_000_000, 2e-4),
        "reduced": (10_000_000, 2e-5),
    }


@pytest.mark.parametrize("name", ["paper", "quick"])
def test_settings_share_their_base_models(name: Any) -> None:
    full, frozen, reduced = (preset(name, setting, seed=5) for setting in SETTINGS)
    assert full.pretraining_provenance() == frozen.pretraining_provenance() == reduced.pretraining_provenance()
    assert full.pretraining_provenance() != preset(name, "full", seed=6).pretraining_provenance()
    assert reduced.tuning.learning_rate < full.tuning.learning_rate
    assert TranslationOptions.model_validate_json(full.model_dump_json()) == full


@pytest.mark.parametrize(
    ("changes", "shared"),
    [
        ({"beams": (2,)}, True),
        ({"tuning": TuningStage(tokens=9, epochs=1)}, True),
        ({"test_pairs": 3}, True),
        ({"infilling": Infilling(mean_span=2)}, False),
        ({"pretraining": Stage(tokens=600, epochs=2)}, False),
        ({"precision": "bfloat16"}, False),
        ({"architecture": TranslationArchitecture(**SHAPE | {"dims": 18})}, False),
    ],
)
def test_what_base_models_depend_on(changes: dict[str, Any], shared: bool) -> None:
    assert (tiny_options(**changes).pretraining_provenance() == tiny_options().pretraining_provenance()) == shared


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"beams": ()}, "beams must be"),
        ({"beams": (3, 3)}, "beams must be"),
        ({"beams": (0,)}, "beams must be"),
        ({"translation_tokens": 24}, "fewer than the context"),
    ],
)
def test_options_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tiny_options(**changes)
    with pytest.raises(ValueError, match="multiple of heads"):
        TranslationArchitecture(dims=10, heads=4)


@pytest.mark.parametrize(
    "shape", [{}, {"encoder_layers": 3}, {"decoder_layers": 1, "feed_forward": 7}, {"context": 50, "dims": 8}]
)
def test_parameters_are_counted(shape: dict[str, Any]) -> None:
    architecture = TranslationArchitecture(**SHAPE | shape)
    assert architecture.parameters == sum(each.numel() for each in fresh_model(architecture, 0).parameters())


def test_operations_are_counted() -> None:
    """Weights that a token read and a token written are multiplied with, against the model's own."""
    architecture = TranslationArchitecture(**SHAPE)
    matrices = [
        value.numel()
        for name, value in fresh_model(architecture, 0).named_parameters()
        if value.ndim == 2 and "positions" not in name
    ]
    attention = 6 * 2 * (1 + 2 + 2) * 24 * 16  # scores and sums over a window, in five attentions
    assert architecture.training_flop == 6 * sum(matrices) + attention
