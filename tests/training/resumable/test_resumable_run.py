"""The one training that all kinds of models go through: neither stops, nor kills, nor damage change a bit of what it leaves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors import safe_open

from isogloss.backend.errors import ModelError, SpecError, StoreError
from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.resumable import loop, reproducible
from isogloss.backend.training.resumable.folder import FINISHED, LOG, RUN, STATE, claim
from isogloss.backend.training.resumable.lock import BusyError, lock, remove
from isogloss.backend.training.resumable.loop import TrainingProgress
from isogloss.backend.training.resumable.options import Stage
from isogloss.backend.training.resumable.reproducible import (
    deterministic_kernels,
    deterministically,
    fitting,
    threads,
    what_varies,
)
from isogloss.backend.training.resumable.run import run_training
from tests.training.equal_folders import assert_equal_folders
from tests.training.killed_scripts import Death, died, ended, started
from tests.training.resumable.tiny_run import ABOUT, STAGE, begin, train, weights_of

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
    import sys
    from pathlib import Path
    from tests.training.resumable.tiny_run import train_slowly
    train_slowly(Path(sys.argv[1]), *map(float, sys.argv[2:]))
    print("done", flush=True)
"""
STEPS = 16


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken")
    outcome = train(folder)
    assert outcome.step == STEPS
    assert outcome.found is not None
    return folder


def stop_at(last: int, folder: Path, **following: Any) -> list[int]:
    """Train in `folder` up to the step `last`, and stop; the steps taken."""
    taken: list[int] = []
    outcome = train(
        folder, progress=lambda now: taken.append(now.step), should_stop=lambda: taken[-1:] == [last - 1], **following
    )
    assert (outcome.step, outcome.found) == (last, None)
    return taken


def test_what_it_leaves(unbroken: Path) -> None:
    assert sorted(path.name for path in unbroken.iterdir()) == [FINISHED, LOG, RUN]
    lines = [json.loads(line) for line in (unbroken / LOG).read_text().split("\n")[:-1]]
    assert [line["step"] for line in lines] == list(range(1, STEPS + 1))
    assert lines[0]["learning_rate"] == STAGE.learning_rate
    assert len({line["loss"] for line in lines}) == STEPS
    by_hand = begin(torch.device("cpu"))
    losses = [by_hand.take(step).item() for step in range(1, STEPS + 1)]
    assert [line["loss"] for line in lines] == [round(loss, 5) for loss in losses]
    assert json.loads((unbroken / FINISHED).read_text()) == {"step": STEPS, **weights_of(by_hand)}
    assert json.loads((unbroken / RUN).read_text()) == ABOUT


def test_what_is_done_is_read(unbroken: Path) -> None:
    outcome = run_training(unbroken, ABOUT, "tuning run", STAGE, lambda _: pytest.fail("begun"), weights_of, {"device": "cpu"})
    assert outcome.found == json.loads((unbroken / FINISHED).read_text())


@pytest.mark.parametrize("stops", [[2], [5, 6], [8, 15], [2, 3, 4, 15]])
def test_stopped_and_continued_equals_unbroken(unbroken: Path, tmp_path: Path, stops: list[int]) -> None:
    taken: list[int] = []
    for stop in stops:
        before = len(taken)
        outcome = train(
            tmp_path / "run",
            progress=lambda now: taken.append(now.step),
            should_stop=lambda stop=stop: bool(taken) and taken[-1] == stop - 1,
        )
        assert (outcome.step, outcome.found, taken[-1]) == (stop, None, stop)
        assert taken[before:] == list(range(before + 1, stop + 1))  # none twice
    assert train(tmp_path / "run").found is not None
    assert_equal_folders(tmp_path / "run", unbroken)


def test_killed_anywhere_reaches_the_same_result(unbroken: Path, tmp_path: Path) -> None:
    """SIGKILL at moments that fall anywhere: in a step, between log and state, while the state is written, at the end."""
    first: list[int] = []
    for times, delay in ((1, 0.0), (3, 0.003), (3, 0.006), (3, 0.009), (4, 0.012)):
        lines = died(started(SCRIPT, tmp_path / "run", death=Death(times=times, delay=delay)))
        first.append(int(lines[0]))
    assert first == sorted(first)
    assert first[-1] > 1  # it went on from a state, not from the start
    assert ended(started(SCRIPT, tmp_path / "run"))[-2] == str(STEPS)
    assert_equal_folders(tmp_path / "run", unbroken)


def test_killed_before_its_result_was_published(unbroken: Path, tmp_path: Path) -> None:
    class KilledError(BaseException):
        pass

    def killed(_: Any) -> dict[str, Any]:
        raise KilledError

    with pytest.raises(KilledError):
        train(tmp_path / "run", finish=killed)
    train(tmp_path / "run", progress=lambda _: pytest.fail("trained again"))
    assert_equal_folders(tmp_path / "run", unbroken)


