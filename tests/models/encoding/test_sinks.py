"""What the first token weighs, against plain loops, with padding on either side."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, get_args

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.encoding.pooling import weights
from isogloss.backend.models.encoding.sinks import first_shares, sinks, token_lengths
from isogloss.backend.models.entry import Pooling
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.settings import Settings
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

LAYERS = 2


@st.composite
def batch(draw: st.DrawFn) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rows, tokens = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    mask = torch.zeros(rows, tokens, dtype=torch.bool)
    for row in range(rows):
        length = draw(st.integers(0, tokens))
        mask[row, tokens - length :] = True
        if draw(st.booleans()):
            mask[row] = mask[row].flip(0)
    made = torch.Generator().manual_seed(draw(st.integers(0, 99)))
    hidden = torch.randn(LAYERS, rows, tokens, 4, generator=made)
    hidden[:, ~mask] = math.nan  # some architectures leave it there
    return hidden, mask, torch.rand(rows, tokens, generator=made) < 0.3


@given(batch(), st.sampled_from(get_args(Pooling)))
def test_equals_plain_loops(given_batch: tuple[torch.Tensor, torch.Tensor, torch.Tensor], pooling: Pooling) -> None:
    hidden, mask, special = given_batch
    lengths = torch.stack([token_lengths(layer) for layer in hidden], dim=1)
    token_weights = weights(mask, special, pooling)
    ratios, shares = sinks(lengths, mask), first_shares(lengths, mask, token_weights)
    for layer in range(LAYERS):
        for row in range(len(mask)):
            real = [i for i in range(mask.shape[1]) if mask[row, i]]
            norms = [math.sqrt(sum(float(x) ** 2 for x in hidden[layer, row, i])) for i in real]
            parts = [float(token_weights[row, i]) * norm for i, norm in zip(real, norms, strict=True)]
            assert float(ratios[row, layer]) == pytest.approx(norms[0] / statistics.median_low(norms) if norms else 0, rel=1e-5)
            assert float(shares[row, layer]) == pytest.approx(parts[0] / sum(parts) if norms else 0, rel=1e-5, abs=1e-7)


def test_vectors_of_length_0_are_no_sink_and_one_beside_them_is() -> None:
    lengths = torch.tensor([[[0.0, 0.0, 0.0]], [[5.0, 0.0, 0.0]]])
    mask = torch.ones(2, 3)
    found = sinks(lengths, mask)
    assert found[0].tolist() == [1.0]
    assert found[1].item() > 1e30
    assert first_shares(lengths, mask, weights(mask, torch.zeros(2, 3), "mean")).flatten().tolist() == [0.0, 1.0]


@pytest.mark.parametrize("architecture", ["qwen2", "llama", "xlm-roberta"])
def test_a_pass_tells_them_of_every_layer_in_the_order_of_the_texts(tmp_path: Path, architecture: str) -> None:
    folder = tiny_model(tmp_path / "model", architecture, layers=2)  # type: ignore[arg-type]
    loaded = load(discover(str(folder)).checkpoints[0], Settings(workspace=tmp_path, device="cpu"))
    texts = [SENTENCES[0], "a", SENTENCES[1]]
    encoded = encode(loaded, texts, ["mean", "without_first", "first"], token_budget=20)
    for row, text in enumerate(texts):
        told = loaded.tokenizer(text, return_special_tokens_mask=True)
        with torch.no_grad():
            hidden = loaded.module(input_ids=torch.tensor([told["input_ids"]]), output_hidden_states=True).hidden_states
        norms = [layer[0].norm(dim=-1).tolist() for layer in hidden]
        own = [i for i, special in enumerate(told["special_tokens_mask"]) if not special]
        ratios = [each[0] / statistics.median_low(each) for each in norms]
        share = [each[0] / sum(each[i] for i in own) if own[0] == 0 else 0 for each in norms]
        np.testing.assert_allclose(encoded.sinks[row], ratios, rtol=1e-3)
        np.testing.assert_allclose(encoded.first_shares["mean"][row], share, rtol=1e-3)
        assert encoded.first_shares["first"][row].tolist() == [1.0] * 3
        alone = len(own) == 1 and own[0] == 0
        assert encoded.first_shares["without_first"][row].tolist() == [float(alone)] * 3
