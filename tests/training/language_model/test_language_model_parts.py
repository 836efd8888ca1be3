"""The parts of language-model training against plain, slow versions and against transformers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from isogloss.backend.errors import CorpusError, ModelError, SpecError
from isogloss.backend.training.language_model import loss as loss_module
from isogloss.backend.training.language_model.evaluate import cross_entropy, spans
from isogloss.backend.training.language_model.loss import loss_and_gradients, token_losses
from isogloss.backend.training.language_model.model import LanguageModel
from isogloss.backend.training.language_model.options import Architecture, LanguageModelOptions, preset
from isogloss.backend.training.language_model.run import begin, forget_embeddings, fresh_model, train_step
from isogloss.backend.training.language_model.source import source_windows
from isogloss.backend.training.language_model.target import target_text
from isogloss.backend.training.language_model.tokenizer import cached_bpe, train_bpe
from isogloss.backend.training.language_model.weights import load_model, save_model
from isogloss.backend.training.resumable.options import Stage
from tests.corpora.emergent.utterances import from_utterances
from tests.training.language_model.language_modelling import SHAPE, tiny_options, tiny_source, tiny_texts


def tiny_model(dropout: float = 0.0, seed: int = 1) -> LanguageModel:
    """With larger weights than fresh ones have, so that every part of it matters."""
    model = fresh_model(Architecture(**SHAPE | {"dropout": dropout}), seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += torch.randn_like(parameter) * 0.3
    return model


def transformers_model(folder: Path) -> Any:
    from transformers import GPT2LMHeadModel

    return GPT2LMHeadModel.from_pretrained(folder)


# --- options


def test_the_paper_preset_is_the_papers() -> None:
    options = preset("paper", seed=7)
    shape = options.architecture
    assert (shape.layers, shape.heads, shape.dims, shape.context, shape.vocabulary) == (6, 6, 768, 256, 30_000)
    for stage, tokens, epochs in ((options.pretraining, 15_000_000, 5), (options.tuning, 2_000_000, 10)):
        assert (stage.tokens, stage.epochs, stage.batch) == (tokens, epochs, 32)
        assert (stage.learning_rate, stage.weight_decay) == (1e-4, 0.01)
    assert (options.protocol, options.seed) == ("correct", 7)
    assert preset("paper", protocol="released").tuning.weight_decay == 0
    assert (options.text, preset("paper", protocol="released").text) == ("random order", "released")
    assert options.fresh_deviation == 0.02  # GPT-2's, for 768 dimensions
    assert preset("quick").fresh_deviation == pytest.approx(0.02 * math.sqrt(8))
    assert round(shape.training_flop / 1e6) == 407
    assert LanguageModelOptions.model_validate_json(options.model_dump_json()) == options


@pytest.mark.parametrize("shape", [{}, {"layers": 1, "vocabulary": 999}, {"context": 4, "dims": 32}])
def test_parameters_are_counted(shape: dict[str, Any]) -> None:
    architecture = Architecture(**SHAPE | shape)
    assert architecture.parameters == sum(each.numel() for each in LanguageModel(architecture).parameters())


def test_the_learning_rate_falls_linearly_to_zero_after_the_last_step() -> None:
    stage = Stage(tokens=100, epochs=3, batch=4, learning_rate=0.8)
    assert stage.steps(9) == 9
    assert [stage.learning_rate_at(step, 4) for step in (1, 2, 3, 4)] == pytest.approx([0.8, 0.6, 0.4, 0.2])
    with pytest.raises(ValueError, match="multiple of heads"):
        Architecture(dims=10, heads=4)


# --- model and loss


def test_the_model_has_the_numbers_of_transformers(tmp_path: Path) -> None:
    model = tiny_model().eval()
    save_model(tmp_path / "model", model, Architecture(**SHAPE))
    theirs = transformers_model(tmp_path / "model").eval()
    ids = torch.randint(0, 300, (3, 12))
    with torch.no_grad():
        logits = theirs(input_ids=ids).logits
        ours = model(ids) @ model.wte.weight.T
    assert logits.std() > 1
    torch.testing.assert_close(ours, logits, rtol=1e-4, atol=1e-4)


def test_a_step_is_that_of_transformers_with_plain_adamw(tmp_path: Path) -> None:
    """Weights after three updates: clipping, decay, schedule, the tied gradient, a last batch that is smaller."""
    options = tiny_options(architecture=Architecture(**SHAPE | {"dropout": 0.0}))
    stage = Stage(tokens=120, epochs=1, batch=4, learning_rate=1e-3, weight_decay=0.1)
    options = options.model_copy(update={"pretraining": stage})
    windows = source_windows(tiny_source(), options)
    model = tiny_model()
    save_model(tmp_path / "model", model, options.architecture)
    theirs = transformers_model(tmp_path / "model").train()
    optimizer = torch.optim.AdamW(theirs.parameters(), lr=1.0, weight_decay=0.1)
    run = begin("pre-training", model, windows, options, torch.device("cpu"))
    order = np.random.default_rng([3, 2, 1, 0]).permutation(10)
    for step in (1, 2, 3):
        ids = torch.from_numpy(windows[order[4 * step - 4 : 4 * step]]).long()
        loss = theirs(input_ids=ids, labels=ids).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        optimizer.param_groups[0]["lr"] = 1e-3 * (4 - step) / 3
        optimizer.step()
        assert train_step(run, step).item() == pytest.approx(loss.item(), rel=1e-5)
    save_model(tmp_path / "after", model, options.architecture)
    after = transformers_model(tmp_path / "after").state_dict()
    for name, value in theirs.state_dict().items():
        one, other = after[name], value
        if name.endswith("c_attn.bias"):  # those of keys have no gradient but rounding, which AdamW blows up
            one, other = (torch.cat([each[:16], each[32:]]) for each in (one, other))
        torch.testing.assert_close(one, other, rtol=1e-4, atol=2e-5, msg=name)


@pytest.mark.parametrize("rows", [1, 7, 256])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_loss_and_gradients_are_autograds(rows: int, scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(loss_module.ROWS, "cpu", rows)
    states = (torch.randn(23, 8) * scale).requires_grad_()
    table, targets = torch.randn(50, 8, requires_grad=True), torch.randint(0, 50, (23,))
    expected = functional.cross_entropy(states @ table.T, targets)
    expected.backward()
    if scale > 1:  # no target is as unlikely as e⁻⁸⁷ in the case that is compared
        targets = (states @ table.T).argmax(1)
        states.grad = table.grad = None
        expected = functional.cross_entropy(states @ table.T, targets)
        expected.backward()
    loss, to_states, to_table = loss_and_gradients(states.detach(), table.detach(), targets, torch.float32)
    torch.testing.assert_close(loss, expected.detach(), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(to_states, states.grad, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(to_table, table.grad, rtol=1e-4, atol=1e-6)
    each = token_losses(states.detach(), table.detach(), targets, torch.float32)
    torch.testing.assert_close(each, functional.cross_entropy(states @ table.T, targets, reduction="none").detach())


def test_a_loss_that_is_no_number_stays_none() -> None:
    states = torch.tensor([[math.nan, 1.0], [1.0, 1.0]])
    assert loss_and_gradients(states, torch.ones(5, 2), torch.tensor([0, 1]), torch.float32)[0].isnan()


def test_embeddings_are_forgotten_and_nothing_else() -> None:
    before = {name: value.clone() for name, value in tiny_model().state_dict().items()}
    tables = []
    for protocol, seed in (("correct", 1), ("released", 1), ("correct", 2), ("correct", 1)):
        model = tiny_model()
        forget_embeddings(model, protocol, seed)  # type: ignore[arg-type]
        changed = [name for name, value in model.state_dict().items() if not torch.equal(value, before[name])]
        assert changed == ["wte.weight"]
        tables.append(model.wte.weight.detach())
    assert tables[0].std().item() == pytest.approx(0.02, rel=0.05)
    assert tables[1].abs().max().item() == pytest.approx(0.25, rel=0.01)
    assert tables[1].std().item() == pytest.approx(0.5 / 12**0.5, rel=0.05)
    assert not torch.equal(tables[0], tables[2])
    assert torch.equal(tables[0], tables[3])
    model = tiny_model()
    forget_embeddings(model, "correct", 1, 0.1)
    torch.testing.assert_close(model.wte.weight.detach(), tables[0] * 5)


def test_fresh_weights_are_spread_as_in_gpt2() -> None:
    model = fresh_model(Architecture(layers=8, heads=2, dims=64, context=32, vocabulary=300), 0)
    for name, value in model.named_parameters():
        match name.split(".")[-2:]:
            case [_, "bias"]:
                assert not value.any(), name
            case [norm, "weight"] if norm.startswith("ln_"):
                assert (value == 1).all(), name
            case ["c_proj", "weight"]:
                assert value.std().item() == pytest.approx(0.02 / 4, rel=0.1), name
            case _:
                assert value.std().item() == pytest.approx(0.02, rel=0.1), name


def test_weights_come_back_and_others_are_refused(tmp_path: Path) -> None:
    shape, model = Architecture(**SHAPE), tiny_model()
    save_model(tmp_path / "model", model, shape)
    assert all(
        torch.equal(value, model.state_dict()[name])
        for name, value in load_model(tmp_path / "model", shape).state_dict().items()
    )
    with pytest.raises(ModelError, match="another shape"):
        load_model(tmp_path / "model", Architecture(**SHAPE | {"vocabulary": 301}))
    path = tmp_path / "model" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(ModelError, match="cannot be read"):
        load_model(tmp_path / "model", shape)


# --- sources


def plain_stream(utterances: list[list[int]], needed: int, orders: list[list[int]]) -> list[int]:
    """Utterance after utterance; where the corpus is too short, copies of it in the given orders."""
    if sum(map(len, utterances)) >= needed:
        return [symbol for utterance in utterances for symbol in utterance][:needed]
    return [symbol for order in orders for place in order for symbol in utterances[place]][:needed]


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.integers(0, 20), min_size=1, max_size=6), min_size=1, max_size=12),
    st.integers(4, 90),
    st.integers(4, 11),
    st.integers(0, 3),
)
def test_windows_of_a_source(utterances: list[list[int]], tokens: int, context: int, seed: int) -> None:
    options = tiny_options(
        architecture=Architecture(**SHAPE | {"context": context}), pretraining=Stage(tokens=tokens, epochs=1), seed=seed
    )
    windows = source_windows(from_utterances(utterances), options)
    needed = math.ceil(tokens / context) * context
    orders = [np.random.default_rng([seed, 1, k]).permutation(len(utterances)).tolist() for k in range(needed)]
    assert windows.shape == (needed // context, context)
    assert windows.dtype == np.int32
    assert windows.ravel().tolist() == plain_stream(utterances, needed, orders)


def test_repetitions_differ_and_ids_beyond_the_vocabulary_are_names() -> None:
    options = tiny_options(pretraining=Stage(tokens=1200, epochs=1))
    stream = source_windows(tiny_source(), options).ravel().tolist()
    length = tiny_source().tokens
    assert stream[:length] != stream[length : 2 * length]
    assert sorted(stream[:length]) == sorted(stream[length : 2 * length])
    huge = from_utterances([[2_000_000_000, 7], [300, 7, 7]])
    assert source_windows(
        huge, tiny_options(pretraining=Stage(tokens=4, epochs=1), architecture=Architecture(**SHAPE | {"context": 5}))
    )[0].tolist() == [2, 0, 1, 0, 0]
    with pytest.raises(SpecError, match="301 different symbols"):
        source_windows(from_utterances([list(range(1000, 1301))]), options)


# --- targets


def text_of(ids: list[int], texts: list[str], options: LanguageModelOptions) -> list[str]:
    """The texts that token ids spell, cut where a text ends."""
    bpe = train_bpe(texts, options.architecture.vocabulary - 1)
    pieces: list[list[int]] = [[]]
    for each in ids:
        if each == bpe.get_vocab_size():
            pieces.append([])
        else:
            pieces[-1].append(each)
    from tokenizers.decoders import ByteLevel

    bpe.decoder = ByteLevel()
    return [bpe.decode(piece) for piece in pieces]


def test_held_out_text_is_never_seen() -> None:
    """Neither by the tokeniser nor in tuning, not even where the corpus says it twice."""
    texts = tiny_texts()
    options = tiny_options(tuning=Stage(tokens=100_000, epochs=1), evaluation_tokens=100_000)
    texts[5] = texts[int(np.random.default_rng(0).permutation(60)[0])]  # a copy of a held-out text
    target = target_text(texts, options)
    held_out = [texts[place] for place in target.held_out]
    assert (len(held_out), target.repeated) == (6, 1)
    others = [text for text in texts if text not in held_out]
    assert len(others) == 53
    assert text_of(target.test.tolist(), others, options) == [*held_out, ""]
    seen = text_of(target.tuning.ravel().tolist(), others, options)
    assert seen[:-1] == others[: len(seen) - 1]
    assert len(seen) > 50  # all but what does not fill the last window
    assert target.entries == train_bpe(others, 299).get_vocab_size()


def test_held_out_text_could_be_anything_and_tuning_would_be_the_same() -> None:
    texts, options = tiny_texts(), tiny_options()
    target = target_text(texts, options)
    changed = [f"quite another text {place}" if place in target.held_out else text for place, text in enumerate(texts)]
    other = target_text(changed, options)
    assert np.array_equal(other.tuning, target.tuning)
    assert not np.array_equal(other.test, target.test)
    released = options.model_copy(update={"protocol": "released"})
    assert not np.array_equal(target_text(changed, released).tuning, target_text(texts, released).tuning)  # there it is seen


def test_what_is_held_out_does_not_depend_on_the_seed_and_budgets_cut() -> None:
    texts = tiny_texts()
    one, other = (target_text(texts, tiny_options(seed=seed)) for seed in (1, 2))
    assert one.digest() == other.digest()
    assert one.held_out == other.held_out
    assert one.tuning.shape == (50, 12)
    assert len(one.test) == 100
    everything = target_text(texts, tiny_options(tuning=Stage(tokens=10**6, epochs=1), evaluation_tokens=10**6))
    assert len(everything.test) > 100
    assert np.array_equal(everything.test[:100], one.test)
    assert np.array_equal(everything.tuning[:50], one.tuning)  # longer, and not repeated


def test_released_targets_are_those_of_the_published_code() -> None:
    """Tuning on all texts in their order with nothing between; a part of what `correct` sees has ends."""
    texts, options = tiny_texts(), tiny_options(protocol="released")
    target = target_text(texts, options)
    bpe = train_bpe(texts, 299)
    stream = [each for text in texts for each in bpe.encode(text).ids]
    assert target.tuning.ravel().tolist() == stream[: 50 * 12]
    order = np.random.default_rng(0).permutation(60)
    assert list(target.held_out) == order[:6].tolist()
    expected: list[int] = []
    for place in order[:6]:
        if len(expected) > 100:
            break
        expected += [*bpe.encode(texts[place]).ids, bpe.get_vocab_size()]
    assert target.test.tolist() == expected


def test_released_windows_lose_the_rest_of_every_thousand_texts() -> None:
    texts = tiny_texts(texts=2300)
    options = tiny_options(protocol="released", tuning=Stage(tokens=10**6, epochs=1))
    bpe = train_bpe(texts, 299)
    expected = []
    for first in (0, 1000, 2000):
        stream = [each for text in texts[first : first + 1000] for each in bpe.encode(text).ids]
        expected += [stream[at : at + 12] for at in range(0, len(stream) - 11, 12)]
    assert target_text(texts, options).tuning.tolist() == expected


def test_too_little_text_is_refused() -> None:
    for texts in ([], ["one text"], ["a", "b", "c"]):
        with pytest.raises(CorpusError, match="too few"):
            target_text(texts, tiny_options())


def test_a_tokeniser_is_kept_for_its_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = tiny_texts()
    made = cached_bpe(texts, 299, tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]
    assert made.to_str() == train_bpe(texts, 299).to_str()
    cached_bpe(texts[:-1], 299, tmp_path)
    cached_bpe(texts, 298, tmp_path)
    assert len(list(tmp_path.iterdir())) == 3
    monkeypatch.setattr("isogloss.backend.training.language_model.tokenizer.train_bpe", None)
    assert cached_bpe(texts, 299, tmp_path).to_str() == made.to_str()


def test_no_text_is_taken_for_a_special_token() -> None:
    texts = tiny_texts()
    bpe = train_bpe(texts, 299)
    assert max(bpe.encode("<|endoftext|> <s> [PAD]").ids) < bpe.get_vocab_size() <= 299
    assert bpe.encode("\x00 never seen ☃").ids


# --- evaluation


def plain_losses(model: LanguageModel, ids: list[int], first: int, place: int) -> float:
    """The cross-entropy of token `place` from the tokens `first` up to it."""
    with torch.no_grad():
        scores = model(torch.tensor([ids[first:place]]))[0, -1] @ model.wte.weight.T
    return -scores.double().log_softmax(0)[ids[place]].item()


@pytest.mark.parametrize("tokens", [2, 7, 12, 13, 18, 19, 24, 50, 150])
def test_cross_entropy_by_loops(tokens: int) -> None:
    model = tiny_model().eval()
    ids = np.random.default_rng(tokens).integers(0, 300, tokens).astype(np.int32)
    text = ids.tolist()
    # correct: a token beyond the first window is in the first window that reaches it, begun at a multiple of 6
    begins = [0 if place < 12 else (place - 12) // 6 * 6 + 6 for place in range(tokens)]
    assert all(place - begin >= 6 for place, begin in enumerate(begins) if begin)
    correct = [plain_losses(model, text, begins[place], place) for place in range(1, tokens)]
    for protocol in ("correct", "printed"):
        assert cross_entropy(model, ids, 12, protocol, batch=4) == pytest.approx(np.mean(correct), rel=1e-5)
    # released: all tokens of all windows
    means, begin = [], 0
    while True:
        end = min(begin + 12, tokens)
        means.append(np.mean([plain_losses(model, text, begin, place) for place in range(begin + 1, end)]))
        if end == tokens:
            break
        begin += 6
    for protocol in ("released", "released-2024-12"):
        assert cross_entropy(model, ids, 12, protocol, batch=4) == pytest.approx(np.mean(means), rel=1e-5)


@given(st.integers(2, 400), st.integers(4, 65))
def test_spans_score_every_token_once(tokens: int, context: int) -> None:
    found = spans(tokens, context, "correct")
    assert [place for span in found for place in range(span.scored, span.end)] == list(range(1, tokens))
    for span in found:
        assert span.end - span.begin <= context
        assert span.begin == 0 or span.scored - span.begin >= context // 2


def test_evaluation_leaves_the_model_as_it_was_and_says_where_it_diverged() -> None:
    model = tiny_model(dropout=0.5)
    ids = np.arange(40, dtype=np.int32)
    values = {cross_entropy(model, ids, 12, "correct", batch=batch) for batch in (1, 3, 3)}
    assert max(values) - min(values) < 1e-5  # no dropout
    assert model.training
    with torch.no_grad():
        model.wte.weight[0, 0] = math.nan
    with pytest.raises(ModelError, match="no longer numbers"):
        cross_entropy(model, ids, 12, "correct")
