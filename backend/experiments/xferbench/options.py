"""The options behind a variant of XferBench's scores, and how two variants differ, in words. Imports no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from isogloss.backend.experiments.sources.rows import FAMILY
from isogloss.backend.option import declared, within_sentence
from isogloss.backend.store import scores
from isogloss.backend.training.language_model.options import LanguageModelOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

GROUPS = {"architecture": "model", "pretraining": "pre-training"}
"""Of options that stand together, whose own name would not do."""


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
    labels = {name: within_sentence(option.option.label) for name, option in declared(type(options)).items()}
    for key, value in options:
        name = f"{of} {labels.get(key) or GROUPS.get(key, key.replace('_', ' '))}".strip()
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
