"""The logit lens: what a hidden state says when it is read by the model's own head.

Source: Wendler et al. 2024, "Do Llamas Work in English? On the Latent Language of Multilingual Transformers", section 3; the
lens itself is nostalgebraist's, 2020.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Read:
    """What the head says of some hidden states: in the precision of the logits, float32 at least."""

    mass: Tensor
    """`[words, languages]`: the probability of all tokens of a set together, between 0 and 1; nan for an empty set."""
    entropy: Tensor
    """`[words]`: of the distribution over the whole vocabulary, in bits."""
    top: Tensor
    """`[words]` int64: the likeliest token; of equal ones the first."""
    top_probability: Tensor
    """`[words]`."""


def read(
    hidden: Tensor,
    norm: Callable[[Tensor], Tensor] | None,
    head: Callable[[Tensor], Tensor],
    sets: Sequence[Sequence[Sequence[int]]],
) -> Read:
    """Return what softmax(head(norm(h))) gives to each word's sets of tokens.

    Args:
        hidden: `[words, dims]`, at the position whose token is to be told, in one layer.
        norm: The model's final norm; None where it has none, or where `hidden` has gone through it already.
        head: From `[words, dims]` to logits `[words, vocabulary]`.
        sets: `[words][languages]`: ids of tokens. One that stands twice in a set counts once.

    A row of hidden states that are not finite gives nan. Raises ValueError where `sets` is not of as many words, its rows are
    not of as many languages, or an id is not in the vocabulary.
    """
    if len(sets) != len(hidden) or len({len(of_word) for of_word in sets}) > 1:
        raise ValueError(f"{len(hidden)} words need as many rows of sets, each of as many languages")
    logits = head(hidden if norm is None else norm(hidden))
    logits = logits if logits.dtype == torch.float64 else logits.float()
    logs = logits.log_softmax(dim=-1)
    probabilities = logs.exp()
    languages = len(sets[0]) if sets else 0
    flat = [(w * languages + k, w, i) for w, own in enumerate(sets) for k, each in enumerate(own) for i in sorted(set(each))]
    places = torch.tensor(flat, dtype=torch.int64, device=logits.device).reshape(-1, 3)
    if len(flat) and not 0 <= int(places[:, 2].min()) <= int(places[:, 2].max()) < logits.shape[-1]:
        raise ValueError(f"a token is not among the {logits.shape[-1]} of the vocabulary")
    mass = logits.new_zeros(len(sets) * languages).index_add_(0, places[:, 0], probabilities[places[:, 1], places[:, 2]])
    filled = torch.zeros_like(mass, dtype=torch.bool).index_fill_(0, places[:, 0], True)
    mass = mass.clamp(max=1).masked_fill(~filled, torch.nan).reshape(len(sets), languages)
    entropy = torch.special.entr(probabilities).sum(dim=-1) / math.log(2)  # 0 · log 0 is 0
    chosen, top = probabilities.max(dim=-1)
    return Read(mass, entropy, top, chosen)
