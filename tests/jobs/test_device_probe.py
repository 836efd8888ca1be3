"""The speed that a worker measures of itself, against a clock that the test turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from backend.jobs import device

if TYPE_CHECKING:
    import pytest


class Matrix:
    """One whose products take the seconds of `takes`, one after the other, on the clock."""

    is_cuda, device = False, "cpu"

    def __init__(self, takes: list[float]) -> None:
        self.takes, self.clock = takes, 0.0

    def new_empty(self, *_: int) -> Matrix:
        return self

    def normal_(self, **_: object) -> Matrix:
        return self

    def __matmul__(self, _: Matrix) -> None:
        self.clock += self.takes.pop(0) if len(self.takes) > 1 else self.takes[0]


def test_a_busy_moment_is_not_the_speed_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    operations = 2.0 * 512 * 768 * 3072
    for takes in ([0.5, 0.5, 0.4, 0.01], [0.01] * 12 + [0.5]):  # busy at the beginning, and at the end
        matrix = Matrix(takes)
        monkeypatch.setattr(device.time, "perf_counter", lambda matrix=matrix: matrix.clock)
        measured = device._measure(matrix, 512)
        assert 0.9 * operations / 0.01 < measured < 1.1 * operations / 0.01


def test_measuring_draws_no_number_of_a_training_that_runs_meanwhile() -> None:
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    device.probe("cpu")
    assert torch.equal(torch.rand(4), expected)
