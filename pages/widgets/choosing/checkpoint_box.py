"""One model, checkpoint and layer out of the selection, by select boxes: the keyboard's way to any cell or point."""

from __future__ import annotations

from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import ChosenCheckpoints


def checkpoint_of(selection: ChosenCheckpoints, key: str, *, last: bool = False) -> tuple[Model, Checkpoint]:
    """Draw two boxes: a model (the first by default, or the `last`) and one of its computed checkpoints (by default the last).

    A box with nothing to choose is not drawn: figures name the model and its checkpoint. At least one checkpoint must be
    computed: before that, a page draws no view. The boxes' keys begin with `key`.
    """
    able = {model.name: model for model in selection.models if selection.computed(model)}
    names = list(able)
    model = able[_choose("Model", names, f"{key}_model", at=len(names) - 1 if last else 0, width=248)]
    computed = {checkpoint.label: checkpoint for checkpoint in selection.computed(model)}
    labels = list(computed)
    return model, computed[_choose("Checkpoint", labels, f"{key}_checkpoint", at=len(labels) - 1, width=200)]


def _choose(label: str, names: list[str], key: str, *, at: int, width: int) -> str:
    return select(label, names, key, index=at, width=width) if len(names) > 1 else names[0]


def layer_of(model: Model, key: str) -> int:
    """Draw a box for one of the model's layers (the middle by default)."""
    layers = list(range(model.layers + 1))
    return select("Layer", layers, f"{key}_layer", index=len(layers) // 2, width=120)
