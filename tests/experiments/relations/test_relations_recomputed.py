"""Relations recomputed outside of the product: scores that the command line exports, and then pandas, scipy and numpy alone."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from tables_by_hand import write
from typer.testing import CliRunner

from isogloss.backend.cli import app
from isogloss.backend.experiments.relations import regressions, selections
from isogloss.backend.experiments.relations.correlations import everywhere
from isogloss.backend.experiments.relations.reading import Question, Reading, Scored

if TYPE_CHECKING:
    from pathlib import Path

TAGS = ("ar", "cs", "de", "el", "en", "fi", "hi", "ja", "ru", "sv", "tr", "zh")
STEPS = (100, 200, 300)
LAYERS = range(4)


@pytest.fixture
def exported(workspace: Path, tmp_path: Path) -> pd.DataFrame:
    """LD of each pair, and an accuracy of each source and target that half follows from LD at layer 2; pairs are missing."""
    random = np.random.default_rng(5)
    form = random.normal(size=(len(STEPS), len(LAYERS), len(TAGS), len(TAGS)))
    for i, step in enumerate(STEPS):
        pairs = [(a, b) for a, b in itertools.combinations(range(len(TAGS)), 2) if random.random() > 0.1]
        rows = [
            {"layer": layer, "source": TAGS[a], "target": TAGS[b], "value": form[i, layer, a, b]}
            for layer in LAYERS
            for a, b in pairs
        ]
        write(workspace, "abx", "abx_language", rows, f"{i:024d}", checkpoint=f"c{step}", step=step)
        rows = [
            {
                "layer": layer,
                "source": TAGS[a],
                "target": TAGS[b],
                "value": -form[i, 2, min(a, b), max(a, b)] + random.normal(),
                "seed": seed,
            }
            for layer in LAYERS
            for a, b in itertools.permutations(range(len(TAGS)), 2)
            for seed in (0, 1)
            if random.random() > 0.05
        ]
        write(workspace, "probing", "probe_accuracy", rows, f"{i:024d}", checkpoint=f"c{step}", step=step)
    done = CliRunner().invoke(app, ["scores", "-o", str(tmp_path / "scores.csv")])
    assert done.exit_code == 0, done.output
    return pd.read_csv(tmp_path / "scores.csv")


def read(metric: str, **how: object) -> Reading:
    experiment = "abx" if metric == "abx_language" else "probing"
    checkpoints = tuple(f"c{step}" for step in STEPS)
    of = Scored(experiment=experiment, metric=metric, corpus="corpus", variant="v", checkpoints=checkpoints, steps=STEPS)
    return Reading(of=of, **how)  # type: ignore[arg-type]


def both_ways(rows: pd.DataFrame) -> pd.Series:
    """LD of a pair under both orders of its languages."""
    turned = rows.rename(columns={"source": "target", "target": "source"})
    return pd.concat([rows, turned]).set_index(["source", "target"])["value"]


@pytest.mark.parametrize("statistic", ["Pearson", "Spearman"])
@pytest.mark.parametrize("follows", [False, True])
def test_two_cells_of_the_heatmap_from_exported_scores(
    workspace: Path, exported: pd.DataFrame, statistic: str, follows: bool
) -> None:
    y = {"checkpoint": "each", "layer": "each"} if follows else {"checkpoint": "last", "layer": 3}
    readings = {"x": read("abx_language"), "y": read("probe_accuracy", **y)}
    cells = everywhere(Question(unit="pair", readings=readings), [workspace], "x", "y", statistic)  # type: ignore[arg-type]
    assert len(cells) == len(STEPS) * len(LAYERS)
    cells = cells.set_index(["checkpoint", "layer"])
    correlate = stats.pearsonr if statistic == "Pearson" else stats.spearmanr
    for checkpoint, layer in (("c300", 2), ("c100", 1)):
        at = (checkpoint, layer) if follows else ("c300", 3)
        form, task = (exported[exported["metric"] == metric] for metric in ("abx_language", "probe_accuracy"))
        form = both_ways(form[(form["checkpoint"] == checkpoint) & (form["layer"] == layer)])
        task = task[(task["checkpoint"] == at[0]) & (task["layer"] == at[1])]
        joined = pd.concat({"x": form, "y": task.groupby(["source", "target"])["value"].mean()}, axis=1).dropna()
        cell = cells.loc[(checkpoint, layer)]
        assert cell["value"] == pytest.approx(correlate(joined["x"], joined["y"]).statistic)
        assert cell["n"] == len(joined)
        p, amount = mantel(joined, statistic), 300
        spread = np.sqrt(p * (1 - p) * (1 / amount + 1 / (99 if follows else 199)))
        assert cell["p"] == pytest.approx(p, abs=4 * spread)
    strong, weak = cells.loc[("c300", 2)], cells.loc[("c100", 1)]
    assert strong["value"] < -0.5
    assert strong["p"] == pytest.approx(0.01 if follows else 0.005)  # none of 99 or 199 permutations is as far from 0
    assert abs(weak["value"]) < (0.3 if not follows else 1.0)


def mantel(joined: pd.DataFrame, statistic: str, amount: int = 300) -> float:
    """The share of relabelled outcomes that correlate as strongly, one order of the languages at a time."""
    random, correlate = np.random.default_rng(0), stats.pearsonr if statistic == "Pearson" else stats.spearmanr
    x, y = (joined[name].unstack().reindex(index=list(TAGS), columns=list(TAGS)).to_numpy() for name in ("x", "y"))
    reached, observed = 0, None
    for order in (np.arange(len(TAGS)), *(random.permutation(len(TAGS)) for _ in range(amount))):
        again = y[order][:, order]
        known = np.isfinite(x) & np.isfinite(again)
        found = abs(correlate(x[known], again[known]).statistic)
        observed = found if observed is None else observed
        reached += found >= observed - 1e-9
    return reached / (amount + 1)


def test_a_regression_of_half_the_variance_from_a_table_of_scores(workspace: Path) -> None:
    """Accuracy = 0.9 − 2 LD − 0.25 MD + as much noise again: R² 0.5, against statsmodels' formula and plain least squares."""
    random = np.random.default_rng(1)
    pairs = list(itertools.permutations(TAGS, 2))
    ld, md = random.normal(0.7, 0.05, len(pairs)), random.normal(0.6, 0.2, len(pairs))
    signal = -2 * ld - 0.25 * md
    noise = random.normal(size=len(pairs))
    design = np.column_stack([np.ones(len(pairs)), ld, md])
    noise -= design @ np.linalg.lstsq(design, noise, rcond=None)[0]  # R² is then 0.5 to the last digit
    accuracy = 0.9 + signal + noise * signal.std() / noise.std()
    own = pd.DataFrame(pairs, columns=["source", "target"])
    for place, (metric, values) in enumerate({"probe_accuracy": accuracy, "probe_f1": ld, "selectivity": md}.items()):
        rows = own.assign(value=values).to_dict("records")
        write(workspace, "probing", metric, rows, f"{place:024d}", checkpoint="c100", step=100)
    question = Question(unit="pair", readings={m: read(m) for m in ("probe_accuracy", "probe_f1", "selectivity")})
    found = regressions.fit(question, [workspace], "probe_accuracy")
    assert found.regression.r2 == pytest.approx(0.5)
    assert found.regression.n == len(pairs)
    assert [each.value for each in found.regression.coefficients] == pytest.approx([-2, -0.25])
    table = found.frame().set_index("predictor")
    assert table.loc["intercept", "coefficient"] == pytest.approx(0.9)
    again = ols("y ~ x + z", pd.DataFrame({"y": accuracy, "x": ld, "z": md})).fit()
    assert table["p"].to_numpy() == pytest.approx(again.pvalues.to_numpy(), rel=1e-4, abs=1e-300)
    assert table["standard_error"].to_numpy() == pytest.approx(again.bse.to_numpy())
    plain = np.linalg.lstsq(design, accuracy, rcond=None)[0]
    assert table["coefficient"].to_numpy() == pytest.approx(plain)
    moved = {name: (values - values.mean()) / values.std() for name, values in (("x", ld), ("z", md))}
    scaled = np.linalg.lstsq(np.column_stack(list(moved.values())), (accuracy - accuracy.mean()) / accuracy.std(), rcond=None)[
        0
    ]
    assert table["standardised"].to_numpy()[1:] == pytest.approx(scaled)
    assert (table["p_permuted"].to_numpy()[1:] == 0.001).all()  # none of 999 permutations


