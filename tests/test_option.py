"""Declared options: every value of every choice, from the command line, on a page, in a link and in the words of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args
from urllib.parse import parse_qs

import pytest
import typer
from pydantic import BaseModel, Field
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.command import declares
from isogloss.backend.files import added
from isogloss.backend.option import Declared, Option, declared, settled, variant_of, within_sentence, words_of_run
from isogloss.pages.widgets.choosing.form import untouched
from isogloss.pages.widgets.links import address
from tests.pages.abx.abx_page import DEMO
from tests.pages.opened import PATIENCE, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

SETS = {"train": "Training set", "test": "Test set"}
SIMILARITIES = {"csls": "CSLS", "margin": "Margin ratio", "cosine": "Cosine"}


def neighbours(others: dict[str, Any]) -> int:
    return 4 if others.get("similarity") == "margin" else 10


class Search(BaseModel, frozen=True):
    """A spec with an option of each kind."""

    similarity: Annotated[
        Literal["csls", "margin", "cosine"], Option("How near", "Similarity", SIMILARITIES, always=True, variant="{}")
    ] = "csls"
    k: Annotated[
        int,
        Option(
            "Nearest neighbours", "Neighbours", told="{} neighbours", variant="k={}", when={"similarity": ("csls", "margin")}
        ),
    ] = Field(default_factory=neighbours, ge=1, le=99)
    sentences: Annotated[int | None, Option("The first so many", "Sentences", told="first {} sentences", key="s_sentences")] = (
        Field(None, ge=2)
    )
    share: Annotated[float, Option("Share kept", "Share", told="{} kept")] = Field(1.0, gt=0, le=1)
    masked: Annotated[bool, Option("Mask the words", "Masked", told="masked words", key="mask")] = added(False)
    sets: Annotated[tuple[Literal["train", "test"], ...], Option("Any of train, test", "Sets", SETS)] = ("train",)
    rates: Annotated[tuple[float, ...], Option("Learning rates", told="learning rate {}")] = (0.5, 1e-5)
    runs: Annotated[int | None, Option("Runs", "Runs", told="{} run|{} runs", empty="All")] = Field(None, ge=1)
    name: str = ""


def models_of(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """A spec and the groups of options within it."""
    yield model
    for info in model.model_fields.values():
        for kind in (info.annotation, *get_args(info.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from models_of(kind)


SPECS = dict.fromkeys(kind for experiment in registry.EXPERIMENTS.values() for kind in models_of(experiment.spec))
OPTIONS = [(spec, option) for spec in SPECS for option in declared(spec).values()]
CHOICES = [(spec, option) for spec, option in OPTIONS if option.kind == "choice"]
SEVERAL = [(spec, option) for spec, option in OPTIONS if option.kind == "several" and option.option.words]


def named(given: object) -> str | None:
    """Of a spec its name, of an option the field's, for pytest."""
    return given.__name__ if isinstance(given, type) else given.name if isinstance(given, Declared) else None


def values_of(option: Declared) -> list[Any]:
    kinds = [option.annotation, *get_args(option.annotation)]
    return [value for kind in kinds for value in get_args(kind) if isinstance(value, str)]


@pytest.mark.parametrize(("spec", "option"), CHOICES, ids=named)
def test_every_value_of_a_choice_has_words_of_its_own(spec: type[BaseModel], option: Declared) -> None:
    words = option.option.words
    assert set(words) == set(values_of(option))
    assert len(set(words.values())) == len(words)
    for value in words:
        allowed = {name: next(iter(values)) for name, values in option.option.when.items()}
        told = words_of_run(spec, {**allowed, option.name: value})
        usual = value == option.default({**settled(spec, {}), **allowed}) and not option.option.always
        assert usual or within_sentence(words[value]) in told


@pytest.mark.parametrize(("spec", "option"), SEVERAL, ids=named)
def test_every_value_of_a_choice_of_several_has_words_of_its_own(spec: type[BaseModel], option: Declared) -> None:
    words = option.option.words
    assert set(words) == set(values_of(option))
    assert len(set(words.values())) == len(words)
    if not option.option.label:
        return
    for value, name in words.items():
        for text in (value, name):
            assert drawn(spec, {option.key: text})[1][option.name] == (value,)


