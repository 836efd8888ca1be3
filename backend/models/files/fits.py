"""Whether a `config.json` fits the weights beside it, by the weights' header alone: said before anything is built.

A configuration of 20,000 layers is a few bytes, and building what it describes takes all of a machine's memory.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files.quantised import check_quantised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from isogloss.backend.models.files.weights import ModelFiles

INDEX = re.compile(r"\.(\d+)\.")
"""A layer's number in a weight's name."""
LAYERS = re.compile(r"(num_(hidden_|encoder_|decoder_)?|n_|encoder_|decoder_)layers?")
POSITIONS = re.compile(r"(position_embeddings|^n_positions|^n_ctx|^max_seq_len)$")
SIZE = re.compile(r"(_size|_dim|^d_\w+|n_embe?d|^dim|n_inner|n_words|_rank|_heads?|_experts|_groups|num_labels|_buckets)$")
UNREMARKABLE = 1 << 16
"""A size up to this says nothing: windows and blocks are no weights' sizes, and nothing of this size fills a memory."""
MOST_POSITIONS = 1 << 24
BUILT = 200
"""So many layers can be built to see what weights they lack, and some architectures run one layer's weights again."""


def check_fits(files: ModelFiles) -> None:
    """Raise `ModelError` where a configuration describes far other weights than lie beside it: many more layers, other widths.

    And where they are quantised in a way that cannot be loaded here. What is near is for loading to say, which names a weight
    that is lacking. Pickles are not opened to be looked at: of them it is asked only that nothing is absurd.
    """
    check_quantised(files.config, files.shown)
    tensors = files.tensors
    shape, shown = files.shape, files.shown
    if not tensors:
        _check_sizes(files.config, UNREMARKABLE << 6, shown)
        _refuse_more("layers", max(shape.layers, shape.decoder_layers or 0), 1000, shown)
        return
    there = 1 + max((int(number) for name in tensors for number in INDEX.findall(name)), default=0)
    for name, value in numbers(files.config):
        if LAYERS.fullmatch(name):
            _refuse_more(name, value, there, shown, built=BUILT)
    dimensions = {size for each in tensors.values() for size in each}
    if not any(size and size % shape.dims == 0 for size in dimensions):
        raise unfit(f"{shape.dims:,} dimensions, and no weight has so many", shown)
    _check_sizes(files.config, max(UNREMARKABLE, *dimensions), shown)


def _check_sizes(config: Mapping[str, Any], most: int, shown: str) -> None:
    for name, value in numbers(config):
        if POSITIONS.search(name):
            _refuse_more(name, value, MOST_POSITIONS, shown)
        elif SIZE.search(name):
            _refuse_more(name, value, most, shown)


def numbers(config: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the numbers of a configuration by name, those of configurations within it too."""
    for name, value in config.items():
        if isinstance(value, dict) and depth < 4:
            yield from numbers(value, depth + 1)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, int | float) and not isinstance(each, bool) and math.isfinite(each):
                yield name, int(each)


def _refuse_more(name: str, value: int, most: int, shown: str, *, built: int = 0) -> None:
    if value > max(most, built):
        raise unfit(f"{name} {value:,}, and the weights have {most:,} at most", shown)


def unfit(what: str, shown: str) -> ModelError:
    """Return the error for a configuration that says `what`."""
    return ModelError(f"The config.json of {shown} does not fit its weights: it says {what}. Download or save the model again.")
