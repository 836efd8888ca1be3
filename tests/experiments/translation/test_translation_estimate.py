"""Prices of the machine-translation check: operations recounted, the pace of earlier trainings by kind."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from backend.corpora.parallel.library import CorpusEntry, KeptLanguage
from backend.experiments.translation.price import flop_of, of_pieces, translation
from backend.experiments.translation.spec import TranslationSpec
from backend.training.translation.options import preset
from tests.experiments.devices import cpu, gpu

SPEED = cpu(200e9, threads=4)
GPU = gpu(600e12)
TEXT = "c" * 24


def entry(sentences: int) -> CorpusEntry:
    """Of 50 characters a sentence: about 20 tokens."""
    language = KeptLanguage(tag="en", source_name="eng", sentences=sentences, characters=50 * sentences)
    return CorpusEntry(
        id=TEXT,
        name="News",
        format="f",
        languages=(language,),
        sentences=sentences,
        rows=sentences,
        complete=True,
        skipped=0,
        created_at=datetime.now(UTC),
    )


def spec(name: str = "quick") -> TranslationSpec:
    fields = {"sources": [{"kind": "emergent", "corpus": "a" * 24}], "text": {"corpus": TEXT}, "settings": ["full"]}
    return TranslationSpec.model_validate(fields | {"preset": name})


def pieces(name: str = "quick") -> list[Any]:
    return list(spec(name).shards().values())


def earlier(seconds: float | None, device: str = "cpu", **provenance: Any) -> dict[str, Any]:
    found = {"options": preset("quick", "full").model_dump(mode="json"), "seconds": seconds, "flop": 1e12, "device": device}
    return found | provenance


def test_operations_are_those_of_the_tokens() -> None:
    base, cell = pieces("paper")
    options, texts = preset("paper", "full"), {TEXT: entry(10**8)}
    flop = options.architecture.training_flop
    assert flop_of(base, texts) == flop * 500_000_000
    translated = 5000 * 20 * (1 + 3 + 5) * flop / 3
    assert flop_of(cell, texts) == pytest.approx(flop * 3 * 40_000_000 + translated)  # two million pairs at most
    assert flop_of(cell, {TEXT: entry(1000)}) == pytest.approx(flop * 3 * 800 * 20 + 200 * 20 * 9 * flop / 3)
    assert flop_of(cell, {}) > flop_of(cell, texts)  # of what is not known, as much as anyone asks for


def test_without_earlier_runs_the_measured_speed_decides() -> None:
    slow, fast = (of_pieces(pieces("paper"), [entry(10**6)], worker, []) for worker in (SPEED, GPU))
    assert slow is not None
    assert fast is not None
    assert slow.seconds > 50 * fast.seconds
    assert "measurement on NVIDIA H100" in fast.basis
    quick = of_pieces(pieces(), [entry(2000)], SPEED, [])
    assert quick is not None
    assert 10 < quick.seconds < slow.seconds / 100
    assert quick.shards == 2
    assert translation(spec(), None, []) is None
    assert of_pieces([], [entry(2000)], SPEED, []) is None


def test_pre_training_and_tuning_have_a_pace_each() -> None:
    base, cell = (flop_of(piece, {TEXT: entry(2000)}) for piece in pieces())
    others = [earlier(1e9, "cuda"), earlier(None), earlier(1e9) | {"options": preset("paper", "full").model_dump(mode="json")}]
    known = [*others, earlier(10.0), earlier(30.0, setting="full")]
    both, one = (of_pieces(pieces()[place:], [entry(2000)], SPEED, known) for place in (0, 1))
    assert both is not None
    assert one is not None
    assert both.seconds == pytest.approx((10 * base + 30 * cell) / 1e12, abs=8)
    assert one.seconds == pytest.approx(30 * cell / 1e12, abs=6)
    assert "last trainings" in both.basis
    half = of_pieces(pieces(), [entry(2000)], SPEED, known[:-1])
    assert half is not None
    assert "measurement" in half.basis


def test_a_spec_is_priced_by_what_is_missing(tmp_path: Path) -> None:
    """Nothing is trained here yet, and no text is kept."""
    first, *_ = spec().shards()
    assert translation(spec(), SPEED, [tmp_path]) == of_pieces(pieces(), [], SPEED, [])
    assert translation(spec(), SPEED, [tmp_path], [first]) == of_pieces(pieces()[:1], [], SPEED, [])
    assert translation(spec(), SPEED, [tmp_path], []) is None
