"""Typological distances against the package's own function, on its own data, and that nothing is written into its folder."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from isogloss.backend.corpora.languages.uriel import codes
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.relations.typology import KINDS, distances

TAGS = ("ar", "de", "en", "et", "fi", "zh")
OWN = """
import sys
from pathlib import Path
import numpy as np
from urielplus.urielplus_querying import URIELPlusQuerying
folder = Path(sys.argv[1]) / "database" / "original_uriel"
files = [np.load(folder / name) for name in ("family_features.npz", "features.npz", "geocoord_features.npz")]
parts = [[file[key] for file in files] for key in ("feats", "langs", "data", "sources")]
own = URIELPlusQuerying(*parts, codes="Iso")
for kind in ("syntactic", "phonological", "geographic", "genetic"):
    print(*np.asarray(own.new_distance(kind, sys.argv[2].split(","))).ravel().tolist())
"""


def folder() -> Path:
    spec = find_spec("urielplus")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def test_distances_are_those_of_the_package() -> None:
    named = ",".join({"ar": "arb", "de": "deu", "en": "eng", "et": "ekk", "fi": "fin", "zh": "cmn"}[tag] for tag in TAGS)
    run = subprocess.run([sys.executable, "-c", OWN, str(folder()), named], capture_output=True, text=True, check=True)
    lines = run.stdout.strip().splitlines()
    off = ~np.eye(len(TAGS), dtype=bool)
    for kind, line in zip(("syntactic", "phonological", "geographic", "genetic"), lines, strict=True):
        theirs = np.array(line.split(), float).reshape(len(TAGS), len(TAGS))
        ours = distances(TAGS, kind)
        both = off & (theirs >= 0) & np.isfinite(ours)
        assert both.sum() >= 2, kind
        assert ours[both] == pytest.approx(theirs[both], abs=6e-5)  # it rounds to four digits
        assert not (np.isnan(ours) & (theirs >= 0) & off).any(), kind


@pytest.mark.parametrize("kind", KINDS)
def test_distances_are_symmetric_and_near_languages_are_near(kind: str) -> None:
    found = distances(("de", "en", "ja", "nl"), kind)
    assert np.isnan(np.diag(found)).all()
    assert np.array_equal(found, found.T, equal_nan=True)
    known = found[np.isfinite(found)]
    assert ((known >= 0) & (known <= 1)).all()
    assert found[0, 1] < found[0, 2]


def test_what_is_no_language_has_no_distance_and_no_kind_is_an_error() -> None:
    found = distances(("50cbfabf141457e8893d718f", "de", "en"), "genetic")
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1, 2])
    assert codes("50cbfabf141457e8893d718f") == ()
    assert codes("sr-Latn") == ("srp",)
    with pytest.raises(StoreError, match=r"no typological distance 'genetics'\. Did you mean 'genetic'"):
        distances(("de", "en"), "genetics")


def test_nothing_is_written_and_the_package_is_not_imported() -> None:
    before = sorted(path.name for path in (folder() / "database").iterdir())
    code = (
        "import sys\nfrom isogloss.backend.experiments.relations.typology import distances\n"
        "distances(('de', 'en'), 'syntactic')\nassert 'urielplus' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).resolve().parents[3])
    assert sorted(path.name for path in (folder() / "database").iterdir()) == before