@pytest.mark.parametrize("choose", ["lowest", "highest"])
def test_sources_and_checkpoints_from_exported_scores(workspace: Path, exported: pd.DataFrame, choose: str) -> None:
    guide, outcome = read("abx_language", layer=2), read("probe_accuracy", layer="mean")
    form, task = (exported[exported["metric"] == metric] for metric in ("abx_language", "probe_accuracy"))
    seeds = task.groupby(["checkpoint", "layer", "source", "target"])["value"].mean()
    last = seeds["c300"].groupby(["source", "target"]).mean()
    near = both_ways(form[(form["checkpoint"] == "c300") & (form["layer"] == 2)])
    joined = pd.concat({"x": near, "y": last}, axis=1).dropna().reset_index()
    found = selections.source_table(guide, outcome, [workspace], choose, "higher").set_index("target")  # type: ignore[arg-type]
    for target, rows in joined.groupby("target"):
        rows = rows.set_index("source")
        picked = rows["x"].idxmin() if choose == "lowest" else rows["x"].idxmax()
        assert found.loc[target, "chosen"] == picked
        assert found.loc[target, "wins"] == pytest.approx((rows["y"].drop(picked) < rows["y"][picked]).mean())
        assert found.loc[target, "rank"] == rows["y"].rank(ascending=False, method="min")[picked]
    assert set(found.index) == set(joined["target"])
    assert (found["wins"].mean() > 0.5) == (choose == "lowest")
