"""Jobs of a quarter of a minute on one thread, one of each kind that trains: long enough to be killed on their way."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import torch
from safetensors.torch import load_file, save_file

from isogloss.backend.corpora.emergent import library as emergent
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments.emergent.game.shard import LanguageGameSpec
from isogloss.backend.experiments.sources.source import EmergentSource, TextSource
from isogloss.backend.experiments.xferbench.spec import Target, XferBenchSpec
from isogloss.backend.models.library.discover import discover
from isogloss.backend.training.resumable.checkpoint import WEIGHTS
from isogloss.backend.training.resumable.options import Stage
from isogloss.backend.training.signalling_game.options import GameOptions
from tests.experiments.probing.small_probing import lab
from tests.experiments.transfer.small_transfer import small_corpus as transfer_corpus
from tests.experiments.transfer.small_transfer import small_task, spec_of
from tests.experiments.xferbench.small_xferbench import small_corpus as text_corpus
from tests.models.tiny import tiny_model
from tests.training.language_model.language_modelling import tiny_options, tiny_source

if TYPE_CHECKING:
    from isogloss.backend.experiments.spec import Spec
    from isogloss.backend.models.entry import Checkpoint

Kind = Literal["transfer", "xferbench", "game", "probing"]


def long_job(kind: Kind, folder: Path) -> tuple[Spec, Path]:
    """A spec of the kind, and a workspace in `folder` that has what it needs and nothing computed."""
    workspace = folder / "workspace"
    match kind:
        case "transfer":
            return _transfer(folder, workspace), workspace
        case "xferbench":
            return _xferbench(workspace), workspace
        case "game":
            options = GameOptions(attributes=4, values=5, hidden=48, length=6, batch=32, epochs=60, seed=1)
            return LanguageGameSpec(name="Grown", options=options), workspace
        case "probing":
            return _probing(folder, workspace), workspace


def copied(workspace: Path, folder: Path) -> Path:
    """A workspace once more, to compute the same in."""
    shutil.copytree(workspace, folder) if workspace.exists() else folder.mkdir(parents=True)
    return folder


def _transfer(folder: Path, workspace: Path) -> Spec:
    [checkpoint] = discover(str(tiny_model(folder / "model", "xlm-roberta", positions=128))).checkpoints
    task = tasks.keep(small_task(48, 16), "small", workspace)
    corpora.keep(transfer_corpus(), "small", workspace)
    training = {"epochs": 16, "patience": None}
    return spec_of(checkpoints=(checkpoint,), corpus=task.id, sources=("en",), seeds=(0, 1, 2), training=training)


def _xferbench(workspace: Path) -> Spec:
    grown = emergent.keep(tiny_source(utterances=400), "Tiny", workspace).id
    text = corpora.keep(text_corpus(), "News", workspace).id
    options = tiny_options(
        pretraining=Stage(tokens=8000, epochs=10, batch=6, learning_rate=1e-2),
        tuning=Stage(tokens=6000, epochs=45, batch=8, learning_rate=1e-2),
        seed=0,
    )
    return XferBenchSpec(
        sources=(EmergentSource(corpus=grown, name="Tiny"), TextSource(corpus=text, language="en", name="News")),
        targets=tuple(Target(corpus=text, language=tag, name="News") for tag in ("da", "fi")),
        preset="custom",
        custom=options,
    )


def _probing(folder: Path, workspace: Path) -> Spec:
    made = lab(folder, sizes={"train": 300, "validation": 80, "test": 100})
    assert made.context.workspace == workspace
    checkpoints = [made.checkpoint, *(_changed(folder / "model", folder / f"model-{seed}", seed) for seed in (1, 2))]
    probe = {"seeds": (0, 1, 2), "epochs": 40, "patience": 40}
    languages = ("de", "en", "zh")
    return made.spec(checkpoints=tuple(checkpoints), sources=languages, targets=languages, probe=probe)


def _changed(model: Path, folder: Path, seed: int) -> Checkpoint:
    """The same model with other weights."""
    shutil.copytree(model, folder)
    generator = torch.Generator().manual_seed(seed)
    weights = load_file(folder / WEIGHTS)
    changed = {name: value + 0.02 * torch.randn(value.shape, generator=generator) for name, value in weights.items()}
    save_file(changed, folder / WEIGHTS, {"format": "pt"})
    [checkpoint] = discover(str(folder)).checkpoints
    return checkpoint
