"""Scores of vectors in several precisions, as a GPU's worker and a CPU's give, are named where a page shows them together."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from isogloss.backend.store import scores
from isogloss.pages.widgets.choosing.views import of_several_precisions
from tests.pages.abx.abx_page import DEMO, MLM, open_abx
from tests.pages.beside import on_the_demo

if TYPE_CHECKING:
    from pathlib import Path


def test_one_checkpoint_computed_in_another_precision_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    on_the_demo(monkeypatch, tmp_path)
    cautions = [each.value for each in open_abx(model=MLM).markdown if "Caution" in each.value]
    assert cautions == []
    (file,) = (
        each
        for each in scores.shards([DEMO], "abx")
        if (each.provenance["model"], each.provenance["label"]) == (MLM, "checkpoint-100")
    )
    again = {**file.provenance, "precision": "bfloat16"}
    os.utime(scores.write(tmp_path, "abx", file.run, pq.read_table(file.path), again), (0, 0))  # the oldest of equals serves
    (said,) = [each.value for each in open_abx(model=MLM).markdown if "Caution" in each.value]
    assert "encoded in bfloat16 (checkpoint\\-100), the others in float32" in said


def test_files_that_do_not_say_their_precision_are_not_counted() -> None:
    assert of_several_precisions([{}, {"precision": "float32", "label": "a"}, {}]) is None
    assert of_several_precisions([]) is None
    many = [{"precision": "float32", "label": f"step{i}"} for i in range(5)]
    assert "encoded in bfloat16 (b), the" in (of_several_precisions([*many, {"precision": "bfloat16", "label": "b"}]) or "")
