"""Links: every parameter written out with ids, read where names have changed, in a sentence what of it is missing."""

from __future__ import annotations

import itertools
import json
import random
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest

from isogloss.backend.corpora.covariates import library as covariates
from isogloss.backend.corpora.covariates import reader as covariates_reader
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.models.library import library as models
from isogloss.pages.widgets.links import address, references
from isogloss.pages.widgets.links.references import Named
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM
from tests.pages.opened import opened
from tests.pages.test_any_control import change

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

ABX = {"model": [CONTRAST], "view": "Pairs", "pair_layer": "3", "languages": ["German · de", "English · en"]}


@pytest.fixture(autouse=True)
def _demo(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the browser is told after each run."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(address, "_component", lambda *, key, data: found.append(data))
    return found


def read(query: str) -> dict[str, list[str]]:
    return parse_qs(query, keep_blank_values=True)


def renamed(workspace: Path) -> None:
    """The demo's models and corpora with other names in the user's workspace; a model of another content has an old name."""
    for model in models.entries([DEMO]):
        models.keep(model.model_copy(update={"name": f"Renamed {model.name}"}), workspace)
    (one, *_) = models.entries([DEMO])
    models.keep(one.model_copy(update={"name": "A new model", "checkpoints": one.checkpoints[:1]}), workspace)
    for entry in corpora.entries([DEMO]):
        folder = workspace / corpora.KIND.folder / entry.id
        shutil.copytree(DEMO / corpora.KIND.folder / entry.id, folder)
        path = folder / "entry.json"
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"name": f"Renamed {entry.name}"}), "utf-8")


def shown(app: AppTest) -> dict[str, object]:
    """What defines the view: names are compared where they are known to be equal."""
    boxes = {
        key: app.selectbox(key=key).value for key in ("pair_checkpoint", "pair_layer", "pair_source", "pair_target", "order")
    }
    return boxes | {"languages": app.multiselect(key="languages").value, "view": app.segmented_control(key="view").value}


