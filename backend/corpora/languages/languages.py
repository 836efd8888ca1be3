"""Names of languages: one BCP-47 tag for each, whatever a corpus calls it.

NTREX writes `deu`, FLORES `deu_Latn`, WMT24++ `de_DE`, XNLI `de`: all are `de` here. On top of BCP-47 and CLDR (through
`langcodes`):

- macrolanguages stand for their usual standard (`arb` → `ar`, `no` → `nb`);
- a script is written only where it is not the language's own (`srp_Latn` → `sr-Latn`, `zh-TW` → `zh-Hant`);
- a region is dropped where it is the language's home (`de_DE` → `de`), and by `languages` wherever nothing else in the corpus
  needs it (`bn_IN` alone → `bn`);
- a language of which neither our table nor CLDR knows the script has none (`Zyyy`), and codes for private use (`qaa` to `qtz`)
  are languages: Universal Dependencies files text of two languages at once under them.

The rules in full: `docs/definitions.md`.
"""

from __future__ import annotations

import csv
import re
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import langcodes
from langcodes.data_dicts import LIKELY_SUBTAGS
from langcodes.tag_parser import LanguageTagError

from isogloss.backend.corpora.languages.uriel import languoid
from isogloss.backend.errors import CorpusError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GENERA = Path(__file__).with_name("genera.csv")
"""`code,script,genus`: our own table, after the genera of WALS; the script is the language's usual one."""

RIGHT_TO_LEFT = frozenset({"Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"})

KEPT_APART = {"twi": "tw", "tw": "tw", "aka": "ak", "no": "nb", "nor": "nb", "kzj": "kzj"}
"""Where CLDR would merge two languages that corpora tell apart, or split two that they do not."""

SAME_SCRIPT = {"Hang": "Kore", "Hani": "Hans", "Hira": "Jpan", "Aran": "Arab"}
"""Scripts that a corpus names more narrowly (`kor_Hang`) than CLDR does, and only for that reason."""

CANTONS = {"gsw-be": "gsw-bernese", "gsw-zh": "gsw-zurich"}
"""Codes of NTREX that are no regions of BCP-47: BE is not Belgium here, but Bern, and there is no ZH."""
VARIANTS = {"bernese": "Bern", "zurich": "Zurich", "valencia": "Valencian", "vale1252": "Valencian", "aran1260": "Aranese"}
"""What variants are called; another is as it is written."""

SCRIPT_NAMES = {"Hans": "Han (simplified)", "Hant": "Han (traditional)", "Zyyy": "Unknown"}
NO_SCRIPT = "Zyyy"
"""Of a language whose script nobody told us."""
PRIVATE_USE = re.compile("q[a-t][a-z]")
NOT_LANGUAGES = frozenset({"und", "mul", "mis", "zxx"})
UNCLASSIFIED = ("Unclassified", "Unknown")
REMEDY = "Use a BCP-47 or ISO 639 code such as 'de', 'deu' or 'zho_Hant'."

T = TypeVar("T")


@dataclass(frozen=True)
class Language:
    """A language as corpora, scores and pages know it."""

    tag: str
    """BCP-47, normalised: the key used everywhere."""
    name: str
    """In English, such as `Serbian (Latin)`."""
    autonym: str
    """In the language itself, or the English name where CLDR has none."""
    script: str
    """ISO 15924 code, such as `Cyrl`; `NO_SCRIPT` where it is not known."""
    script_name: str
    family: str
    """Glottolog's; `Unclassified` where it does not know."""
    genus: str
    """`Unknown` where our table does not know."""

    @property
    def right_to_left(self) -> bool:
        """Tell whether the script runs from right to left."""
        return self.script in RIGHT_TO_LEFT

    @property
    def direction(self) -> str:
        """HTML's `dir`: where the script is not known, each text shows by its own letters which way it runs."""
        return "auto" if self.script == NO_SCRIPT else "rtl" if self.right_to_left else "ltr"


