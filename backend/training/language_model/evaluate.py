"""How well a language model predicts a text it has not seen: cross-entropy a token, in nats."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import torch

from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.language_model.loss import token_losses
from isogloss.backend.training.language_model.options import is_released

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.training.language_model.model import LanguageModel
    from isogloss.backend.training.language_model.options import Protocol


@dataclass(frozen=True)
class Span:
    """A window of a text, `[begin, end)`, of which the tokens from `scored` on are predicted from those before them in it."""

    begin: int
    scored: int
    end: int

    @property
    def shape(self) -> tuple[int, int]:
        """Tokens, and how many of them are scored: windows of one shape can share a batch."""
        return self.end - self.begin, self.end - self.scored


def spans(tokens: int, context: int, protocol: Protocol) -> list[Span]:
    """Return the windows that a text of so many tokens is scored in, each half a context after the one before.

    Every token but the text's first is scored once, in the first window that reaches it: beyond the first window with half a
    context before it at least. As `released`: all tokens of a window but its first are scored, in every window.
    """
    windows: list[Span] = []
    done = 1
    for begin in range(0, tokens, max(1, context // 2)):
        end = min(begin + context, tokens)
        windows.append(Span(begin, begin + 1 if is_released(protocol) else done, end))
        done = end
        if end == tokens:
            break
    return windows


def cross_entropy(
    model: LanguageModel,
    ids: NDArray[np.int32],
    context: int,
    protocol: Protocol,
    *,
    precision: torch.dtype = torch.float32,
    batch: int = 32,
    should_stop: Callable[[], bool] | None = None,
) -> float:
    """Return the cross-entropy in nats per token of `ids` [tokens], at least two of them, under `model`.

    It is the mean over the tokens; as `released`, the mean over windows of each window's mean.

    Raises:
        ModelError: It is not a number: training diverged.
        StoppedError: `should_stop`, asked before every batch, said so.
    """
    device = model.wte.weight.device
    text = torch.from_numpy(ids).to(device)
    total = torch.zeros((), dtype=torch.float64, device=device)
    windows = scored = 0
    training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            for group in _batches(spans(len(ids), context, protocol), batch):
                if should_stop is not None and should_stop():
                    raise StoppedError("Stopped during an evaluation. Start it again to go on.")
                losses = _losses(model, text, group, precision).double()
                total += losses.mean(dim=1).sum() if is_released(protocol) else losses.sum()
                windows, scored = windows + len(group), scored + losses.numel()
    finally:
        model.train(training)
    found = total.item() / (windows if is_released(protocol) else scored)
    if not found < float("inf"):
        raise ModelError("The tuned model's scores are no longer numbers. Choose a lower learning rate.")
    return found


def _batches(windows: list[Span], batch: int) -> list[list[Span]]:
    """Neighbours of one shape, at most `batch` together."""
    groups = [list(group) for _, group in groupby(windows, key=lambda span: span.shape)]
    return [group[first : first + batch] for group in groups for first in range(0, len(group), batch)]


def _losses(model: LanguageModel, text: Tensor, group: list[Span], precision: torch.dtype) -> Tensor:
    """Return the cross-entropy of the scored tokens of some windows of one shape, `[windows, scored tokens]`."""
    tokens, scored = group[0].shape
    begins = torch.tensor([span.begin for span in group], device=text.device)
    rows = text[begins[:, None] + torch.arange(tokens, device=text.device)].long()  # [windows, tokens]
    with torch.autocast(text.device.type, dtype=torch.bfloat16, enabled=precision == torch.bfloat16):
        states = model(rows[:, :-1])[:, -scored:]  # each predicts the token after it
    losses = token_losses(states.flatten(0, 1), model.wte.weight, rows[:, -scored:].flatten(), precision)
    return losses.view(len(group), scored)
