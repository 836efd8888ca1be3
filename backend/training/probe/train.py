"""Probes of all layers and seeds, trained together over the same frozen features.

An epoch reads the features once, in windows of rows drawn from all. Each window goes to every layer in turn (to every core its
own layers), where all seeds and both heads share one product a batch: each seed has batches of its own out of the window.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.device_memory import ShortOfMemoryError, in_halves, unless_short
from isogloss.backend.metrics.blocks import workers
from isogloss.backend.models.device import choose_device
from isogloss.backend.training.probe.banks import MEAN, LayerBank, MixBank
from isogloss.backend.training.probe.features import ProbeError
from isogloss.backend.training.probe.probes import MEAN_OF_LAYERS, MIX, Probes
from isogloss.backend.training.probe.reading import epoch_windows, moments, read, seed_orders, stored_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.training.probe.features import Labelled
    from isogloss.backend.training.probe.options import ProbeOptions
    from isogloss.backend.training.probe.probes import Head, Place
    from isogloss.backend.training.probe.reading import Scaling

READ = 4096
"""Rows of validation and test features read at a time: changes no result."""


def train_probes(
    training: Labelled,
    validation: Labelled,
    tags: int,
    options: ProbeOptions,
    *,
    places: Sequence[Place] | None = None,
    device: str = "auto",
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Probes:
    """Train linear softmax probes of every layer, their mean and a learned mix, with every seed, on tags and control tags.

    Args:
        training: What is learnt.
        validation: By whose loss each probe stops: after `options.patience` epochs in a row without a lower one.
        tags: How many there are: labels run from 0 to `tags - 1`.
        options: Everything else that decides the result.
        places: What to probe, all layers and both mixes if not given. A probe is the same (but for rounding) whatever else
            is trained beside it.
        device: `auto`, `cpu`, `cuda` or `cuda:1`.
        progress: Gets (probes stopped, all) after every epoch.
        should_stop: Asked before every window.

    The control task is learnt where `options.control` is set; both parts must then carry its labels.

    Raises:
        ProbeError: A part is empty, its labels do not fit, a feature is NaN or infinite (the layer is named), or the loss is
            not finite from the first epoch on.
        StoppedError: `should_stop` said so.
    """
    chosen = choose_device(device)
    probed = check(training, validation, tags, options, places)
    with torch.inference_mode():
        scaling = moments(training.features, READ, chosen, should_stop, standardise=options.standardisation == "per layer").to(
            chosen
        )
        run = _Run(training, validation, tags, options, probed, chosen, scaling)
        for epoch in range(options.epochs):
            run.epoch(epoch, should_stop)
            if progress is not None:
                progress(int((~run.active).sum()), run.active.size)
            if not run.active.any():
                break
    return run.result()


def check(
    training: Labelled, validation: Labelled, tags: int, options: ProbeOptions, places: Sequence[Place] | None
) -> tuple[Place, ...]:
    """Return the places to probe. Raises `ProbeError` where the parts do not fit one another, the labels or the places."""
    shapes = [(part.features.layers, part.features.dims) for part in (training, validation)]
    if shapes[0] != shapes[1]:
        raise ProbeError(f"Training features have {shapes[0]} layers and dimensions, validation features {shapes[1]}.")
    for part, name in ((training, "training"), (validation, "validation")):
        if not part.features.rows:
            raise ProbeError(f"The {name} part has no words. A probe needs some.")
        columns = [part.labels]
        if options.control and part.control is not None:
            columns += [part.control] if part.control.ndim == 1 else [*part.control]
            if len(columns) - 1 not in (1, len(options.seeds)):
                raise ProbeError(
                    f"The {name} part has {len(columns) - 1} draws of control tags for {len(options.seeds)} seeds."
                )
        if options.control and part.control is None:
            raise ProbeError(f"The {name} part has no control tags. Add them, or switch the control task off.")
        for labels in columns:
            if labels.shape != (part.features.rows,):
                raise ProbeError(f"The {name} part has {part.features.rows} words and {len(labels)} tags.")
            if labels.min() < 0 or labels.max() >= tags:
                raise ProbeError(f"The {name} part has tags from {labels.min()} to {labels.max()}; 0 to {tags - 1} are known.")
    layers = range(shapes[0][0])
    probed = (*layers, MEAN_OF_LAYERS, MIX) if places is None else tuple(places)
    if not probed or len(set(probed)) != len(probed):
        raise ProbeError("Name at least one layer to probe, and each once.")
    if wrong := [place for place in probed if place not in layers and place not in (MEAN_OF_LAYERS, MIX)]:
        raise ProbeError(f"There is no layer {wrong[0]} to probe: layers are numbered 0 to {len(layers) - 1}.")
    return probed


def initial_weights(place: Place, seed: int, heads: int, dims: int, tags: int) -> NDArray[np.float32]:
    """Weights to start from, `[heads, dims + 1, tags]`, the bias last: uniform within ±1/√dims, as torch's linear layers."""
    code = place if isinstance(place, int) else 2**31 + (place == MIX)
    bound = dims**-0.5
    each = [np.random.default_rng([seed, code, head]).uniform(-bound, bound, (dims + 1, tags)) for head in range(heads)]
    return np.stack(each).astype(np.float32)


