"""Classification examples as token ids: tokenised once, in flat arrays, padded batch by batch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from isogloss.backend.models.encoding.encode import embedded_language
from isogloss.backend.models.encoding.tokens import PLAIN, end_token, one_at_a_time, set_language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isogloss.backend.models.loading.load import Loaded

    Texts: TypeAlias = Sequence[str] | Sequence[tuple[str, str]]


@dataclass(frozen=True, eq=False)
class Examples:
    """Tokenised examples, in their order, perhaps of several languages."""

    ids: NDArray[np.int32]
    """`[tokens]`: the token ids of all examples, one after the other, special ones included."""
    starts: NDArray[np.int64]
    """`[examples + 1]`: where each begins in `ids`; the last is the number of tokens."""
    segments: NDArray[np.uint8] | None
    """`[tokens]`: 0 for the first text, 1 for the second, where the model tells them apart (BERT); else None."""
    language_ids: NDArray[np.int32] | None
    """`[examples]`: rows of the language embedding, where the model has one (XLM-15); else None."""
    padding: int
    """The id that fills up batches."""
    truncated: int
    """How many lost their end."""

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """`[examples]` in tokens."""
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def pad(self, rows: Sequence[int] | NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """Return what the model takes for these examples: arrays `[rows, longest]` by argument name, padded on the right."""
        chosen = np.asarray(rows, np.int64)
        lengths = self.lengths[chosen]
        present = np.arange(lengths.max()) < lengths[:, None]
        places = (self.starts[chosen][:, None] + np.arange(lengths.max()))[present]

        def filled(values: NDArray[Any], filling: int) -> NDArray[np.int64]:
            grid = np.full(present.shape, filling, np.int64)
            grid[present] = values[places]
            return grid

        batch = {"input_ids": filled(self.ids, self.padding), "attention_mask": present.astype(np.int64)}
        if self.segments is not None:
            batch["token_type_ids"] = filled(self.segments, 0)
        if self.language_ids is not None:
            batch["langs"] = np.repeat(self.language_ids[chosen].astype(np.int64)[:, None], present.shape[1], axis=1)
        return batch


def prefixed(texts: Texts, prefix: str) -> Texts:
    """Return the texts with `prefix` before each; of pairs, before both."""
    if not prefix:
        return texts
    return [prefix + each if isinstance(each, str) else (prefix + each[0], prefix + each[1]) for each in texts]  # type: ignore[return-value]


def tokenize_examples(loaded: Loaded, texts: Texts, max_tokens: int, *, language: str) -> Examples:
    """Tokenise texts, or pairs of them, as the model was trained: with its special tokens, segments and language.

    An example longer than `max_tokens`, or than the model allows, loses tokens from the end of its longer text. One without
    any token is represented by the tokeniser's end of text. `language` is the texts' BCP-47 tag.
    """
    tokenizer, config = loaded.tokenizer, loaded.module.config
    with_segments = segmented(loaded)
    with one_at_a_time:
        set_language(tokenizer, language)
        ids, segments, truncated = _encoded(tokenizer, list(texts), min(max_tokens, loaded.max_tokens), with_segments)
    ids = [one or [end_token(tokenizer)] for one in ids]
    segments = [one or [0] for one in segments]
    row = embedded_language(loaded.module, language)
    padding = getattr(config, "pad_token_id", None)
    return Examples(
        ids=np.array([token for one in ids for token in one], np.int32),
        starts=np.cumsum([0, *map(len, ids)], dtype=np.int64),
        segments=np.array([mark for one in segments for mark in one], np.uint8) if with_segments else None,
        language_ids=None if row is None else np.full(len(ids), row, np.int32),
        padding=padding if isinstance(padding, int) and padding >= 0 else end_token(tokenizer),
        truncated=truncated,
    )


def segmented(loaded: Loaded) -> bool:
    """Return whether the model tells the two texts of an example apart by segments."""
    types = getattr(loaded.module.config, "type_vocab_size", 0) or 0
    return "token_type_ids" in loaded.tokenizer.model_input_names and types > 1


def concatenate(parts: Sequence[Examples]) -> Examples:
    """Examples of one model one after the other: all languages as one stream. There must be at least one part."""
    shifts = np.cumsum([0, *(len(part.ids) for part in parts)])
    starts = [part.starts[:-1] + shift for part, shift in zip(parts, shifts[:-1], strict=True)]

    def together(values: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
        # A language that the model's own table lacks has no row, beside others that do: the first row stands for it.
        return None if any(value is None for value in values) else np.concatenate(cast("list[NDArray[Any]]", values))

    languages: list[NDArray[np.int32] | None] = [part.language_ids for part in parts]
    if any(value is not None for value in languages):
        languages = [
            np.zeros(len(part), np.int32) if value is None else value for part, value in zip(parts, languages, strict=True)
        ]
    return Examples(
        ids=np.concatenate([part.ids for part in parts]),
        starts=np.concatenate([*starts, shifts[-1:]]).astype(np.int64),
        segments=together([part.segments for part in parts]),
        language_ids=together(languages),
        padding=parts[0].padding,
        truncated=sum(part.truncated for part in parts),
    )


def _encoded(tokenizer: Any, texts: list[Any], limit: int, segmented: bool) -> tuple[list[list[int]], list[list[int]], int]:
    """Ids, segments (empty lists where the model has none) and how many were cut."""
    if not texts:
        return [], [], 0
    pairs = not isinstance(texts[0], str)
    columns = [[str(text[i]) for text in texts] for i in range(2)] if pairs else [texts]
    options = PLAIN | {"return_token_type_ids": segmented}
    whole = tokenizer(*columns, **options)
    ids = [list(one) for one in whole["input_ids"]]
    segments = [list(one) for one in whole["token_type_ids"]] if segmented else [[] for _ in ids]
    long = [i for i, one in enumerate(ids) if len(one) > limit]
    if long:
        cut = tokenizer(
            *[[column[i] for i in long] for column in columns], **options, truncation="longest_first", max_length=limit
        )
        for place, i in enumerate(long):
            ids[i] = list(cut["input_ids"][place])
            segments[i] = list(cut["token_type_ids"][place]) if segmented else []
    return ids, segments, len(long)
