"""What the probing page says where something is missing, and where a click on a cell leads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import streamlit as st

from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments.pricing.estimate import Estimate
from isogloss.backend.experiments.probing import queries
from isogloss.backend.experiments.probing.spec import ProbingWordsSpec
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from isogloss.pages.probing import selection
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.runs import compute
from tests.pages.abx.abx_page import CONTRAST, DEMO
from tests.pages.probing.probing_page import CROSS, LAST, ONE, Query, Shown, open_probing
from tests.pages.probing.probing_workspace import LANGUAGES, SEEDS, Kept, fill

if TYPE_CHECKING:
    import pandas as pd


def test_what_scores_rest_on_is_said_once(shown: list[Shown]) -> None:
    app = open_probing(**ONE)
    [said] = [each for each in app.caption if "Trained on" in each.value]
    # a probe in fourteen, of five layers and two mixes with two seeds, is said by each file to have been learning yet
    assert said.value == (
        "Trained on 1,200 words a language, tested on 160. 7% of probes were still learning at their last epoch: allow more."
    )
    assert "had no vector" in said.help
    assert "half of validation" in said.help


def test_models_with_probes_come_first_and_the_users_own_before_the_demos(filled: tuple[Path, Kept]) -> None:
    models = filled[1].models
    shapes = models[0].checkpoints[-1].model_copy(update={"fingerprint": "f" * 24})
    without = models[0].model_copy(update={"name": "A", "checkpoints": (shapes,)})
    own = models[1].model_copy(update={"name": "Z", "checkpoints": models[1].checkpoints[-2:]})
    have = scores.shards([filled[0]], "probing")
    found = selection.probed([without, *models, own], ["Z"], have)
    assert [each.name for each in found] == ["Z", models[0].name, models[1].name]


def test_means_say_which_languages_they_lack(filled: tuple[Path, Kept], shown: list[Shown]) -> None:
    """Where a language chosen is computed nowhere, the others are drawn all the same."""
    app = open_probing(on="Parallel treebanks", checkpoints=[LAST], **ONE)
    assert any(each.value.startswith("Means are over 2 of 3 languages trained on.") for each in app.caption)
    assert len(shown) == 1
    assert app.selectbox(key="of_source").options == ["All (mean)", "German · de", "Chinese · zh"]


def test_what_is_missing_is_offered_and_computed_options_are_the_default(shown: list[Shown]) -> None:
    app = open_probing()
    [offer] = [each.value for each in app.markdown if "not computed" in each.value]
    assert CONTRAST.replace("+", "\\+") in offer
    assert "probes of 5 languages not computed yet at 4 of 8 checkpoints" in offer
    assert [each.value for each in app.selectbox if each.key == "probes"] == ["2 seeds"]
    assert not [each for each in app.expander if each.label == "Options"]


def test_other_options_are_other_probes(shown: list[Shown]) -> None:
    app = open_probing(probes="Other options …", word_vector="First sub-word", **ONE)
    assert [each for each in app.expander if each.label == "Options"]
    assert any("probes of 5 languages not computed yet at 8 of 8 checkpoints" in each.value for each in app.markdown)
    assert any("Nothing is computed" in each.value for each in app.info)
    assert shown == []


@pytest.mark.parametrize(("seconds", "preset"), [(None, "Quick"), (601.0, "Quick"), (599.0, "As published")])
def test_an_own_model_opens_on_the_quick_preset_where_the_published_one_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float | None, preset: str
) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    kept = fill(tmp_path, DEMO)
    own = tuple(
        each.model_copy(update={"fingerprint": f"{place:024x}"}) for place, each in enumerate(kept.models[0].checkpoints)
    )
    models.keep(kept.models[0].model_copy(update={"name": "Own", "checkpoints": own}), tmp_path)
    asked: list[Any] = []
    monkeypatch.setattr(compute, "offer", lambda spec, sentence: asked.append(spec))
    monkeypatch.setattr(compute, "alone", lambda spec: None if seconds is None else Estimate(seconds, len(spec.shards())))
    app = open_probing(**ONE | {"model": "Own"})
    assert [each.value for each in app.selectbox if each.key == "probes"] == [preset]
    quick = (len(own[-1:]), 3000, (0, 1))
    published = (len(own), 100_000, tuple(range(6)))
    for chosen, expected in (
        (preset, quick if preset == "Quick" else published),
        ("As published", published),
        ("Quick", quick),
    ):
        app = open_probing(probes=chosen, **ONE | {"model": "Own"})
        spec = asked[-1]
        assert (len(spec.checkpoints), spec.probe.training_words, spec.probe.seeds) == expected
    assert spec.checkpoints[0].label == own[-1].label


def test_a_monolingual_selection_says_how_to_see_sources(shown: list[Shown]) -> None:
    app = open_probing(view="Sources", **ONE)
    assert any("Cross-lingual" in each.value for each in app.info)
    assert shown == []


def test_without_data_the_page_says_how_to_add_some(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models.keep(models.entries([DEMO])[0], workspace)  # without the demo's scores and the names of their data
    monkeypatch.setattr(tasks, "entries", lambda _: [])
    app = open_probing()
    assert [each.value for each in app.info] == [
        "Probing needs a tagged corpus or a labelled task. Add it in the Library, then come back."
    ]


def test_scores_outlive_their_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of data that were removed the scores are drawn; what they said of each sentence, and more of them, needs the text."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    kept = fill(tmp_path, DEMO)
    tagged.remove(kept.tagged, tmp_path)
    st.cache_resource.clear()  # another test looked at the same corpus
    app = open_probing(view="Errors", data=f"Removed corpus {kept.tagged[:6]}")
    assert any("words misclassified" in each.value for each in app.markdown)
    assert any("The sentences are not in this workspace" in each.value for each in app.info)
    assert any("not computed" in each.value and "not in this workspace" in each.value for each in app.caption)
    assert not [each for each in app.button if each.label.startswith("Compute")]
    assert "Add a tagged corpus" in [each.proto.label for each in app.get("page_link")]


@pytest.fixture
def clicked(shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the next figure says was clicked, once."""
    answers: list[Any] = []

    def show(drawn: Any, *, data: pd.DataFrame, clicks: Any, **_: Any) -> list[Any]:
        cells = [trace for trace in figure.picture(drawn, data, clicks).data if trace.name == "cells"]
        if not answers or not cells:
            return []
        wanted = answers.pop()
        return next(list(each) for each in cells[0].customdata if list(each)[-len(wanted) :] == wanted)

    monkeypatch.setattr(figure, "show", show)
    return answers


