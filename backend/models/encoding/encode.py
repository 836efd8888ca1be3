"""Hidden states of every layer in one forward pass, pooled where they are computed."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from isogloss.backend.device_memory import batch_of, is_short
from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.batch_loop import StoppedError, halving, one_behind, to_device
from isogloss.backend.models.encoding.batches import batches, default_budget, padded_on
from isogloss.backend.models.encoding.reduce import Encoded, Reducer, room_for
from isogloss.backend.models.encoding.tokens import Tokens, end_token, tokenize
from isogloss.backend.models.loading.tokenizer import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.models.encoding.reduce import Batch
    from isogloss.backend.models.encoding.words import WordTokens
    from isogloss.backend.models.entry import Pooling
    from isogloss.backend.models.loading.load import Loaded

__all__ = ["Encoded", "StoppedError", "encode"]

_MOST_IDS = 1 << 31


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
    """Embed texts: every layer and pooling, in one forward pass a batch; layer by layer where the model is not in memory.

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
    if loaded.layered is not None:
        from isogloss.backend.models.layered.encode import Asked, encode_all

        def share(done: float) -> None:
            if progress is not None:
                progress(int(done * len(tokens.ids)), len(tokens.ids))

        asked = [Asked(tokens, poolings, words, language)]
        return encode_all(loaded, asked, token_budget=token_budget, progress=share, should_stop=should_stop)[0]
    lengths = [len(ids) for ids in tokens.ids]
    encoded = room_for(tokens, poolings, words, (loaded.layers + 1, loaded.dims))
    budget = token_budget or batch_of(default_budget(loaded.device, loaded.layers, loaded.dims))
    queue = batches(lengths, budget, sort=sort_by_length, padded=padded_on(loaded.device) if sort_by_length else None)
    run = partial(_run, loaded, tokens, tuple(poolings), words, embedded_language(loaded.module, language))
    done = 0
    for batch in one_behind(halving(run, queue, lengths, loaded.shown, should_stop), loaded.device):
        fill(encoded, batch, loaded)
        done += len(batch.rows)
        if progress is not None:
            progress(done, len(lengths))
    return replace(encoded, seconds=time.perf_counter() - started)


def fill(encoded: Encoded, batch: Batch, loaded: Loaded, first: int = 0) -> None:
    """Write what a batch gave of some layers, from the layer `first` on. Raises `ModelError` where one is not finite."""
    for found in batch.pooled.values():
        _check_finite(found.finite, loaded, first)
    encoded.fill(batch, first)


def _run(
    loaded: Loaded,
    tokens: Tokens,
    poolings: Sequence[Pooling],
    words: WordTokens | None,
    language_id: int | None,
    rows: list[int],
) -> Batch:
    """Return one forward pass over the sentences `rows`; only pooled float16 vectors leave the device."""
    ids, mask, special = (to_device(one, loaded.device) for one in padded(loaded, tokens, rows))
    extra = {} if language_id is None else {"langs": torch.full_like(ids, language_id)}
    with torch.inference_mode():
        layers = _hidden_states(loaded, ids, mask, extra)
        return Reducer(rows, mask, special, poolings, words).reduce(layers)


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


def _check_ids(ids: NDArray[np.int64], loaded: Loaded) -> None:
    """Raise `ModelError` for an id that has no embedding: on a GPU nothing could be computed after it in this process."""
    with suppress(AttributeError, NotImplementedError):  # some architectures have no table of embeddings
        table, highest = loaded.module.get_input_embeddings(), int(ids.max())
        if isinstance(table, torch.nn.Embedding) and highest >= table.num_embeddings:
            raise ModelError(
                f"The tokeniser of {loaded.shown} gives the id {highest:,}, and the model has {table.num_embeddings:,} "
                "embeddings. Put the tokeniser it was trained with beside it."
            )


def padded(loaded: Loaded, tokens: Tokens, rows: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    """Return ids, mask and special mask `[rows, longest]` int64, padded on the right: positions count from the text's start.

    Raises `ModelError` for an id that has no embedding.
    """
    longest = max(len(tokens.ids[row]) for row in rows)
    pad = getattr(loaded.module.config, "pad_token_id", None)
    filling = pad if isinstance(pad, int) and 0 <= pad < _MOST_IDS else end_token(loaded.tokenizer)
    ids = np.full((len(rows), longest), filling, np.int64)
    mask, special = np.zeros_like(ids), np.zeros_like(ids)
    for i, row in enumerate(rows):
        length = len(tokens.ids[row])
        ids[i, :length], mask[i, :length], special[i, :length] = tokens.ids[row], 1, tokens.special[row]
    _check_ids(ids, loaded)
    return torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(special)


def _check_finite(finite: Tensor, loaded: Loaded, first: int) -> None:
    if not bool(finite.all()):
        layer = first + int(torch.nonzero(~finite)[0])
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
