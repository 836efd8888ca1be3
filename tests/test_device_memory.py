"""Where memory is short, everything that computes in pieces goes on with smaller ones, and finds what it would have found."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from itertools import chain
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from isogloss.backend import device_memory
from isogloss.backend.device_memory import ShortOfMemoryError, batch_of, in_halves, is_short, remember_batch
from isogloss.backend.errors import ModelError
from isogloss.backend.metrics.abx import confusions, counting, exact, sampled
from isogloss.backend.metrics.blocks import Stopped
from isogloss.backend.metrics.retrieval.accuracy import accuracies
from isogloss.backend.metrics.retrieval.mutual_links import mutual_links
from isogloss.backend.metrics.retrieval.ranks import retrieve
from isogloss.backend.training.probe.features import Labelled, VectorFeatures
from isogloss.backend.training.probe.options import ProbeOptions
from isogloss.backend.training.probe.train import train_probes

SHORT = [
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    RuntimeError("CUDA error: out of memory"),
    RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory"),
]


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    device_memory.forget()
    yield
    device_memory.forget()


MAKING = {"mm", "bmm", "matmul", "index", "index_select"}


class Allocating(TorchDispatchMode):
    """Fails each product or gathering of rows whose result has more numbers than there is room for."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room, self.failed = room, 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = function(*args, **(kwargs or {}))
        if function.overloadpacket.__name__ in MAKING and made.numel() > self.room:
            self.failed += 1
            raise torch.OutOfMemoryError("CUDA out of memory")
        return made


@contextmanager
def room_for(numbers: int) -> Iterator[Allocating]:
    """One thread, so that the mode sees every operation."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with Allocating(numbers) as mode:
            yield mode
    finally:
        torch.set_num_threads(before)


def vectors(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def same(one: Any, other: Any) -> None:
    """Every number of two results; those that products rounded otherwise, but for rounding."""
    for field in fields(one):
        first, second = getattr(one, field.name), getattr(other, field.name)
        if isinstance(first, torch.Tensor):
            torch.testing.assert_close(first, second, rtol=1e-9, atol=1e-9, equal_nan=True)
        elif first is not None:
            np.testing.assert_allclose(first, second, rtol=1e-9)


@pytest.mark.parametrize("error", SHORT)
def test_what_says_that_memory_is_short(error: Exception) -> None:
    assert is_short(error)
    calls: list[slice] = []

    def work(rows: slice) -> list[int]:
        calls.append(rows)
        if rows.stop - rows.start > 3:
            raise error
        return list(range(rows.start, rows.stop))

    assert [*chain(*in_halves(work, range(5, 16)))] == list(range(5, 16))
    tried = len(calls)
    assert [*chain(*in_halves(work, range(11)))] == list(range(11))
    assert len(calls) - tried == 4  # what did not fit before is not tried again
    device_memory.forget()
    in_halves(work, range(11))
    assert len(calls) - tried - 4 == tried


@pytest.mark.parametrize("error", [RuntimeError("shapes"), ValueError("CUDA error: out of memory"), Stopped(), MemoryError()])
def test_what_says_something_else_is_raised(error: Exception) -> None:
    def work(_: slice) -> None:
        raise error

    with pytest.raises(type(error)):
        in_halves(work, range(4))


def test_what_does_not_fit_at_all_says_what_to_do() -> None:
    def work(_: slice) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(ModelError, match=r"Not even the smallest part .* Free it, ask for fewer languages"):
        in_halves(work, range(9))
    assert in_halves(work, range(0)) == []


def test_the_tensors_that_did_not_fit_are_let_go_before_it_is_tried_again() -> None:
    import weakref

    held: list[weakref.ref[torch.Tensor]] = []

    def work(rows: slice) -> int:
        assert all(each() is None for each in held)
        mine = torch.ones(4)
        held.append(weakref.ref(mine))
        if rows.stop - rows.start > 1:
            raise torch.OutOfMemoryError
        return 1

    assert sum(in_halves(work, range(4))) == 4


def test_several_threads_at_once() -> None:
    def work(rows: slice) -> int:
        if rows.stop - rows.start > 2:
            raise torch.OutOfMemoryError
        return rows.stop - rows.start

    done: list[int] = []
    threads = [threading.Thread(target=lambda: done.append(sum(in_halves(work, range(100))))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert done == [100] * 4


def test_batches_that_fitted_are_remembered() -> None:
    assert batch_of(4096) == 4096
    remember_batch(1000)
    remember_batch(2000)
    assert (batch_of(4096), batch_of(500)) == (1000, 500)


E5, PAIR = vectors(5, 40, 16), (vectors(120, 16), vectors(120, 16, seed=1))
GROUPS = np.repeat(np.arange(30), 4)
SCORED: dict[str, tuple[int, Callable[[], Any]]] = {
    "exact": (700, lambda: exact.discrimination(E5)),
    "exact, some pairs": (700, lambda: exact.discrimination(E5, pairs=[(0, 2), (0, 4), (1, 3)])),
    "exact with its control": (700, lambda: exact.with_control(E5)[0]),
    "the control": (700, lambda: exact.with_control(E5)[1]),
    "what sentences contribute": (700, lambda: exact.with_sums(E5)[1]),
    "sampled": (2000, lambda: sampled.sampled(E5, 1000)),
    "its control": (2000, lambda: sampled.sampled_control(E5, 1000)),
    "retrieval": (4000, lambda: accuracies(*PAIR)),
    "retrieval by distance": (4000, lambda: accuracies(*PAIR, similarity="l2")),
    "what was retrieved": (4000, lambda: retrieve(*PAIR, task="strong_released")),
    "links": (500, lambda: mutual_links(*PAIR, GROUPS, GROUPS)),
}


@pytest.mark.parametrize("name", SCORED)
def test_scores_are_the_same_in_smaller_pieces(name: str) -> None:
    room, scored = SCORED[name]
    with room_for(10**9):
        expected = scored()
    with room_for(room) as short:
        found = scored()
    assert short.failed > 0
    same(found, expected)
    first = short.failed
    with room_for(room) as short:
        scored()
    assert short.failed < first  # the next layer of the shard begins with what fitted


def test_exact_scores_are_the_same_in_smaller_pieces_of_few_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Languages that are not held go past those that are: none of their pairs may be counted twice."""
    monkeypatch.setattr(counting, "_cut", lambda *_: counting._Cut(2, 40, 20, 2))
    with room_for(10**9):
        expected = exact.discrimination(E5)
    with room_for(300) as short:
        found = exact.discrimination(E5)
    assert short.failed > 0
    same(found, expected)


