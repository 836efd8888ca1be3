"""The demo's label that crosses languages: a real encoder transfers, two small ones do not; and its weights are not here."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.backend.experiments.transfer.guessing import CHANCE
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.absent import is_absent
from isogloss.backend.store import records, scores
from isogloss.pages.transfer.shared import guesses
from tests.pages.abx.abx_page import DEMO, MLM, check, record
from tests.pages.beside import beside, on_the_demo
from tests.pages.opened import opened

CONTRAST, REAL = "Demo MLM + translation contrast", "multilingual-e5-small, 4-bit weights"
TUNED = "multilingual-e5-small, fine-tuned on English"
SMALL = (MLM, CONTRAST)


@pytest.fixture(autouse=True)
def _demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_the_demo(monkeypatch, tmp_path)


def test_the_page_opens_on_all_three_and_the_real_encoder_alone_is_far_from_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = beside(monkeypatch)
    app = opened("transfer", {})
    assert not app.error, app.error
    found = {data["model"].iloc[0]: data["value"].dropna() for _, data, _ in shown if "target" in data}
    assert set(found) == {*SMALL, REAL}
    assert found[REAL].max() < 0.3 < 0.35 < min(found[name].min() for name in SMALL)
    assert all(abs(found[name].mean() - 2 / 3) < 0.08 for name in SMALL)
    assert any("chance 66.7" in each.value for each in app.caption)
    assert any("Trained with different options" in each.value for each in app.caption)


def test_beside_the_matrix_is_what_fine_tuning_did(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kept model that begins with a checkpoint trained here; not one that only shares another checkpoint."""
    shown = record(monkeypatch)
    app = opened("transfer", {"model": REAL})
    assert not app.error, app.error
    language, meaning = (each for each in shown if "line" in each.data)
    check([language, meaning], 2)
    for each, before, after in ((language, 0.93, 0.53), (meaning, 0.99, 0.85)):
        last = each.data[each.data["layer"] == 12].set_index("line")["value"]
        assert last.to_dict() == pytest.approx({"before fine-tuning": before, "after fine-tuning": after}, abs=0.03)
    shown.clear()
    opened("transfer", {"model": [MLM, CONTRAST]})
    assert shown
    assert not [each for each in shown if "line" in each.data]


def test_every_small_model_has_two_seeds_of_four_sources_in_ten_languages() -> None:
    (task,) = {file.provenance["corpus"] for file in records.files([DEMO]) if file.provenance["data"] == "task"}
    runs = [file.provenance for file in records.files([DEMO]) if file.provenance["corpus"] == task]
    for name in SMALL:
        own = {(each["source"], each["options"]["seed"]) for each in runs if each["model"] == name}
        assert own == {(source, seed) for source in ("de", "en", "tr", "zh") for seed in (0, 1)}
    real = {(each["source"], each["options"]["seed"]) for each in runs if each["model"] == REAL}
    assert real == {(source, seed) for source in ("en", "zh") for seed in (0, 1)}
    assert {len(each["languages"]) for each in runs} == {10}
    assert {(each["examples"], each["validated"]) for each in runs} == {(151, 101)}


def test_fine_tuning_on_one_language_takes_language_from_the_upper_layers() -> None:
    before, after = models.load_entry(TUNED, [DEMO]).checkpoints
    found = scores.sql(
        "SELECT checkpoint, layer, avg(value) AS value FROM scores WHERE metric = 'abx_language' AND checkpoint IN "
        f"('{before.fingerprint}', '{after.fingerprint}') GROUP BY ALL",
        [DEMO],
    ).set_index(["checkpoint", "layer"])["value"]
    assert before.fingerprint == models.load_entry(REAL, [DEMO]).checkpoints[-1].fingerprint
    assert found[before.fingerprint, 12] > 0.9
    assert found[after.fingerprint, 12] < 0.56
    assert abs(found[before.fingerprint, 0] - found[after.fingerprint, 0]) < 0.01


def test_guesses_are_those_of_the_demos_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    said = guesses.guess_text
    monkeypatch.setattr(guesses, "guess_text", lambda levels: found.append(levels) or said(levels))
    opened("transfer", {"transfer": "Test accuracy", "model": MLM})
    assert found[0][CHANCE] == pytest.approx(1 / 3)


def test_what_is_not_computed_of_a_model_without_weights_says_how_to_get_it() -> None:
    """Its scores are drawn like any other's; another pooling is not offered to be computed."""
    absent = [model.name for model in models.entries([DEMO]) if is_absent(model)]
    assert {REAL, TUNED} == set(absent)
    assert not set(SMALL) & set(absent)
    app = opened("abx", {"model": REAL})
    assert not app.error
    assert not [each for each in app.markdown if "weights" in each.value and "not here" in each.value]
    app = opened("abx", {"model": REAL, "pooling": "First token"})
    (said,) = [each.value for each in app.markdown if "are not here, only what was measured of it" in each.value]
    assert "intfloat/multilingual-e5-small" in said.replace("\\", "")
    assert not [each for each in app.button if each.label.startswith("Compute")]
