"""Transfer runs that are stopped, damaged, asked for twice or already there: never computed twice, never changed."""

from __future__ import annotations

import dataclasses
import os
import threading
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from isogloss.backend import parquet
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.spec import Cancelled
from isogloss.backend.experiments.transfer.shard import compute
from isogloss.backend.models.loading import load as loading
from isogloss.backend.store import quarantine, records
from isogloss.backend.training.resumable.lock import lock
from tests.experiments.transfer.small_transfer import SmallTransfer, only, rows_of, run_all, small_transfer

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.usefixtures("one_thread")

WINDOWS = ((0.0, 0.05), (0.25, 0.0625))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallTransfer:
    return small_transfer(
        tmp_path_factory.mktemp("transfer"), "xlm-roberta"
    )  # with dropout, which a resumed run must draw again


@pytest.fixture(scope="module")
def unbroken(small: SmallTransfer) -> Path:
    """The records of the run of `small.spec()`, computed at one go."""
    return run_all(small.spec(), small.context("unbroken"))[0]


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The label of every checkpoint loaded."""
    seen: list[str] = []
    real = loading.load

    def watched(checkpoint: Any, *given: Any, **options: Any) -> Any:
        seen.append(checkpoint.label)
        return real(checkpoint, *given, **options)

    monkeypatch.setattr(loading, "load", watched)
    return seen


def test_what_is_there_is_not_computed_again(small: SmallTransfer, loads: list[str]) -> None:
    """Neither the same run nor one that asks for fewer languages or windows; one that asks for more is."""
    context = small.context("again")
    (path,) = run_all(small.spec(training={"epochs": 2}), context)
    before = path.read_bytes(), path.stat().st_mtime_ns
    run_all(small.spec(training={"epochs": 2}), context)
    run_all(small.spec(training={"epochs": 2, "windows": WINDOWS}, languages=("de",)), context)
    assert len(loads) == 1
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert records.files([context.workspace])[0].path == path
    run_all(small.spec(training={"epochs": 3}), context)
    assert len(loads) == 2
    windowed = small.context("fewer")
    (fewer,) = run_all(small.spec(training={"epochs": 2, "windows": WINDOWS}, languages=("de",)), windowed)
    (more,) = run_all(small.spec(training={"epochs": 2}), windowed)
    assert len(loads) == 4
    # The languages and windows asked change nothing of what both have.
    whole = {(row["step"], row["split"], row["language"]): row["predictions"] for row in rows_of(more)}
    for row in rows_of(fewer):
        assert whole[row["step"], row["split"], row["language"]] == row["predictions"]


def test_what_another_workspace_has_serves(small: SmallTransfer, unbroken: Path, loads: list[str]) -> None:
    context = small.context("other")
    shared = dataclasses.replace(context, settings=dataclasses.replace(context.settings, demo=unbroken.parents[1]))
    compute(small.spec(), only(small.spec()), shared)
    assert not loads
    assert not (context.workspace / "records").exists()


@pytest.mark.parametrize("stops", [(0,), (2, 11)])
def test_cancelled_and_taken_up_again_gives_the_very_predictions(
    small: SmallTransfer, unbroken: Path, stops: tuple[int, ...]
) -> None:
    spec, name = small.spec(), f"cancelled {stops}"
    for stop in stops:
        told: list[float] = []
        context = small.context(
            name,
            progress=lambda what, share, told=told: told.append(share),
            should_stop=lambda told=told, stop=stop: bool(told) and told[-1] * 24 >= stop,
        )
        with pytest.raises(Cancelled):
            compute(spec, only(spec), context)
        assert not (context.workspace / "records").exists()
        assert not (context.workspace / "scores").exists()
        assert round(told[-1] * 24) in (stop, stop + 1)
    context = small.context(name)
    (path,) = run_all(spec, context)
    assert rows_of(path) == rows_of(unbroken)
    assert pq.read_schema(path).remove_metadata() == pq.read_schema(unbroken).remove_metadata()
    one, other = parquet.metadata(path), parquet.metadata(unbroken)
    assert one.pop("seconds") is None or stops == (0,)  # a part of it alone was timed
    other.pop("seconds")
    assert one == other
    assert list((context.workspace / "training").iterdir()) == []


def test_a_run_killed_before_its_records_were_published_is_not_trained_again(
    small: SmallTransfer, unbroken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    def killed(*_: Any) -> None:
        raise KilledError

    spec, context = small.spec(), small.context("unpublished")
    with monkeypatch.context() as patch:
        patch.setattr(records, "write", killed)
        with pytest.raises(KilledError):
            compute(spec, only(spec), context)
    told: list[str] = []
    (path,) = run_all(spec, dataclasses.replace(context, progress=lambda what, _: told.append(what)))
    assert not [what for what in told if "step" in what]
    assert rows_of(path) == rows_of(unbroken)
    assert list((context.workspace / "training").iterdir()) == []


def test_a_damaged_file_is_set_aside_and_computed_again(small: SmallTransfer, loads: list[str]) -> None:
    spec, context = small.spec(training={"epochs": 2}), small.context("damaged")
    (path,) = run_all(spec, context)
    rows, whole = rows_of(path), path.read_bytes()
    for number, damage in enumerate((whole[:-20], whole[:40] + b"\xff" + whole[41:], b""), start=1):
        path.write_bytes(damage)
        os.utime(path, ns=(number, number))  # another time, as when a file is written in fact
        assert records.files([context.workspace]) == []
        assert not path.exists()
        run_all(spec, context)
        assert rows_of(path) == rows
        assert len(quarantine.notes(context.workspace)) == number
        assert len(loads) == 1 + number
    assert "damaged" in quarantine.notes(context.workspace)[0]["reason"]


def test_two_workers_with_one_run_train_it_once(small: SmallTransfer, unbroken: Path) -> None:
    """The other waits and takes the result; it neither fails nor starts over."""
    spec, here, there, begins = small.spec(), list[str](), list[str](), threading.Event()

    def told(what: str, share: float) -> None:
        there.append(what)
        if share:  # its folder is locked
            begins.set()
            time.sleep(0.02)

    other = threading.Thread(target=run_all, args=(spec, small.context("both", progress=told)), daemon=True)
    other.start()
    assert begins.wait(600)
    (path,) = run_all(spec, small.context("both", progress=lambda what, _: here.append(what)))
    other.join(600)
    assert any("waiting" in what for what in here)
    steps = [what[what.index("step") :] for what in (*here, *there) if "step" in what]
    assert len(steps) == len(set(steps)) == 24
    assert rows_of(path) == rows_of(unbroken)
    assert list((small.folder / "both" / "training").iterdir()) == []


def test_a_worker_that_waits_loads_no_model_and_can_be_cancelled(
    small: SmallTransfer, unbroken: Path, loads: list[str]
) -> None:
    spec, name = small.spec(), "waiting"
    folder = small.folder / name / "training" / only(spec)
    told: list[str] = []
    with lock(folder):
        context = small.context(name, progress=lambda what, _: told.append(what), should_stop=lambda: len(told) > 1)
        with pytest.raises(Cancelled):
            compute(spec, only(spec), context)
        assert not loads
        assert "waiting" in told[-1]
        # The other is done: its records appear, and then its folder is let go.
        begins = threading.Event()
        context = small.context(name, progress=lambda what, _: "waiting" in what and begins.set())
        waiting = threading.Thread(target=compute, args=(spec, only(spec), context), daemon=True)
        waiting.start()
        assert begins.wait(600)
        target = records.path(small.folder / name, only(spec))
        target.parent.mkdir(parents=True)
        target.write_bytes(unbroken.read_bytes())
        waiting.join(600)
        assert not waiting.is_alive()
        assert folder.exists()  # whose holder removes it
    assert not loads


def test_a_run_that_ended_elsewhere_while_the_model_was_read_is_not_trained_again(
    small: SmallTransfer, unbroken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, context, real = small.spec(), small.context("overtaken"), loading.load

    def slow(*given: Any, **options: Any) -> Any:
        target = records.path(context.workspace, only(spec))
        target.parent.mkdir(parents=True)
        target.write_bytes(unbroken.read_bytes())
        return real(*given, **options)

    monkeypatch.setattr(loading, "load", slow)
    told: list[str] = []
    compute(spec, only(spec), dataclasses.replace(context, progress=lambda what, _: told.append(what)))
    assert told == ["reading en"]
    assert not (context.workspace / "training").exists()


def test_what_cannot_be_computed_is_said_and_leaves_nothing(small: SmallTransfer, loads: list[str]) -> None:
    context = small.context("impossible")
    spec = small.spec(languages=("en", "fi"))
    with pytest.raises(CorpusError, match="no language 'fi'"):
        compute(spec, only(spec), context)
    assert not loads
    assert not context.workspace.exists() or list(context.workspace.iterdir()) == []


def test_progress_tells_steps_and_the_training_error(small: SmallTransfer) -> None:
    told: list[tuple[str, float]] = []
    spec = small.spec(training={"epochs": 2})
    compute(spec, only(spec), small.context("told", progress=lambda what, share: told.append((what, share))))
    assert told[0] == ("reading en", 0.0)
    assert [share for _, share in told[1:]] == [k / 6 for k in range(1, 7)]
    assert all(one <= other for (_, one), (_, other) in pairwise(told))
    assert told[1][0].endswith("learning rate 0.002, seed 3: step 1 of 6")
    assert "step 3 of 6, training error " in told[3][0]