def test_killed_after_its_result_was_published(unbroken: Path, tmp_path: Path) -> None:
    """The state is then still there; it goes with the next start."""
    stop_at(5, tmp_path / "run")
    state = (tmp_path / "run" / STATE).read_bytes()
    train(tmp_path / "run")
    (tmp_path / "run" / STATE).write_bytes(state)
    train(tmp_path / "run")
    assert_equal_folders(tmp_path / "run", unbroken)


def test_a_stop_while_it_finishes_keeps_the_trained_model(unbroken: Path, tmp_path: Path) -> None:
    def stopped(_: Any) -> dict[str, Any]:
        raise StoppedError("stopped")

    outcome = train(tmp_path / "run", finish=stopped)
    assert (outcome.step, outcome.found) == (STEPS, None)
    assert (tmp_path / "run" / STATE).exists()
    assert train(tmp_path / "run", progress=lambda _: pytest.fail("trained again")).found is not None
    assert_equal_folders(tmp_path / "run", unbroken)


def test_lines_beyond_the_state_are_written_again(unbroken: Path, tmp_path: Path) -> None:
    """As a kill leaves it: lines after the state, the last one cut short, files and folders half written."""
    stop_at(9, tmp_path / "run")
    with open(tmp_path / "run" / LOG, "a") as file:
        file.write('{"step": 10, "loss": 99.0, "learning_rate": 1}\n{"step": 11, "lo')
    (tmp_path / "run" / ".tmp-state").write_text("half a state")
    (tmp_path / "run" / ".tmp-model").mkdir()
    train(tmp_path / "run")
    assert_equal_folders(tmp_path / "run", unbroken)


def test_a_damaged_state_is_set_aside_and_the_run_starts_over(unbroken: Path, tmp_path: Path) -> None:
    stop_at(9, tmp_path / "run")
    state, taken = tmp_path / "run" / STATE, []
    state.write_bytes(state.read_bytes()[:300])
    train(tmp_path / "run", progress=lambda now: taken.append(now.step))
    assert taken == list(range(1, STEPS + 1))
    state.with_name(f"{STATE}.damaged").unlink()
    assert_equal_folders(tmp_path / "run", unbroken)


def test_the_state_of_another_run_is_not_taken_up(unbroken: Path, tmp_path: Path) -> None:
    stop_at(9, tmp_path / "other", provenance=ABOUT | {"data": "theirs"})
    stop_at(2, tmp_path / "run")
    (tmp_path / "other" / STATE).rename(tmp_path / "run" / STATE)
    taken: list[int] = []
    train(tmp_path / "run", progress=lambda now: taken.append(now.step))
    assert taken == list(range(1, STEPS + 1))
    assert_equal_folders(tmp_path / "run", unbroken)


def test_a_state_has_weights_and_moments(tmp_path: Path) -> None:
    stop_at(9, tmp_path / "run")
    with safe_open(tmp_path / "run" / STATE, framework="pt") as file:
        names, provenance = set(file.keys()), file.metadata()
    assert provenance["step"] == "9"
    assert names == {
        f"{kind}/{name}"
        for kind in ("weights", "step", "exp_avg", "exp_avg_sq")
        for name in ("0.weight", "0.bias", "2.weight", "2.bias")
    }


def test_another_run_is_refused(unbroken: Path) -> None:
    for changes, what in (
        ({"data": "theirs"}, "data"),
        ({"options": ABOUT["options"] | {"seed": 4}}, r"options \(seed\)"),
        ({"data": "theirs", "options": {"seed": 4, "layers": 1}}, r"data and options \(seed, layers\)"),
    ):
        with pytest.raises(SpecError, match=f"holds a tuning run with other {what}. Choose another folder"):
            train(unbroken, provenance=ABOUT | changes)


def test_what_a_new_run_says_besides_is_not_compared(tmp_path: Path) -> None:
    with claim(tmp_path / "run", ABOUT, what="run", beside={"held_out": ["a"]}) as one:
        pass
    with claim(tmp_path / "run", ABOUT, what="run") as other:
        pass
    assert one == other
    assert json.loads((tmp_path / "run" / RUN).read_text()) == ABOUT | {"held_out": ["a"]}


