"""Facts of languages are those of the tables, whatever a corpus calls a language, and each has a source and a licence."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from typing import get_args

import pytest

from isogloss.backend.corpora.languages import facts as told
from isogloss.backend.corpora.languages import uriel
from isogloss.backend.corpora.languages.facts import SOURCES, Fact, credits_of, facts, logarithm_of_speakers
from isogloss.backend.corpora.languages.regions import region
from isogloss.backend.errors import CorpusError
from tests.corpora.languages.test_language_names import FLORES_200, NTREX_128


@pytest.mark.parametrize("name", ["deu", "de", "deu_Latn", "de_DE", "German"])
def test_a_language_has_the_same_facts_under_all_its_names(name: str) -> None:
    known = facts(name)
    assert (known.tag, known.family, known.genus, known.script, known.level) == (
        "de",
        "Indo-European",
        "Germanic",
        "Latin",
        "high",
    )
    assert (known.latitude, known.longitude, known.glottocode) == (48.649, 12.4676, "stan1295")


HOMELESS = {
    "acm",
    "acq",
    "ajp",
    "apc",
    "azb",
    "cjk",
    "din",
    "eo",
    "hmn",
    "kbp",
    "kr",
    "lus",
    "mey",
    "pbt",
    "quy",
    "taq",
    "tw",
    "yi",
}


@pytest.mark.parametrize("names", [FLORES_200, NTREX_128], ids=["flores", "ntrex"])
def test_every_language_of_the_great_corpora_has_all_facts(names: str) -> None:
    """But for the region of those of which CLDR has no territory: Esperanto, Levantine Arabic, Twi (which it has as Akan) …"""
    for name in names.split():
        known = facts(name)
        homeless = known.region is None and known.tag.partition("-")[0] in HOMELESS
        region = "none" if homeless else known.region
        assert None not in {**vars(known), "speakers": 0, "region": region}.values(), name
        assert -90 <= (known.latitude or 0) <= 90
        assert -180 <= (known.longitude or 0) <= 180


@pytest.mark.parametrize("tag", ["ckt", "acm", "hmn", "art", "tlh", "qaa"])
def test_a_language_that_the_locale_data_does_not_know_has_no_region(tag: str) -> None:
    """The likely territory of no language at all is the United States."""
    assert region(tag) is None


def test_facts_are_those_of_the_whole_tables_parsed_slowly() -> None:
    tables = uriel.folder() / "urielplus_csvs"
    with open(tables / "lang_fam_geo.csv", encoding="utf-8", newline="") as file:
        rows = {row["language_id"]: row for row in csv.DictReader(file)}
    levels = json.loads((tables / "resource_languages.json").read_text("utf-8"))
    for name in FLORES_200.split():
        known = facts(name)
        row = rows[known.glottocode or ""]
        assert known.family == (row["lineage"].split(", ")[0] or row["language_name"]), name
        assert known.latitude == float(row["latitude"])
        assert ((known.longitude or 0) - float(row["longitude"])) % 360 == pytest.approx(0, abs=1e-5) or (
            ((known.longitude or 0) - float(row["longitude"])) % 360
        ) == pytest.approx(360, abs=1e-5)
        if known.tag not in ("lv", "uz", "fil"):  # which stand there by their macrolanguage, or as Tagalog
            assert known.glottocode in levels[f"{known.level}-resource"]


@pytest.mark.parametrize(
    ("name", "glottocode", "languoid"),
    [
        ("ara", "stan1318", "Standard Arabic"),
        ("zh-Hant", "mand1415", "Mandarin Chinese"),
        ("kon_Latn", "koon1244", "South-Central Koongo"),
        ("srd_Latn", "logu1236", "Logudorese Sardinian"),
    ],
)
def test_of_a_macrolanguage_the_facts_name_the_language_that_stands_for_it(name: str, glottocode: str, languoid: str) -> None:
    assert (facts(name).glottocode, facts(name).languoid) == (glottocode, languoid)


@pytest.mark.parametrize(("whole", "member"), [("ps", "pbt"), ("qu", "quy")])
def test_a_macrolanguage_and_its_member_are_two_languages_of_one_genus_and_level(whole: str, member: str) -> None:
    one, other = facts(whole), facts(member)
    assert one.tag != other.tag
    for name in ("family", "genus", "script", "level"):
        assert getattr(one, name) == getattr(other, name) is not None
    assert one.region is not None
    assert other.region is other.speakers is None


def test_an_isolate_is_a_family_of_its_own() -> None:
    assert facts("eu").family == "Basque"


def test_speakers_are_those_of_all_territories_added_up() -> None:
    """CLDR's table has a line a territory as well; the whole is their sum, but for what is rounded."""
    from language_data import population_data

    people = population_data.LANGUAGE_SPEAKING_POPULATION
    for tag in ("de", "sw", "yo", "ru", "hi"):
        territories = [people[key] for key in people if key.startswith(f"{tag}-") and len(key.split("-")[1]) in (2, 3)]
        speakers = facts(tag).speakers
        assert speakers == people[tag]
        assert sum(territories) == pytest.approx(speakers, rel=0.05), tag
    without = [name for name in FLORES_200.split() if facts(name).speakers is None]
    assert len(without) == 15  # of 204: CLDR counts no speakers of Akan's Twi or Levantine Arabic's South
    assert facts("en-GB").speakers == people["en"]
    assert facts("zh-Hant").speakers == facts("zh").speakers  # whatever the script
    assert logarithm_of_speakers("de") == pytest.approx(math.log10(people["de"]))
    assert logarithm_of_speakers("qaf") is None