@dataclass(eq=False)
class _Work:
    """A bank, and which of the run's places its layers are."""

    bank: LayerBank | MixBank
    places: list[int]

    def halves(self) -> list[_Work]:
        """Return the work in two, the layers of each half its own. Raises `ShortOfMemoryError` for a single layer."""
        if isinstance(self.bank, MixBank) or len(self.places) < 2:
            raise ShortOfMemoryError("The features of one layer do not fit into the memory of the device.")
        middle = (len(self.places) + 1) // 2
        return [_Work(self.bank.part(some), self.places[some]) for some in (slice(middle), slice(middle, None))]


class _Run:
    """The state of one training: `[heads, places, seeds]` of what is known of each probe."""

    def __init__(
        self,
        training: Labelled,
        validation: Labelled,
        tags: int,
        options: ProbeOptions,
        places: tuple[Place, ...],
        device: torch.device,
        scaling: Scaling,
    ) -> None:
        self.training, self.validation, self.options = training, validation, options
        self.places, self.device, self.scaling, self.tags = places, device, scaling, tags
        self.heads: tuple[Head, ...] = ("tags", "control") if options.control else ("tags",)
        self.labels = [_labels(part, len(self.heads), device) for part in (training, validation)]
        layers, dims = scaling.shift.shape
        shape = len(self.heads), len(places), len(options.seeds)
        self.best = np.full(shape, np.inf)
        self.best_epoch = np.zeros(shape, np.int64)
        self.active = np.ones(shape, np.bool_)
        self.losses: list[NDArray[np.float64]] = []
        self.weights = np.empty((*shape, dims + 1, tags), np.float32)
        for place, name in enumerate(places):
            for number, seed in enumerate(options.seeds):
                self.weights[:, place, number] = initial_weights(name, seed, len(self.heads), dims, tags)
        self.mix = np.full((len(self.heads), len(options.seeds), layers), 1 / layers, np.float32)
        self.work = self._banks()

    def _banks(self) -> list[_Work]:
        """On a CPU a bank a layer, so that cores share none; on a GPU all layers in one. A bank a seed for the learned mix."""
        seeds = list(range(len(self.options.seeds)))
        plain = [place for place, name in enumerate(self.places) if name != MIX]
        groups = [[place] for place in plain] if self.device.type == "cpu" else [plain] if plain else []
        made = []
        if MIX in self.places:  # first, since they take longest
            at = self.places.index(MIX)
            for seed in seeds:
                start = self._start([at])[:, :, [seed]]
                made.append(_Work(MixBank(seed, start, self.scaling, self.options), [at]))
        for group in groups:
            layers = [MEAN if (name := self.places[place]) == MEAN_OF_LAYERS else int(name) for place in group]
            made.append(_Work(LayerBank(layers, seeds, self._start(group), self.scaling, self.options), group))
        return made

    def _start(self, places: list[int]) -> Tensor:
        return torch.from_numpy(self.weights[:, places]).to(self.device)

    def epoch(self, epoch: int, should_stop: Callable[[], bool] | None) -> None:
        """Train every probe that has not stopped on all rows once, then see which have got better."""
        labels, validated = self.labels
        seeds = len(self.options.seeds)
        with workers(self.device) as run_each:
            for number, rows in enumerate(epoch_windows(self.training.features.rows, epoch, self.options)):
                window = read(self.training.features, rows, self.device, should_stop, known_finite=True)
                orders = seed_orders(len(rows), self.options.seeds, epoch, number).to(self.device)
                here = labels[..., torch.from_numpy(rows).to(self.device)].expand(-1, seeds, -1)
                self.work = [part for some in self._trained(window, here, orders, run_each) for part in some]
            losses = [torch.zeros(()) for _ in self.work]
            for rows in stored_order(self.validation.features.rows, READ):
                window = read(self.validation.features, rows, self.device, should_stop, known_finite=epoch > 0)
                here = validated[..., int(rows[0]) : int(rows[-1]) + 1].expand(-1, seeds, -1)

                def add(i: int, window: Tensor = window, here: Tensor = here) -> None:
                    def lose(some: slice) -> Tensor:
                        return self.work[i].bank.losses(window[some], here[..., some]).cpu()

                    losses[i] = losses[i] + sum(in_halves(lose, range(len(window))))

                run_each(add, range(len(self.work)))
        self._judge(epoch, [loss.numpy() / self.validation.features.rows for loss in losses])

    def _trained(self, window: Tensor, labels: Tensor, orders: Tensor, run_each: Callable[..., None]) -> list[list[_Work]]:
        """Train every bank on a window; return of each what it is from now on: itself, or its halves where memory was short."""
        parts: list[list[_Work]] = [[] for _ in self.work]

        def learn(i: int) -> None:
            waiting = [self.work[i]]
            while waiting:
                work = waiting.pop(0)
                before = work.bank.weights.updates
                fits, _ = unless_short(partial(work.bank.train, window, labels, orders))
                if fits:
                    parts[i].append(work)
                elif work.bank.weights.updates == before:
                    waiting[:0] = work.halves()
                else:
                    raise ShortOfMemoryError("The memory of the device was taken while probes were trained.")

        run_each(learn, range(len(self.work)))
        return parts

    def _judge(self, epoch: int, losses: list[NDArray[np.float64]]) -> None:
        """Keep the weights of probes that have got better, and stop those that have not for long enough."""
        now = np.full(self.active.shape, np.nan)
        for work, loss in zip(self.work, losses, strict=True):
            bank = work.bank
            cells = np.ix_(bank.heads, work.places, bank.seeds)
            now[cells] = np.where(self.active[cells], loss, np.nan)
            better = self.active[cells] & (loss < self.best[cells])
            if better.any():
                self.weights[cells] = np.where(better[..., None, None], bank.parameters().cpu().numpy(), self.weights[cells])
                if isinstance(bank, MixBank):
                    rows = np.ix_(bank.heads, bank.seeds)
                    shares = torch.softmax(bank.mix.values, -1).cpu().numpy()[:, None]
                    self.mix[rows] = np.where(better[:, 0, :, None], shares, self.mix[rows])
        better = now < self.best
        self.best, self.best_epoch = np.where(better, now, self.best), np.where(better, epoch, self.best_epoch)
        self.losses.append(now)
        if not np.isfinite(self.best).all():
            _, place, seed = np.argwhere(~np.isfinite(self.best))[0]
            raise ProbeError(
                f"The validation loss of the probe of {shown(self.places[place])}, seed {self.options.seeds[seed]}, is not a "
                f"finite number. Lower the learning rate ({self.options.learning_rate:g})."
            )
        self.active &= epoch - self.best_epoch < self.options.patience
        self.work = [work for work in self.work if self._shrink(work)]

    def _shrink(self, work: _Work) -> bool:
        """Let go of heads, layers and seeds of which no probe goes on. False where none of the bank does."""
        bank = work.bank
        active = self.active[np.ix_(bank.heads, work.places, bank.seeds)]
        if not active.any():
            return False
        heads, layers, seeds = (np.flatnonzero(active.any(axes)).tolist() for axes in ((1, 2), (0, 2), (0, 1)))
        if (len(heads), len(layers), len(seeds)) != active.shape:
            bank.select(heads, layers, seeds)
            work.places = [work.places[each] for each in layers]
        return True

    def result(self) -> Probes:
        """Return the probes, each at its best epoch."""
        return Probes(
            places=self.places,
            seeds=self.options.seeds,
            heads=self.heads,
            weights=np.ascontiguousarray(self.weights[..., :-1, :]),
            bias=np.ascontiguousarray(self.weights[..., -1, :]),
            mix=self.mix,
            scaling=self.scaling.to(torch.device("cpu")),
            losses=np.stack(self.losses),
            best=self.best_epoch,
            at_limit=self.active,
        )


def shown(place: Place) -> str:
    """Return what to call a place in a sentence."""
    return f"layer {place}" if isinstance(place, int) else f"the {place}"


def _labels(part: Labelled, heads: int, device: torch.device) -> Tensor:
    """Return the labels of each head and draw, int64 `[heads, draws, rows]`: a draw a seed, or one for all of them."""
    columns = [np.atleast_2d(np.asarray(each, np.int64)) for each in (part.labels, part.control)[:heads]]
    return torch.from_numpy(np.stack(np.broadcast_arrays(*columns))).to(device)
