"""The Library's way to Wikipedia's text: a price before it starts, a job at a press, the Hub's absence in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.experiments.library import wikipedia
from isogloss.backend.experiments.spec import Context
from isogloss.backend.jobs import busy, client, slots
from isogloss.backend.jobs.job import Job
from isogloss.backend.jobs.slots import WorkerReport
from isogloss.backend.settings import settings
from isogloss.backend.store import times
from tests.corpora.parallel.test_hub_text import local_hub as local_hub
from tests.experiments.machines import CPU, taken

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

ASKED = {"shelf": "Corpora", "corpus_from": "Wikipedia"}


def text(app: AppTest) -> str:
    every = [*app.markdown, *app.caption, *app.error, *app.info]
    return " ".join(str(each.value).replace("\\", "") for each in every)


def fetch(app: AppTest) -> Any:
    return next(each for each in app.button if str(each.key).startswith("compute-"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []
    monkeypatch.setattr(client, "submit", lambda spec, _: found.append(spec))
    monkeypatch.setattr("isogloss.pages.widgets.runs.compute.start_worker", lambda: None)
    return found


def test_size_and_time_are_said_and_a_press_asks(
    open_page: Callable[..., AppTest], asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("library", **ASKED)
    assert "3 languages to fetch: up to 180,000,000 characters, some 198 MB of text" in text(app).replace("*", "")
    assert fetch(app).label == "Fetch"
    assert "How long it takes is said once it runs" in text(app)
    monkeypatch.setattr(slots, "last_reports", lambda _: [WorkerReport(machine=CPU)])
    monkeypatch.setattr(busy, "slowdown", lambda *_: 1.0)  # whatever else this machine does just now
    times.add(settings().workspace, "wikipedia", taken(5.0, 5e6, "fetching"))
    app.run()
    assert fetch(app).label == "Fetch (about 3 min)"
    app.number_input(key="wikipedia-characters").set_value(2_000_000).run()
    assert fetch(app).label == "Fetch (about 6 s)"
    fetch(app).click().run()
    spec = asked[0]
    assert (spec.languages, spec.characters) == (("da", "eu", "fi"), 2_000_000)
    app.selectbox(key="wikipedia-amount").set_value("XferBench target").run()
    assert "3 languages to fetch: up to 100,000 articles each" in text(app).replace("*", "")
    fetch(app).click().run()
    assert (asked[1].articles, asked[1].revision[:7]) == (100_000, "97323c5")


def test_what_is_no_language_is_said(open_page: Callable[..., AppTest]) -> None:
    app = open_page("library", **ASKED)
    app.multiselect(key="wikipedia-languages").set_value(["xxq"]).run()
    assert not app.exception
    assert "'xxq' is not a language" in text(app)
    app.multiselect(key="wikipedia-languages").set_value([]).run()
    assert "Choose a language" in text(app)


@pytest.mark.usefixtures("local_hub")
def test_what_is_kept_is_not_fetched_again(open_page: Callable[..., AppTest], workspace: Path) -> None:
    spec = wikipedia.WikipediaSpec(languages=("eu",))
    wikipedia.compute(spec, next(iter(spec.shards())), Context(settings()))
    app = open_page("library", **ASKED)
    assert "Saved: Wikipedia, Basque." in text(app)
    assert "2 languages to fetch" in text(app).replace("*", "")


def test_why_it_failed_stands_above_the_button(open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    spec = wikipedia.WikipediaSpec(languages=("da", "eu", "fi"))
    why = "wikimedia/wikipedia could not be loaded, for the Hugging Face Hub cannot be reached."
    job = Job(
        "run-1",
        spec.model_dump(mode="json"),
        "failed",
        3,
        0,
        (("Wikipedia, Danish", why),),
        "",
        1.0,
        1.0,
        2.0,
        tuple(spec.shards()),
    )
    monkeypatch.setattr(client, "jobs", lambda *_, **__: [job])
    app = open_page("library", **ASKED)
    assert "the Hugging Face Hub cannot be reached" in text(app)
    assert fetch(app).label.startswith("Try again")
