"""Hidden states of every layer in one forward pass, pooled where they are computed."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import torch

from isogloss.backend.device_memory import batch_of, is_short
from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.batch_loop import StoppedError, halving, one_behind, to_device, to_host
from isogloss.backend.models.encoding.batches import batches, default_budget, padded_on
from isogloss.backend.models.encoding.half import to_half
from isogloss.backend.models.encoding.pooling import pooler, weights
from isogloss.backend.models.encoding.sinks import first_shares, sinks, token_lengths
from isogloss.backend.models.encoding.tokens import Tokens, end_token, tokenize
from isogloss.backend.models.entry import Pooling
from isogloss.backend.models.loading.tokenizer import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.models.encoding.words import WordTokens
    from isogloss.backend.models.loading.load import Loaded

__all__ = ["Encoded", "StoppedError", "encode"]

_MOST_IDS = 1 << 31
Kind: TypeAlias = Pooling | Literal["words"]
"""What a vector is of: a sentence, in one of its poolings, or a word."""


@dataclass(frozen=True)
class Encoded:
    """Vectors of every layer: of sentences in the order of the texts, of words in that of `WordTokens`."""

    vectors: dict[Kind, NDArray[np.float16]]
    """One array a kind: `[rows, layers + 1, dims]`; layer 0 is the input embedding; zeros for a word that has no token."""
    exponents: dict[Kind, NDArray[np.int16]]
    """`[rows, layers + 1]`: true vector = vector × 2^exponent. Zero for nearly all: see `backend.models.encoding.half`."""
    sinks: NDArray[np.float32]
    """`[sentences, layers + 1]`: how many times the median of its tokens' vectors the first one's is long."""
    first_shares: dict[Pooling, NDArray[np.float32]]
    """One array a pooling, `[sentences, layers + 1]`: the first token's part of what makes the vector, 0 to 1."""
    truncated: NDArray[np.bool_]
    """`[sentences]`: true for one that was longer than the model's maximum and lost its end."""
    empty: int
    """Sentences without a token of their own: their `mean` is that of their special tokens."""
    tokens: int
    """Tokens run, special ones included."""
    seconds: float


