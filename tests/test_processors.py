"""Equal seeds give equal results with whichever instructions of the processor torch computes: each in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.training.killed_scripts import ended, started

SCRIPT = """
    import os, sys
    os.environ["ATEN_CPU_CAPABILITY"] = sys.argv[2]
    from hashlib import sha256
    from pathlib import Path
    import torch
    from isogloss.backend.metrics.abx.exact import with_sums
    from isogloss.backend.training.language_model.pretrain import pretrain
    from tests.test_device_memory import vectors
    from tests.training.language_model.language_modelling import tiny_options, tiny_source

    torch.set_num_threads(2)
    folder, options = Path(sys.argv[1]), tiny_options()
    taken = []
    def weights(name, **following):
        trained = pretrain(tiny_source(), options, folder / name, device="cpu", **following)
        return trained.model and sha256((trained.model / "model.safetensors").read_bytes()).hexdigest()
    once = weights("once")
    assert weights("stopped", should_stop=lambda: taken.append(1) or len(taken) == 5) is None
    _, sums = with_sums(vectors(4, 30, 16))
    counted = sha256(sums.language.numpy().tobytes() + sums.meaning.numpy().tobytes()).hexdigest()
    print(torch.backends.cpu.get_cpu_capability().lower(), once, weights("stopped"), counted)
    print("done")
"""
COUNTED: set[str] = set()
CPUINFO = Path("/proc/cpuinfo")
FLAGS = {"avx2": "avx2", "avx512": "avx512vl"}
"""Without which torch is not asked: told to use what a processor lacks, it does, and dies of it."""


@pytest.mark.parametrize("instructions", ["default", "avx2", "avx512"])
def test_equal_seeds_give_equal_weights(instructions: str, tmp_path: Path) -> None:
    """Trained, stopped and gone on with, and by a second process: byte for byte the same. Triplets are counted alike."""
    if CPUINFO.exists() and FLAGS.get(instructions, "") not in CPUINFO.read_text(encoding="utf-8"):
        pytest.skip(f"this processor lacks {instructions}")
    processes = [started(SCRIPT, tmp_path / name, instructions) for name in ("one", "another")]
    (one, _), (another, _) = map(ended, processes)
    taken, once, stopped, counted = one.split()
    if taken != instructions:
        pytest.skip(f"this processor lacks {instructions}: torch took {taken}")
    assert once == stopped
    assert one == another
    COUNTED.add(counted)
    assert len(COUNTED) == 1  # whole numbers: the same whatever rounds the products
