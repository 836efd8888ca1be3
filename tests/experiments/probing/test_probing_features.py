"""Vectors that probes read: those of plain transformers, in true size, kept where there is room and encoded once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.probing import features
from isogloss.backend.experiments.probing.features import Encoder, FeaturePart, Vectors
from isogloss.backend.experiments.probing.tagged_words import TaggedWords
from isogloss.backend.experiments.spec import Context
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import Settings
from tests.experiments.alignment.alignment_by_hand import Plain
from tests.experiments.probing.small_probing import Lab, lab

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.probing.examples import Examples


def encoded(there: Lab, language: str = "de", **options: Any) -> Examples:
    spec = there.spec(**options)
    encoder = Encoder(there.checkpoint, there.context, 1)
    return TaggedWords(spec, there.context.workspaces).test(encoder, language, (0.0, 1.0))


def by_hand(there: Lab, folder: Path, language: str, first: bool, positions: int = 64) -> list[NDArray[np.float64] | None]:
    """A vector a word of the test part, from one sentence at a time; None for a lost one. Not rounded."""
    plain = Plain(folder, positions)
    found = []
    corpus = TaggedWords(there.spec(), there.context.workspaces).trained
    for sentence in corpus.sentences(language, "test"):
        states, offsets, ids, cut = plain.states(sentence.text)
        space = plain.tokenizer.get_vocab().get("▁")
        for start, end in sentence.spans:
            own = [t for t, (a, b) in enumerate(offsets) if max(a, start) < min(b, end) and ids[t] != space]
            lost = not own or (cut and end > max(b for _, b in offsets))
            found.append(None if lost else states[:, own[:1] if first else own].mean(axis=1))
    return found


def read(found: Examples) -> NDArray[np.float32]:
    return found.features.read(np.arange(found.features.rows)).float().numpy()


@pytest.mark.parametrize("architecture", ["xlm-roberta", "bert", "gpt2"])
@pytest.mark.parametrize("pooling", ["mean", "first"])
def test_a_word_s_vector_is_that_of_its_tokens(tmp_path: Path, architecture: str, pooling: str) -> None:
    there = lab(tmp_path, architecture=architecture)
    for language in ("de", "zh"):
        found = encoded(there, language, probe={"pooling": pooling})
        expected = [each for each in by_hand(there, tmp_path / "model", language, pooling == "first") if each is not None]
        assert len(found.labels) == len(expected) > 80
        assert np.abs(read(found) - np.stack(expected)).max() < 2e-3 * np.abs(expected).max()
    if pooling == "first" and architecture != "bert":  # whose tokeniser keeps these words whole
        means = read(encoded(there, "de"))
        assert np.abs(means - read(encoded(there, "de", probe={"pooling": "first"}))).max() > 0.01


def test_vectors_too_small_for_half_precision_are_read_in_their_true_size(tmp_path: Path) -> None:
    """Scaled by a power of two they would look like others: a probe reads sizes, a cosine does not."""
    there = lab(tmp_path, architecture="gpt2")
    weights = load_file(tmp_path / "model" / "model.safetensors")
    shrunk = {name: value * (1e-7 if name.endswith(("wte.weight", "wpe.weight")) else 1.0) for name, value in weights.items()}
    generator = torch.Generator().manual_seed(0)
    for name in [each for each in shrunk if each.endswith("wte.weight")]:  # sizes that differ from word to word
        sizes = 10.0 ** (4 * torch.rand(len(shrunk[name]), 1, generator=generator))
        shrunk[name] = (shrunk[name] * sizes).contiguous()
    save_file(shrunk, tmp_path / "model" / "model.safetensors", metadata={"format": "pt"})
    [checkpoint] = discover(str(tmp_path / "model")).checkpoints
    there = replace(there, checkpoint=checkpoint)
    for _ in range(2):  # encoded, then read
        found = encoded(there)
        expected = np.stack([each for each in by_hand(there, tmp_path / "model", "de", False) if each is not None])
        values = read(found)
        sizes = np.abs(expected[:, 0]).max(1)
        assert sizes.max() / sizes.min() > 100
        error = np.abs(values[:, 0] - expected[:, 0]).max(1) / sizes
        assert error.max() < 2e-3
        assert values[:, 0].max() < 1e-2


def test_words_cut_off_with_their_sentence_are_left_out_and_counted(tmp_path: Path) -> None:
    there = lab(tmp_path, positions=12)
    found = encoded(there)
    expected = by_hand(there, tmp_path / "model", "de", False, 12)
    kept = [i for i, each in enumerate(expected) if each is not None]
    assert found.lost == len(expected) - len(kept) > 5
    assert np.abs(read(found) - np.stack([expected[i] for i in kept])).max() < 0.02
    sentences = TaggedWords(there.spec(), there.context.workspaces).trained.sentences("de", "test")
    at = list(zip(found.sentences.tolist(), found.places.tolist(), found.words, found.labels.tolist(), strict=True))
    assert len(at) == len(kept)
    assert all(sentences[i].words[j] == word for i, j, word, _ in at)
    tags = ("DET", "NOUN", "PUNCT", "VERB")
    assert all(sentences[i].tags[j] == tags[tag] for i, j, _, tag in at)
    assert found.begins.tolist() == [*[r for r in range(len(at)) if r == 0 or at[r][0] != at[r - 1][0]], len(at)]


def test_pieces_change_nothing_and_are_kept_one_by_one(
    tmp_path: Path, passes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    there = lab(tmp_path)
    whole = read(encoded(there))
    for file in (there.context.workspace / "embeddings").iterdir():
        file.unlink()
    monkeypatch.setattr(features, "WORDS_A_PIECE", 20)
    passes.clear()
    assert np.allclose(read(encoded(there)), whole, atol=2e-3)
    pieces = len(passes)
    assert pieces > 5
    files = sorted((there.context.workspace / "embeddings").iterdir())
    assert len(files) == pieces
    files[2].unlink()  # as after a kill in the midst
    encoded(there)
    assert len(passes) == pieces + 1


@pytest.mark.parametrize("sizes", [[], [3], [3, 3, 3], [9, 1, 1, 9], [0, 0, 5, 5, 0], [20, 1, 20]])
def test_pieces_are_whole_sentences_and_all_of_them(sizes: list[int]) -> None:
    found = list(features._pieces(sizes, 6))
    assert [i for begin, end in found for i in range(begin, end)] == list(range(len(sizes)))
    assert all(end > begin and (end - begin == 1 or sum(sizes[begin:end]) <= 6) for begin, end in found)


def test_without_room_nothing_is_kept_and_vectors_are_the_same(tmp_path: Path, passes: list[str]) -> None:
    there = lab(tmp_path)
    kept = read(encoded(there))
    unkept = Context(Settings(workspace=tmp_path / "other", demo=there.context.workspace, device="cpu", embeddings_gib=0.0))
    there = replace(there, context=unkept)
    assert (read(encoded(there)) == kept).all()  # those of the other workspace serve
    passes.clear()
    assert np.allclose(read(encoded(there, "en")), read(encoded(there, "en")))
    assert passes == ["en", "en"]
    assert not list((tmp_path / "other").rglob("*.parquet"))


def test_no_file_is_left_of_what_lies_outside_of_memory(tmp_path: Path) -> None:
    there = lab(tmp_path, gib=0.0)
    found = encoded(there)
    assert isinstance(found.features.vectors, np.memmap)  # type: ignore[attr-defined]
    names = {path.name for path in there.context.workspace.iterdir()}
    assert names == {"tagged"} | ({"embeddings"} & names)


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, _: Any) -> None:
            raise OSError(28, "No space left on device")

    found = Vectors(1, Context(Settings(workspace=tmp_path)))
    monkeypatch.setattr(found, "_file", Full())
    with pytest.raises(StoreError, match="no room for the vectors of a probe: No space left"):
        found.put(np.zeros((1, 2, 3), np.float16), np.zeros((1, 2), np.int16), np.zeros(1, np.bool_), "cpu", "float32")


def test_sentences_are_those_of_plain_transformers(tmp_path: Path) -> None:
    there = lab(tmp_path)
    texts = ["the ferry waits .", "no child", "a storm ! the clock"]
    encoder = Encoder(there.checkpoint, there.context, 1)
    found = encoder.sentences(FeaturePart("0" * 24, "en", ["a", "b", "c"], texts), "mean", (0.0, 1.0))
    plain = Plain(tmp_path / "model", 64)
    expected = np.stack([plain.sentence(text)[0] for text in texts])
    assert np.abs(found.stored - expected).max() < 2e-3 * np.abs(expected).max()
    assert found.exponents is None