def encode(
    loaded: Loaded,
    texts: Sequence[str] | Tokens,
    poolings: Sequence[Pooling],
    *,
    words: WordTokens | None = None,
    language: str | None = None,
    token_budget: int | None = None,
    sort_by_length: bool = True,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Encoded:
    """Embed texts: every layer and pooling, in one forward pass a batch.

    `texts` may be `Tokens` that checkpoints share. `words`, the tokens of their words, become vectors too. `language` is a
    BCP-47 tag, for models that take one (mBART-50, XLM-15). `token_budget` counts padding, and is halved where memory is short.
    `sort_by_length` batches like lengths (off only to measure its gain). `progress` gets (sentences done, all) after every
    batch; `should_stop` is asked before each.

    Raises:
        ModelError: A hidden state is NaN or infinite (the layer is named), or one sentence does not fit in memory.
        StoppedError: `should_stop` said so.
    """
    started = time.perf_counter()
    tokens = texts if isinstance(texts, Tokens) else tokenize(loaded.tokenizer, texts, loaded.max_tokens, language=language)
    lengths = [len(ids) for ids in tokens.ids]
    rows: dict[Kind, int] = dict.fromkeys(poolings, len(lengths))
    if words is not None:
        rows["words"] = words.count
    shapes = {kind: (count, loaded.layers + 1, loaded.dims) for kind, count in rows.items()}
    vectors = {kind: np.empty(shape, np.float16) for kind, shape in shapes.items()}
    exponents = {kind: np.zeros(shape[:2], np.int16) for kind, shape in shapes.items()}
    ratios, shares = (np.zeros((each, len(lengths), loaded.layers + 1), np.float32) for each in (1, len(poolings)))
    budget = token_budget or batch_of(default_budget(loaded.device, loaded.layers, loaded.dims))
    queue = batches(lengths, budget, sort=sort_by_length, padded=padded_on(loaded.device) if sort_by_length else None)
    run = partial(_run, loaded, tokens, tuple(poolings), words, embedded_language(loaded.module, language))
    done = 0
    for batch in one_behind(halving(run, queue, lengths, loaded.shown, should_stop), loaded.device):
        for kind, pooled in batch.pooled.items():
            _check_finite(pooled.finite, loaded)
            vectors[kind][pooled.rows] = pooled.vectors.numpy()
            exponents[kind][pooled.rows] = pooled.exponents.numpy()
        ratios[0, batch.rows], shares[:, batch.rows] = batch.sinks.numpy(), batch.first_shares.numpy()
        done += len(batch.rows)
        if progress is not None:
            progress(done, len(lengths))
    seconds = time.perf_counter() - started
    firsts = dict(zip(poolings, shares, strict=True))
    return Encoded(vectors, exponents, ratios[0], firsts, tokens.truncated, tokens.empty, tokens.count, seconds)


@dataclass(frozen=True)
class _Pooled:
    """One kind of vectors out of one batch, in host memory (copied there asynchronously from a GPU)."""

    rows: list[int]
    """Where they belong in the whole."""
    vectors: Tensor
    """float16 `[rows, layers + 1, dims]`."""
    exponents: Tensor
    """int16 `[rows, layers + 1]`."""
    finite: Tensor
    """bool `[layers + 1]`."""


@dataclass(frozen=True)
class _Batch:
    """All that one forward pass gives, in host memory as well."""

    rows: list[int]
    """The sentences of the whole."""
    pooled: dict[Kind, _Pooled]
    sinks: Tensor
    """`[rows, layers + 1]`."""
    first_shares: Tensor
    """`[poolings, rows, layers + 1]`."""


def _run(
    loaded: Loaded,
    tokens: Tokens,
    poolings: Sequence[Pooling],
    words: WordTokens | None,
    language_id: int | None,
    rows: list[int],
) -> _Batch:
    """Return one forward pass over the sentences `rows`; only pooled float16 vectors leave the device."""
    ids, mask, special = _padded(loaded, tokens, rows)
    _check_ids(ids, loaded)
    ids, mask, special = (to_device(one, loaded.device) for one in (ids, mask, special))
    extra = {} if language_id is None else {"langs": torch.full_like(ids, language_id)}
    with torch.inference_mode():
        layers = _hidden_states(loaded, ids, mask, extra)
        poolers = {pooling: pooler(mask, special, pooling) for pooling in poolings}
        pooled: dict[Kind, _Pooled] = {pooling: _pooled(layers, rows, pool) for pooling, pool in poolers.items()}
        if words is not None and (of_words := words.rows(rows)):
            pooled["words"] = _pooled(layers, of_words, words.pooler(rows, ids.shape[1], loaded.device))
        lengths = torch.stack([token_lengths(layer) for layer in layers], dim=1)
        shares = [first_shares(lengths, mask, weights(mask, special, pooling)) for pooling in poolings]
        firsts = torch.stack(shares) if shares else lengths.new_zeros(0, *lengths.shape[:2])
        return _Batch(rows, pooled, to_host(sinks(lengths, mask)), to_host(firsts))


def _hidden_states(loaded: Loaded, ids: Tensor, mask: Tensor, extra: dict[str, Tensor]) -> tuple[Tensor, ...]:
    """Return the hidden states of every layer, `[batch, tokens, dims]` each.

    Raises `ModelError` where the model cannot be run, as its configuration has it, or gives something else.
    """
    try:
        # Every layer of one batch is held at once: the token budget bounds it, and what transformers itself calls the
        # hidden states of a layer (after the last norm, for the last one) is what published numbers rest on.
        output = loaded.module(input_ids=ids, attention_mask=mask, output_hidden_states=True, return_dict=True, **extra)
    except Exception as error:  # a configuration may name sizes that no weight has: heads, chunks, experts asked for
        if is_short(error) or isinstance(error, torch.AcceleratorError):
            raise
        raise ModelError(reason(loaded.shown, error, "run")) from error
    layers: tuple[Tensor, ...] = output.hidden_states
    if len(layers) != loaded.layers + 1:
        raise ModelError(
            f"{loaded.shown} gave {len(layers)} hidden states where {loaded.layers + 1} were expected. "
            "Its architecture is not supported."
        )
    expected = (*ids.shape, loaded.dims)
    if other := [tuple(layer.shape) for layer in layers if tuple(layer.shape) != expected]:
        raise ModelError(
            f"{loaded.shown} gave a hidden state of shape {other[0]} where {expected} was expected. "
            "Its architecture is not supported."
        )
    return layers


def _check_ids(ids: Tensor, loaded: Loaded) -> None:
    """Raise `ModelError` for an id that has no embedding: on a GPU nothing could be computed after it in this process."""
    with suppress(AttributeError, NotImplementedError):  # some architectures have no table of embeddings
        table, highest = loaded.module.get_input_embeddings(), int(ids.max())
        if isinstance(table, torch.nn.Embedding) and highest >= table.num_embeddings:
            raise ModelError(
                f"The tokeniser of {loaded.shown} gives the id {highest:,}, and the model has {table.num_embeddings:,} "
                "embeddings. Put the tokeniser it was trained with beside it."
            )


def _pooled(layers: Sequence[Tensor], rows: list[int], pool: Callable[[Tensor], Tensor]) -> _Pooled:
    """Return what `pool` makes of each layer: hidden states `[batch, tokens, dims]` → float32 `[rows, dims]`."""
    vectors = torch.stack([pool(layer) for layer in layers], dim=1)
    finite = vectors.isfinite().all(dim=2).all(dim=0)
    half, exponents = to_half(vectors)
    return _Pooled(rows, to_host(half), to_host(exponents), to_host(finite))


def _padded(loaded: Loaded, tokens: Tokens, rows: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and special mask `[rows, longest]` int64, padded on the right: positions then count from the text's start."""
    longest = max(len(tokens.ids[row]) for row in rows)
    pad = getattr(loaded.module.config, "pad_token_id", None)
    filling = pad if isinstance(pad, int) and 0 <= pad < _MOST_IDS else end_token(loaded.tokenizer)
    ids = np.full((len(rows), longest), filling, np.int64)
    mask, special = np.zeros_like(ids), np.zeros_like(ids)
    for i, row in enumerate(rows):
        length = len(tokens.ids[row])
        ids[i, :length], mask[i, :length], special[i, :length] = tokens.ids[row], 1, tokens.special[row]
    return torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(special)


def _check_finite(finite: Tensor, loaded: Loaded) -> None:
    if not bool(finite.all()):
        layer = int(torch.nonzero(~finite)[0])
        raise ModelError(
            f"Layer {layer} of {loaded.shown} gives values that are not finite in {str(loaded.dtype).removeprefix('torch.')}. "
            "Its weights are damaged or its training diverged: leave this checkpoint out."
        )


def embedded_language(module: Any, language: str | None) -> int | None:
    """Return the row of XLM-15's language embedding for a BCP-47 tag; None where the model has none or does not know it."""
    config = module.config
    if language is None or not getattr(config, "use_lang_emb", False):
        return None
    row = (getattr(config, "lang2id", None) or {}).get(language.split("-")[0])
    return None if row is None else int(row)
