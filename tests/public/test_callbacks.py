"""Trainings of `transformers.Trainer` and of Lightning that are measured while they run: right scores, within the budget."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForMaskedLM, AutoTokenizer, Trainer

import isogloss
from isogloss.backend.jobs import connection, run_cache, starter
from isogloss.backend.jobs.watch import announce, record
from isogloss.backend.public import training
from isogloss.backend.public.running import TimeUpError
from isogloss.backend.public.training import Asked, InProcess, scalars
from tests.jobs.running import Worker, end, start, wait
from tests.jobs.watch.real_training import small_trainer
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXTS = {
    "en": ["A dog sleeps.", "Rain falls today.", "We read old books.", "The door is open."],
    "de": ["Ein Hund schläft.", "Heute regnet es.", "Wir lesen alte Bücher.", "Die Tür ist offen."],
}


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace of one's own, for whose queue no worker is started but by a test."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "own"))
    monkeypatch.setenv("ISOGLOSS_DEMO", "")
    monkeypatch.setattr(starter, "ensure_worker", lambda *_, **__: False)
    return tmp_path / "own"


def trainer(folder: Path, *, steps: int = 20, save: int = 10, tokenised: bool = True) -> Trainer:
    return small_trainer(folder, steps, save, tokenised=tokenised)


def logged(of: Trainer) -> dict[int, dict[str, float]]:
    """Step → what of ours stands in the Trainer's own log."""
    found: dict[int, dict[str, float]] = {}
    for row in of.state.log_history:
        if ours := {name: value for name, value in row.items() if name.startswith(training.PREFIX)}:
            found.setdefault(row["step"], {}).update(ours)
    return found


def by_hand(frame: pd.DataFrame) -> dict[str, float]:
    """The mean of each measure at each layer, one row after the other."""
    found: dict[str, list[float]] = {}
    for row in frame.itertuples():
        if row.value == row.value:
            found.setdefault(f"isogloss/{row.metric}/layer_{row.layer}", []).append(row.value)
    return {name: sum(values) / len(values) for name, values in found.items()}


def test_a_model_in_training_has_the_scores_of_its_saved_checkpoints(tmp_path: Path) -> None:
    of = trainer(tmp_path / "run")
    of.add_callback(isogloss.trainer_callback(of, "abx", corpus=TEXTS, here=True, max_share=1.0))
    of.train()
    assert set(logged(of)) == {10, 20}
    for step in (10, 20):
        again = isogloss.measure(
            "abx",
            model=str(tmp_path / "run" / f"checkpoint-{step}"),
            corpus=TEXTS,
            progress=False,
            workspace=tmp_path / "other",
        )
        assert logged(of)[step] == pytest.approx(by_hand(again), abs=1e-6)
    assert logged(of)[10] != logged(of)[20]
    kept = isogloss.scores("abx_meaning", model="run")
    assert set(kept["step"]) == {10, 20}


def test_steps_without_a_checkpoint_are_measured_too_and_layers_chosen(tmp_path: Path) -> None:
    of = trainer(tmp_path / "run", steps=8, save=100)
    of.add_callback(isogloss.trainer_callback(of, "abx", corpus=TEXTS, here=True, every=4, layers=[1], max_share=1.0))
    of.train()
    assert set(logged(of)) == {4, 8}
    assert {name.rpartition("_")[2] for name in logged(of)[4]} == {"1"}
    assert not list(tmp_path.glob("run/checkpoint-4"))


@pytest.fixture
def worker(own: Path) -> Iterator[Callable[[], None]]:
    """Starts a real worker, which ends with the test."""
    started: list[Worker] = []
    yield lambda: started.append(start(own))
    for each in started:
        end(each)
    connection._connection.cache_clear()
    run_cache.forget()


def test_saved_checkpoints_are_announced_and_their_scores_come_back(
    tmp_path: Path, own: Path, worker: Callable[[], None]
) -> None:
    of = trainer(tmp_path / "run", steps=20, save=10)
    callback = isogloss.trainer_callback(of, "abx", corpus=TEXTS)
    of.add_callback(callback)
    of.train()
    [(watch, _)] = record.watches(own)
    folders = [tmp_path / "run" / f"checkpoint-{step}" for step in (10, 20)]
    assert {Path(folder) for folder, _ in announce.announced(own)} == set(folders)
    worker()
    wait(lambda: len(record.state(own, watch.id).scored) == 2)
    of.log({"loss": 1.0})
    newest = isogloss.measure("abx", model=str(folders[1]), corpus=TEXTS, progress=False, workspace=tmp_path / "other")
    found = logged(of)[20]
    assert found.pop("isogloss/checkpoint_step") == 20
    assert found == pytest.approx(by_hand(newest), abs=1e-6)
    before = len(of.state.log_history)
    of.log({"loss": 1.0})
    assert len(of.state.log_history) == before + 1  # nothing is said twice