def test_a_folder_that_another_process_trains_in_is_refused(unbroken: Path, tmp_path: Path) -> None:
    process = started(SCRIPT, tmp_path / "run", "3600")
    assert process.stdout.readline() == "1\n"
    with pytest.raises(BusyError, match="Another process is training in run"):
        train(tmp_path / "run")
    remove(tmp_path / "run")  # its holder will
    process.process.kill()
    died(process)
    assert train(tmp_path / "run").found is not None  # a dead one holds nothing
    assert_equal_folders(tmp_path / "run", unbroken)
    remove(tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"), lock(tmp_path / "file" / "run"):
        pass


def test_losses_read_in_bunches_are_the_same_lines(unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU, where reading each would make the host wait."""
    monkeypatch.setitem(loop.UNREAD, "cpu", 4)
    told: list[TrainingProgress] = []
    stop = iter([False] * 5 + [True])
    train(tmp_path / "run", progress=told.append, should_stop=lambda: next(stop))
    assert [one.step for one in told] == [4, 6]
    train(tmp_path / "run", progress=told.append)
    assert [one.step for one in told] == [4, 6, 10, 14, 16]
    assert [(one.doing, one.steps) for one in told] == [("tuning", STEPS)] * 5
    assert_equal_folders(tmp_path / "run", unbroken)


def test_what_diverges_and_what_does_not_fit_say_so(tmp_path: Path) -> None:
    wild = Stage(tokens=100, epochs=2, batch=4, learning_rate=1e30)
    with pytest.raises(ModelError, match=r"no longer a number at step \d"):
        run_training(tmp_path / "run", ABOUT, "run", wild, lambda device: begin(device, wild), weights_of, {"device": "cpu"})
    with (
        pytest.raises(
            ModelError, match=r"A game does not fit into the memory of cpu. Choose smaller batches, fewer objects or"
        ),
        fitting("A game", torch.device("cpu"), smaller="fewer objects"),
    ):
        raise torch.OutOfMemoryError("CUDA out of memory")


def test_the_callers_random_state_and_threads_are_put_back(unbroken: Path, tmp_path: Path) -> None:
    torch.manual_seed(1)
    before = torch.random.get_rng_state(), torch.get_num_threads()
    with threads(before[1] + 1) as used:
        assert used == torch.get_num_threads() == before[1] + 1
        train(tmp_path / "run")
    with threads(None) as used:
        assert used == before[1]
    assert torch.equal(torch.random.get_rng_state(), before[0])
    assert torch.get_num_threads() == before[1]
    assert_equal_folders(tmp_path / "run", unbroken)


def without_a_deterministic_kernel() -> torch.Tensor:
    """`put_` has none, on any device."""
    return torch.zeros(4).put_(torch.tensor([1]), torch.ones(1))


def test_what_has_no_deterministic_kernel_is_done_with_what_there_is_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproducible, "_lacking", [])
    calls: list[int] = []

    def work() -> torch.Tensor:
        calls.append(1)
        return without_a_deterministic_kernel()

    with deterministic_kernels():
        assert deterministically(lambda: torch.ones(2).sum().item()) == 2
        assert what_varies() is None
        with pytest.raises(RuntimeError, match="deterministic implementation"):
            work()
        assert deterministically(work).tolist() == [0, 1, 0, 0]
        assert len(calls) == 3
        assert torch.is_deterministic_algorithms_warn_only_enabled()  # whatever follows needs no second attempt
        deterministically(work)
        assert len(calls) == 4
        with pytest.raises(RuntimeError, match="another"):
            deterministically(lambda: fail("another"))
    assert what_varies() == "Not exactly repeatable: torch has no deterministic put_ on this GPU."
    assert not torch.are_deterministic_algorithms_enabled()
    train_nothing()
    assert what_varies() is None


def fail(why: str) -> None:
    raise RuntimeError(why)


def train_nothing() -> None:
    with reproducible.reproducible(torch.device("cpu")):
        pass


def test_cublas_without_its_workspace_is_said_too() -> None:
    said = (
        "Deterministic behavior was enabled with either `torch.use_deterministic_algorithms(True)` or "
        "`at::Context::setDeterministicAlgorithms(true)`, but this operation is not deterministic because it uses CuBLAS and"
    )
    found = reproducible.LACKING.search(said)
    assert found is not None
    assert "CuBLAS" in found.groups()


def test_memory_is_not_filled_while_kernels_are_deterministic() -> None:
    memory: Any = torch.utils.deterministic
    before = memory.fill_uninitialized_memory, torch.are_deterministic_algorithms_enabled()
    with deterministic_kernels():
        assert (memory.fill_uninitialized_memory, torch.are_deterministic_algorithms_enabled()) == (False, True)
        assert not torch.is_deterministic_algorithms_warn_only_enabled()
    assert (memory.fill_uninitialized_memory, torch.are_deterministic_algorithms_enabled()) == before


def test_a_training_goes_on_where_an_operation_has_no_deterministic_kernel(tmp_path: Path) -> None:
    """The step is taken again, from the weights before it: what comes of it is what would have come without being strict."""

    def begin_lacking(device: torch.device) -> Any:
        run = begin(device)
        before = type(run).take

        class Lacking(type(run)):  # type: ignore[misc]
            def take(self, step: int) -> torch.Tensor:
                if step > 3:
                    without_a_deterministic_kernel()
                return before(self, step)

        return Lacking(run.model, run.optimizer, run.device)

    plain = run_training(tmp_path / "plain", ABOUT, "run", STAGE, begin, weights_of, {"device": "cpu"})
    with deterministic_kernels():
        found = run_training(tmp_path / "strict", ABOUT, "run", STAGE, begin_lacking, weights_of, {"device": "cpu"})
    assert what_varies() is not None
    assert found == plain
    assert_equal_folders(tmp_path / "strict", tmp_path / "plain")
