"""Prices of XferBench: operations counted against a plain recount, the pace of earlier trainings, what is missing alone."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from backend.corpora.parallel.library import CorpusEntry, KeptLanguage
from backend.experiments.sources.source import Pretraining
from backend.experiments.xferbench.price import flop_of, of_pieces, xferbench
from backend.experiments.xferbench.spec import Cell, XferBenchSpec
from backend.store.scores import ShardFile
from backend.training.language_model.options import preset
from tests.experiments.devices import cpu, gpu

SPEED = cpu(200e9, 200e9, threads=4)
GPU = gpu(600e12)
TEXT = "c" * 24


def entry(characters: int) -> CorpusEntry:
    language = KeptLanguage(tag="fi", source_name="fin", sentences=10, characters=characters)
    return CorpusEntry(
        id=TEXT,
        name="News",
        format="f",
        languages=(language,),
        sentences=10,
        rows=10,
        complete=True,
        skipped=0,
        created_at=datetime.now(UTC),
    )


def spec(**changes: Any) -> XferBenchSpec:
    fields = {"sources": [{"kind": "emergent", "corpus": "a" * 24}], "targets": [{"corpus": TEXT, "language": "fi"}]}
    return XferBenchSpec.model_validate(fields | changes)


def pieces(**changes: Any) -> list[Any]:
    return list(spec(**changes).shards().values())


def earlier(seconds: float | None, name: str = "quick", device: str = "cpu", flop: float = 1e12) -> ShardFile:
    provenance = {"options": preset(name).model_dump(mode="json"), "seconds": seconds, "flop": flop, "device": device}  # type: ignore[arg-type]
    return ShardFile(Path("x"), provenance, 0.0)


def test_a_paper_run_is_the_operations_that_the_design_counts() -> None:
    """15 M tokens five times and ten targets of 2 M tokens ten times: 275 M tokens, 1.1e17 operations."""
    options = preset("paper")
    base, cell = pieces(preset="paper")
    assert isinstance(base, Pretraining)
    assert isinstance(cell, Cell)
    texts = {TEXT: entry(10**9)}
    assert flop_of(base, texts) == options.architecture.training_flop * 75_000_000
    assert flop_of(base, texts) + 10 * flop_of(cell, texts) == pytest.approx(1.13e17, rel=0.03)
    # A short text is tuned on as far as it goes.
    assert flop_of(cell, {TEXT: entry(100_000)}) < flop_of(cell, texts) / 40
    assert flop_of(cell, {}) == flop_of(cell, texts)


def test_without_earlier_runs_the_measured_speed_decides() -> None:
    slow, fast = (of_pieces(pieces(preset="paper"), [entry(10**9)], worker, []) for worker in (SPEED, GPU))
    assert slow is not None
    assert fast is not None
    assert slow.seconds > 50 * fast.seconds
    assert "measurement on NVIDIA H100" in fast.basis
    quick = of_pieces(pieces(), [entry(250_000)], SPEED, [])
    assert quick is not None
    assert 10 < quick.seconds < slow.seconds / 100
    assert xferbench(spec(), None, []) is None
    assert of_pieces([], [entry(250_000)], SPEED, []) is None


def test_what_is_missing_is_paid_for() -> None:
    base, cell = pieces()
    both, one = (of_pieces(some, [entry(250_000)], SPEED, [earlier(10.0)]) for some in ([base, cell], [cell]))
    assert both is not None
    assert one is not None
    assert (both.shards, one.shards) == (2, 1)
    assert both.seconds > one.seconds


def test_the_pace_of_this_model_on_such_a_device_decides() -> None:
    texts = {TEXT: entry(250_000)}
    flop = sum(flop_of(piece, texts) for piece in pieces())
    others = [earlier(1e6, "paper"), earlier(1e6, device="cuda"), earlier(None)]
    paces = [earlier(seconds) for seconds in (500.0, 10.0, 11.0, 12.0, 13.0, 40.0)]
    found = of_pieces(pieces(), [entry(250_000)], SPEED, [*others, *paces])
    assert found is not None
    assert found.seconds == pytest.approx(flop * 12e-12, abs=10)  # the median of the newest five
    assert "last trainings" in found.basis
    assert "measurement" in of_pieces(pieces(), [entry(250_000)], SPEED, others).basis  # type: ignore[union-attr]


def test_a_spec_is_priced_by_what_is_missing(tmp_path: Path) -> None:
    """Nothing is trained here yet, and no text is kept."""
    first, *_ = spec().shards()
    assert xferbench(spec(), SPEED, [tmp_path]) == of_pieces(pieces(), [], SPEED, [])
    assert xferbench(spec(), SPEED, [tmp_path], [first]) == of_pieces(pieces()[:1], [], SPEED, [])
    assert xferbench(spec(), SPEED, [tmp_path], []) is None
