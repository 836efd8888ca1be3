"""Vectors of texts by a model that is run layer by layer: those of a model in memory, with its weights read once."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from isogloss.backend.device_memory import batch_of, is_short, remember_batch
from isogloss.backend.errors import IsoglossError, ModelError
from isogloss.backend.models import memory
from isogloss.backend.models.encoding.batch_loop import StoppedError, to_device
from isogloss.backend.models.encoding.batches import batches, default_budget, padded_on, split
from isogloss.backend.models.encoding.encode import embedded_language, fill, padded
from isogloss.backend.models.encoding.reduce import Encoded, Reducer, room_for
from isogloss.backend.models.layered.run import LayerByLayer
from isogloss.backend.models.layered.shelf import Shelf
from isogloss.backend.models.loading.tokenizer import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from isogloss.backend.models.encoding.tokens import Tokens
    from isogloss.backend.models.encoding.words import WordTokens
    from isogloss.backend.models.entry import Pooling
    from isogloss.backend.models.loading.load import Loaded

AS_MANY_LAYERS = 8
"""What one layer makes of a batch takes about as much memory as so many layers' hidden states."""
SLOTS = 4
"""Activations of a token that lie on the shelf at most: its embedding, its position's, their norm, its hidden state."""
IN_MEMORY = 0.25
"""Of the memory that is free, what activations may take before they go to a file."""
MOST = 4096
"""Batches on their way at once."""


@dataclass(frozen=True)
class Asked:
    """Texts of one language, and what is asked of them: arguments as of `encode`."""

    tokens: Tokens
    poolings: Sequence[Pooling]
    words: WordTokens | None = None
    language: str | None = None


