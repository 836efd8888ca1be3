"""Words without the first token of their sentence, by a tokeniser with a token before the text and by one without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from isogloss.backend.experiments.alignment.words.errors import WordErrorsSpec
from isogloss.backend.experiments.alignment.words.spec import WordAlignmentSpec
from isogloss.backend.experiments.alignment.words.vectors import WordEncoder
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.experiments.vectors.one_pass import Text
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.recommended import recommended_of_words
from isogloss.backend.settings import Settings
from tests.models.planted import SINK, planted_decoder
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["Harbourmaster the storm", "A the storm"]
"""The first word of the first is several pieces, that of the second a single one."""
PLACES = [(0, 0, 13), (0, 14, 17), (0, 18, 23), (1, 0, 1), (1, 2, 5), (1, 6, 11)]


def encoded(folder: Path, workspace: Path, *, without_first: bool, prefix: str = ""):
    checkpoint = discover(str(folder)).checkpoints[0]
    context = Context(Settings(workspace=workspace, demo=None, device="cpu"))
    text = Text(checkpoint, "corpus", "en", ["a", "b"], TEXTS, prefix=prefix, without_first=without_first)
    return WordEncoder(context, 1).words(text, PLACES, 0.0)


def by_hand(folder: Path) -> list[np.ndarray | None]:
    """Each word's mean over its pieces but the sentence's first, at every layer, sentence by sentence in plain transformers."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    found: list[np.ndarray | None] = []
    for number, start, end in PLACES:
        given = tokenizer(TEXTS[number], return_offsets_mapping=True, return_tensors="pt")
        spans = given.pop("offset_mapping")[0].tolist()
        with torch.no_grad():
            layers = torch.stack(model(**given, output_hidden_states=True).hidden_states)[:, 0]
        own = [i for i, (a, b) in enumerate(spans) if a < end and b > start and b > a and i > 0]
        found.append(layers[:, own].mean(1).numpy() if own else None)
    return found


def test_the_sink_is_in_the_first_word_alone_and_leaves_it(tmp_path: Path) -> None:
    folder = planted_decoder(tmp_path / "model")
    plain, without = (encoded(folder, tmp_path / "workspace", without_first=each) for each in (False, True))
    assert plain.lost.tolist() == [False] * 6
    assert without.lost.tolist() == [False, False, False, True, False, False]
    np.testing.assert_array_equal(without.vectors[[1, 2, 4, 5]], plain.vectors[[1, 2, 4, 5]])
    for row, expected in enumerate(by_hand(folder)):
        assert (expected is None) == bool(without.lost[row])
        if expected is not None:
            own = np.ldexp(without.vectors[row].astype(np.float32), without.exponents[row][:, None])
            np.testing.assert_allclose(own, expected, atol=2e-3)
    lengths = np.linalg.norm(np.ldexp(plain.vectors.astype(np.float32), plain.exponents[..., None]), axis=-1)[:, 0]
    assert lengths[3] > 0.9 * SINK
    assert lengths[[1, 2, 4, 5]].max() < 0.1 * SINK


@pytest.mark.parametrize("architecture", ["xlm-roberta", "bert"])
def test_with_a_special_token_before_the_text_both_are_equal(architecture, tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "model", architecture)
    plain, without = (encoded(folder, tmp_path / "workspace", without_first=each) for each in (False, True))
    np.testing.assert_array_equal(without.vectors, plain.vectors)
    assert not without.lost.any()


def test_a_prefix_takes_the_place_of_the_first_word(tmp_path: Path) -> None:
    folder = planted_decoder(tmp_path / "model")
    plain, without = (encoded(folder, tmp_path / "workspace", without_first=each, prefix="query: ") for each in (False, True))
    np.testing.assert_array_equal(without.vectors, plain.vectors)


def test_both_kinds_are_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, workspace = planted_decoder(tmp_path / "model"), tmp_path / "workspace"
    first = [encoded(folder, workspace, without_first=each).vectors for each in (False, True)]
    monkeypatch.setattr("isogloss.backend.experiments.vectors.one_pass.load", lambda *_: pytest.fail("both are kept"))
    again = [encoded(folder, workspace, without_first=each).vectors for each in (False, True)]
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)


def test_it_is_recommended_for_decoders_and_silent_where_it_is_not_asked_for(tmp_path: Path) -> None:
    decoder = discover(str(planted_decoder(tmp_path / "decoder")))
    encoder = discover(str(tiny_model(tmp_path / "encoder", "bert")))
    assert [recommended_of_words(each)[0] for each in (decoder, encoder)] == ["without_first", "mean"]
    pair = {"source": "de", "target": "en", "dictionary": "e" * 24}
    common = {"model": "m", "checkpoints": decoder.checkpoints, "corpus": "c" * 24, "pairs": [pair]}
    plain, without = (validate(WordAlignmentSpec, common | {"vector": each}) for each in ("mean", "without_first"))
    assert "vector" not in plain.model_dump_json()
    assert without.variant.replace("/without first", "") == plain.variant
    assert "without first" in without.variant
    of = {"checkpoint": decoder.checkpoints[0], "corpus": "c" * 24, "pair": pair, "layer": 1}
    assert validate(WordErrorsSpec, of).id != validate(WordErrorsSpec, of | {"vector": "without_first"}).id
