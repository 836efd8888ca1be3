"""The shape of a fairseq checkpoint, read in a process of its own: the web process never imports torch."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files.shapes import Shape
from isogloss.backend.settings import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS = 300


def describe_fairseq(path: Path) -> tuple[Shape, int]:
    """Return the shape and number of parameters of a fairseq `.pt` file.

    Raises `ModelError` where it is not an XLM-R checkpoint of fairseq, or takes longer than five minutes to open.
    """
    command = [sys.executable, "-m", "isogloss.backend.models.loading.fairseq", str(path)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"'{path.name}' could not be opened within {_SECONDS} seconds. Check the disk it lies on.") from error
    try:
        answer = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError) as error:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ModelError(f"'{path.name}' could not be opened ({reason}). Check that it is a fairseq checkpoint.") from error
    if "error" in answer:
        raise ModelError(str(answer["error"]))
    return Shape("xlm-roberta", int(answer["layers"]), int(answer["dims"]), False), int(answer["parameters"])