def encode_all(
    loaded: Loaded,
    asked: Sequence[Asked],
    *,
    token_budget: int | None = None,
    progress: Callable[[float], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> list[Encoded]:
    """Return the vectors of all that is `asked`, the model's weights read once for all of it where its activations have room.

    `progress` gets the share that is done, after every batch of every layer; `should_stop` is asked before each.
    Raises as `encode`.
    """
    started = time.perf_counter()
    shape = loaded.layers + 1, loaded.dims
    given = [room_for(each.tokens, each.poolings, each.words, shape) for each in asked]
    budget = token_budget or batch_of(default_budget(loaded.device, AS_MANY_LAYERS, loaded.dims))
    work = [
        _Batch(number, rows)
        for number, each in enumerate(asked)
        for rows in batches([len(ids) for ids in each.tokens.ids], budget, padded=padded_on(loaded.device))
    ]
    total, done = max(1, len(work)), 0
    while work:
        wave = _Wave(loaded, asked, given, work[: _together(loaded, asked, work)])
        try:
            wave.run(_part_of(progress, done / total, len(wave.batches) / total), should_stop)
        except (RuntimeError, MemoryError) as error:
            if not (is_short(error) or isinstance(error, MemoryError)):
                raise
            work = _smaller(loaded, asked, work)
            total = done + len(work)
            continue
        work, done = work[len(wave.batches) :], done + len(wave.batches)
    seconds = time.perf_counter() - started
    return [replace(each, seconds=seconds * each.tokens / max(1, sum(one.tokens for one in given))) for each in given]


def _part_of(progress: Callable[[float], None] | None, before: float, share: float) -> Callable[[float], None]:
    """Return what reports a part of the work as one of all of it."""
    return lambda within: None if progress is None else progress(before + share * within)


@dataclass(frozen=True)
class _Batch:
    of: int
    """Which of what is asked."""
    rows: list[int]

    def padded_tokens(self, asked: Sequence[Asked]) -> int:
        ids = asked[self.of].tokens.ids
        return len(self.rows) * max(len(ids[row]) for row in self.rows)


def _together(loaded: Loaded, asked: Sequence[Asked], work: Sequence[_Batch]) -> int:
    """Return how many of the next batches have room on the shelf at once: one at least."""
    layered = loaded.layered
    assert layered is not None
    layered.scratch.mkdir(parents=True, exist_ok=True)
    room = _in_memory() + shutil.disk_usage(layered.scratch).free // 2
    for count, batch in enumerate(work[:MOST]):
        room -= batch.padded_tokens(asked) * loaded.dims * loaded.dtype.itemsize * SLOTS
        if room < 0:
            return max(1, count)
    return min(MOST, len(work))


def _in_memory() -> int:
    return int(IN_MEMORY * memory.free(torch.device("cpu")))


def _smaller(loaded: Loaded, asked: Sequence[Asked], work: Sequence[_Batch]) -> list[_Batch]:
    """Return the batches cut to half the tokens of the largest. Raises `ModelError` where that is a single text."""
    largest = max(work, key=lambda batch: batch.padded_tokens(asked))
    if len(largest.rows) == 1:
        raise ModelError(
            f"One sentence of {largest.padded_tokens(asked)} tokens does not fit in memory beside a layer of {loaded.shown}. "
            "Free the device, shorten the sentence or choose a smaller model."
        )
    limit = largest.padded_tokens(asked) // 2
    remember_batch(limit)
    lengths = [[len(ids) for ids in each.tokens.ids] for each in asked]
    return [_Batch(batch.of, rows) for batch in work for rows in split(batch.rows, lengths[batch.of], limit)]


class _Wave:
    """Batches that go through the model together."""

    def __init__(self, loaded: Loaded, asked: Sequence[Asked], given: Sequence[Encoded], batches: Sequence[_Batch]) -> None:
        self.batches = batches
        self._loaded, self._given = loaded, given
        self._inputs: list[dict[str, Tensor]] = []
        self._reducers: list[Reducer] = []
        for batch in batches:
            of = asked[batch.of]
            ids, mask, special = padded(loaded, of.tokens, batch.rows)
            language = embedded_language(loaded.module, of.language)
            extra = {} if language is None else {"langs": torch.full_like(ids, language)}
            self._inputs.append({"input_ids": ids, "attention_mask": mask, **extra})
            mask, special = (to_device(one, loaded.device) for one in (mask, special))
            self._reducers.append(Reducer(batch.rows, mask, special, of.poolings, of.words))

    def run(self, progress: Callable[[float], None], should_stop: Callable[[], bool] | None) -> None:
        """Run them and fill in what they give. Raises as `encode`."""
        loaded, layered = self._loaded, self._loaded.layered
        assert layered is not None
        done, steps = 0, len(self.batches) * loaded.layers

        def tick() -> None:
            nonlocal done
            if should_stop is not None and should_stop():
                raise StoppedError("Stopped before every sentence was embedded. Start it again to go on.")
            progress(done / steps)
            done += 1

        with Shelf(layered.scratch, _in_memory(), pin=loaded.device.type == "cuda") as shelf:
            try:
                LayerByLayer(layered.skeleton, loaded.device, loaded.shown).run(self._inputs, shelf, self._take, tick)
            except (IsoglossError, MemoryError):
                raise
            except Exception as error:
                if is_short(error) or isinstance(error, torch.AcceleratorError):
                    raise
                raise ModelError(reason(loaded.shown, error, "run")) from error
        progress(1.0)

    def _take(self, number: int, layer: int, hidden: Tensor) -> None:
        loaded, batch = self._loaded, self.batches[number]
        expected = (*self._inputs[number]["input_ids"].shape, loaded.dims)
        if tuple(hidden.shape) != expected:
            raise ModelError(
                f"{loaded.shown} gave a hidden state of shape {tuple(hidden.shape)} where {expected} was expected. "
                "Its architecture is not supported."
            )
        made = self._reducers[number].reduce([hidden])
        if loaded.device.type == "cuda":
            torch.cuda.current_stream(loaded.device).synchronize()  # what is copied to the host is there only then
        fill(self._given[batch.of], made, loaded, layer)