def test_the_worst_triplets_are_the_same_in_smaller_pieces() -> None:
    expected = confusions.worst_triplets(*E5[:2], k=15, per_sentence=2)
    with room_for(700) as short:
        found = confusions.worst_triplets(*E5[:2], k=15, per_sentence=2)
    assert short.failed > 0
    for task in confusions.TASKS:
        assert [(each.p, each.q) for each in found[task]] == [(each.p, each.q) for each in expected[task]]
        np.testing.assert_allclose([each.margin for each in found[task]], [each.margin for each in expected[task]])


def test_probes_are_the_same_with_fewer_layers_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU, where one bank has all layers."""
    from isogloss.backend.training.probe import train as module

    def together(run: Any) -> list[Any]:
        plain = [place for place, name in enumerate(run.places) if name != module.MIX]
        layers = [module.MEAN if run.places[place] == module.MEAN_OF_LAYERS else int(run.places[place]) for place in plain]
        seeds = list(range(len(run.options.seeds)))
        return [module._Work(module.LayerBank(layers, seeds, run._start(plain), run.scaling, run.options), plain)]

    monkeypatch.setattr(module._Run, "_banks", together)
    drawn = np.random.default_rng(0)
    parts = [
        Labelled(VectorFeatures(drawn.normal(size=(rows, 6, 8)).astype(np.float16)), drawn.integers(0, 3, rows))
        for rows in (300, 90)
    ]
    options = ProbeOptions(seeds=(0, 1), epochs=4, patience=2, control=False)
    places = (*range(6), module.MEAN_OF_LAYERS)

    def trained() -> Any:
        return train_probes(*parts, 3, options, places=places, device="cpu")

    with room_for(10**9):
        expected = trained()
    with room_for(7 * 2 * 32 * 9 // 2) as short:
        found = trained()
    assert short.failed > 0
    np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(found.best, expected.best)
    with room_for(400), pytest.raises(ShortOfMemoryError):
        trained()
