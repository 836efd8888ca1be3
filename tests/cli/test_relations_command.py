"""`isogloss relations` on the demo: the numbers of the table of scores, by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import isogloss
from isogloss.backend.cli import app
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.errors import SpecError, StoreError
from isogloss.backend.settings import ROOT
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from pathlib import Path

DEMO = ROOT / "cache" / "demo"
CONTRAST = "Demo MLM + translation contrast"
PAIRS = (
    "SELECT source, target, avg(value) FILTER (metric = 'abx_language') AS x, avg(value) FILTER (metric = 'abx_meaning') AS z "
    f"FROM scores WHERE experiment = 'abx' AND step = 2000 AND model = '{CONTRAST}' GROUP BY ALL"
)
MEXA = "SELECT source, target, value FROM scores WHERE metric = 'mexa' AND model = 'Demo MLM' AND layer = 3 AND step = 2000"
GAP = "SELECT source, target, avg(value) AS y FROM scores WHERE metric = 'igap' AND contains(variant, '0.0001') GROUP BY ALL"


@pytest.fixture(autouse=True)
def demo(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["relations", *arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def by_hand() -> pd.DataFrame:
    """A row a direction: IGap (y), language and meaning discrimination (x, z), which have no direction."""
    of_pairs = scores.sql(PAIRS, [DEMO])
    both = pd.concat([of_pairs, of_pairs.rename(columns={"source": "target", "target": "source"})])
    return scores.sql(GAP, [DEMO]).merge(both, on=["source", "target"])


def test_a_regression_is_that_of_the_table_of_scores(tmp_path: Path) -> None:
    said = run("regression", "igap", "abx_language", "abx_meaning", "--model", CONTRAST, "-o", str(tmp_path / "r.json"))
    rows = by_hand()
    design = np.column_stack([np.ones(len(rows)), rows["x"], rows["z"]])
    wanted = np.linalg.lstsq(design, rows["y"], rcond=None)[0]
    written = pd.DataFrame(json.loads((tmp_path / "r.json").read_text()))
    assert written["coefficient"].to_numpy() == pytest.approx(wanted)
    left = rows["y"] - design @ wanted
    assert f"R² = {1 - left.var() / rows['y'].var():.3f}" in said
    assert "igap: parallel/vanilla/learning rate 0.0001/corruption 0/ace47f, Demo sentences; checkpoint last" in said


def test_correlations_and_choices_are_those_of_the_table_of_scores(tmp_path: Path) -> None:
    rows = by_hand()
    said = run("correlation", "abx_language", "igap", "--model", CONTRAST)
    assert f"Pearson    {rows['x'].corr(rows['y']):.4g}" in said
    over = run("correlation", "abx_language", "abx_meaning", "--model", CONTRAST, "--along", "checkpoint")
    assert sum(line.startswith("checkpoint-") for line in over.splitlines()) == 16
    run("selection", "abx_language", "igap", "--model", CONTRAST, "-o", str(tmp_path / "s.csv"))
    written = pd.read_csv(tmp_path / "s.csv").set_index("target")
    for target, own in rows.groupby("target"):
        own = own.set_index("source")
        chosen = own["x"].idxmin()
        assert written.loc[target, "chosen"] == chosen
        assert written.loc[target, "wins"] == pytest.approx((own["y"].drop(chosen) > own["y"][chosen]).mean())
    by = run("selection", "abx_language", "abx_meaning", "--model", CONTRAST, "--what", "checkpoint")
    assert "of 10 languages" in by
    assert "checkpoint-2000" in by
    assert "abx_language" in run("measures", "--model", CONTRAST, "--unit", "layer")


def test_models_are_ranked_and_told_apart_as_their_matrices_are(tmp_path: Path) -> None:
    said = run("models", "abx_meaning", "--layer", "2", "-o", str(tmp_path / "m.json"))
    assert "abx_meaning: " in said
    written = pd.DataFrame(json.loads((tmp_path / "m.json").read_text()))
    matrices = {}
    for model, checkpoint in zip(written["model"], written["checkpoint"], strict=True):
        rows = scores.sql(
            "SELECT source, target, value FROM scores WHERE experiment = 'abx' AND metric = 'abx_meaning' AND layer = 2 "
            f"AND checkpoint = '{checkpoint}' AND NOT contains(variant, 'control')",
            [DEMO],
        )
        wide = rows.pivot_table(index="source", columns="target", values="value")
        names = sorted({*rows["source"], *rows["target"]})
        wide = wide.reindex(index=names, columns=names)
        matrices[model] = wide.combine_first(wide.T).to_numpy()
    expected = isogloss.rank_models(matrices)
    assert written["model"].tolist() == expected["model"].tolist()
    for name in ("value", "low", "high", "rank_low", "rank_high"):
        assert written[name].tolist() == pytest.approx(expected[name].tolist())
    run("models", "abx_meaning", "--layer", "2", "--differences", "--languages", "de", "-o", str(tmp_path / "d.json"))
    apart = pd.DataFrame(json.loads((tmp_path / "d.json").read_text()))
    assert len(apart) == len(written) * (len(written) - 1)
    assert set(apart["n"]) == {len(names) - 1}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["regression", "igap", "abx_langage", "--model", CONTRAST], "Did you mean 'abx_language'"),
        (["regression", "igap", "igap", "--model", CONTRAST], "given twice"),
        (["correlation", "igap", "abx_language", "--model", "None"], "no scores of 'None'"),
        (["correlation", "igap", "abx_language", "--model", CONTRAST, "--unit", "model"], "'model' is no unit here"),
        (["correlation", "igap", "abx_language", "--model", CONTRAST, "--along", "seed"], "'seed' is no unit here"),
        (["correlation", "igap", "abx_language", "--model", CONTRAST, "--layer", "99"], "There is no layer '99'"),
        (["correlation", "abx_language", "abx_meaning", "--model", CONTRAST, "--checkpoint", "x"], "no checkpoint 'x'"),
        (["correlation", "igap@0.0", "abx_language", "--model", CONTRAST], "names several of the variants of igap"),
        (["correlation", "igap@XNLI", "abx_language", "--model", CONTRAST], "names none of the variants of igap"),
        (["selection", "abx_language", "igap", "--model", CONTRAST, "--choose", "best"], "cannot be chosen"),
        (["models", "abx_mean"], "No two models have scores of 'abx_mean'. Did you mean 'abx_meaning'"),
        (["models", "abx_meaning", "--layer", "deep"], "not at 'last', 'deep'"),
        (["models", "abx_meaning", "abx_language", "--differences"], "name one"),
        (["models", "probe_accuracy@XNLI"], "names none of the variants"),
    ],
)
def test_a_problem_is_a_sentence(asked: list[str], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        run(*asked)


def test_another_ending_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"neither \.csv, \.json nor \.parquet"):
        run("correlation", "igap", "abx_language", "--model", CONTRAST, "-o", str(tmp_path / "a.txt"))


def test_an_outcome_of_elsewhere_is_a_measure_as_the_others_are(tmp_path: Path) -> None:
    """By hand: MEXA's means over pairs of a language against what a results file says of it; models ranked by their loss."""
    numbers = {"deu": 0.52, "eng": 0.61, "arb": 0.4, "zho": 0.47, "tur": 0.44, "rus": 0.5, "spa": 0.55, "hin": 0.38}
    for place, model in enumerate(("Demo MLM", CONTRAST)):
        results = {
            f"belebele_{tag}_Latn": {"acc,none": value, "bits_per_byte,none": place + value} for tag, value in numbers.items()
        }
        (tmp_path / f"{place}.json").write_text(json.dumps({"config": {}, "model_name": model, "results": results}))
        done = CliRunner().invoke(app, ["covariates", "import", str(tmp_path / f"{place}.json"), "--name", f"b{place}"])
        assert done.exit_code == 0, done.output
    assert "one variant, no corpus" in run("measures", "--model", "Demo MLM", "--unit", "language")
    file = tmp_path / "o.json"
    run("correlation", "mexa", "belebele_acc", "--model", "Demo MLM", "--unit", "language", "--layer", "3", "-o", str(file))
    pairs = scores.sql(MEXA, [DEMO])
    tags = {tag: language(f"{tag}_Latn").tag for tag in numbers}
    of = {tag: pairs[(pairs["source"] == tag) | (pairs["target"] == tag)]["value"].mean() for tag in tags.values()}
    known = {tag: value for tag, value in of.items() if np.isfinite(value)}
    said = {tags[tag]: value for tag, value in numbers.items()}
    expected = np.corrcoef([*known.values()], [said[tag] for tag in known])[0, 1]
    first = json.loads(file.read_text())[0]
    assert (first["n"], first["value"]) == (len(known), pytest.approx(expected))
    run("models", "belebele_bits_per_byte", "-o", str(file))
    assert [(row["model"], row["rank"]) for row in json.loads(file.read_text())] == [("Demo MLM", 1), (CONTRAST, 2)]