@given(
    costs=st.lists(st.floats(0.001, 50), min_size=1, max_size=60),
    pauses=st.lists(st.floats(0.001, 20), min_size=60, max_size=60),
    most=st.floats(0.001, 1.0),
)
def test_measuring_stays_within_its_share_whatever_it_takes(costs: list[float], pauses: list[float], most: float) -> None:
    """And one is made as soon as there is room for it, by however much the first were too dear."""
    now = [0.0]

    def measured(*_: Any, seconds: float | None, **__: Any) -> pd.DataFrame:
        took = cost.pop(0) if cost else 50.0
        now[0] += took if seconds is None else min(took, seconds)
        if seconds is not None and took > seconds:
            raise TimeUpError("over")
        return pd.DataFrame({"metric": ["m"], "layer": [0], "value": [1.0]})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "measure", measured)
        of = InProcess(Asked("abx", "m"), most, clock=lambda: now[0])
        cost = list(costs)
        for pause in pauses:
            now[0] += pause
            if not cost:
                break
            of.numbers(None, None, 1)
            assert of.spent <= most * now[0] + 1e-9
        assert of.spent > 0
        made = False
        for _ in range(30):
            now[0] += 1000 / most
            made = made or bool(of.numbers(None, None, 1))
            assert of.spent <= most * now[0] + 1e-9
        assert made


def test_what_cannot_be_measured_is_said_before_the_training_and_never_ends_it(
    tmp_path: Path, own: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = trainer(tmp_path / "run", steps=4, save=2)
    for more, words in (
        ({"corpus": "Nowhere"}, "Nowhere"),
        ({"corpus": TEXTS, "poling": "mean"}, "has no option 'poling'"),
        ({"corpus": TEXTS, "here": True, "max_share": 0}, "max_share=0 is no share"),
    ):
        with pytest.raises(isogloss.IsoglossError, match=words):
            isogloss.trainer_callback(of, "abx", **more)
    with pytest.raises(isogloss.SpecError, match="no tokeniser"):
        isogloss.trainer_callback(trainer(tmp_path / "other", tokenised=False), "abx", corpus=TEXTS)

    def fails(*_: Any, **__: Any) -> None:
        raise isogloss.StoreError("The disk is full.")

    monkeypatch.setattr(training, "measure", fails)
    monkeypatch.setattr(announce, "announce", fails)
    for here in (True, False):
        of.add_callback(isogloss.trainer_callback(of, "abx", corpus=TEXTS, here=here))
    with caplog.at_level(logging.WARNING, "isogloss"):
        of.train()
    assert of.state.global_step == 4
    assert "nothing is measured at step 2: The disk is full." in caplog.text
    assert "checkpoint-2 is not announced" in caplog.text


def test_rows_without_a_value_are_no_number() -> None:
    frame = pd.DataFrame({"metric": ["a", "a", "b"], "layer": [0, 0, 1], "value": [0.5, float("nan"), float("nan")]})
    assert scalars(frame) == {"isogloss/a/layer_0": 0.5}
    assert scalars(frame, layers=[3]) == {}


@pytest.mark.parametrize("here", [False, True])
def test_a_training_of_lightning_is_measured(tmp_path: Path, own: Path, here: bool) -> None:
    lightning = pytest.importorskip("lightning.pytorch")
    begin = tiny_model(tmp_path / "start", "xlm-roberta")
    tokenizer = AutoTokenizer.from_pretrained(begin)

    class Module(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = AutoModelForMaskedLM.from_pretrained(begin)

        def training_step(self, batch: Any, _: int) -> Any:
            return self.encoder(**batch, labels=batch["input_ids"]).loss

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    rows = [dict(tokenizer(SENTENCES[0], return_tensors="pt"))] * 6
    callback = isogloss.lightning_callback(
        "abx",
        model=lambda module: module.encoder,
        tokenizer=tokenizer,
        every=3,
        corpus=TEXTS,
        here=here,
        max_share=1.0,
        name="L",
    )
    logger = lightning.loggers.CSVLogger(tmp_path / "logs")
    fit = lightning.Trainer(
        max_steps=6,
        logger=logger,
        callbacks=[callback],
        default_root_dir=tmp_path / "runs",
        enable_progress_bar=False,
        accelerator="cpu",
        enable_checkpointing=False,
        enable_model_summary=False,
    )
    fit.fit(Module(), torch.utils.data.DataLoader(rows, batch_size=None))
    if here:
        assert set(isogloss.scores("abx_meaning", model="L")["step"]) == {3, 6}
        assert "isogloss/abx_meaning/layer_1" in next(tmp_path.rglob("metrics.csv")).read_text(encoding="utf-8")
    else:
        folders = {tmp_path / "runs" / "isogloss" / f"step-{step}" for step in (3, 6)}
        assert {Path(folder) for folder, _ in announce.announced(own)} == folders
        assert all(json.loads((folder / "config.json").read_text(encoding="utf-8")) for folder in folders)


def test_neither_lightning_nor_torch_comes_with_the_names() -> None:
    code = (
        "import sys, isogloss as i; i.trainer_callback, i.lightning_callback; print(*{'torch', 'lightning'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == ""