@pytest.mark.parametrize(("spec", "option"), OPTIONS, ids=named)
def test_an_option_counts_with_values_that_a_field_above_can_have(spec: type[BaseModel], option: Declared) -> None:
    above = list(declared(spec))[: list(declared(spec)).index(option.name)]
    for name, values in option.option.when.items():
        assert name in above
        other = declared(spec)[name]
        assert set(values) <= set(values_of(other) if other.kind == "choice" else (True, False))


@pytest.mark.parametrize("spec", SPECS, ids=named)
def test_a_page_has_one_control_a_key(spec: type[BaseModel]) -> None:
    keys = [option.key for option in declared(spec).values() if option.option.label]
    assert len(set(keys)) == len(keys)


def drawn(spec: type[BaseModel], link: dict[str, str]) -> tuple[AppTest, dict[str, Any]]:
    """The form of a spec as a link opens it, and the fields that it gives."""

    def page(spec):  # type: ignore[no-untyped-def]  # its source alone is run, without this file's imports
        import streamlit as st

        from isogloss.pages.widgets.choosing.form import form

        st.session_state["given"] = form(spec, {})

    visitor = AppTest.from_function(page, args=(spec,), default_timeout=PATIENCE)
    for key, text in link.items():
        visitor.query_params[key] = text
    visitor.run()
    assert not visitor.exception
    return visitor, visitor.session_state["given"]


@pytest.mark.parametrize(("spec", "option"), [each for each in CHOICES if each[1].option.label], ids=named)
def test_a_link_opens_every_value_of_a_choice_by_value_and_by_name(spec: type[BaseModel], option: Declared) -> None:
    options = declared(spec)
    above = {options[name].key: str(next(iter(values))) for name, values in option.option.when.items()}
    for value, name in option.option.words.items():
        for text in (value, name):
            assert drawn(spec, {**above, option.key: text})[1][option.name] == value


def test_a_form_gives_fields_in_bounds_and_their_defaults_where_they_do_not_count() -> None:
    visitor, given = drawn(Search, {})
    assert Search(**given) == Search()
    assert visitor.number_input(key="runs").placeholder == "All"
    visitor, given = drawn(Search, {"similarity": "margin"})
    assert given["k"] == 4
    visitor.number_input(key="k").set_value(7)
    visitor.number_input(key="s_sentences").set_value(1)  # fewer than two are no limit
    visitor.toggle(key="mask").set_value(True)
    visitor.run()
    assert Search(**visitor.session_state["given"]) == Search(similarity="margin", k=7, masked=True)
    visitor.selectbox(key="similarity").set_value("cosine").run()
    assert "k" not in [each.key for each in visitor.number_input]
    assert visitor.session_state["given"]["k"] == 10


def test_a_command_has_the_declared_options_with_their_defaults() -> None:
    made: list[dict[str, Any]] = []

    @declares(Search)
    def search(*, options: dict[str, Any]) -> None:
        """Search."""
        made.append(options)

    app = typer.Typer()
    app.command()(search)
    for arguments in ([], ["--similarity", "margin"], ["--k", "3", "--masked", "--sentences", "5", "--share", "0.5"]):
        assert CliRunner().invoke(app, arguments).exit_code == 0
    assert [Search(**each) for each in made] == [
        Search(),
        Search(similarity="margin", k=4),
        Search(k=3, masked=True, sentences=5, share=0.5),
    ]
    assert CliRunner().invoke(app, ["--similarity", "dot"]).exit_code == 2
    help_ = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "300"}).output.split())
    assert "Nearest neighbours; with --similarity csls or margin" in help_
    assert "--no-masked" not in help_


