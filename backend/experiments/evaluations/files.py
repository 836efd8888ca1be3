"""Scores as files that others read, a file a checkpoint: Every Eval Ever's JSON, or the Hub's `.eval_results`."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments.evaluations.eval_results import entries
from isogloss.backend.experiments.evaluations.every_eval_ever import record
from isogloss.backend.models.library import library as models

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.models.entry import Checkpoint, Model

Form = Literal["every_eval_ever", "eval_results"]


def files(frame: pd.DataFrame, workspaces: Sequence[Path], form: Form, dataset: str = "") -> dict[str, str]:
    """Return the scores as files: what each is called, with folders, and its text.

    `frame` are rows of the table of scores with model_name and corpus_name; those without a checkpoint are left out. `dataset`
    is of `.eval_results` alone: the Hub's id of what corpora from elsewhere are. Raises `SpecError` as `eval_results.entries`.
    """
    kept = models.entries(workspaces)
    owner = {each.fingerprint: (model, each) for model in reversed(kept) for each in model.checkpoints}
    sources = {entry.id: entry.source or "" for entry in corpora.entries(workspaces)}
    found = {}
    for fingerprint, own in frame[frame["checkpoint"].notna()].groupby("checkpoint"):
        name = str(own["model_name"].iloc[0])
        model, checkpoint = owner.get(str(fingerprint), (None, None))
        if form == "every_eval_ever":
            said = record(own, name, checkpoint, version("isogloss"))
            found[f"isogloss-{fingerprint}.json"] = json.dumps(said, ensure_ascii=False, indent=1, allow_nan=False)
        else:
            folder, label = _place(model, checkpoint, name)
            end = f"-{_safe(label)}" if label else ""
            found[f"{folder}/.eval_results/isogloss{end}.yaml"] = entries(own, sources, dataset, label)
    return found


def _place(model: Model | None, checkpoint: Checkpoint | None, name: str) -> tuple[str, str]:
    """Return the model's folder, its Hub id where it has one, and the checkpoint's label where it has several."""
    if model is None or checkpoint is None:
        return _safe(name), ""
    hub = checkpoint.source == "hub"
    folder = "/".join(map(_safe, checkpoint.location.split("/"))) if hub else _safe(name)
    return folder, checkpoint.label if len(model.checkpoints) > 1 else ""


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "model"
