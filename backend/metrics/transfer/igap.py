"""IGap: the least interlingual transfer gap of fine-tuned models at a given training error.

`E_train` is a model's error on its training examples, `G_inter` its error on their translations minus `E_train`, `G_intra` its
error on the target's validation set minus that on the translations. IGap at E' is the least `G_inter` with
`E' ≤ E_train < E' + ε`.

Arrays are `[run, step, language]`, or have other axes of records before the language. Errors are shares, 0 to 1.
Source: Chi, Huang & Mao 2023, "Measuring Cross-Lingual Transferability of Multilingual Transformers on Sentence
Classification".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.metrics.transfer.directions import transfer_direction_accuracy
from isogloss.backend.metrics.transfer.windows import TOLERANCE, limits, matters, read_errors

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "TOLERANCE",
    "Decomposition",
    "WindowSizes",
    "decompose",
    "igap",
    "igap_curve",
    "igap_record",
    "matters",
    "transfer_direction_accuracy",
    "transfer_gap",
    "window_sizes",
]


@dataclass(frozen=True)
class Decomposition:
    """The three parts of a target error, of one shape: training error, interlingual and intralingual gap."""

    train: NDArray[Any]
    inter: NDArray[Any]
    intra: NDArray[Any]

    @property
    def target(self) -> NDArray[Any]:
        """The sum of the parts, which is the target error."""
        return np.asarray(self.train + self.inter + self.intra)


@dataclass(frozen=True)
class WindowSizes:
    """How many records lie in each window, `[points, languages]`, and of how many the gap is known (`measured`).

    Where `measured` is less than `models`, IGap is not known and nan.
    """

    models: NDArray[np.int64]
    measured: NDArray[np.int64]


def decompose(train_error: ArrayLike, translated_error: ArrayLike, target_error: ArrayLike) -> Decomposition:
    """Return the parts of the target error: `E_target = E_train + G_inter + G_intra`.

    `translated_error` (on the translations of the training examples) and `target_error` (on the target's validation set) are
    `[..., language]`; `train_error` too, or without the language. The parts have the full shape. Counts (integers) over one
    denominator give exact integers; float64 shares add up to within 2⁻⁵¹. nan in any is nan in the parts it enters.
    Raises ValueError for shapes that do not fit, and for floats narrower than float64.
    """
    translated, target = read_errors(translated_error), read_errors(target_error)
    train = _with_languages(read_errors(train_error), translated, "train_error")
    if translated.shape != target.shape:
        raise ValueError(
            f"Errors on translations {list(translated.shape)} and on targets {list(target.shape)} differ in shape."
        )
    return Decomposition(train, translated - train, target - translated)


def transfer_gap(source_error: ArrayLike, target_error: ArrayLike) -> NDArray[Any]:
    """Return the cross-lingual transfer gap: a model's test error in the target language minus that in the source language.

    `target_error` is `[..., language]`; `source_error` has its shape or lacks the language. Positive where the target is worse;
    the gap to the source itself is 0. Of accuracies it is the same with the arguments turned round. nan in either stays nan.
    Raises ValueError as `decompose`. Source: Chi, Huang & Mao 2023, Eq. 2.
    """
    target = read_errors(target_error)
    return np.asarray(target - _with_languages(read_errors(source_error), target, "source_error"))


def igap(train_error: ArrayLike, inter_gap: ArrayLike, at: float, epsilon: float) -> NDArray[np.float64]:
    """IGap of each language at the training error `at` (E'): the value of `igap_curve` at one point, `[languages]`."""
    return np.asarray(igap_curve(train_error, inter_gap, [at], epsilon)[0])


def igap_curve(train_error: ArrayLike, inter_gap: ArrayLike, points: ArrayLike, epsilon: float) -> NDArray[np.float64]:
    """IGap at every E' of `points`: `min G_inter` over the records with `E' ≤ E_train < E' + epsilon`, `[points, languages]`.

    `inter_gap` is `[..., languages]`, with an axis of records at least; `train_error` the same, or without the languages. Edges
    are exact (`windows`). nan where a window has no record or an unmeasured gap (nan: see `matters`, `window_sizes`), and for a
    point of nan. A training error of nan lies in no window: pad shorter runs so.
    Raises ValueError for misfitting shapes, floats narrower than float64, and an epsilon not above 0.
    Source: Chi, Huang & Mao 2023, Eq. 5.
    """
    errors, gaps = _records(train_error, inter_gap)
    low, high = limits(np.ravel(points), epsilon)
    curve = np.full((len(low), gaps.shape[1]), np.nan)
    for language in range(gaps.shape[1]):
        order = np.argsort(errors[:, language])
        ordered = errors[order, language]
        first, end = np.searchsorted(ordered, low), np.searchsorted(ordered, high)
        curve[:, language] = _least(gaps[order, language], first, end)
    return curve


def igap_record(train_error: ArrayLike, inter_gap: ArrayLike, at: float, epsilon: float) -> NDArray[np.int64]:
    """Return the record behind each language's IGap at one point, `[languages]`: its index with all axes of records made one.

    Of records with equal gaps (closer than 1e-12) the first; -1 where IGap is nan. Arguments and errors as of `igap_curve`.
    """
    errors, gaps = _records(train_error, inter_gap)
    least = igap(errors, gaps, at, epsilon)
    low, high = limits(at, epsilon)
    found = (errors >= low) & (errors < high) & (gaps <= least + TOLERANCE)
    first = found.argmax(0) if len(found) else np.zeros(gaps.shape[1], np.int64)
    return np.where(np.isnan(least), -1, first).astype(np.int64)


def window_sizes(train_error: ArrayLike, inter_gap: ArrayLike, points: ArrayLike, epsilon: float) -> WindowSizes:
    """Return how many records lie in each point's window, and of how many of them the gap is known. As `igap_curve`."""
    errors, gaps = _records(train_error, inter_gap)
    low, high = limits(np.ravel(points), epsilon)

    def sizes(known: NDArray[np.bool_]) -> NDArray[np.int64]:
        sizes = np.zeros((len(low), gaps.shape[1]), np.int64)
        for language in range(gaps.shape[1]):
            ordered = np.sort(errors[known[:, language], language])
            sizes[:, language] = np.searchsorted(ordered, high) - np.searchsorted(ordered, low)
        return sizes

    return WindowSizes(models=sizes(~np.isnan(errors)), measured=sizes(~np.isnan(errors) & ~np.isnan(gaps)))


def _least(values: NDArray[np.float64], first: NDArray[np.intp], end: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the least of `values[first:end]` of each window, nan where that is empty or has a nan."""
    # reduceat takes pairs of indices and none past the end: one value more, and every second result is a window's.
    padded = np.append(values, np.nan)
    least = np.minimum.reduceat(padded, np.ravel(np.column_stack([first, end])))[::2]
    return np.where(first < end, least, np.nan)


def _records(train_error: ArrayLike, inter_gap: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Training errors and gaps, each `[records, languages]`."""
    gaps = np.asarray(inter_gap, np.float64)
    if gaps.ndim < 2:
        raise ValueError(f"Interlingual gaps need an axis of records and one of languages, not {list(gaps.shape)}.")
    errors = _with_languages(read_errors(train_error), gaps, "train_error").astype(np.float64)
    shape = (int(np.prod(gaps.shape[:-1])), gaps.shape[-1])  # not -1: of no language, numpy cannot tell how many records
    return errors.reshape(shape), gaps.reshape(shape)


def _with_languages(errors: NDArray[Any], others: NDArray[Any], name: str) -> NDArray[Any]:
    """`errors` in the shape of `others`: as it is, or the same for each language of the last axis."""
    if errors.shape == others.shape:
        return errors
    if others.ndim and errors.shape == others.shape[:-1]:
        return np.broadcast_to(errors[..., None], others.shape)
    raise ValueError(f"{name} is {list(errors.shape)}: it must be {list(others.shape)}, or that without its languages.")