@lru_cache(maxsize=4096)
def language(name: str, *, keep_region: bool = False) -> Language:
    """Return the language that a corpus calls `name`: a code in any common form, or its English name.

    `keep_region` writes the region even where it is the language's home (`en-US`): for a corpus that has both `en-US` and `en`.
    Raises `CorpusError` for a name that is no language.
    """
    parsed = _parse(name)
    own, genus = genera().get(parsed.language or "", (_likely_script(parsed), UNCLASSIFIED[1]))
    found = languoid(parsed.language or "")
    script = _script(parsed, own)
    # Where the own script is not known, Latin is not written: tags are keys, and these were given before this was noticed.
    usual = own if own != NO_SCRIPT else "Latn"
    parts = {"language": parsed.language, "script": None if script in (own, usual) else script}
    home = likely(langcodes.Language.make(language=parsed.language, script=script)).territory
    region = parsed.territory if keep_region or parsed.territory != home else None
    full = langcodes.Language.make(**parts, territory=region, variants=parsed.variants)
    private = f"{full.to_tag()} (private use)" if PRIVATE_USE.fullmatch(parsed.language or "") else ""
    return Language(
        tag=full.to_tag(),
        name=private or _named(full),
        autonym=private or full.autonym(),
        script=script,
        script_name=SCRIPT_NAMES.get(script) or langcodes.Language.make(script=script).script_name(),
        family=found.family if found else UNCLASSIFIED[0],
        genus=genus,
    )


def _named(full: langcodes.Language) -> str:
    """Return the English name with its variants, which CLDR leaves out: `Catalan (Valencian)` is not `Catalan`."""
    name, said = full.display_name(), ", ".join(VARIANTS.get(each, each) for each in full.variants or ())
    return name if not said else f"{name[:-1]}, {said})" if name.endswith(")") else f"{name} ({said})"


def name_of(tag: str) -> str:
    """Return the English name of a language; `tag` itself where it is no language's, as a file from elsewhere may have."""
    try:
        return language(tag).name
    except CorpusError:
        return tag


def languages(names: Iterable[str]) -> dict[str, Language]:
    """Return every name of one corpus → its language, with regions only where they tell two of its names apart.

    Raises `CorpusError` for an unknown name, and for two names that are the same language even with their regions.
    """
    by_name = {name: language(name) for name in names}
    groups: dict[str, list[str]] = {}
    for name in by_name:
        groups.setdefault(_without_region(name).tag, []).append(name)
    for shared in groups.values():
        if len(shared) == 1:
            by_name[shared[0]] = _without_region(shared[0])
            continue
        taken: dict[str, str] = {}
        for name in sorted(shared, key=lambda n: (_parse(n).territory is not None, n)):
            chosen = by_name[name] if by_name[name].tag not in taken else language(name, keep_region=True)
            if chosen.tag in taken:
                raise CorpusError(
                    f"'{taken[chosen.tag]}' and '{name}' are both {chosen.name} ('{chosen.tag}').",
                    remedy="Leave one out, or name them apart, for instance by region: 'pt-BR' and 'pt-PT'.",
                )
            taken[chosen.tag], by_name[name] = name, chosen
    return by_name


def only(things: Sequence[T], names: Sequence[str], wanted: Sequence[str]) -> list[T]:
    """Return those of `things`, of the languages `names`, whose language is wanted under any of its names; all where none is.

    Raises `CorpusError` for one that is wanted and not there, or is no language.
    """
    if not wanted:
        return list(things)
    tags = [language(name).tag for name in names]
    chosen = {language(name).tag: name for name in wanted}
    for tag, name in chosen.items():
        if tag not in tags:
            raise CorpusError(f"The files have no '{name}'.", remedy=did_you_mean(tag, set(tags)))
    return [each for each, tag in zip(things, tags, strict=True) if tag in chosen]