def test_a_link_means_content_whatever_it_is_called(
    workspace: Path, told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = shown(opened("abx", ABX))
    link = read(told[-1]["link"])
    assert set(link) >= {
        "model",
        "corpus",
        "languages",
        "checkpoints",
        "layers",
        "pooling",
        "protocol",
        "shared_scale",
        "order",
    }
    renamed(workspace)
    monkeypatch.setenv("ISOGLOSS_DEMO", "")
    there = opened("abx", link)
    assert not [each for each in there.info if "The link asks for" in each.value]
    assert there.multiselect(key="model").value == [f"Renamed {CONTRAST}"]
    assert there.selectbox(key="corpus").value.startswith("Renamed")
    assert read(told[-1]["link"])["model"][0].rpartition("~")[2] == link["model"][0].rpartition("~")[2]
    assert there.multiselect(key="languages").value == here["languages"]


def test_an_address_with_names_means_what_was_renamed_since(workspace: Path, told: list[dict[str, Any]]) -> None:
    """Names alone, as the address bar has them; a name that something else has got meanwhile means that."""
    mine = models.load_entry(MLM, [DEMO]).model_copy(update={"name": "mine"})
    models.keep(mine, workspace)
    (demo,) = corpora.entries([DEMO])
    shutil.copytree(DEMO / corpora.KIND.folder / demo.id, workspace / corpora.KIND.folder / demo.id)
    corpora.KIND.rename(demo.id, "My corpus", workspace)
    opened("abx", {"model": ["mine"], "corpus": "My corpus"})
    address_bar = read(told[-1]["query"])
    assert address_bar["model"] == ["mine"]
    models.rename("mine", "ours", [workspace])
    models.rename("ours", "theirs", [workspace])
    corpora.KIND.rename(demo.id, "Our corpus", workspace)
    again = opened("abx", address_bar | {"corpus": ["My corpus"]})
    assert again.multiselect(key="model").value == ["theirs"]
    assert again.selectbox(key="corpus").value == "Our corpus"
    assert not [each for each in again.info if "The link asks for" in each.value]
    models.keep(mine, workspace)
    assert opened("abx", address_bar).multiselect(key="model").value == ["mine"]
    assert references.resolved({"on": [f"{demo.name}, random labels"]}, [workspace])[0] == {"on": ["Our corpus, random labels"]}


def test_the_address_says_which_models_were_chosen_before_another_was_added(
    workspace: Path, told: list[dict[str, Any]]
) -> None:
    app = opened("abx", {"view": "Pairs"})
    at_first, address_bar = shown(app), read(told[-1]["query"])
    assert address_bar["model"] == [MLM, CONTRAST]
    renamed(workspace)
    assert "A new model" in opened("abx", {}).multiselect(key="model").options
    again = opened("abx", address_bar)
    assert again.multiselect(key="model").value == [MLM, CONTRAST]
    assert shown(again) == at_first


def test_what_is_missing_is_said_in_one_sentence_and_the_rest_is_shown(told: list[dict[str, Any]]) -> None:
    app = opened("abx", ABX | {"model": [MLM, "Gone*model*~0123abcd"], "corpus": "No such corpus"})
    (said,) = [each.value.replace("\\", "") for each in app.info]
    assert said == (
        "The link asks for the model “Gone*model*” (id 0123abcd) and the corpus “No such corpus”, "
        "which this workspace lacks: add it in the Library; the rest is shown."
    )
    assert app.multiselect(key="model").value == [MLM]
    assert app.selectbox(key="pair_layer").value == 3
    app.selectbox(key="pair_layer").set_value(2).run()
    assert len(app.info) == 1  # still there after the next click


HOSTILE = [
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "'; drop table scores; --",
    "~00000000",
    "x" * 5000,
    "\x00",
    "",
    "[]",
]


@pytest.mark.parametrize("page", ["abx", "transfer"])
def test_hostile_values_do_nothing(told: list[dict[str, Any]], page: str) -> None:
    opened(page, {"view": "Pairs"})
    every = read(told[-1]["link"])
    for turn in range(2):
        values = dict(zip(every, itertools.islice(itertools.cycle(HOSTILE), turn * 3, None), strict=False))
        values |= {key: ["1e999", "-1"][turn] for key, texts in every.items() if texts[0].isdecimal()}
        app = opened(page, {key: [value, value] if len(every[key]) > 1 else value for key, value in values.items()})
        assert len(app.error) <= 1  # a learning rate is typed in: what is none is said
        lacking = [each for each in app.info if "The link asks for" in each.value]
        assert len(lacking) <= 1
        assert all(len(each.value) < 1000 for each in app.info)


def test_every_model_and_data_set_that_a_page_names_has_an_id_in_its_link(told: list[dict[str, Any]]) -> None:
    names = {each.label for _, shelf in [*references.KINDS.values(), references.DICTIONARY] for each in shelf([DEMO])}
    for page, view in (
        ("abx", "Pairs"),
        ("abx", "Compare"),
        ("alignment", "Errors"),
        ("probing", "Errors"),
        ("transfer", "Examples"),
        ("relations", "Scatter"),
    ):
        opened(page, {"view": view})
        for key, texts in read(told[-1]["link"]).items():
            assert not names.intersection(texts), (page, view, key, texts)
    opened("emergent", {"view": "Leaderboard"})
    link = read(told[-1]["link"])
    of_data = [key for key in link if key in references.KINDS]
    assert {"corpora", "bench_text", "bench_target_text"} <= set(of_data)
    assert all(references.REFERENCE.fullmatch(text) for key in of_data for text in link[key]), link


def test_a_layer_and_pair_chosen_once_follow_to_other_pages(told: list[dict[str, Any]]) -> None:
    app = opened("abx", {"view": "Pairs"})
    app.selectbox(key="pair_layer").set_value(4).run()
    app.selectbox(key="pair_checkpoint").set_value("checkpoint-300").run()
    app.selectbox(key="pair_source").set_value("en").run()
    app.selectbox(key="pair_target").set_value("ru").run()
    app.switch_page("pages/alignment/page.py").run()
    app.segmented_control(key="view").set_value("Errors").run()
    chosen = {key: app.selectbox(key=key).value for key in ("at_layer", "at_checkpoint", "at_pair")}
    assert chosen == {"at_layer": 4, "at_checkpoint": "checkpoint-300", "at_pair": "en → ru"}
    app.selectbox(key="at_layer").set_value(1).run()
    app.switch_page("pages/abx/page.py").run()
    app.segmented_control(key="view").set_value("Pairs").run()
    assert app.selectbox(key="pair_layer").value == 1
    assert not app.exception


def test_a_brought_column_and_a_variant_are_meant_by_content(
    workspace: Path, told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two columns of a table the one that was chosen, and a variant with its corpus, after both got other names."""
    content = b"language,speakers,age\nen,1,2\nde,3,5\nzh,4,6\nru,2,8\nar,7,1\n"
    entry = covariates.keep(covariates_reader.read(content, "speakers.csv"), "Speakers", workspace)
    asked = {"unit": "Language", "x": "Speakers: age", "y": "Language discrimination"}
    app = opened("relations", asked)
    assert app.selectbox(key="x").value == "Speakers: age"
    link = read(told[-1]["link"])
    assert link["x"][0].startswith("Speakers: age~")
    assert link["y_model"][0].rpartition("~")[0] == app.selectbox(key="y_model").value
    covariates.KIND.rename(entry.id, "People", workspace)
    assert opened("relations", link).selectbox(key="x").value == "People: age"
    before = [
        Named("exact/mean · Demo sentences", "0123456789abcdef"),
        Named("first · Demo sentences", "fedcba9876543210"),
    ]
    monkeypatch.setitem(references.KINDS, "x_variant", ("variant", lambda _: before))
    said = references.written({"x_variant": ["first · Demo sentences"]}, [])
    after = [Named(each.label.replace("Demo", "Other"), each.id) for each in before]
    monkeypatch.setitem(references.KINDS, "x_variant", ("variant", lambda _: after))
    assert references.resolved(said, []) == ({"x_variant": ["first · Other sentences"]}, [])


def test_an_emptied_choice_is_empty_in_its_link_and_no_other_control_can_be_emptied(told: list[dict[str, Any]]) -> None:
    app = opened("abx", ABX)
    app.multiselect(key="model").set_value([]).run()
    link = read(told[-1]["link"])
    assert link["model"] == [""]
    again = opened("abx", link)
    assert again.multiselect(key="model").value == []
    assert any("Choose" in each.value for each in again.info)
    hostile = dict.fromkeys(("view", "corpus", "checkpoints", "unit"), "")
    assert references.resolved({key: [""] for key in (*hostile, "languages")}, []) == ({"languages": [""]}, [])
    assert not opened("abx", ABX | hostile).exception


@pytest.mark.parametrize(
    ("page", "query", "said"),
    [
        ("abx", {"view": "Nowhere"}, "view “Nowhere” (instead: Layers × checkpoints)"),
        ("alignment", {"view": "Nowhere", "unit": "Letters"}, "unit “Letters” (instead: Words)"),
        ("transfer", {"view": "Curves", "curve_epsilon": "99"}, "curve epsilon “99” (instead: 0.1%)"),
        ("transfer", {"at": "7"}, "at percent “700” (instead: 0.0)"),
        ("probing", {"probes": "Other options …", "size": "1001"}, "size “1001” (instead: 100,000)"),
        ("library", {"shelf": "Nowhere"}, "shelf “Nowhere” (instead: Corpora)"),
        ("jobs", {"jobs-view": "Nowhere"}, "jobs-view “Nowhere” (instead: Runs)"),
        ("emergent", {"view": "Nowhere"}, "view “Nowhere” (instead: Overview)"),
    ],
)
def test_what_no_control_knows_is_said_in_one_sentence(page: str, query: dict[str, str], said: str) -> None:
    app = opened(page, query)
    (note,) = (each.value.replace("\\", "") for each in app.info if "The link asks for" in each.value)
    assert note.startswith("The link asks for what is not known here: ")
    assert said in note
    assert len(note.split(". ")) == 1
    assert not [each for each in opened(page, {}).info if "The link asks for" in each.value]


@pytest.mark.parametrize("page", ["abx", "alignment", "probing", "transfer", "latent", "tokenisers", "emergent", "relations"])
def test_a_pages_own_link_asks_for_nothing_in_vain(page: str, told: list[dict[str, Any]]) -> None:
    chance = random.Random(f"{page} link")
    app = opened(page, {})
    for _ in range(4):
        change(app, chance)
    again = opened(page, {key: texts if len(texts) > 1 else texts[0] for key, texts in read(told[-1]["link"]).items()})
    assert not [each.value for each in again.info if "The link asks for" in each.value]


@pytest.mark.parametrize(("at", "percent"), [("0.45", 45.0), ("0.025", 2.5), ("0", 0.0)])
def test_an_old_link_with_shares_of_the_training_error_opens_what_it_meant(at: str, percent: float) -> None:
    app = opened("transfer", {"at": at, "epsilon": "0.05"})
    assert app.number_input(key="at_percent").value == percent
    assert app.select_slider(key="epsilon").value == 0.05
    assert not [each.value for each in app.info if "The link asks for" in each.value]


@pytest.mark.parametrize(
    ("page", "old", "today"),
    [
        ("abx", {"view": "Curves", "lines": "Each"}, {"lines": "Each"}),
        ("alignment", {"view": "Errors", "gloss": "None"}, {"gloss": "None"}),
        ("library", {"shelf": "Models", "add-from": "List"}, {"add-from": "Several paths"}),
        ("probing", {"setting": "Others too"}, {"setting": "others"}),
        ("relations", {"view": "Selection", "by": "lowest (as usual)"}, {"by": "as usual"}),
        ("relations", {"view": "Selection", "by": "highest"}, {"by": "highest"}),
    ],
)
def test_what_was_called_otherwise_once_still_opens(page: str, old: dict[str, str], today: dict[str, str]) -> None:
    app = opened(page, old)
    assert {key: app.session_state[key] for key in today} == today
    assert not [each for each in app.info if "The link asks for" in each.value]


def test_lines_are_named_by_what_each_is_of() -> None:
    app = opened("abx", {"view": "Curves", "over": "Layers"})
    assert app.segmented_control(key="lines").options == ["Mean", "Each checkpoint"]
    app.segmented_control(key="lines").set_value("Each").run()
    app.segmented_control(key="over").set_value("Checkpoints").run()
    assert app.segmented_control(key="lines").options == ["Mean", "Each layer"]
    assert app.segmented_control(key="lines").value == "Each"
