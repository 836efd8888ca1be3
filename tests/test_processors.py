"""Equal seeds give equal results with whichever instructions of the processor torch computes: each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = textwrap.dedent("""
    import sys
    from hashlib import sha256
    from pathlib import Path
    import torch
    from backend.metrics.abx.exact import with_sums
    from backend.training.language_model.pretrain import pretrain
    from tests.test_device_memory import vectors
    from tests.training.language_model.language_modelling import tiny_options, tiny_source

    torch.set_num_threads(2)
    folder, options = Path(sys.argv[1]), tiny_options()
    taken = []
    def weights(name, **following):
        found = pretrain(tiny_source(), options, folder / name, device="cpu", **following)
        return found.model and sha256((found.model / "model.safetensors").read_bytes()).hexdigest()
    once = weights("once")
    assert weights("stopped", should_stop=lambda: taken.append(1) or len(taken) == 5) is None
    _, sums = with_sums(vectors(4, 30, 16))
    counted = sha256(sums.language.numpy().tobytes() + sums.meaning.numpy().tobytes()).hexdigest()
    print(torch.backends.cpu.get_cpu_capability(), once, weights("again"), weights("stopped"), counted)
""")
COUNTED: set[str] = set()


@pytest.mark.parametrize("instructions", ["default", "avx2", "avx512"])
def test_equal_seeds_give_equal_weights(instructions: str, tmp_path: Path) -> None:
    """Trained twice, stopped and gone on with, and by a second process: byte for byte the same. Triplets are counted alike."""
    said = []
    for process in ("one", "another"):
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / process)]
        environment = {**os.environ, "ATEN_CPU_CAPABILITY": instructions, "OMP_NUM_THREADS": "2"}
        ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
        assert ran.returncode == 0, ran.stderr
        said.append(ran.stdout.split())
    taken, once, again, stopped, counted = said[0]
    if taken.lower() != instructions:
        pytest.skip(f"this processor lacks {instructions}: torch took {taken.lower()}")
    assert once == again == stopped
    assert said[0] == said[1]
    COUNTED.add(counted)
    assert len(COUNTED) == 1  # whole numbers: the same whatever rounds the products
