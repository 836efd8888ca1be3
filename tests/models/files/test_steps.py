from __future__ import annotations

import pytest

from isogloss.backend.models.files.steps import by_step, natural_key, parse_step


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("step1000", 1000),
        ("step0", 0),
        ("global_step1000", 1000),
        ("checkpoint-500", 500),
        ("checkpoint_12_5000.pt", 5000),
        ("checkpoint_1_500", 500),
        ("step-10k", 10_000),
        ("step1.5M", 1_500_000),
        ("step_000250", 250),
        ("iter_0005000", 5000),
        ("ckpt-300", 300),
        ("stage1-step-40000", 40_000),
        ("step1000-tokens4B", 1000),
        ("seed1-step-2000", 2000),
        ("10k", 10_000),
        ("143000", 143_000),
        ("main", None),
        ("v1.0", None),
        ("2.5", None),
        ("1.0", None),
        ("checkpoint12.pt", None),
        ("checkpoint_best.pt", None),
        ("checkpoint_last.pt", None),
        ("epoch3", None),
        ("footsteps", None),
        ("stepwise2b", None),
        ("refs/pr/3", None),
    ],
)
def test_steps_are_read_from_names(name: str, step: int | None) -> None:
    assert parse_step(name) == step


def test_steps_are_ordered_as_numbers_and_the_rest_follows_as_given() -> None:
    names = ["main", "step1000", "step200", "final", "step10"]
    assert by_step(names, parse_step) == ["step10", "step200", "step1000", "main", "final"]


def test_numbers_inside_names_are_ordered_as_numbers() -> None:
    assert sorted(["epoch10", "epoch2", "a", "10", "9"], key=natural_key) == ["9", "10", "a", "epoch2", "epoch10"]
