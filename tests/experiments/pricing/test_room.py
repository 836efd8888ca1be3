"""Before a run starts it is said whether its model fits into the memory of the machine, and how it is run where it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.pricing.machine import Machine, read
from isogloss.backend.experiments.pricing.room import Room
from isogloss.backend.jobs import device
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library
from isogloss.backend.settings import Settings
from tests.experiments.alignment import alignment_by_hand as by_hand
from tests.experiments.alignment.lab import TAGS
from tests.experiments.machines import CPU, gpu

if TYPE_CHECKING:
    from pathlib import Path


def said(workspace: Path, architecture: str, machine: Machine, protocol: str = "exact") -> Room | None:
    """What is said of ABX of a model of eight billion weights."""
    corpus = by_hand.keep_corpus(by_hand.sentences(), workspace)
    checkpoint = Checkpoint(source="hub", location=f"a/{architecture}", label="main", fingerprint="0" * 24)
    shape = {"layers": 32, "dims": 4096, "parameters": 8_000_000_000, "checkpoints": (checkpoint,)}
    library.keep(Model(name="Large", architecture=architecture, **shape), workspace)
    spec = AbxSpec(model="Large", checkpoints=(checkpoint,), corpus=corpus, languages=TAGS, protocol=protocol)
    return registry.room(spec, machine, [workspace])


def test_what_fits_and_what_is_run_layer_by_layer(tmp_path: Path) -> None:
    fits = said(tmp_path, "llama", replace(gpu(), memory=24 * 10**9))
    assert fits == Room(True, "Large fits: 16.0 GB of weights, 24.0 GB of memory (NVIDIA H100).")
    small = said(tmp_path, "llama", replace(CPU, memory=8 * 10**9))
    assert small == Room(
        False,
        "Large does not fit: 32.0 GB of weights, 8.0 GB of memory (CPU, 2 threads). "
        "It is run layer by layer, its weights read from the disk as they are needed: the same scores.",
    )


def test_an_architecture_that_was_not_tried_is_told_before_it_is_asked_for(tmp_path: Path) -> None:
    found = said(tmp_path, "falcon", replace(CPU, memory=8 * 10**9))
    assert found is not None
    assert not found.fits
    assert "its architecture (falcon) cannot be run layer by layer" in found.text


def test_nothing_is_said_where_memory_or_size_is_not_known(tmp_path: Path) -> None:
    assert said(tmp_path, "llama", CPU) is None
    assert read({"machine": {"kind": "cpu", "name": "CPU", "threads": 2}}) == Machine("cpu", "CPU", 2)  # an older worker's


@pytest.mark.parametrize(("gib", "most"), [(None, None), (0.5, 2**29)])
def test_a_worker_says_the_memory_that_it_has(gib: float | None, most: int | None) -> None:
    memory = device.of_worker(Settings(device="cpu", memory_gib=gib)).memory
    assert memory == most if most else 2**29 < memory < 2**50
