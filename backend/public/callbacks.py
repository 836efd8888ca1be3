"""Callbacks of a few lines for `transformers.Trainer` and Lightning: a training is measured while it runs."""

from __future__ import annotations

import logging
import shutil
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import IsoglossError, SpecError
from isogloss.backend.public.training import Asked, Follower, InProcess, Queued

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

log = logging.getLogger("isogloss")


def trainer_callback(
    trainer: Any,
    what: str,
    /,
    *,
    corpus: str | Mapping[str, Sequence[str | None]] | None = None,
    languages: str | Sequence[str] | None = None,
    layers: Sequence[int] | None = None,
    every: int = 0,
    here: bool = False,
    max_share: float = 0.01,
    name: str | None = None,
    workspace: str | PathLike[str] | None = None,
    **options: Any,
) -> Any:
    """Return a callback for `trainer.add_callback`, which has the training's checkpoints measured while it runs.

    By default each checkpoint that the Trainer saves is announced to a watch of its folder, as `isogloss watch` begins it, and
    a worker, which is another process, scores it: the training writes one small file and goes on. With `here=True` the model
    is measured in the training's process, on its device, between two steps. Means by measure and layer go where the Trainer
    logs (TensorBoard, W&B, Trackio …), as `isogloss/abx_meaning/layer_4`; all scores are in the workspace.

    What cannot be measured is told by a warning of the logger `isogloss`: a training never ends of it.

    Args:
        trainer: The `transformers.Trainer`, with its tokeniser (`processing_class`).
        what: As of `isogloss.measure`, like corpus, languages and options.
        corpus: As there.
        languages: As there.
        layers: Those whose means are logged; all by default. All are in the workspace.
        every: Only steps that are multiples of it; 0: each checkpoint that is saved. With `here`, steps need no checkpoint.
        here: Measure in this process.
        max_share: With `here`, at most this share (0 to 1] of the time since the training began goes into measuring: a
            measurement that would take more waits, one that takes more is stopped. 1: each is made.
        name: What the model is kept as; by default the last part of `output_dir`.
        workspace: As of `isogloss.measure`.
        **options: Likewise.

    Raises:
        SpecError, CorpusError: Now, before the training begins, for what cannot be measured.
        StoreError: The workspace cannot be written.
    """
    from transformers import TrainerCallback

    folder = Path(trainer.args.output_dir)
    if getattr(trainer, "processing_class", None) is None:
        raise SpecError("The Trainer has no tokeniser, without which nothing is measured. Give it one: processing_class=….")
    if here and (getattr(trainer, "is_fsdp_enabled", False) or getattr(trainer, "is_deepspeed_enabled", False)):
        raise SpecError("With FSDP or DeepSpeed no process has all weights. Leave here=True out: checkpoints are measured.")
    asked = Asked(what, name or folder.resolve().name, corpus, languages, layers, options, workspace, every)
    follower: Follower = InProcess(asked, max_share) if here else Queued(asked, folder)
    if trainer.is_world_process_zero():
        follower.begin()

    class Callback(TrainerCallback):
        """Measures a training; of what the Trainer hands over, it needs the state."""

        # ruff: noqa: ARG002 — the Trainer's own signatures

        def __init__(self) -> None:
            self.follower = follower

        def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if state.is_world_process_zero and asked.is_due(state.global_step):
                _tell(follower, folder / f"checkpoint-{state.global_step}")
                if here and not every:
                    self._log(state)

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if here and every and state.is_world_process_zero and asked.is_due(state.global_step):
                self._log(state)

        def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if not here and state.is_world_process_zero:
                self._log(state)

        def _log(self, state: Any) -> None:
            if found := _numbers(follower, trainer.model, trainer.processing_class, state.global_step):
                trainer.log(found)

    return Callback()


