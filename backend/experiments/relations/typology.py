"""Typological distances of languages, from the data of URIEL+ (Khan et al. 2025) that the package `urielplus` brings.

The package itself is not imported: its class copies the data into its own folder when it is made, sets up logging for the whole
process, and takes minutes for the pairs of 36 languages. Its formula is here, and the test holds it against the package's own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from isogloss.backend.corpora.languages.uriel import codes, folder
from isogloss.backend.errors import StoreError, did_you_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["syntactic", "phonological", "genetic", "geographic"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DATA: dict[str, tuple[str, str]] = {
    "syntactic": ("features.npz", "S_"),
    "phonological": ("features.npz", "P_"),
    "genetic": ("family_features.npz", "F_"),
    "geographic": ("geocoord_features.npz", "GC_"),
}
"""File, and how the names of the features begin."""


def distances(tags: tuple[str, ...], kind: str) -> NDArray[np.float64]:
    """Return the distance of every two languages [languages, languages], 0 (alike) to 1; nan on the diagonal and where unknown.

    2/π times the angle between the languages' features that both have (present in any of the sources counts as present), as
    `new_distance` of URIEL+ with its defaults. Raises `StoreError` for an unknown kind and where the data are missing.
    """
    if kind not in KINDS:
        raise StoreError(f"There is no typological distance '{kind}'. {did_you_mean(kind, KINDS)}")
    vectors = _vectors(tags, kind)
    known = ~np.isnan(vectors)
    shared = known.astype(np.float64)
    filled = np.where(known, vectors, 0.0)
    dots, squares = filled @ filled.T, filled**2 @ shared.T
    # A language without any feature among the shared ones points equally everywhere, as in the package.
    sums, counts = filled @ shared.T, shared @ shared.T
    empty = squares == 0
    dots = np.where(empty & ~empty.T, sums.T, np.where(~empty & empty.T, sums, np.where(empty & empty.T, counts, dots)))
    norms = np.sqrt(np.where(empty, counts, squares))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: NDArray[np.float64] = 2 / np.pi * np.arccos(np.clip(dots / (norms * norms.T), -1.0, 1.0))
    found[counts == 0] = np.nan
    np.fill_diagonal(found, np.nan)
    return found


@lru_cache(maxsize=16)
def _vectors(tags: tuple[str, ...], kind: str) -> NDArray[np.float64]:
    """The features of each language [languages, features], nan where unknown (all of them for a language that is not there)."""
    name, start = DATA[kind]
    try:
        with np.load(folder() / "original_uriel" / name) as file:
            languages = {str(each): i for i, each in enumerate(file["langs"])}
            wanted = np.char.startswith(file["feats"], start)
            rows = [(i, languages[each]) for i, tag in enumerate(tags) for each in codes(tag) if each in languages]
            data = file["data"][[place for _, place in rows]][:, wanted].astype(np.float64)
    except (OSError, KeyError, ValueError) as error:
        raise StoreError("The typological data of the package urielplus are missing. Install it again.") from error
    data[data == -1.0] = np.nan
    most = np.max(np.where(np.isnan(data), -np.inf, data), axis=2, initial=-np.inf)
    found = np.full((len(tags), int(wanted.sum())), np.nan)
    for (i, _), own in zip(rows, np.where(np.isinf(most), np.nan, most), strict=True):
        if np.isnan(found[i]).all():  # the first of its codes that has any
            found[i] = own
    return found
