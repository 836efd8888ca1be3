"""A model four times larger than the memory that a process may take gives the scores that it gives elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import isogloss
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {
    "en": [SENTENCES[0], SENTENCES[1], "A child sleeps.", "Rain falls on the harbour.", "Nobody knows.", "The storm is over."],
    "de": [
        SENTENCES[2],
        SENTENCES[3],
        "Ein Kind schläft.",
        "Regen fällt auf den Hafen.",
        "Niemand weiß es.",
        "Der Sturm ist vorbei.",
    ],
    "ru": [SENTENCES[4], SENTENCES[5], "Ребёнок спит.", "Дождь идёт над гаванью.", "Никто не знает.", "Буря прошла."],
}
LIMITED = """
import json, resource, sys
from pathlib import Path
import isogloss

small, large, workspace, texts = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])

def taken(name):  # of this process, in bytes
    lines = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines() if line.endswith("kB"))
    return int(lines[name].split()[0]) * 1024

# What a worker has when it takes a job: libraries, their threads, the texts.
isogloss.measure("abx", model=str(small), corpus=texts, workspace=workspace, progress=False)
before = taken("VmSize")
size = sum(file.stat().st_size for file in large.glob("*.safetensors"))
resource.setrlimit(resource.RLIMIT_AS, (before + size // 4,) * 2)
try:
    from transformers import AutoModel
    AutoModel.from_pretrained(large)
    whole = "fits"
except (RuntimeError, OSError, MemoryError, SystemError) as error:
    whole = f"{type(error).__name__}: {error}"[:200]
frame = isogloss.measure("abx", model=str(large), corpus=texts, workspace=workspace, progress=False)
print(json.dumps({"scores": json.loads(frame.to_json(orient="split", double_precision=15)), "whole": whole, "size": size,
                  "allowed": size // 4, "taken": taken("VmPeak") - before}))
"""
COMPARED = ["metric", "layer", "source", "target", "value", "low", "high", "n"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits and their measure are Linux's")
def test_a_model_four_times_larger_than_the_memory_allowed(tmp_path: Path) -> None:
    """The limit is on addresses (`RLIMIT_AS`), the strictest there is: what is mapped counts like what is allocated."""
    small, large = tiny_model(tmp_path / "small", "llama"), tiny_model(tmp_path / "large", "llama", layers=64, dims=512)
    command = [sys.executable, "-c", LIMITED, str(small), str(large), str(tmp_path / "limited"), json.dumps(TEXTS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["whole"] != "fits"
    assert said["size"] > 500e6
    assert said["taken"] <= said["allowed"]
    frame = isogloss.measure("abx", model=str(large), corpus=TEXTS, workspace=tmp_path / "whole", progress=False)
    expected = json.loads(frame.to_json(orient="split", double_precision=15))
    columns = [expected["columns"].index(name) for name in COMPARED]
    rows = [[[row[place] for place in columns] for row in each["data"]] for each in (said["scores"], expected)]
    assert len(rows[0]) == len(rows[1]) > 3 * 65
    assert rows[0] == rows[1]
