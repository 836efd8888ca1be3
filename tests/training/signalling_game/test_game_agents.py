"""The agents: samples that carry a gradient, messages that end, answers at their end, and chance where nothing was learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from isogloss.backend.training.signalling_game.agents import Agents, Round, rounds
from isogloss.backend.training.signalling_game.evaluate import evaluate
from isogloss.backend.training.signalling_game.gumbel import gumbel_noise, gumbel_softmax
from isogloss.backend.training.signalling_game.messages import Messages, speak
from isogloss.backend.training.signalling_game.objects import objects_of, values_of
from isogloss.backend.training.signalling_game.options import GameOptions
from isogloss.backend.training.signalling_game.sender import end_weights

CPU = torch.device("cpu")


def options_of(**changes: Any) -> GameOptions:
    return GameOptions(**{"attributes": 3, "values": 5, "hidden": 16, "embedding": 8, "length": 5, "vocabulary": 7} | changes)


def agents_of(options: GameOptions, seed: int = 0) -> Agents:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Agents(options)


def noise_of(*shape: int) -> torch.Tensor:
    return gumbel_noise(shape, torch.Generator().manual_seed(1))


def test_samples_are_drawn_by_their_probability() -> None:
    logits = torch.tensor([0.0, 1.0, 2.0, -1.0])
    for temperature in (0.3, 3.0):
        for straight_through in (True, False):
            sample = gumbel_softmax(logits, noise_of(40_000, 4), temperature, straight_through)
            assert sample.sum(-1).numpy() == pytest.approx(1, abs=1e-5)
            shares = functional.one_hot(sample.argmax(-1), 4).float().mean(0)
            assert shares.tolist() == pytest.approx(logits.softmax(-1).tolist(), abs=0.01)
            if straight_through:
                assert torch.allclose(sample.max(-1).values, torch.ones(()))


def test_the_gradient_is_that_of_the_relaxed_sample() -> None:
    """By finite differences of the relaxed sample, for whole symbols as for mixtures."""
    noise, weights = noise_of(6, 4).double(), torch.arange(24.0, dtype=torch.float64).view(6, 4).sin()
    logits = torch.linspace(-1, 1, 24, dtype=torch.float64).view(6, 4).requires_grad_()
    torch.autograd.gradcheck(lambda x: gumbel_softmax(x, noise, 0.7, False), logits)
    found = [torch.autograd.grad((weights * gumbel_softmax(logits, noise, 0.7, st)).sum(), logits)[0] for st in (True, False)]
    assert torch.allclose(found[0], found[1])
    assert found[0].abs().max() > 1e-3


@pytest.mark.parametrize("game", ["discrimination", "reconstruction"])
@pytest.mark.parametrize("straight_through", [True, False])
def test_the_receivers_loss_teaches_the_sender(game: Any, straight_through: bool) -> None:
    options = options_of(game=game, straight_through=straight_through)
    agents, known = agents_of(options), objects_of(options).train
    batch = rounds(np.arange(16), known, options, np.random.default_rng(0), CPU)
    agents(batch, noise_of(5, 16, 7)).losses.mean().backward()
    for name, parameter in agents.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


def test_a_message_ends_where_it_ends() -> None:
    symbols = torch.tensor([[2, 0, 1, 0], [0, 1, 1, 0], [1, 2, 1, 0]])
    weights = end_weights(functional.one_hot(symbols, 3).float(), ends=True)
    assert weights.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
    assert end_weights(functional.one_hot(symbols, 3).float(), ends=False).tolist() == [[0, 0, 0, 1]] * 3
    mixed = torch.tensor([[[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]]])
    assert end_weights(mixed, ends=True)[0].tolist() == pytest.approx([0.5, 0.5 * 0.2, 0.5 * 0.8])


def test_the_loss_is_the_answers_at_the_messages_end() -> None:
    """Against a loop over objects: the message cut at its end, read symbol by symbol, the last answer compared."""
    options = options_of(game="reconstruction", vocabulary=3, seed=4)
    agents, known = agents_of(options, seed=4), objects_of(options).train
    batch = rounds(np.arange(40), known, options, np.random.default_rng(0), CPU)
    with torch.no_grad():
        answer = agents(batch, noise_of(5, 40, 3))
        lengths = set()
        for row in range(40):
            symbols = answer.message[row].argmax(-1).tolist()
            end = symbols.index(0) + 1
            lengths.add(end)
            logits = agents.receiver(answer.message[row : row + 1, :end])[0, -1]
            expected = functional.cross_entropy(logits, batch.values[row])
            assert answer.losses[row].item() == pytest.approx(expected.item(), rel=1e-4)
            assert answer.right[row].tolist() == (logits.argmax(-1) == batch.values[row]).tolist()
    assert len(lengths) > 3


def test_a_discriminators_answer_is_the_candidate_of_the_largest_product() -> None:
    options = options_of(distractors=4, end_of_sequence=False)
    agents, known = agents_of(options), objects_of(options).train
    batch = rounds(np.arange(30), known, options, np.random.default_rng(0), CPU)
    assert batch.candidates is not None
    with torch.no_grad():
        answer = agents(batch)
        for row in range(30):
            read = agents.receiver.read(answer.message[row : row + 1])[0, -1]
            pictures = [torch.tanh(agents.receiver.see(agents.pictures(one))) for one in batch.candidates[row]]
            products = torch.stack([(read * picture).sum() for picture in pictures])
            expected = functional.cross_entropy(products, batch.targets[row])
            assert answer.losses[row].item() == pytest.approx(expected.item(), rel=1e-4)
            assert bool(answer.right[row]) == (int(products.argmax()) == int(batch.targets[row]))


def test_the_senders_object_stands_among_others_at_any_place() -> None:
    options = options_of(distractors=3)
    known = objects_of(options).train
    batch: Round = rounds(np.arange(100).repeat(20), known, options, np.random.default_rng(0), CPU)
    assert batch.candidates is not None
    for values, candidates, target in zip(
        batch.values.tolist(), batch.candidates.tolist(), batch.targets.tolist(), strict=True
    ):
        assert candidates[target] == values
        assert len({tuple(one) for one in candidates}) == 4
    assert (torch.bincount(batch.targets) / 2000).tolist() == pytest.approx([0.25] * 4, abs=0.04)


@pytest.mark.parametrize("others", [1, 3, 9])
def test_untrained_agents_guess(others: int) -> None:
    """At chance among the candidates, on objects trained on as on those held out; each seed's agents by themselves."""
    found = []
    for seed in range(6):
        options = options_of(attributes=4, values=6, distractors=others, held_out=0.5, seed=seed)
        known = objects_of(options)
        for part in (known.train, known.held_out):
            found.append(evaluate(agents_of(options, seed), part, options, CPU).success)
    assert np.mean(found) == pytest.approx(options.chance, abs=0.03)
    assert found == pytest.approx([options.chance] * len(found), abs=0.12)
    assert options.chance == 1 / (others + 1)