@pytest.mark.parametrize(
    ("view", "query", "wanted", "boxes"),
    [
        ("Layers × checkpoints", ONE | {"of_source": "German · de"}, ["checkpoint-600", "layer 3"], ("layer 3", "de", None)),
        ("Layers × checkpoints", ONE, [LAST, "learned mix"], ("learned mix", "ar", None)),
        ("Languages", ONE | {"at_layers": "Layer 1"}, ["checkpoint-100", "zh"], ("layer 1", "zh", None)),
        ("Sources", CROSS | {"at_layers": "Layer 4"}, ["fi", "ar"], ("layer 4", "fi", "ar")),
    ],
)
def test_a_click_leads_to_the_confusion_matrix(
    clicked: list[Any], view: str, query: Query, wanted: list[str], boxes: tuple[str, str, str | None]
) -> None:
    clicked.append(wanted)
    app = open_probing(view=view, **query)
    found = {each.key: each.value for each in app.selectbox}
    assert [each.value for each in app.header] == ["Misclassified"]
    assert (found["at_probe"], found["pair_source"], found.get("pair_target")) == boxes
    if "checkpoint" in wanted[0]:
        assert found["at_checkpoint"] == wanted[0]


def test_a_best_layer_leads_to_what_its_probe_told_wrongly(clicked: list[Any], filled: tuple[Path, Kept]) -> None:
    best = queries.best_layers(_served(*filled), ["probe_accuracy"]).set_index("target")["layer"]
    clicked.append([LAST, "fi", int(best["fi"])])
    found = {each.key: each.value for each in open_probing(view="Best layers", **ONE).selectbox}
    assert (found["at_checkpoint"], found["pair_source"]) == (LAST, "fi")
    assert found["at_probe"] == f"layer {best['fi']}"


def _served(workspace: Path, kept: Kept) -> queries.Served:
    """The last checkpoint of the first model, each language in itself."""
    model = kept.models[0]
    common: dict[str, Any] = {"corpus": kept.tagged, "sources": LANGUAGES, "probe": {"seeds": SEEDS}}
    return queries.served(ProbingWordsSpec(model=model.name, checkpoints=model.checkpoints[-1:], **common), [workspace])


def test_without_ld_and_md_the_printed_table_stands_alone(shown: list[Shown]) -> None:
    app = open_probing(view="Regression", data="Pairs", model=CONTRAST)
    assert any("Nothing is computed" in each.value or "ABX page" in each.value for each in app.info)
