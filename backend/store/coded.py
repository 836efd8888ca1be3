"""Columns of a table as codes, and as the places of cells: what a file's rows are laid out by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray


def texts_and_codes(column: pa.ChunkedArray) -> tuple[list[str | None], NDArray[np.intp]]:
    """Return a text column as its distinct texts and, a row each, which of them."""
    encoded = column.unify_dictionaries().combine_chunks()
    texts = encoded.dictionary.to_pylist()
    return [*texts, None], pc.fill_null(encoded.indices, len(texts)).to_numpy().astype(np.intp)


def distinct(columns: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the different rows of columns of codes, in order, and which of them each row is: mostly all are the same."""
    values, code = [], np.zeros(len(columns[0]), np.intp)
    for column in columns:
        own, place = (column[:1], 0) if (column == column[0]).all() else np.unique(column, return_inverse=True)
        values.append(own)
        code = code * len(own) + place
    there, which = np.unique(code, return_inverse=True)
    places = np.unravel_index(there, [len(own) for own in values])
    return np.column_stack([own[place] for own, place in zip(values, places, strict=True)]), which


def used(texts: Sequence[str | None], codes: NDArray[np.intp]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return those of the texts that are used, sorted, and the codes as their places."""
    there = sorted((str(texts[code]), code) for code in np.flatnonzero(np.bincount(codes)).tolist())
    places = np.zeros(len(texts), np.intp)
    places[[code for _, code in there]] = range(len(there))
    return tuple(text for text, _ in there), places[codes]


def layers_of(layer: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the layers that there are, in order, and the place of each row's among them."""
    least = layer.min()
    there = np.flatnonzero(np.bincount(layer - least))
    places = np.zeros(there[-1] + 1, np.intp)
    places[there] = range(len(there))
    return (there + least).astype(np.int64), places[layer - least]


def laid_out(field: NDArray[np.float64], cell: NDArray[np.intp], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return numbers, a row each, as an array of this shape: each at its `cell` of it, laid out flat; nan elsewhere."""
    values = np.full(int(np.prod(shape)), np.nan)
    values[cell] = field
    return values.reshape(shape)
