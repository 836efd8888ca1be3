"""MEXA from a decoder and texts, against the steps of the authors' two scripts (`embed_extractor.py`, `compute_mexa.py`)."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cosine
from transformers import AutoModelForCausalLM, AutoTokenizer

import isogloss
from tests.models.tiny import SENTENCES, Architecture, tiny_model

WORDS = " ".join(SENTENCES[:4]).split()


def extracted(folder: Path, texts: list[str]) -> list[list[np.ndarray]]:
    """Every text alone: each hidden state's mean over all tokens, the k-th k times, kept in half precision: [text][layer]."""
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    found = []
    for text in texts:
        tokens = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            states = model(**tokens, output_hidden_states=True)["hidden_states"]
        weights = torch.arange(1, states[0].shape[1] + 1)[:, None]
        found.append([((state[0] * weights).sum(0) / weights.sum()).half().numpy() for state in states])
    return found


def counted(pivot: list[np.ndarray], other: list[np.ndarray]) -> float:
    """The share of texts whose cosine lies above all others of its row, and above all others of its column."""
    table = np.array([[1 - cosine(u.astype(np.float64), v.astype(np.float64)) for v in other] for u in pivot])
    count = 0
    for i in range(len(table)):
        if table[i, i] > max(np.delete(table[i], i)) and table[i, i] > max(np.delete(table[:, i], i)):
            count += 1
    return count / len(table)


@pytest.mark.parametrize("architecture", ["llama", "bloom"])
def test_mexa_of_a_decoder_is_what_the_released_scripts_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, architecture: Architecture
) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "own"))
    monkeypatch.setenv("ISOGLOSS_DEMO", "")
    folder = tiny_model(tmp_path / "decoder", architecture, layers=3)
    draw = random.Random(4)
    english = [" ".join(draw.choices(WORDS, k=draw.randint(3, 12))) for _ in range(24)]
    german = [" ".join([*text.split()[:-1], draw.choice(WORDS)]) for text in english]  # alike, so that some are found
    scores = isogloss.measure(
        "geometry", model=str(folder), corpus={"en": english, "de": german}, pooling="weighted", progress=False
    )
    mexa = scores[scores["metric"] == "mexa"].set_index("layer")["value"]
    pivot, other = extracted(folder, english), extracted(folder, german)
    expected = [counted([each[layer] for each in pivot], [each[layer] for each in other]) for layer in range(4)]
    assert mexa.loc[range(4)].tolist() == pytest.approx(expected, abs=1e-6)
    assert 0 < min(expected) < 1
