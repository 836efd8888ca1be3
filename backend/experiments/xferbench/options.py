"""The options behind a variant of XferBench's scores, and how two variants differ, in words. Imports no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from backend.experiments.sources.rows import FAMILY
from backend.store import scores
from backend.training.language_model.options import LanguageModelOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

NAMES = {
    "architecture": "model",
    "layers": "layers",
    "heads": "heads",
    "dims": "dimensions",
    "context": "context (tokens)",
    "vocabulary": "vocabulary",
    "pretraining": "pre-training",
    "batch": "batch (windows)",
    "learning_rate": "learning rate",
    "weight_decay": "weight decay",
    "largest_gradient": "largest gradient",
    "evaluation_tokens": "tokens scored at most",
    "held_out": "share held out",
    "text": "texts taken in",
    "fresh_deviation": "deviation of fresh embeddings",
}
"""Of options whose own name would not do."""


def of_variant(variant: str, workspaces: Sequence[Path]) -> LanguageModelOptions | None:
    """Return the options of a variant's newest score; None where no file tells them."""
    for file in reversed(scores.shards(workspaces, FAMILY)):
        if file.provenance.get("variant") == variant:
            try:
                return LanguageModelOptions.model_validate(file.provenance.get("options"))
            except ValidationError:  # a file that another version wrote
                return None
    return None


def differences(first: LanguageModelOptions, second: LanguageModelOptions) -> list[tuple[str, str, str]]:
    """Return the options in which two variants differ, each with its two values; seeds, which make no variant, are left out."""
    ours, theirs = (dict(_flat(each)) for each in (first, second))
    return [(name, _value(ours[name]), _value(theirs[name])) for name in ours if ours[name] != theirs[name] and name != "seed"]


def _flat(options: BaseModel, of: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in options:
        name = f"{of} {NAMES.get(key, key)}".strip()
        if isinstance(value, BaseModel):
            yield from _flat(value, name)
        else:
            yield name, value


def _value(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:g}"
        case _:
            return str(value)