def test_a_command_leaves_a_presets_default_to_the_preset() -> None:
    made: list[dict[str, Any]] = []

    @declares(Search, preset={"share": "the preset's", "rates": "the preset's", "masked": "the preset's"})
    def search(*, options: dict[str, Any]) -> None:
        """Search."""
        made.append(options)

    app = typer.Typer()
    app.command()(search)
    typed = ["--share", "1", "--rates", "1e-3, 2", "--no-masked", "--sets", "test,train"]
    for arguments in ([], typed, ["--rates", ""]):
        assert CliRunner().invoke(app, arguments).exit_code == 0
    kept = {"similarity": "csls", "sentences": None, "sets": ["train"], "runs": None}
    assert made == [
        kept,
        kept | {"share": 1.0, "rates": [1e-3, 2.0], "masked": False, "sets": ["test", "train"]},
        kept,
    ]
    assert isinstance(CliRunner().invoke(app, ["--rates", "1,fast"]).exception, SpecError)
    help_ = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "300"}).output.split())
    assert "Share kept; the preset's by default" in help_


def test_a_form_takes_a_presets_values_under_keys_of_their_own() -> None:
    def page(spec):  # type: ignore[no-untyped-def]  # its source alone is run, without this file's imports
        import streamlit as st

        from isogloss.pages.widgets.choosing.form import form

        st.session_state["given"] = form(spec, {"runs": 3}, keys={"runs": "runs_paper"}, only=("sets", "runs"))

    visitor = AppTest.from_function(page, args=(Search,), default_timeout=PATIENCE).run()
    assert visitor.session_state["given"] == {"sets": ("train",), "runs": 3}
    visitor.number_input(key="runs_paper").set_value(5)
    visitor.multiselect(key="sets").set_value([]).run()
    assert visitor.session_state["given"] == {"sets": (), "runs": 5}
    assert untouched(Search, {"runs": 3}, {"runs": "runs_paper"}, ("sets", "runs")) == {"sets": ("train",), "runs_paper": 3}


def test_a_run_tells_what_counts_and_is_not_the_default() -> None:
    assert words_of_run(Search, {}) == ["CSLS"]
    assert words_of_run(Search, {"similarity": "margin"}) == ["margin ratio"]
    assert words_of_run(Search, {"similarity": "margin", "k": 10, "masked": True}) == [
        "margin ratio",
        "10 neighbours",
        "masked words",
    ]
    assert words_of_run(Search, {"similarity": "cosine", "k": 3, "sentences": 9}) == ["cosine", "first 9 sentences"]
    assert words_of_run(Search, {"similarity": "of tomorrow"}) == ["of tomorrow"]
    assert words_of_run(Search, {"sets": ["train"], "rates": [0.5, 1e-5], "runs": 1}, leave=["similarity"]) == ["1 run"]
    assert words_of_run(Search, {"sets": ["test", "train"], "rates": [1e-3, 2], "runs": 2}, leave=["similarity"]) == [
        "test set, training set",
        "learning rate 0.001, 2",
        "2 runs",
    ]


def test_a_variant_has_the_parts_asked_for_in_their_order() -> None:
    assert variant_of(Search(), "similarity", "k") == ["csls"]
    assert variant_of(Search(k=3), "k", "similarity") == ["k=3", "csls"]
    assert variant_of(Search(similarity="cosine", k=3), "similarity", "k") == ["cosine"]


def test_the_json_schema_says_what_people_read() -> None:
    fields = Search.model_json_schema()["properties"]
    assert (fields["k"]["title"], fields["k"]["description"]) == ("Neighbours", "Nearest neighbours")
    assert (fields["k"]["minimum"], fields["k"]["maximum"]) == (1, 99)


def test_names_within_a_sentence() -> None:
    assert [within_sentence(name) for name in ("Mean of tokens", "CSLS", "L2 distance", "A draw", "")] == [
        "mean of tokens",
        "CSLS",
        "L2 distance",
        "a draw",
        "",
    ]


def test_the_address_says_the_value_of_a_choice(workspace: object, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, Any]] = []
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    monkeypatch.setattr(address, "_component", lambda *, key, data: told.append(data))
    visitor = opened("abx", {"protocol": "Sampled triplets", "n_triplets": "500"})
    assert visitor.selectbox(key="protocol").value == "sampled"
    assert parse_qs(told[-1]["query"])["protocol"] == parse_qs(told[-1]["link"])["protocol"] == ["sampled"]
    visitor = opened("abx", {"protocol": "control"})
    assert visitor.selectbox(key="protocol").value == "control"
    assert not [each for each in visitor.info if "The link asks" in each.value]
