"""One game in memory: the objects, the agents and their optimiser, one step of training, and one record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.errors import ModelError
from isogloss.backend.training.resumable.reproducible import seed_from
from isogloss.backend.training.resumable.state import adamw
from isogloss.backend.training.signalling_game.agents import Agents, rounds
from isogloss.backend.training.signalling_game.evaluate import (
    compared_objects,
    different_messages,
    evaluate,
    similarity_of,
    spoken_sample,
)
from isogloss.backend.training.signalling_game.gumbel import gumbel_noise
from isogloss.backend.training.signalling_game.messages import speak
from isogloss.backend.training.signalling_game.objects import DISTRACTED, NOISE, SHUFFLED, WEIGHTS, Objects, objects_of
from isogloss.backend.training.signalling_game.options import temperature_at
from isogloss.backend.training.signalling_game.records import GameRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.training.signalling_game.options import GameOptions


SEEDS = 2**62
"""Torch's generator is seeded with a number below this."""


@dataclass(frozen=True, eq=False)
class Run:
    """All that a game takes."""

    options: GameOptions
    objects: Objects
    agents: Agents
    optimizer: torch.optim.AdamW
    device: torch.device

    def epoch(self, step: int) -> int:
        """Return the pass over the examples that `step` belongs to, both counted from 1; 0 before the first step."""
        return math.ceil(step / self.options.steps_an_epoch)


def begin(options: GameOptions, device: torch.device) -> Run:
    """Untrained agents: their weights are drawn on the CPU, equal on every device. Seeds torch's generator.

    Raises `ModelError` where the examples drawn are of too few objects for the distractors.
    """
    objects = objects_of(options)
    if options.game == "discrimination" and len(objects.train) <= options.distractors:
        raise ModelError(
            f"The {options.rows:,} examples drawn are of {len(objects.train):,} different objects, too few for "
            f"{options.distractors} distractors. Take more examples, fewer distractors or another seed."
        )
    torch.manual_seed(seed_from(options.seed, WEIGHTS, below=SEEDS))
    agents = Agents(options).to(device)
    # Without weight decay AdamW is Adam, EGG's default.
    optimizer = adamw(agents.parameters(), learning_rate=options.learning_rate, weight_decay=0.0, device=device)
    return Run(options, objects, agents, optimizer, device)


def train_step(run: Run, step: int) -> None:
    """One update of both agents; the first step is 1. All that is random in it depends on the seed and the step alone.

    Raises `ModelError` where the loss is no longer a number.
    """
    options = run.options
    places = run.objects.rows(batch_places(step, options))
    random = np.random.default_rng([options.seed, DISTRACTED, step])
    batch = rounds(places, run.objects.train, options, random, run.device)
    generator = torch.Generator(run.device).manual_seed(seed_from(options.seed, NOISE, step, below=SEEDS))
    noise = gumbel_noise((options.length, len(places), options.vocabulary), generator)
    loss = run.agents(batch, noise, temperature_at(run.epoch(step), options)).losses.mean()
    if not math.isfinite(loss.item()):
        raise ModelError(f"The loss is no longer a number at step {step}. Choose a lower learning rate.")
    run.optimizer.zero_grad(set_to_none=True)
    loss.backward()
    run.optimizer.step()


def batch_places(step: int, options: GameOptions) -> NDArray[np.int64]:
    """Return the examples of a step, by their places: each epoch goes through all of them in an order of its own."""
    epoch, place = divmod(step - 1, options.steps_an_epoch)
    return _order(options.seed, epoch, options.rows)[place * options.batch : (place + 1) * options.batch]


@lru_cache(maxsize=1)
def _order(seed: int, epoch: int, rows: int) -> NDArray[np.int64]:
    """Return the order of an epoch, kept until the next: of millions of examples it takes longer than a step."""
    order = np.random.default_rng([seed, SHUFFLED, epoch]).permutation(rows)
    order.flags.writeable = False
    return order


def record(run: Run, step: int) -> GameRecord:
    """Return what the agents of `step` can do, and what their language is like."""
    options, objects = run.options, run.objects
    train = evaluate(run.agents, objects.train, options, run.device)
    held_out = evaluate(run.agents, objects.held_out, options, run.device) if len(objects.held_out) else None
    messages = spoken_sample(run.agents, objects.train, options, run.device)
    similarity = similarity_of(speak(run.agents, compared_objects(objects, options), options, run.device), options)
    epoch = run.epoch(step)
    return GameRecord(
        step=step,
        epoch=epoch,
        loss=train.loss,
        success=train.success,
        attributes=train.attributes,
        held_out_loss=None if held_out is None else held_out.loss,
        held_out_success=None if held_out is None else held_out.success,
        held_out_attributes=None if held_out is None else held_out.attributes,
        length=float(messages.lengths.mean()),
        different=different_messages(messages) / len(messages.objects),
        topographic_similarity=None if math.isnan(similarity) else similarity,
        temperature=temperature_at(max(1, epoch), options),
    )
