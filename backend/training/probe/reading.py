"""Features a window at a time: in which order, standardised how, and whether they can be learnt from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.probe.features import ProbeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.training.probe.features import Features
    from isogloss.backend.training.probe.options import ProbeOptions

CONSTANT = 1e-6
"""A dimension whose standard deviation is below this share of its size is constant: it is shifted to 0 and not scaled."""

_ORDER = 20_250_102


@dataclass(frozen=True, eq=False)
class Scaling:
    """What standardisation does to features: `(x - shift) * scale`."""

    shift: Tensor
    """float32 `[layers, dims]`."""
    scale: Tensor
    """float32 `[layers, dims]`."""

    def to(self, device: torch.device) -> Scaling:
        """Return the same on `device`."""
        return Scaling(self.shift.to(device), self.scale.to(device))

    def layer(self, window: Tensor, layer: int) -> Tensor:
        """Layer `layer` of features `[rows, layers, dims]`, standardised: float32 `[rows, dims]`."""
        return window[:, layer].to(torch.float32, copy=True).sub_(self.shift[layer]).mul_(self.scale[layer])

    def mean(self, window: Tensor) -> Tensor:
        """Return the mean of all layers, each standardised: float32 `[rows, dims]`."""
        total = self.layer(window, 0)
        for layer in range(1, window.shape[1]):
            total += self.layer(window, layer)
        return total.div_(window.shape[1])


def stored_order(rows: int, size: int) -> Iterator[NDArray[np.int64]]:
    """All rows as they lie, `size` at a time."""
    for at in range(0, rows, size):
        yield np.arange(at, min(rows, at + size))


def epoch_windows(rows: int, epoch: int, options: ProbeOptions) -> Iterator[NDArray[np.int64]]:
    """The windows of an epoch: all rows once, drawn at random; each window in ascending order, as disks like it."""
    size = max(1, options.window // options.batch) * options.batch
    order = np.random.default_rng([_ORDER, epoch]).permutation(rows)
    for at in range(0, rows, size):
        yield np.sort(order[at : at + size])


def seed_orders(rows: int, seeds: tuple[int, ...], epoch: int, window: int) -> Tensor:
    """Return the order in which each seed goes through the rows of a window: int64 `[seeds, rows]`."""
    return torch.from_numpy(np.stack([np.random.default_rng([seed, epoch, window]).permutation(rows) for seed in seeds]))


def read(
    features: Features,
    rows: NDArray[np.int64],
    device: torch.device,
    should_stop: Callable[[], bool] | None,
    *,
    known_finite: bool = False,
) -> Tensor:
    """The features of `rows` on `device`, `[rows, layers, dims]`. Raises `ProbeError` where one is not finite, `StoppedError`.

    `known_finite` spares the check, for rows that were read before.
    """
    if should_stop is not None and should_stop():
        raise StoppedError("Stopped before every probe was done. Start it again to go on.")
    window = features.read(rows).to(device)
    if not (known_finite or _has_finite_sums(window) or bool((finite := window.isfinite()).all())):
        row, layer = (int(number) for number in torch.nonzero(~finite)[0][:2])
        raise ProbeError(
            f"Layer {layer} of row {int(rows[row])} has a feature that is not a finite number. "
            "Its model is damaged or its training diverged: leave this checkpoint out."
        )
    return window


def _has_finite_sums(window: Tensor) -> bool:
    """Whether all features add up to a number, layer by layer: then all are finite. Eight times quicker than asking each."""
    return all(bool(window[:, layer].float().sum().isfinite()) for layer in range(window.shape[1]))


def moments(
    features: Features, size: int, device: torch.device, should_stop: Callable[[], bool] | None, *, standardise: bool
) -> Scaling:
    """Standardisation over all rows, from one reading of them; without `standardise` it changes nothing, but all are checked.

    Means and squares of windows are joined in float64 (Chan, Golub & LeVeque 1983).
    """
    shape = (features.layers, features.dims)
    mean, squares = torch.zeros(shape, dtype=torch.float64), torch.zeros(shape, dtype=torch.float64)
    seen = 0
    for rows in stored_order(features.rows, size):
        window = read(features, rows, device, should_stop)
        if not standardise:
            continue
        for layer in range(features.layers):
            values = window[:, layer].to(torch.float32, copy=True)
            middle = values.mean(0)
            spread = values.sub_(middle).square_().sum(0).double().cpu()
            apart = middle.double().cpu() - mean[layer]
            together = seen + len(rows)
            squares[layer] += spread + apart**2 * (seen * len(rows) / together)
            mean[layer] += apart * (len(rows) / together)
        seen += len(rows)
    if not standardise:
        return Scaling(torch.zeros(shape), torch.ones(shape))
    deviation = (squares / seen).sqrt()
    constant = deviation <= CONSTANT * mean.abs()
    return Scaling(mean.float(), torch.where(constant, 1.0, 1 / deviation).float())
