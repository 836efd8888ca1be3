"""Which sentences are run together: pure arithmetic on their lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch


LEAST = 4096
"""Tokens of a batch below which a GPU would rather pad: it is not busy with fewer."""


def batches(lengths: Sequence[int], token_budget: int, *, sort: bool = True, padded: float | None = None) -> list[list[int]]:
    """Rows grouped so that each group, padded to its longest row, has at most `token_budget` tokens.

    Every row is in exactly one group; a row longer than the budget is a group of its own. Sorted by length, longest first:
    little padding, and what does not fit in memory is met at once. `padded`, where given, is how many times its own tokens a
    group may have with its padding, once that is more than `LEAST`.
    """
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row]) if sort else list(range(len(lengths)))
    groups: list[list[int]] = []
    longest = tokens = 0
    for row in order:
        longest, tokens = max(longest, lengths[row]), tokens + lengths[row]
        whole = longest * (len(groups[-1]) + 1) if groups else 0
        mostly_padding = padded is not None and whole > max(LEAST, padded * tokens)
        if not groups or whole > token_budget or mostly_padding:
            groups.append([])
            longest = tokens = lengths[row]
        groups[-1].append(row)
    return groups


def padded_on(device: torch.device) -> float | None:
    """Return what `batches` are padded to at most: on a GPU, where a whole corpus would else be padded to its longest row."""
    return 1.2 if device.type == "cuda" else None


def tokens_with_padding(rows: Sequence[int], lengths: Sequence[int]) -> int:
    """Tokens of a group of rows with its padding."""
    return len(rows) * max(lengths[row] for row in rows)


def split(rows: list[int], lengths: Sequence[int], limit: int) -> list[list[int]]:
    """`rows` halved until each part has at most `limit` tokens with padding, or is a single row."""
    if len(rows) == 1 or tokens_with_padding(rows, lengths) <= limit:
        return [rows]
    middle = (len(rows) + 1) // 2
    return split(rows[:middle], lengths, limit) + split(rows[middle:], lengths, limit)


def default_budget(device: torch.device, layers: int, dims: int) -> int:
    """Tokens a batch: as many as keep the hidden states of all layers within 1 GiB on a GPU, 128 MiB on a CPU.

    A CPU is at its best with one or two thousand (measured by `benchmarks/embeddings.py`).
    """
    if device.type == "cuda":
        return max(1024, min(65_536, 2**30 // ((layers + 1) * dims * 2)))
    return max(512, min(2048, 2**27 // ((layers + 1) * dims * 4)))
