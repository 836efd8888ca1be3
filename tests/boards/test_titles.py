"""Titles and captions say measure, by what, model, corpus and n, whatever family a figure is of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from isogloss.backend.boards.provenance import Provenance
from isogloss.backend.boards.records import Explained, Pin
from isogloss.backend.boards.titles import caption_of, title_of

NTREX = {"id": "1" * 24, "kind": "parallel corpus", "name": "My NTREX"}
SIX = ("ar", "de", "en", "fi", "hi", "zh")


def pin(name: str, title: str = "") -> Pin:
    card = Explained(name="", text="", source="", bibtex="")
    return Pin(
        id="0" * 12, name=name, title=title, recipe={"calls": []}, card=card, link="/", alt="", by="", at=datetime.now(UTC)
    )


def of(*labels: str, models: tuple[str, ...] = ("My e5",), languages: tuple[str, ...] = SIX) -> Provenance:
    checkpoints = {label: str(place) * 24 for place, label in enumerate(labels or ("e5-small",))}
    return Provenance(models=dict.fromkeys(models, checkpoints), corpora=(NTREX,), languages=languages, sentences="998")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Language discrimination over layers", "Language discrimination by layer"),
        ("ABX My e5 layers by checkpoints", "ABX discrimination by layer and checkpoint"),
        ("ABX My e5 e5-small layer 6 worst pairs", "ABX discrimination worst pairs, layer 6"),
        ("ABX My e5 e5-small layer 6 language pairs", "ABX discrimination by language pair, layer 6"),
        ("Meaning discrimination of My e5 over layers", "Meaning discrimination by layer"),
        ("IGap My e5 source by target", "IGap by source and target"),
        ("Where abx_language goes with probe_accuracy", "Where language discrimination goes with probing accuracy"),
        ("Regressions of My e5 beside table 1", "Regressions beside table 1"),
        ("Alignment of words My e5 layers by checkpoints", "Alignment of words by layer and checkpoint"),
        ("Difference over an unknown_thing", "Difference over an unknown_thing"),
    ],
)
def test_a_title_is_measure_by_what_model_and_data(name: str, title: str) -> None:
    assert title_of(pin(name), of()) == f"{title} · My e5 · My NTREX, 6 languages"


def test_what_a_title_names_and_what_it_counts() -> None:
    assert (
        title_of(pin("Errors layer 2 de en"), of(languages=("de", "en")))
        == "Errors, layer 2 · My e5 · My NTREX, German and English"
    )
    assert title_of(pin("X"), of("checkpoint-200")) == "X · My e5, checkpoint-200 · My NTREX, 6 languages"
    assert title_of(pin("X"), of(models=("A", "B"))).startswith("X · A and B · ")
    assert title_of(pin("X"), of(models=("A", "B", "C"))).startswith("X · 3 models · ")
    kept = title_of(pin("Difference: My e5 · step 2 − My e5 · step 1"), of("step 1", "step 2"))
    assert kept.startswith("Difference: step 2 − step 1 · My e5 · ")
    assert title_of(pin("ABX My e5", "Ours"), of()) == "Ours"  # as people wrote it


def test_a_caption_has_model_corpus_and_n() -> None:
    assert caption_of(of("step 1", "step 2")) == "My e5 (2 checkpoints) · My NTREX · 6 languages · n = 998"
    assert caption_of(Provenance(printed=True)) == "numbers as printed"
