"""One training of a translation model in memory: a model, its batches and its optimiser, and one step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from isogloss.backend.models.encoding.batch_loop import to_device
from isogloss.backend.training.language_model.loss import loss_and_gradients
from isogloss.backend.training.language_model.tied import TiedRun, rows_of
from isogloss.backend.training.resumable.reproducible import precision_on, seed_from
from isogloss.backend.training.resumable.state import adamw
from isogloss.backend.training.translation.infilling import draw_spans, infill
from isogloss.backend.training.translation.model import forget_embeddings, new_model, table_of
from isogloss.backend.training.translation.options import MASK, PADDING, START

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from torch import Tensor
    from transformers import BartForConditionalGeneration

    from isogloss.backend.training.resumable.options import Training
    from isogloss.backend.training.translation.options import TranslationArchitecture, TranslationOptions
    from isogloss.backend.training.translation.pairs import Rows, TranslationText

STREAMS: dict[Training, int] = {"pre-training": 12, "tuning": 13}
"""Random numbers of the two never meet, nor those of `backend.training.language_model.run`. 10 makes fresh weights, 14 fresh
embeddings."""

SORTED_TOGETHER = 50
"""Batches whose pairs are sorted by length together: rows of a batch are then nearly equally long, with little padding."""


@dataclass(frozen=True, eq=False)
class Batch:
    """What one update takes, on the host."""

    read: NDArray[np.int64]
    """`[rows, longest]`: what the encoder reads, then padding."""
    written: NDArray[np.int64]
    """`[rows, longest of them]`: what the decoder has written at each place, which begins with the start."""
    next: NDArray[np.int64]
    """As `written`: what it is to write next."""
    counts: NDArray[np.bool_]
    """As `written`: where that counts for the loss."""


@dataclass(frozen=True, eq=False)
class TranslationRun(TiedRun):
    """All that training takes."""

    options: TranslationOptions
    model: BartForConditionalGeneration
    tokens: float
    """Of an update, read and written, on average."""
    batch: Callable[[int], Batch]
    """Of a step; the first is 1."""
    states: Callable[..., Any]
    """The model up to its output layer, compiled or not."""

    def take(self, step: int) -> Tensor:
        """Take one update of the weights that are not frozen. The loss before it, in nats per token that counts, on the device.

        Its examples and its randomness depend on the seed and the step alone.
        """
        batch = self.batch(step)
        places = to_device(torch.from_numpy(np.flatnonzero(batch.counts)), self.device)
        read, written, targets = (
            to_device(torch.from_numpy(each), self.device) for each in (batch.read, batch.written, batch.next[batch.counts])
        )
        there = read != self.options.architecture.symbols + PADDING
        return self.update(
            step,
            STREAMS[self.training],
            lambda: self.states(read, there, written).flatten(0, 1)[places],  # [tokens that count, dims]
            table_of(self.model),
            targets,
        )


def fresh_model(shape: TranslationArchitecture, seed: int) -> BartForConditionalGeneration:
    """Return a model that has learnt nothing: what pre-training starts from, and the source "no pre-training"."""
    torch.manual_seed(seed_from(seed, 10))
    return new_model(shape)


def with_fresh_embeddings(
    model: BartForConditionalGeneration, shape: TranslationArchitecture, seed: int
) -> BartForConditionalGeneration:
    """Return the model, its embeddings of tokens forgotten."""
    torch.manual_seed(seed_from(seed, 14))
    forget_embeddings(model, shape)
    return model


def begin_pretraining(
    model: BartForConditionalGeneration, windows: NDArray[np.int32], options: TranslationOptions, device: torch.device
) -> TranslationRun:
    """Infilling of `windows` `[windows, context]`, with an optimiser that has seen nothing."""
    read = 1 - options.infilling.mask_ratio * (1 - 1 / max(1.0, options.infilling.mean_span))  # of a window, on average
    tokens = options.pretraining.batch * windows.shape[1] * (1 + read) / 2
    return _begin("pre-training", model, options, device, len(windows), tokens, partial(_infilled, windows, options))


def begin_tuning(
    model: BartForConditionalGeneration, text: TranslationText, options: TranslationOptions, device: torch.device
) -> TranslationRun:
    """Tuning of what is not frozen of `model` on the pairs of `text`, with an optimiser that has seen nothing."""
    pairs = len(text.sources)
    tokens = options.tuning.batch * (len(text.sources.ids) + len(text.targets.ids)) / (2 * pairs)
    return _begin("tuning", model, options, device, pairs, tokens, partial(_paired, text, options))


def _begin(
    training: Training,
    model: BartForConditionalGeneration,
    options: TranslationOptions,
    device: torch.device,
    examples: int,
    tokens: float,
    batch: Callable[[int], Batch],
) -> TranslationRun:
    stage = options.pretraining if training == "pre-training" else options.tuning
    torch.nn.Module.to(model, device).train()

    def states(read: Tensor, there: Tensor, written: Tensor) -> Any:
        body = model.model
        return body(input_ids=read, attention_mask=there, decoder_input_ids=written, use_cache=False).last_hidden_state

    optimizer = adamw(model.parameters(), learning_rate=stage.learning_rate, weight_decay=stage.weight_decay, device=device)
    loss = torch.compile(loss_and_gradients, dynamic=True) if options.compile else loss_and_gradients
    states_of = torch.compile(states, dynamic=True) if options.compile else states
    precision = precision_on(device, options.precision)
    return TranslationRun(training, options, model, optimizer, device, precision, loss, examples, tokens, batch, states_of)


def _infilled(windows: NDArray[np.int32], options: TranslationOptions, step: int) -> Batch:
    """Make a batch of pre-training, with other hidden spans in every epoch. The decoder writes the whole window."""
    first = options.architecture.symbols
    ids = windows[rows_of(step, len(windows), options.pretraining, options.seed, STREAMS["pre-training"])]
    random = np.random.default_rng([options.seed, STREAMS["pre-training"], 2, step])
    infilled = infill(ids, draw_spans(random, len(ids), ids.shape[1], options.infilling), first + MASK, first + PADDING)
    starts = np.full((len(ids), 1), first + START, np.int64)
    counts = infilled.hidden if options.infilling.predicted == "hidden" else np.ones_like(infilled.hidden)
    return Batch(infilled.read, np.concatenate([starts, ids[:, :-1]], axis=1), ids.astype(np.int64), counts)


def _paired(text: TranslationText, options: TranslationOptions, step: int) -> Batch:
    """Return a batch of tuning."""
    stage, first = options.tuning, options.architecture.symbols
    epoch, place = divmod(step - 1, stage.steps(len(text.sources)) // stage.epochs)
    chosen = pair_order(text, stage.batch, options.seed, epoch)[place]
    read = pad(text.sources, chosen, first + PADDING)
    whole = pad(text.targets, chosen, first + PADDING)  # start … end
    written, following = whole[:, :-1], whole[:, 1:]
    return Batch(read, np.ascontiguousarray(written), np.ascontiguousarray(following), following != first + PADDING)


def pad(rows: Rows, chosen: NDArray[np.int64], padding: int) -> NDArray[np.int64]:
    """Return some of `rows` as one array `[chosen, longest of them]`."""
    begins, lengths = rows.starts[chosen], rows.lengths[chosen]
    there = np.arange(lengths.max(initial=0)) < lengths[:, None]
    found = np.full(there.shape, padding, np.int64)
    found[there] = rows.ids[(begins[:, None] + np.arange(there.shape[1]))[there]]
    return found


def pair_order(text: TranslationText, batch: int, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    """Return the batches of an epoch: each pair once, in an order of its own, pairs of similar length together."""
    return _pair_order(text, batch, seed, epoch)


@lru_cache(maxsize=2)
def _pair_order(text: TranslationText, batch: int, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    random = np.random.default_rng([seed, STREAMS["tuning"], 1, epoch])
    order = random.permutation(len(text.sources))
    lengths = text.sources.lengths + text.targets.lengths
    size = SORTED_TOGETHER * batch
    groups = [order[first : first + size] for first in range(0, len(order), size)]
    order = np.concatenate([group[np.argsort(lengths[group], kind="stable")] for group in groups])
    batches = [order[first : first + batch] for first in range(0, len(order), batch)]
    return [batches[place] for place in random.permutation(len(batches))]
