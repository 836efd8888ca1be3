"""The smallest training that `backend.training.resumable` takes: two layers with dropout between, on invented numbers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from isogloss.backend.training.resumable.options import Stage, Training
from isogloss.backend.training.resumable.reproducible import seed_from
from isogloss.backend.training.resumable.run import Outcome, TrainingControls, run_training
from isogloss.backend.training.resumable.state import adamw

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

STAGE = Stage(tokens=100, epochs=2, batch=4, learning_rate=1e-2)
EXAMPLES = 30
ABOUT: dict[str, Any] = {"data": "ours", "options": {"seed": 3, "layers": 2}}


@dataclass(frozen=True, eq=False)
class TinyRun:
    model: nn.Module
    optimizer: torch.optim.AdamW
    device: torch.device
    training: Training = "tuning"
    stage: Stage = STAGE
    tokens: float = 4.0

    @property
    def steps(self) -> int:
        return self.stage.steps(EXAMPLES)

    def take(self, step: int) -> torch.Tensor:
        torch.manual_seed(seed_from(3, step))
        loss = self.model(torch.randn(4, 6)).square().mean() * self.stage.learning_rate * 100
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def begin(device: torch.device, stage: Stage = STAGE) -> TinyRun:
    torch.manual_seed(seed_from(3, 0))
    model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.2), nn.Linear(8, 3)).to(device)
    optimizer = adamw(model.parameters(), learning_rate=stage.learning_rate, weight_decay=0.01, device=device)
    return TinyRun(model, optimizer, device, stage=stage)


def weights_of(run: TinyRun) -> dict[str, Any]:
    """What comes of the training: every number of the model."""
    return {name: value.tolist() for name, value in run.model.named_parameters()}


def train(
    folder: Path, provenance: dict[str, Any] = ABOUT, finish: Any = weights_of, **following: Unpack[TrainingControls]
) -> Outcome:
    return run_training(folder, provenance, "tuning run", STAGE, begin, finish, {"device": "cpu", **following})


def train_slowly(folder: Path, pause: float = 0.01) -> None:
    """Train, say every step, and pause: for a process that is killed. Every step but the first is saved, on any machine."""

    def report(now: Any) -> None:
        print(now.step, flush=True)
        time.sleep(pause)  # longer than `save_every`: the state of step n is there before step n + 1 is said

    train(folder, progress=report, save_every=0.005)
