"""How much work a signalling game is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.experiments.pricing.estimate import Work

if TYPE_CHECKING:
    from isogloss.backend.experiments.emergent.game.shard import LanguageGameSpec
    from isogloss.backend.experiments.family import Place


def language_game(spec: LanguageGameSpec, _shard: str, _place: Place) -> Work:
    """Return the symbols said and read in all updates; `enough` may end a game before.

    Small agents take as long for a symbol whatever their size, large ones in proportion: sizes are told apart, not counted.
    """
    options = spec.options
    sizes = (options.hidden, options.receiver_size, options.batch, options.vocabulary, options.embedding)
    symbols = float(options.steps * (options.length + options.symbols_read))
    return Work(symbols, ("playing", options.game, " ".join(map(str, sizes))))