@lru_cache(maxsize=1)
def genera() -> dict[str, tuple[str, str]]:
    """Primary language subtag → (usual script, genus)."""
    with open(GENERA, encoding="utf-8", newline="") as file:
        return {row["code"]: (row["script"], row["genus"]) for row in csv.DictReader(file)}


def _without_region(name: str) -> Language:
    """Return what `name` is once a region written in it is dropped; a region implied by a code (`prs` is `fa-AF`) stays."""
    parsed = langcodes.Language.get(_tidy(name), normalize=False) if _is_code(name) else _parse(name)
    if not parsed.territory:
        return language(name)
    plain = langcodes.Language.make(language=parsed.language, script=language(name).script, variants=parsed.variants)
    return language(plain.to_tag())


def _parse(name: str) -> langcodes.Language:
    """`name` as a canonical tag. Raises `CorpusError` where it is none."""
    unknown = CorpusError(f"{name[:40]!r} is not a language that Isogloss knows.", remedy=REMEDY)
    if not 2 <= len(name) <= 64 or not name.isprintable():
        raise unknown
    try:
        parsed = _canonical(_tidy(name) if _is_code(name) else _find(name.strip()))
    except (LanguageTagError, LookupError, ValueError):
        raise unknown from None
    code = parsed.language or "und"
    plain = langcodes.Language.make(language=parsed.language, script=parsed.script, territory=parsed.territory)
    # Variants are not checked: FLORES+ writes glottocodes there (`cat_Latn_vale1252`).
    if code in NOT_LANGUAGES or not plain.is_valid() or "x" in code.split("-"):
        raise unknown
    return parsed


def _canonical(tag: str) -> langcodes.Language:
    written = langcodes.Language.get(tag, normalize=False)
    if kept := KEPT_APART.get((written.language or "").lower()):
        return langcodes.Language.make(kept, script=written.script, territory=written.territory, variants=written.variants)
    return langcodes.Language.get(langcodes.standardize_tag(tag, macro=True), normalize=False)


def _find(name: str) -> str:
    """Return the tag of a language by its English name or its own."""
    # `langcodes` also finds words that merely begin like one.
    found = langcodes.Language.find(name)
    if name.casefold() not in {found.display_name().casefold(), found.autonym().casefold()}:
        raise LookupError(name)
    return str(found.to_tag())


def _tidy(name: str) -> str:
    tidy = name.strip().replace("_", "-")
    return CANTONS.get(tidy.lower(), tidy)


def _is_code(name: str) -> bool:
    """Return whether `name` has the shape of a code: a primary subtag of two or three letters, then more subtags or nothing."""
    return re.fullmatch(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*", name.strip()) is not None


def _script(parsed: langcodes.Language, own_script: str) -> str:
    """Return the script meant: the one written, else the one that the region implies, else the language's own."""
    if parsed.script:
        near = SAME_SCRIPT.get(parsed.script)
        return own_script if near is not None and near == own_script else parsed.script
    if parsed.territory:
        regional = likely(parsed).script
        plain = likely(langcodes.Language.make(language=parsed.language)).script
        # Only where CLDR says that this region writes it otherwise than the language is written elsewhere.
        return regional if regional and regional != plain else own_script
    return own_script


def _likely_script(parsed: langcodes.Language) -> str:
    return likely(langcodes.Language.make(language=parsed.language)).script or NO_SCRIPT


_MAXIMIZING = threading.Lock()
"""langcodes shares a tag between threads, and lists what is broader than it in place: a second thread found half a list, and no
script."""


def likely(tag: langcodes.Language) -> langcodes.Language:
    """`tag` with CLDR's likely script and region; as it is where CLDR does not know the language.

    `maximize` itself takes those of `und` there, American English's: Chukchi would be in Latin letters.
    """
    with _MAXIMIZING:
        return tag.maximize() if tag.language in LIKELY_SUBTAGS else tag