def test_what_no_table_says_is_none() -> None:
    known = facts("qaf")  # for private use: a language of Universal Dependencies
    assert (known.family, known.genus, known.level, known.latitude, known.glottocode) == (None,) * 5
    assert facts("nqo").latitude is None
    with pytest.raises(CorpusError):
        facts("xx-nothing")


def test_without_the_package_the_facts_of_its_tables_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    caches = (uriel._lines, uriel._levels, uriel.languoid, told.facts, told.language)
    for cached in caches:
        cached.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(uriel, "find_spec", lambda name: None)
        known = facts("deu")
    for cached in caches:
        cached.cache_clear()
    assert (known.name, known.genus, known.script) == ("German", "Germanic", "Latin")
    assert (known.family, known.level, known.latitude) == (None, None, None)


def test_every_fact_has_a_source_a_licence_and_a_credit() -> None:
    assert set(SOURCES) == set(get_args(Fact))
    assert all(each.name and each.licence and each.credit for each in SOURCES.values())
    said = credits_of(["family", "place", "level"])
    assert said.count("Glottolog, as URIEL+ has it") == 1
    assert said.count("CC BY-SA 4.0") == 2


def test_reading_facts_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom isogloss.backend.corpora.languages.facts import facts\nfacts('de')\n"
        "print([name for name in ('torch', 'pandas', 'numpy', 'urielplus', 'streamlit') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "level"),
    [("lvs_Latn", "medium"), ("uzn_Latn", "medium"), ("tgl_Latn", "medium"), ("ltg_Latn", "low"), ("ary_Arab", "low")],
)
def test_a_standard_is_resourced_as_its_macrolanguage_and_a_dialect_is_not(name: str, level: str) -> None:
    assert facts(name).level == level


@pytest.mark.parametrize(
    ("name", "languoid", "near"),
    [
        ("prs_Arab", "Dari", (34, 66)),  # Kabul is at 34.5° N, 69.2° E; Iran's centre at 32.9, 53.3
        ("pes_Arab", "Western Farsi", (33, 53)),
        ("swc", "Congo Swahili", (-6, 26)),
        ("swh", "Swahili", (-6, 37)),
        ("hmn", "Hmong Daw", (21, 103)),
        ("gsw-BE", "Central Alemannic", (47, 8)),
    ],
)
def test_a_language_is_placed_where_it_is_spoken_and_not_where_its_macrolanguage_is(
    name: str, languoid: str, near: tuple[int, int]
) -> None:
    known = facts(name)
    assert known.languoid == languoid
    assert known.latitude is not None
    assert known.longitude is not None
    assert max(abs(known.latitude - near[0]), abs(known.longitude - near[1])) < 4
