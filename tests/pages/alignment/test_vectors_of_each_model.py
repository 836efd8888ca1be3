"""Vectors of sentences and of words are chosen for all models or as recommended for each, and figures show each model's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from isogloss.backend.models import recommended
from isogloss.backend.models.library import library as models
from isogloss.pages.widgets.choosing import poolings
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, Shown, check
from tests.pages.opened import opened

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Model

ONE, OTHER = "One", "Other"
LANGUAGES = ["Arabic · ar", "German · de", "English · en"]


@pytest.fixture(autouse=True)
def on_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    for name, of in ((ONE, MLM), (OTHER, CONTRAST)):  # without the checkpoint that the demo's two models share
        model = models.load_entry(of, [DEMO])
        models.keep(model.model_copy(update={"name": name, "checkpoints": model.checkpoints[-2:]}), tmp_path)


@pytest.fixture
def each_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the demo's models is recommended its first token: its files score the mean too."""

    def of(model: Model) -> tuple[Any, str]:
        return ("first", "it is so") if model.name == OTHER else ("mean", "others are so")

    monkeypatch.setattr(poolings, "recommended", of)


def page(**query: Any) -> Any:
    return opened("alignment", {"unit": "sentence", "model": [ONE, OTHER], "languages": LANGUAGES, **query})


def rows(shown: list[Shown], model: str) -> pd.DataFrame:
    """What was drawn of one model, by figure."""
    found = pd.concat([each.data[each.data["model"] == model].assign(figure=place) for place, each in enumerate(shown)])
    return found.drop(columns=["position"], errors="ignore").reset_index(drop=True)


@pytest.mark.usefixtures("each_its_own")
@pytest.mark.parametrize("query", [{"view": "Layers × checkpoints"}, {"view": "Curves"}, {"view": "Curves", "lines": "Pairs"}])
def test_each_models_scores_are_those_of_its_own_vector(shown: list[Shown], query: dict[str, Any]) -> None:
    page(pooling="first", **query)
    first = list(shown)
    shown.clear()
    page(pooling="mean", **query)
    mean = list(shown)
    shown.clear()
    found = page(pooling="recommended", **query)
    check(shown, len(mean))
    for model, expected in ((ONE, mean), (OTHER, first)):
        pd.testing.assert_frame_equal(rows(shown, model), rows(expected, model))
    told = [each.value for each in found.caption if each.value.startswith("Sentence vector")]
    assert len(told) == 1
    assert "mean of tokens" in told[0]
    assert "first token" in told[0]


@pytest.mark.usefixtures("each_its_own")
@pytest.mark.parametrize("view", ["Table", "Matrix", "Similarity"])
def test_the_other_views_of_sentences_open_with_it(view: str) -> None:
    page(pooling="recommended", view=view)


def test_of_words_a_decoder_is_advised_and_all_may_have_their_own(monkeypatch: pytest.MonkeyPatch, shown: list[Shown]) -> None:
    monkeypatch.setattr(recommended, "DECODERS", ("xlm-roberta",))
    query: dict[str, Any] = {"unit": "word", "model": [MLM], "languages": LANGUAGES}
    found = opened("alignment", query)
    assert any("mean without the sentence's first token, since the first token of a decoder" in c.value for c in found.caption)
    assert shown
    shown.clear()
    found = opened("alignment", query | {"word_vector": "recommended"})
    assert not shown[:1] or shown[0].data.empty  # nothing is computed of it
    said = " ".join(each.value for each in found.markdown)
    assert "not computed yet" in said
    assert any(each.value.startswith("Word vector: ") for each in found.caption)
