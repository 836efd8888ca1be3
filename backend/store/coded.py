"""Columns of texts as codes, and rows as the places of cells: texts are slow to join, to compare and to sort."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa


Coded = tuple[Sequence[str], NDArray[np.intp]]
"""A column of texts: some texts, and which of them each row has."""


def joined(parts: Iterable[Coded]) -> tuple[list[str], NDArray[np.intp]]:
    """Return the rows of several columns in one, its texts sorted: their codes sort as they do."""
    columns = list(parts)
    by_id = {id(texts): texts for texts, _ in columns}  # the files of a run have theirs in common
    known = sorted({text for texts in by_id.values() for text in texts})
    place = {text: at for at, text in enumerate(known)}
    places = {key: np.array([place[text] for text in texts], np.intp) for key, texts in by_id.items()}
    return known, np.concatenate([places[id(texts)][codes] for texts, codes in columns])


def same(text: str, rows: int) -> Coded:
    """Return a column that says the same in so many rows."""
    return (text,), np.zeros(rows, np.intp)


def as_texts(column: Coded) -> pd.api.extensions.ExtensionArray:
    """Return a column as the texts themselves, of pandas' type `str`."""
    texts, codes = column
    return pd.array(list(texts), dtype="str").take(codes)


def in_order(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.intp], bool]:
    """Return the order of rows by these columns, the first of them first, and whether some rows are alike in all of them."""
    order = np.lexsort(list(columns[::-1]))
    differ = [np.diff(column[order]) != 0 for column in columns]
    return order, len(order) > 1 and not np.logical_or.reduce(differ).all()


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
