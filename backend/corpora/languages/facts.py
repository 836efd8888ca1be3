"""What is known of a language: name, family, genus, script, place, speakers, how it is resourced; and who says so.

A fact that no table has is None; none is guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log10
from typing import TYPE_CHECKING, Literal

import langcodes

from isogloss.backend.corpora.languages import uriel
from isogloss.backend.corpora.languages.languages import NO_SCRIPT, UNCLASSIFIED, language
from isogloss.backend.corpora.languages.regions import region

if TYPE_CHECKING:
    from collections.abc import Iterable

    from isogloss.backend.corpora.languages.uriel import Level

Fact = Literal["family", "genus", "script", "region", "place", "level", "speakers", "typology", "coastline"]
"""The last is no fact of a language, but what maps of them are drawn on; typology is what distances of two are made of."""


@dataclass(frozen=True)
class Source:
    """Who says a fact, and under which licence."""

    name: str
    licence: str
    credit: str


GLOTTOLOG = Source(
    "Glottolog, as URIEL+ has it",
    "CC BY-SA 4.0",
    "Hammarström, Forkel, Haspelmath, Bank and contributors: Glottolog (CC BY 4.0); Khan et al. 2025: URIEL+ (urielplus 1.3)",
)
OWN = Source(
    "genera.csv of Isogloss, after the genera of WALS", "that of Isogloss", "Dryer & Haspelmath: WALS Online (CC BY 4.0)"
)
CLDR = Source("Unicode CLDR, through langcodes, and genera.csv of Isogloss", "Unicode-3.0", "Unicode, Inc.: CLDR")
REGIONS = Source(
    "Unicode CLDR, through langcodes and language_data",
    "Unicode-3.0",
    "Unicode, Inc.: CLDR, likely territories and the United Nations' regions (M49) that hold them",
)
RESOURCES = Source(
    "URIEL+",
    "CC BY-SA 4.0",
    "Khan et al. 2025: URIEL+ (urielplus 1.3); its 7 high and 46 medium languages are as many as Joshi et al. 2020 have in "
    "class 5 and in classes 3 and 4",
)
SPEAKERS = Source(
    "Unicode CLDR, through language_data",
    "Unicode-3.0",
    "Unicode, Inc.: CLDR, populations of territories; first and second languages, whatever the script; estimates",
)
TYPOLOGY = Source(
    "Features of languages in URIEL+",
    "CC BY-SA 4.0",
    "Littell et al. 2017: URIEL, from WALS, SSWL, PHOIBLE, Ethnologue and Glottolog; Khan et al. 2025: URIEL+ (urielplus 1.3)",
)
COASTLINE = Source("Natural Earth 4.1.0, land at 1:110 m", "public domain", "Made with Natural Earth")
SOURCES: dict[Fact, Source] = {"family": GLOTTOLOG, "genus": OWN, "script": CLDR, "region": REGIONS, "level": RESOURCES}
SOURCES |= {"place": GLOTTOLOG, "speakers": SPEAKERS, "typology": TYPOLOGY}
SOURCES |= {"coastline": COASTLINE}
BY_ORDER: dict[str, tuple[Fact, ...]] = {
    "family": ("family",),
    "genus": ("family", "genus"),
    "script": ("script",),
    "region": ("region",),
    "resource level": ("level",),
    "writing system": ("script",),
    "type": ("script",),
    "families": ("family",),
}
"""What orders and groups of languages rest on, by their names in figures; the last are drawn as wholes in intervals."""


@dataclass(frozen=True)
class Facts:
    """Of one language; None is not known."""

    tag: str
    name: str
    family: str | None
    genus: str | None
    script: str | None
    """Its English name, `Cyrillic`."""
    region: str | None
    """The United Nations' of the territory that CLDR takes it to be of, `Western Africa`."""
    level: Level | None
    speakers: int | None
    """In the world, of whatever script and country."""
    latitude: float | None
    longitude: float | None
    glottocode: str | None
    languoid: str | None
    """Whose family, place and level these are, by Glottolog's name: of a macrolanguage, the language that stands for it."""


@lru_cache(maxsize=4096)
def facts(name: str) -> Facts:
    """Return what is known of the language that a corpus calls `name`. Raises `CorpusError` for a name that is no language."""
    known = language(name)
    found = uriel.languoid(known.tag)
    family, genus = UNCLASSIFIED
    return Facts(
        tag=known.tag,
        name=known.name,
        family=None if known.family == family else known.family,
        genus=None if known.genus == genus else known.genus,
        script=None if known.script == NO_SCRIPT else known.script_name,
        region=region(known.tag),
        level=uriel.level(known.tag),
        speakers=langcodes.get(str(langcodes.get(known.tag).language)).speaking_population() or None,
        latitude=found.latitude if found else None,
        longitude=found.longitude if found else None,
        glottocode=found.glottocode if found else None,
        languoid=found.name if found else None,
    )


def logarithm_of_speakers(name: str) -> float | None:
    """Return log₁₀ of how many people speak a language: from some to most there are six orders of magnitude."""
    speakers = facts(name).speakers
    return log10(speakers) if speakers else None


def credits_of(used: Iterable[Fact]) -> str:
    """Return a sentence on who says these facts, with the licences: for cards and exports."""
    said = dict.fromkeys(SOURCES[fact] for fact in used)
    return " ".join(f"{each.name}: {each.credit}; {each.licence}." for each in said)
