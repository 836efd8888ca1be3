"""The layer of a pinned figure: which one its recipe reads, and the same recipe at another."""

from __future__ import annotations

import re
from typing import Any

from isogloss.backend.boards.recipe import KIND

NAMES = ("layer", "layers")
"""How arguments that choose layers are called."""


def layer_of(recipe: Any) -> int | None:
    """Return the one layer that a kept recipe (`Recipe.to_json`) reads; None where it reads several, or says none."""
    layers = set(_layers(recipe))
    return layers.pop() if len(layers) == 1 else None


def at_layer(recipe: Any, layer: int) -> Any:
    """Return a kept recipe that reads `layer` in the place of its one layer, and says so in its titles."""
    before = layer_of(recipe)
    return recipe if before is None else _at(recipe, before, layer)


def named_at(name: str, before: int | None, layer: int) -> str:
    """Return the name of a figure of the layer `before` at `layer`."""
    return name if before is None else re.sub(rf"\b([Ll]ayer) {before}\b", rf"\g<1> {layer}", name)


def _layers(value: Any, name: str = "") -> list[int]:
    """Return the layers in `value`, an argument's where `name` is one of `NAMES`."""
    if isinstance(value, dict):
        inside = name if value.get(KIND) == "tuple" else ""
        return [layer for each, part in value.items() for layer in _layers(part, each if each in NAMES else inside)]
    if isinstance(value, list):
        return [layer for each in value for layer in _layers(each, name)]
    return [value] if name and _is_layer(value) else []


def _at(value: Any, before: int, layer: int, name: str = "") -> Any:
    if isinstance(value, dict):
        inside = name if value.get(KIND) == "tuple" else ""
        return {each: _at(part, before, layer, each if each in NAMES else inside) for each, part in value.items()}
    if isinstance(value, list):
        return [_at(each, before, layer, name) for each in value]
    if isinstance(value, str):
        return named_at(value, before, layer)
    return layer if name and _is_layer(value) and value == before else value


def _is_layer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
