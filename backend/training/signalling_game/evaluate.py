"""How well agents play when they speak without noise: always the same objects, among the same distractors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.metrics.corpus.topographic_similarity import topographic_similarity
from isogloss.backend.training.signalling_game.agents import rounds
from isogloss.backend.training.signalling_game.messages import speak
from isogloss.backend.training.signalling_game.objects import COMPARED, EVALUATED, GUESSED, distinct, values_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.training.signalling_game.agents import Agents
    from isogloss.backend.training.signalling_game.messages import Messages
    from isogloss.backend.training.signalling_game.objects import Objects
    from isogloss.backend.training.signalling_game.options import GameOptions

TOGETHER = 2048
"""Rounds played in one pass."""
COMPARED_OBJECTS = 300
"""Objects whose meanings and messages are compared pair by pair: 44,850 pairs."""


@dataclass(frozen=True)
class Played:
    """What came of the rounds about some objects."""

    loss: float
    """Mean cross-entropy in nats."""
    success: float
    """The share of rounds in which all was right."""
    attributes: float | None
    """The share of attributes named rightly; None in discrimination."""


@torch.no_grad()
def evaluate(agents: Agents, objects: NDArray[np.int64], options: GameOptions, device: torch.device) -> Played:
    """Play one round about each of `options.evaluated` of the objects (all where they are fewer), drawn by the seed."""
    random = np.random.default_rng([options.seed, GUESSED])
    places = evaluated_places(objects, options)
    losses, right = [], []
    for start in range(0, len(places), TOGETHER):
        answer = agents(rounds(places[start : start + TOGETHER], objects, options, random, device))
        losses.append(answer.losses.double().cpu())
        right.append(answer.right.cpu().reshape(len(answer.right), -1))
    all_right = torch.cat(right)
    named = all_right.double().mean().item() if options.game == "reconstruction" else None
    return Played(torch.cat(losses).mean().item(), all_right.all(1).double().mean().item(), named)


def evaluated_places(objects: NDArray[np.int64], options: GameOptions) -> NDArray[np.int64]:
    """Return which of the objects are evaluated: the same at every record point."""
    random = np.random.default_rng([options.seed, EVALUATED])
    return distinct(random, len(objects), min(options.evaluated, len(objects)))


def compared_objects(objects: Objects, options: GameOptions) -> NDArray[np.int64]:
    """Return the objects of which topographic similarity is taken: some of the game's, trained on or held out."""
    known = np.concatenate([objects.train, objects.held_out])
    return known[distinct(np.random.default_rng([options.seed, COMPARED]), len(known), min(COMPARED_OBJECTS, len(known)))]


def similarity_of(messages: Messages, options: GameOptions) -> float:
    """Topographic similarity of messages and what they mean."""
    return topographic_similarity(values_of(messages.objects, options), messages.ids, messages.starts)


def different_messages(messages: Messages) -> int:
    """Return how many different messages there are."""
    bounds = messages.starts.tolist()
    return len({messages.ids[a:b].tobytes() for a, b in pairwise(bounds)})


def spoken_sample(agents: Agents, objects: NDArray[np.int64], options: GameOptions, device: torch.device) -> Messages:
    """Return the messages of the objects that `evaluate` plays."""
    return speak(agents, objects[evaluated_places(objects, options)], options, device)
