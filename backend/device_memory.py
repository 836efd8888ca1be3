"""What is done where the memory of a device is short: whatever is computed in pieces goes on with smaller ones.

Imports torch only where something is computed: a worker takes jobs before it has it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from isogloss.backend.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

T = TypeVar("T")
SAID = ("DefaultCPUAllocator", "_STATUS_ALLOC_FAILED", "CUDA error: out of memory")
"""How torch says that memory is short where it raises no error of its own for it: on a CPU, in cuBLAS and cuDNN, and of memory
of the host that is pinned."""


class ShortOfMemoryError(ModelError):
    """Not even the smallest piece fits."""

    def __init__(self, what: str = "Not even the smallest part of this fits into the memory of the device.") -> None:
        super().__init__(f"{what} Free it, ask for fewer languages, sentences or words, or choose another device.")


@dataclass
class _Known:
    """What was found to fit since `forget`."""

    halvings: int = 0
    """How often pieces of scoring were halved."""
    tokens: int | None = None
    """The most tokens of a batch, where that was halved."""


_known = _Known()


def forget() -> None:
    """Begin anew: another shard may fit where the last did not, or have the device to itself."""
    _known.halvings, _known.tokens = 0, None


def is_short(error: BaseException) -> bool:
    """Return whether an error says that the memory of a device (or that of the host beside it) is short."""
    import torch

    return isinstance(error, torch.OutOfMemoryError) or (
        isinstance(error, RuntimeError) and any(each in str(error) for each in SAID)
    )


def unless_short(work: Callable[[], T]) -> tuple[bool, T]:
    """Return whether memory sufficed for `work`, and what it gave: nothing to be used where it did not."""
    try:
        return True, work()
    except Exception as error:
        if not is_short(error):
            raise
    # The exception is gone by now: its traceback holds the tensors that did not fit.
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return False, cast("T", None)


def in_halves(work: Callable[[slice], T], rows: range) -> list[T]:
    """Return what `work` gives for `rows`: of all at once, or where memory is short of their halves, in their order.

    How small they had to be is remembered until `forget`: what is asked for later is cut as often before it is tried. `work`
    must change nothing before it has all the memory that it needs. Raises `ShortOfMemoryError` where one row does not fit.
    """
    results: list[T] = []
    waiting = deque([(rows, 0)])
    while waiting:
        some, depth = waiting.popleft()
        if depth >= _known.halvings or len(some) < 2:
            if not some:
                continue
            fits, result = unless_short(partial(work, slice(some.start, some.stop)))
            if fits:
                results.append(result)
                continue
            if len(some) == 1:
                raise ShortOfMemoryError
            _known.halvings = max(_known.halvings, depth + 1)
        middle = (len(some) + 1) // 2
        waiting.extendleft([(some[middle:], depth + 1), (some[:middle], depth + 1)])
    return results


def batch_of(tokens: int) -> int:
    """Return the tokens of a batch: so many, or fewer where these did not fit before."""
    return tokens if _known.tokens is None else min(tokens, _known.tokens)


def remember_batch(tokens: int) -> None:
    """Batches of more tokens did not fit."""
    _known.tokens = batch_of(tokens)


def pinned(shape: Any, dtype: torch.dtype) -> torch.Tensor:
    """Return memory of the host that a GPU copies to and from while both go on; where there is none, memory as any other."""
    import torch

    fits, found = unless_short(lambda: torch.empty(shape, dtype=dtype, pin_memory=True))
    return found if fits else torch.empty(shape, dtype=dtype)