def lightning_callback(
    what: str,
    /,
    *,
    model: Callable[[Any], Any],
    tokenizer: Any,
    every: int,
    folder: str | PathLike[str] | None = None,
    corpus: str | Mapping[str, Sequence[str | None]] | None = None,
    languages: str | Sequence[str] | None = None,
    layers: Sequence[int] | None = None,
    here: bool = False,
    max_share: float = 0.01,
    name: str | None = None,
    workspace: str | PathLike[str] | None = None,
    **options: Any,
) -> Any:
    """Return a callback for a `lightning.Trainer`, which has the model measured every so many steps while it is trained.

    Lightning's own checkpoints are pickles without a configuration: every `every` steps the model is saved beside them as
    `transformers` saves it, under another name until it is whole, and announced; or measured at once, with `here=True`.
    Everything else is as of `trainer_callback`; means go to the Lightning trainer's loggers.

    Args:
        model: Gives the `transformers` model of a `LightningModule`: `lambda module: module.model`.
        tokenizer: Of that model.
        every: Steps, 1 or more.
        folder: Where models are saved; `isogloss` in the Lightning trainer's `default_root_dir` if not given.
        what: As of `trainer_callback`, like all that follow.
        corpus: As there.
        languages: As there.
        layers: As there.
        here: As there.
        max_share: As there.
        name: As there; by default the last part of `default_root_dir`.
        workspace: As there.
        **options: As there.

    Raises:
        ModuleNotFoundError: Neither `lightning` nor `pytorch_lightning` is installed.
        SpecError: `every` is below 1. What cannot be measured is raised when the training begins, as by `trainer_callback`.
    """
    Base = _lightning()  # noqa: N806 — a class
    if every < 1:
        raise SpecError(f"every={every} is no number of steps. Choose 1 or more.")

    class Callback(Base):  # type: ignore[misc, valid-type]
        """Measures a training."""

        follower: Follower
        place: Path

        def on_fit_start(self, trainer: Any, _module: Any) -> None:
            self.place = Path(folder or Path(trainer.default_root_dir) / "isogloss")
            asked = Asked(
                what,
                name or Path(trainer.default_root_dir).resolve().name,
                corpus,
                languages,
                layers,
                options,
                workspace,
                every,
            )
            self.follower = InProcess(asked, max_share) if here else Queued(asked, self.place)
            if trainer.is_global_zero:
                self.follower.begin()
            self.last = 0

        def on_train_batch_end(self, trainer: Any, pl_module: Any, *_: Any) -> None:
            step = trainer.global_step
            if not trainer.is_global_zero or step == self.last:  # a batch of several that make one step
                return
            self.last = step
            due, of_module = self.follower.asked.is_due(step), model(pl_module)
            if due and not here:
                _tell(self.follower, self.place / f"step-{step}", of_module, tokenizer)
            if due or not here:
                found = _numbers(self.follower, of_module, tokenizer, step)
                for logger in trainer.loggers if found else ():
                    logger.log_metrics(found, step)

    return Callback()


def _lightning() -> Any:
    """Return Lightning's class of callbacks. Raises `ModuleNotFoundError`."""
    try:
        return import_module("lightning.pytorch").Callback
    except ModuleNotFoundError:
        return import_module("pytorch_lightning").Callback


def _tell(follower: Follower, folder: Path, model: Any = None, tokenizer: Any = None) -> None:
    """Say that a checkpoint is written, first writing it where a model is given; a warning says what went wrong."""
    began = time.monotonic()
    try:
        if model is not None and not folder.exists():  # a training that goes on may come by again
            half = folder.with_name(f".{folder.name}.half")
            shutil.rmtree(half, ignore_errors=True)
            model.save_pretrained(half)
            tokenizer.save_pretrained(half)
            half.rename(folder)
        follower.saved(folder)
    except (IsoglossError, OSError) as error:
        log.warning("%s is not announced, and measured only once it has not changed for a while: %s", folder.name, error)
    finally:
        follower.spent += time.monotonic() - began


def _numbers(follower: Follower, model: Any, tokenizer: Any, step: int) -> dict[str, float]:
    """Return new numbers for the training's log; a warning says what went wrong."""
    before, began = follower.spent, time.monotonic()
    try:
        return follower.numbers(model, tokenizer, step)
    except (IsoglossError, OSError) as error:
        log.warning("nothing is measured at step %d: %s", step, error)
        return {}
    finally:
        follower.spent = max(follower.spent, before + time.monotonic() - began)
