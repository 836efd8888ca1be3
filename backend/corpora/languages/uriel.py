"""The tables of the package `urielplus`: which languoid of Glottolog a language is, where it is spoken, how it is resourced.

The package itself is not imported: its class copies the data into its own folder when it is made, and sets up logging for the
whole process. Of the table of languoids only the lines that are asked for are parsed: 20 ms in place of 125.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import langcodes
from langcodes.data_dicts import NORMALIZED_MACROLANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

Level = Literal["high", "medium", "low"]
LEVELS: tuple[Level, ...] = ("high", "medium", "low")

STANDS_FOR = {"zho": "cmn", "ara": "arb", "fas": "pes", "est": "ekk", "lav": "lvs", "msa": "zsm", "swa": "swh", "aze": "azj"}
STANDS_FOR |= {"uzb": "uzn", "mon": "khk", "nep": "npi", "ori": "ory", "sqi": "als", "yid": "ydd", "mlg": "plt", "kur": "kmr"}
STANDS_FOR |= {"orm": "gaz", "pus": "pbt", "grn": "gug", "que": "quz", "aym": "ayr", "hmn": "mww"}
"""Macrolanguages → the language that usually stands for each: the tables have some under the one, some under the other."""
IN_A_REGION = {"fa-AF": "prs", "sw-CD": "swc"}
"""Languages that BCP-47 writes as another's in a region: Dari is spoken where Dari is, and not in Iran."""
ALSO = {"fil": ["tgl"]}
"""Tags → other codes of what we take to be the same language."""


@dataclass(frozen=True)
class Languoid:
    """A language of Glottolog, as `urielplus` has it."""

    glottocode: str
    name: str
    latitude: float | None
    longitude: float | None
    """In degrees, −180 to 180, of a centre; None of both where Glottolog has none."""
    lineage: tuple[str, ...]
    """From the family down; empty for an isolate."""

    @property
    def family(self) -> str:
        """The top of the lineage; an isolate is a family of its own."""
        return self.lineage[0] if self.lineage else self.name


def folder() -> Path:
    """Return where the package keeps its tables. Raises `FileNotFoundError` where it is not installed."""
    spec = find_spec("urielplus")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("urielplus")
    return Path(spec.submodule_search_locations[0]) / "database"


@lru_cache(maxsize=4096)
def codes(tag: str) -> tuple[str, ...]:
    """Return the ISO 639-3 codes that the tables may know a language by, the likeliest first; none for what is no language.

    Of one that is written as another's in a region, its own code before that's. Of a macrolanguage: the language that usually
    stands for it, its own code, and the members that CLDR writes with its code.
    """
    try:
        known = langcodes.Language.get(tag)
        alpha3 = known.to_alpha3()
    except (LookupError, ValueError):
        return ()
    members = [_alpha3(each) for each in _members().get(known.language or "", ())]
    own = [IN_A_REGION.get(f"{known.language}-{known.territory}"), STANDS_FOR.get(alpha3), alpha3]
    return tuple(dict.fromkeys(code for code in (*own, *members) if code is not None))


@lru_cache(maxsize=4096)
def languoid(tag: str) -> Languoid | None:
    """Return the languoid of a language's tag; None where the tables have none, or the package is not there."""
    lines = _lines()
    line = next((lines[code] for code in codes(tag) if code in lines), None)
    return None if line is None else _languoid(next(csv.reader([line])))


def level(tag: str) -> Level | None:
    """Return how well a language is resourced: the best that the tables say of it, of its macrolanguage or of its other name.

    They have Latvian and Uzbek by the macrolanguage, whose standard is the languoid here, and Filipino as Tagalog. None where
    they do not say.
    """
    found, every = languoid(tag), codes(tag)
    alone = bool(every) and every[0] in IN_A_REGION.values()
    shared = () if alone else (*STANDS_FOR, *STANDS_FOR.values())
    own = [iso for iso in every if iso in (*shared, *every[:1])] + ALSO.get(tag, [])
    names = [line.partition(",")[0] for iso in own if (line := _lines().get(iso))]
    said = {_levels().get(each) for each in [*names, *([found.glottocode] if found else [])]}
    return next((each for each in LEVELS if each in said), None)


@lru_cache(maxsize=1)
def _members() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for member, whole in NORMALIZED_MACROLANGUAGES.items():
        found.setdefault(whole, []).append(member)
    return found


def _alpha3(code: str) -> str:
    try:
        return langcodes.Language.get(code, normalize=False).to_alpha3()
    except LookupError:
        return code


@lru_cache(maxsize=1)
def _lines() -> Mapping[str, str]:
    """ISO 639-3 code → the line of its languoid. None of them where the package is not there: facts are left out then."""
    try:
        tables = folder() / "urielplus_csvs"
        with open(tables / "uriel_glottocode_map.csv", encoding="utf-8", newline="") as file:
            glottocodes = {row[0]: row[1] for row in csv.reader(file)}
        with open(tables / "lang_fam_geo.csv", encoding="utf-8", newline="") as file:
            lines = {line.partition(",")[0]: line for line in file}
    except (OSError, IndexError, ValueError):
        return {}
    return {iso: lines[glottocode] for iso, glottocode in glottocodes.items() if iso != "iso_code" and glottocode in lines}


def _languoid(row: list[str]) -> Languoid:
    glottocode, name, latitude, longitude, lineage = row
    placed = bool(latitude and longitude)
    return Languoid(
        glottocode,
        name,
        float(latitude) if placed else None,
        round((float(longitude) + 180) % 360 - 180, 6) if placed else None,  # some are counted eastwards beyond 180
        tuple(part.strip() for part in lineage.split(",") if part.strip() not in ("", "<NA>")),
    )


@lru_cache(maxsize=1)
def _levels() -> Mapping[str, Level]:
    """Glottocode → level."""
    try:
        listed = json.loads((folder() / "urielplus_csvs" / "resource_languages.json").read_bytes())
        return {glottocode: each for each in reversed(LEVELS) for glottocode in listed[f"{each}-resource"]}
    except (OSError, KeyError, ValueError):
        return {}
