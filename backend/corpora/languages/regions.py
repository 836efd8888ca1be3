"""Regions that languages are of: the United Nations' (M49) of the territory that CLDR takes a language to be of."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from xml.etree import ElementTree

import langcodes

from isogloss.backend.corpora.languages.languages import likely

PARTS = ("019", "002", "150", "142", "009")
"""Of the world, whose parts are the regions: the Americas, Africa, Europe, Asia, Oceania."""


@lru_cache(maxsize=4096)
def region(tag: str) -> str | None:
    """Return the region of a language by its tag, such as `Western Africa`; None of one that is of no territory.

    The territory is the tag's own, else the likely one: that where CLDR expects a text in the language to be from.
    """
    territory = likely(langcodes.get(tag)).territory
    code = _regions().get(territory or "")
    return None if code is None else langcodes.get(f"und-{code}").territory_name("en")


@lru_cache(maxsize=1)
def _regions() -> dict[str, str]:
    """Return the code of the region of each territory, from the groups of territories in CLDR's supplemental data."""
    file = resources.files("language_data") / "data" / "supplementalData.xml"
    groups = {
        each.attrib["type"]: each.attrib["contains"].split()
        for each in ElementTree.fromstring(file.read_bytes()).iterfind("./territoryContainment/group")
        if not each.attrib.keys() & {"status", "grouping"}
    }
    return {territory: code for part in PARTS for code in groups.get(part, ()) for territory in groups.get(code, ())}