@pytest.mark.parametrize("ends", [True, False])
def test_an_object_has_one_message_however_it_is_asked(ends: bool) -> None:
    options = options_of(attributes=5, values=5, end_of_sequence=ends, seed=2)
    agents, numbers = agents_of(options, seed=1), np.arange(3125)
    whole = speak(agents, numbers, options, CPU)
    said = dict(zip(numbers.tolist(), listed(whole), strict=True))
    for asked in ([7], [3000, 7, 7, 12], list(range(0, 3125, 13))):
        assert listed(speak(agents, np.array(asked), options, CPU)) == [said[one] for one in asked]
    with torch.no_grad():
        grid = agents.sender(agents.pictures(torch.from_numpy(values_of(numbers[:50], options)))).argmax(-1).tolist()
    for number, symbols in enumerate(grid):
        assert said[number] == (symbols[: symbols.index(0)] if ends else symbols)
    assert len({tuple(one) for one in said.values()}) > 5
    lengths = set(whole.lengths.tolist())
    assert lengths == {5} if not ends else len(lengths) > 2


def test_what_follows_the_end_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    options, agents = options_of(length=4), agents_of(options_of(length=4))
    said = torch.tensor([[3, 0, 5, 0, 0], [0, 2, 2, 2, 0], [1, 2, 3, 4, 0]])
    monkeypatch.setattr(agents.sender, "forward", lambda seen: functional.one_hot(said[torch.arange(len(seen)) % 3], 7).float())
    messages = speak(agents, np.arange(3), options, CPU)
    assert listed(messages) == [[3], [], [1, 2, 3, 4]]
    assert messages.starts.tolist() == [0, 1, 1, 5]
    assert (messages.ids.dtype, messages.starts.dtype) == (np.int32, np.int64)


def test_empty_messages_are_left_out() -> None:
    messages = Messages(np.array([4, 5, 8, 9]), np.array([1, 2, 3], np.int32), np.array([0, 0, 2, 2, 3]))
    spoken = messages.without_empty()
    assert spoken.objects.tolist() == [5, 9]
    assert listed(spoken) == [[1, 2], [3]]


@pytest.mark.parametrize("seed", range(5))
def test_every_message_may_keep_its_end(seed: int) -> None:
    draw = np.random.default_rng(seed)
    said = [draw.integers(1, 6, draw.integers(0, 4)).tolist() for _ in range(draw.integers(1, 12))]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in said])])
    ids = np.array([symbol for one in said for symbol in one], np.int32)
    kept = Messages(np.arange(len(said)), ids, starts).with_end()
    assert listed(kept) == [[*one, 0] for one in said]
    assert (kept.ids.dtype, kept.starts.dtype) == (np.int32, np.int64)


def listed(messages: Messages) -> list[list[int]]:
    return [one.tolist() for one in np.split(messages.ids, messages.starts[1:-1])]
