"""Which text is trained on: what the published code of XferBench takes, told by `datasets` itself, and a draw by the seed."""

from __future__ import annotations

from typing import Any

import datasets
import numpy as np
import pytest

from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.sources.text import text_corpus
from isogloss.backend.training.language_model import order, released
from isogloss.backend.training.language_model.options import Architecture, LanguageModelOptions
from isogloss.backend.training.language_model.source import source_windows
from isogloss.backend.training.language_model.target import target_text
from isogloss.backend.training.language_model.tokenizer import train_bpe
from isogloss.backend.training.resumable.options import Stage
from tests.corpora.emergent.utterances import from_utterances
from tests.training.language_model.language_modelling import SHAPE, tiny_options, tiny_texts

CONTEXT = SHAPE["context"]


def published_windows(utterances: list[list[int]], context: int, tokens: int, *, since: bool = False) -> list[list[int]]:
    """What the published code trains on, row by row: it joins and cuts each thousand rows by themselves.

    `since`: since December 2024, when what is long enough came to be shuffled as well.
    """
    rows = datasets.Dataset.from_dict({"ids": utterances})
    total = sum(len(row) for row in utterances)
    if since or total < tokens:
        lost = (len(utterances) // 1000 + 1) * (context - 1)
        rows = datasets.concatenate_datasets([rows.shuffle(seed=k) for k in range(tokens // (total - lost) + 1)])
    every: list[list[int]] = rows["ids"][:]
    windows: list[list[int]] = []
    for first in range(0, len(every), 1000):
        joined = [symbol for row in every[first : first + 1000] for symbol in row]
        windows += [joined[at : at + context] for at in range(0, len(joined) - context + 1, context)]
    fewest = 0
    while sum(len(window) for window in windows[:fewest]) < tokens:
        fewest += 1
    return windows[:fewest]


def many(utterances: int, longest: int = 8) -> list[list[int]]:
    random = np.random.default_rng(utterances)
    return [random.integers(0, 300, random.integers(1, longest)).tolist() for _ in range(utterances)]


def with_text(text: str, tokens: int, **more: Any) -> LanguageModelOptions:
    return tiny_options(pretraining=Stage(tokens=tokens, epochs=1), text=text, **more)


@pytest.mark.parametrize("seed", [0, 1, 5])
def test_a_shuffle_is_that_of_datasets(seed: int) -> None:
    rows = datasets.Dataset.from_dict({"row": list(range(2500))}).shuffle(seed=seed)
    assert released.shuffle(2500, seed).tolist() == rows["row"][:]


@pytest.mark.parametrize(
    ("utterances", "tokens"),
    [
        pytest.param(3400, 9_000, id="longer than the budget"),
        pytest.param(2300, 40_000, id="repeated"),
        pytest.param(1000, 9_600, id="repeated, whole thousands"),
        pytest.param(60, 3_001, id="short, repeated across thousands"),
    ],
)
def test_a_source_is_what_the_published_code_makes_of_it(utterances: int, tokens: int) -> None:
    source = many(utterances)
    total = sum(map(len, source))
    assert (total < tokens) == (utterances != 3400)
    windows = source_windows(from_utterances(source), with_text("released", tokens))
    assert windows.dtype == np.int32
    assert windows.tolist() == published_windows(source, CONTEXT, tokens)
    other = source_windows(from_utterances(source), with_text("released", tokens, seed=9))
    assert np.array_equal(windows, other)  # its shuffles have seeds of their own


@pytest.mark.parametrize("tokens", [900, 6_000, 9_090, 9_112, 40_000], ids=str)
def test_a_source_is_what_the_code_makes_of_it_since_december_2024(tokens: int) -> None:
    """Of 9,112 tokens: once where that is enough whatever is dropped, else as often as it takes, also just about the budget."""
    source = many(2300)
    assert sum(map(len, source)) == 9_112
    windows = source_windows(from_utterances(source), with_text("released-2024-12", tokens))
    assert windows.tolist() == published_windows(source, CONTEXT, tokens, since=True)
    if tokens > 9_112:  # what is repeated was shuffled before as well
        assert np.array_equal(windows, source_windows(from_utterances(source), with_text("released", tokens)))


def test_a_target_is_what_the_code_makes_of_it_since_december_2024() -> None:
    texts = tiny_texts(texts=2300)
    options = tiny_options(protocol="released-2024-12", text="released-2024-12")
    bpe = train_bpe([texts[place] for place in released.shuffle(len(texts), 0)], 299, None)
    rows = [bpe.encode(text).ids for text in texts]
    total = sum(map(len, rows))
    for tokens in (600, total // 2, total - 12, total):
        asked = options.model_copy(update={"tuning": Stage(tokens=tokens, epochs=1)})
        assert target_text(texts, asked).tuning.tolist() == published_windows(rows, CONTEXT, tokens, since=True)
    for text, tokens in (("released-2024-12", total + 1), ("released", total)):  # the tag's code fails at its own length
        short = tiny_options(protocol=text, text=text, tuning=Stage(tokens=tokens, epochs=1))
        with pytest.raises(CorpusError, match=r"needs .* tokens to tune on"):
            target_text(texts, short)


@pytest.mark.parametrize("text", ["random order", "file order"])
@pytest.mark.parametrize("tokens", [100, 601, 5_000])
def test_a_printed_target_is_repeated_until_it_fills_the_budget(text: str, tokens: int) -> None:
    """Text by text, each pass in another order; the first, and so all of a long one, is that of `correct`."""
    texts = tiny_texts(texts=60)
    stage = Stage(tokens=tokens, epochs=2)
    correct, printed = (
        target_text(texts, tiny_options(protocol=protocol, text=text, tuning=stage)) for protocol in ("correct", "printed")
    )
    kept = [each for place, each in enumerate(texts) if place not in set(correct.held_out)]
    first = order.in_order(kept, text, 3)
    bpe = order.tokenizer_of(kept, text, 299, None)
    stream: list[int] = []
    passes = 0
    while len(stream) < tokens + CONTEXT:
        places = np.random.default_rng([3, order.BY_SEED, passes]).permutation(len(first)) if passes else range(len(first))
        for place in places:
            stream += [*bpe.encode(first[place]).ids, bpe.get_vocab_size()]
        passes += 1
    windows = -(-tokens // CONTEXT)
    assert printed.tuning.ravel().tolist() == stream[: windows * CONTEXT]
    assert stage.steps(len(printed.tuning)) == stage.steps(windows)
    assert np.array_equal(printed.tuning[: len(correct.tuning)], correct.tuning)
    assert np.array_equal(printed.test, correct.test)
    assert (printed.once < printed.tuning.size) == (passes > 1 and tokens == 5_000)
    assert correct.once == correct.tuning.size


def test_a_source_that_the_published_code_fails_on_is_refused() -> None:
    exact = [[1] * (CONTEXT + 1)] * 2000  # enough tokens, too few in whole windows
    with pytest.raises(CorpusError, match="drops what does not fill"):
        source_windows(from_utterances([*exact, [2] * 5]), with_text("released", 2000 * (CONTEXT + 1)))
    with pytest.raises(CorpusError, match="cannot make 500 tokens of this corpus of 11"):
        source_windows(from_utterances([[1] * (CONTEXT - 1)]), with_text("released", 500))


def test_a_human_source_is_its_first_articles_and_a_tokeniser_that_read_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """15,000 and 10,000 of them: here 30 and 20, so that a test can count them."""
    monkeypatch.setattr(released, "SOURCE_TEXTS", 30)
    monkeypatch.setattr(released, "TOKENIZER_TEXTS", 20)
    texts = tiny_texts(texts=60)
    rows = datasets.Dataset.from_dict({"text": texts})
    bpe = train_bpe(rows.select(range(20)).shuffle(seed=0)["text"][:], 299, None)
    corpus = text_corpus(texts, 299, enough=50, text="released", seed=4)
    assert corpus.utterances == 30
    assert corpus.ids.tolist() == [each for text in texts[:30] for each in bpe.encode(text).ids]


def test_a_target_is_tuned_on_from_its_beginning_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(released, "TOKENIZER_TEXTS", 40)
    texts = tiny_texts(texts=60)
    options = tiny_options(protocol="released", text="released")
    bpe = train_bpe([texts[place] for place in released.shuffle(40, 0)], 299, None)
    target = target_text(texts, options)
    assert target.tuning.ravel().tolist() == [each for text in texts for each in bpe.encode(text).ids][: 50 * CONTEXT]
    split = datasets.Dataset.from_dict({"text": texts}).train_test_split(seed=0, test_size=0.1)
    assert [texts[place] for place in target.held_out] == split["test"]["text"][:]
    with pytest.raises(CorpusError, match="needs 100,000 tokens to tune on"):
        target_text(texts, options.model_copy(update={"tuning": Stage(tokens=100_000, epochs=1)}))


def test_a_drawn_order_takes_from_all_of_a_text_whatever_its_file_begins_with() -> None:
    """Lengths rise with the place: in the file's order the first are short, in a drawn one they are as the rest."""
    source = [[place % 300] * (1 + place // 100) for place in range(900)]
    corpus, needed = from_utterances(source), 600
    first = source_windows(corpus, with_text("file order", needed)).ravel()
    assert first.tolist() == [symbol for row in source for symbol in row][:needed]
    drawn = source_windows(corpus, with_text("random order", needed)).ravel().tolist()
    places = np.random.default_rng([3, 1, 0]).permutation(900)
    assert drawn == [symbol for place in places for symbol in source[place]][:needed]
    assert source_windows(corpus, with_text("random order", needed, seed=4)).ravel().tolist() != drawn


def test_drawn_texts_depend_on_the_seed_and_neither_tokeniser_nor_held_out_text_does() -> None:
    texts = sorted(tiny_texts(texts=200), key=len)
    one, other = (target_text(texts, tiny_options(text="random order", seed=seed)) for seed in (1, 2))
    in_file = target_text(texts, tiny_options())
    assert one.held_out == other.held_out != in_file.held_out
    assert set(one.held_out) == set(in_file.held_out)
    assert np.array_equal(one.test, other.test)
    assert not np.array_equal(one.tuning, other.tuning)
    ends = [int((target.tuning == target.entries).sum()) for target in (one, other, in_file)]
    assert max(ends[:2]) < ends[2]  # the file begins with its shortest texts
    left = [text for place, text in enumerate(texts) if place not in set(one.held_out)]
    assert sorted(order.in_order(left, "random order", 1)) == sorted(left)
    human = [text_corpus(texts, 299, enough=300, text="random order", seed=seed) for seed in (1, 2)]
    assert human[0].vocabulary == human[1].vocabulary
    assert human[0].ids.tolist() != human[1].ids.tolist()


def test_options_from_before_there_was_an_order_are_what_they_were() -> None:
    before = LanguageModelOptions(architecture=Architecture(**SHAPE))
    assert {"text", "fresh_deviation"}.isdisjoint(before.model_dump(mode="json"))
    assert "text" not in before.pretraining_provenance()
    assert before.model_copy(update={"text": "released"}).pretraining_provenance()["text"] == "released"
    narrow = before.model_copy(update={"fresh_deviation": 0.06})
    assert narrow.pretraining_provenance() == before.pretraining_provenance()  # of tuning alone
    assert LanguageModelOptions.model_validate(narrow.model_dump(mode="json")) == narrow
