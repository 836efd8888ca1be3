"""What a signalling game will cost before it is played: from a worker's measured speed, corrected by earlier games."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from backend.experiments.emergent.game.finished_games import finished_games
from backend.experiments.estimate import RECENT, STARTING_SECONDS, Estimate, read_cached

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from backend.experiments.emergent.game.finished_games import Played
    from backend.experiments.emergent.game.shard import LanguageGameSpec
    from backend.experiments.speed import Speed
    from backend.training.signalling_game.options import GameOptions

PASSES = 3.0
"""A forward and a backward pass, and the optimiser, beside a forward pass alone."""
OVERHEAD = 2.5
"""A recurrent cell against bare matrix products: gates, noise and softmax (measured with eight presets: 2.4 to 3.5)."""
SYMBOL_SECONDS = 5e-4
"""Of an update, for each symbol that is said or read, however small the agents: starting operations."""


def language_game(spec: LanguageGameSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for the game of `spec`; None where no worker has measured its speed."""
    return None if speed is None else game(spec.options, speed, read_cached("details", workspaces, finished_games))


def game(options: GameOptions, speed: Speed, earlier: Sequence[Played]) -> Estimate:
    """Seconds for a game, at most: one with `enough` ends once its success is reached.

    Earlier games, the newest last, say how much longer games take here than is computed.
    """
    # A game is played in one thread of a CPU, while a worker's speed was measured in all of them.
    flops = speed.encoding_flops / (speed.threads if speed.kind == "cpu" else 1)
    seconds = seconds_of(options, options.steps, flops)
    paces = [each.seconds / seconds_of(each.options, each.steps, flops) for each in earlier if each.seconds]
    if paces:
        return Estimate(STARTING_SECONDS + median(paces[-RECENT:]) * seconds, 1, "from the last games that were played here")
    return Estimate(STARTING_SECONDS + seconds, 1, speed.basis)


def seconds_of(options: GameOptions, steps: int, speed: float) -> float:
    """Seconds of so many updates, their record points and the corpus, at `speed` operations a second."""
    said = options.length * (_cell(options.hidden, options) + 2.0 * options.hidden * options.vocabulary)
    read = options.symbols_read * _cell(options.receiver_size, options)
    updates = steps * min(options.batch, options.rows)
    points = steps / (options.record_every * options.steps_an_epoch) + 1
    evaluated = points * (min(options.trained, options.evaluated) + min(options.kept_back, options.evaluated))
    products = (PASSES * updates + evaluated) * (said + read) + options.spoken * said
    return OVERHEAD * products / speed + steps * (options.length + options.symbols_read) * SYMBOL_SECONDS


def _cell(hidden: int, options: GameOptions) -> float:
    """Operations of a GRU cell: three gates, a product and a sum each."""
    return 6.0 * hidden * (options.embedding + hidden)
