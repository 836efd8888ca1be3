"""What the sender says of objects when nothing is left to chance: the utterances of the language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.training.signalling_game.objects import values_of
from isogloss.backend.training.signalling_game.options import END

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isogloss.backend.training.signalling_game.agents import Agents
    from isogloss.backend.training.signalling_game.options import GameOptions

TOGETHER = 1024
"""Objects spoken of in one pass, always: products of other shapes may round otherwise, and an object has one message."""


@dataclass(frozen=True, eq=False)
class Messages:
    """Messages one after the other: that of object `objects[i]` is `ids[starts[i]:starts[i + 1]]`.

    The end of sequence is cut off with all behind it, so that where there is one, the symbols are 1 to vocabulary - 1, and a
    message can be empty. Without one they are 0 to vocabulary - 1, and all messages are equally long.
    """

    objects: NDArray[np.int64]
    """Numbers of the objects, `[messages]`; their values are `objects.values_of`."""
    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    """`[messages + 1]`"""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Symbols of each message: `[messages]`."""
        return np.diff(self.starts)

    def without_empty(self) -> Messages:
        """Return those that are not empty."""
        there = self.lengths > 0
        return Messages(self.objects[there], self.ids, np.concatenate([self.starts[:1], self.starts[1:][there]]))

    def with_end(self) -> Messages:
        """Return them with the end of sequence at the end of each: none is empty."""
        ids = np.insert(self.ids, self.starts[1:], END)
        return Messages(self.objects, ids, self.starts + np.arange(len(self.starts)))


@torch.no_grad()
def speak(
    agents: Agents,
    objects: NDArray[np.int64],
    options: GameOptions,
    device: torch.device,
    between: Callable[[int], None] | None = None,
) -> Messages:
    """Return the messages of numbered objects, each symbol the likeliest. Equal weights give equal messages, on one device.

    `between` is told how many objects were spoken of after each batch; what it raises ends the call.
    """
    grids = []
    for start in range(0, len(objects), TOGETHER):
        chunk = objects[start : start + TOGETHER]
        values = values_of(np.resize(chunk, TOGETHER), options)
        message = agents.sender(agents.pictures(torch.from_numpy(values).to(device)))
        grids.append(message.argmax(-1)[: len(chunk), : options.length].to(torch.int16).cpu().numpy())
        if between is not None:
            between(start + len(chunk))
    grid = np.concatenate(grids) if grids else np.empty((0, options.length), np.int16)
    said = np.cumsum(grid == END, axis=1) == 0 if options.end_of_sequence else np.ones(grid.shape, bool)
    starts = np.concatenate([[0], np.cumsum(said.sum(axis=1))]).astype(np.int64)
    return Messages(objects, grid[said].astype(np.int32), starts)
