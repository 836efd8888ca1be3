"""The Jobs page: every state of a run in words, failures as sentences, and the space that results take."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs import client, starter
from isogloss.backend.jobs.job import Job, State
from isogloss.backend.models.entry import Checkpoint
from isogloss.pages.widgets.runs import job_list

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

CHECKPOINT = Checkpoint(source="folder", location="/models/a", label="checkpoint-500", step=500, fingerprint="f" * 24)
SPEC = AbxSpec(model="mini *bold*", checkpoints=(CHECKPOINT,), corpus="c" * 24, languages=("de", "en", "ar"))
RUNNING = Job(
    id="run-1",
    spec=SPEC.model_dump(mode="json"),
    state="running",
    total=4,
    done=1,
    failures=(),
    doing="scoring layer 3",
    share=0.4,
    created_at=time.time() - 90,
    finished_at=None,
)


def shown(app: AppTest) -> str:
    elements = [*app.markdown, *app.caption, *app.error, *app.warning, *app.success]
    bars = " ".join(str(bar.proto.text) for bar in app.get("progress"))
    return " ".join(str(e.value).replace("\\", "") for e in elements) + bars.replace("\\", "")


def with_jobs(monkeypatch: pytest.MonkeyPatch, *jobs: Job) -> None:
    monkeypatch.setattr(client, "jobs", lambda *_, **__: list(jobs))


def test_nothing_computed_yet(open_page: Callable[..., AppTest]) -> None:
    text = shown(open_page("jobs"))
    assert "Nothing has been computed here yet" in text
    assert "No worker on this machine" in text


def test_a_run_behind_another_says_its_place_and_a_finished_one_how_long_it_was_computed(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = replace(RUNNING, id="run-3", state="done", done=4, finished_at=time.time(), seconds=12.0)
    with_jobs(monkeypatch, RUNNING, replace(RUNNING, id="run-2", state="waiting", done=0, doing=None, place=2), done)
    app = open_page("jobs")
    text = shown(app)
    assert "Waiting (2nd)" in text
    assert "Waiting, 2nd in the queue" in text
    assert "4 of 4 checkpoints done" in text
    assert [each.value for each in app.markdown].count("12 s") == 1
    places = {1: "1st", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 21: "21st", 111: "111th", 122: "122nd"}
    assert {number: job_list.ordinal(number) for number in places} == places


def test_nothing_of_ones_own_is_not_nothing_beside_the_demo(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(Path(__file__).resolve().parents[3] / "cache" / "demo"))
    text = shown(open_page("jobs"))
    assert "No run of yours yet" in text
    assert "Nothing has been computed" not in text


def test_running_run_says_what_it_does(open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    with_jobs(monkeypatch, RUNNING)
    app = open_page("jobs")
    text = shown(app)
    assert "**ABX**" in text
    assert "mini *bold* (1 checkpoint)" in text
    assert "Arabic, German, English" in text
    assert "all triplets" in text
    assert "1 of 4 checkpoints done, now scoring layer 3" in text
    cancelled: list[str] = []
    monkeypatch.setattr(client, "cancel", lambda run_id, _: cancelled.append(run_id))
    app.button(key="cancel-run-1").click().run()
    assert cancelled == ["run-1"]


def test_time_left_follows_the_pace(open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    with_jobs(monkeypatch, RUNNING)
    app = open_page("jobs")
    app.session_state["runs-seen"] = {"run-1": ((time.time() - 60, 0.2),)}
    assert "about 3 min left" in shown(app.run())


def test_failures_are_sentences_with_their_checkpoints(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = replace(
        RUNNING,
        state="failed",
        failures=(("checkpoint-500", "Weights gone. Put them back."), ("checkpoint-900", "Weights gone. Put them back.")),
    )
    with_jobs(monkeypatch, failed)
    app = open_page("jobs")
    (error,) = app.error
    assert error.value.replace("\\", "") == "checkpoint-500, checkpoint-900: Weights gone. Put them back."
    forgotten: list[str] = []
    submitted: list[AbxSpec] = []
    monkeypatch.setattr(client, "forget", lambda run_id, _: forgotten.append(run_id))
    monkeypatch.setattr(starter, "ensure_worker", lambda _: False)
    monkeypatch.setattr(client, "submit", lambda spec, _: submitted.append(spec))
    app.button(key="again-run-1").click().run()
    app.button(key="forget-run-1").click().run()
    assert submitted == [SPEC]
    assert forgotten == ["run-1"]


@pytest.mark.parametrize("state", ["waiting", "done", "cancelled"])
def test_every_state_is_drawn(open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, state: State) -> None:
    with_jobs(monkeypatch, replace(RUNNING, state=state, finished_at=None if state == "waiting" else time.time()))
    words = {"waiting": "Waiting for a worker", "done": "1 of 4 checkpoints done", "cancelled": "before it was cancelled"}
    app = open_page("jobs")
    assert words[state] in shown(app)
    assert "90 s" not in [each.value for each in app.markdown]  # of which nobody knows how much was the queue's


def test_unreadable_queue_is_one_sentence(open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise StoreError("The queue cannot be read. Check the disk.")

    monkeypatch.setattr(client, "jobs", broken)
    assert [error.value.replace("\\", "") for error in open_page("jobs").error] == ["The queue cannot be read. Check the disk."]


def test_files_are_checked_and_damage_is_named(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = open_page("jobs", jobs_view="Storage")
    damaged = workspace / "scores" / "abx" / "a.parquet"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"not a table")
    app.button(key="check-files").click().run()
    assert not app.exception
    assert "a.parquet is damaged" in app.warning[0].value.replace("\\", "")
    assert not damaged.exists()
    assert [expander.label for expander in app.expander] == ["1 damaged file set aside"]


def test_home_counts_and_points_on(open_page: Callable[..., AppTest]) -> None:
    app = open_page("home")
    assert [metric.value for metric in app.metric] == ["0"] * 5
    assert "Measurements of models need a corpus and a model first" in shown(app)
