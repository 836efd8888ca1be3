"""Compare on the ABX page: what stands beside what unasked, swapped, in one order, and with which evidence."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from isogloss.backend.charts.parts.text import number
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments.abx import sentences
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.metrics.abx.exact import Sums
from isogloss.backend.metrics.many_tests import benjamini_hochberg
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from isogloss.pages.abx.compare import models as compare_models
from isogloss.pages.abx.compare.evidence import PAIRED, WIDEST
from isogloss.pages.shared.compare.evidence import ONE_SEED
from isogloss.pages.widgets.choosing import seeds
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, Shown, check, open_abx, record

if TYPE_CHECKING:
    from pathlib import Path

FIRST, LAST, OTHER = f"{MLM} · checkpoint-0", f"{MLM} · checkpoint-2000", f"{CONTRAST} · checkpoint-2000"
HATCHED = "p ≥ 0.05 after Benjamini–Hochberg"


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    return record(monkeypatch)


def keep_contributions(workspace: Path, model: str, labels: tuple[str, ...]) -> None:
    """Made-up sums for some checkpoints, the same for all of them but for small changes: errors that move together."""
    corpus, entry = corpora.entries([DEMO])[0], models.load_entry(model, [DEMO])
    n = int(scores.query("SELECT max(n) AS n FROM {scores}", {}, [scores.shards([DEMO], "abx")[0].path])["n"][0])
    pairs = list(combinations(corpus.tags, 2))
    common = torch.from_numpy(np.random.default_rng(1).integers(-300, 300, (len(pairs), n)))
    for place, checkpoint in enumerate(each for each in entry.checkpoints if each.label in labels):
        own = {"checkpoints": (checkpoint,), "corpus": corpus.id, "languages": tuple(corpus.tags), "per_sentence": True}
        [key] = AbxSpec(model=model, **own).shards()
        changed = common + torch.from_numpy(np.random.default_rng(2 + place).integers(-9, 9, common.shape))
        rows = [row for layer in range(5) for row in sentences.rows(layer, pairs, Sums(changed, changed))]
        sentences.write(workspace, key, rows, {"sentences": n, "complete": True})


def values(app: Any) -> tuple[str, str]:
    return app.selectbox(key="first").value, app.selectbox(key="second").value


def told(app: Any) -> str:
    return " ".join(str(each.value) for kind in (app.caption, app.markdown) for each in kind)


def test_side_b_is_the_same_model_and_a_swap_turns_the_difference_round(shown: list[Shown]) -> None:
    app = open_abx(view="Compare", measure="Language")
    assert values(app) == (LAST, FIRST)
    before = shown[-1]
    check(shown[-2:], 2)
    app.button(key="swap").click().run()
    assert values(app) == (FIRST, LAST)
    after = shown[-1]
    assert after.drawn.layout.title.text == f"Difference: {FIRST} − {LAST}"
    assert after.data["difference"].tolist() == pytest.approx((-before.data["difference"]).tolist())
    colours = [each.drawn.layout.coloraxis for each in (before, after)]
    assert all(each.cmin == -each.cmax for each in colours)
    assert "higher = languages more separable; above 0 = " in colours[0].colorbar.title.text.replace("<br>", " ")
    [left, right] = [note.text.replace("<br>", " ") for note in shown[-2].drawn.layout.annotations]
    assert (left, right) == (f"<b>A: {FIRST}</b>", f"<b>B: {LAST}</b>")
    assert app.query_params["first"] in (FIRST, [FIRST])


def test_models_are_swapped_too(shown: list[Shown]) -> None:
    app = open_abx(view="Compare", compare="Models", model=[MLM, CONTRAST])
    app.button(key="swap").click().run()
    assert app.multiselect(key="model").value == [CONTRAST, MLM]
    assert shown[-1].drawn.layout.title.text == f"Difference: {CONTRAST} − {MLM}"


def test_of_three_models_any_two_are_compared(shown: list[Shown]) -> None:
    e5 = "multilingual-e5-small, 4-bit weights"
    app = open_abx(view="Compare", compare="Models", model=[e5, MLM, CONTRAST], model_a=MLM, model_b=CONTRAST)
    assert shown[-1].drawn.layout.title.text == f"Difference: {MLM} − {CONTRAST}"
    check(shown[-2:], 2)
    assert app.selectbox(key="model_b").options == [e5, CONTRAST, "Each other"]
    app = open_abx(view="Compare", compare="Models", model=[e5, MLM, CONTRAST])
    assert (app.selectbox(key="model_a").value, app.selectbox(key="model_b").value) == (e5, MLM)


def test_one_model_is_set_against_each_other_at_their_last_checkpoints(shown: list[Shown]) -> None:
    e5 = "multilingual-e5-small, 4-bit weights"
    app = open_abx(view="Compare", compare="Models", model=[MLM, e5, CONTRAST], model_a=CONTRAST, model_b="Each other")
    [each] = shown
    check(shown, 1)
    assert each.drawn.layout.title.text == f"Difference: {CONTRAST} − each other"
    assert [name[:8] for name in each.drawn.layout.yaxis.ticktext] == [MLM, e5[:8]]
    rows = each.data.set_index(["other", "layer"])
    assert rows["p_corrected"].tolist() == pytest.approx(benjamini_hochberg(rows["p"]).tolist())
    open_abx(view="Compare", compare="Checkpoints", measure="Meaning", first=OTHER, second=LAST, order="name")
    two = shown[1].data.groupby(["side", "layer"])["value"].mean()
    for layer in (0, 2, 4):
        assert rows.loc[(MLM, layer), "difference"] == pytest.approx(two[OTHER, layer] - two[LAST, layer], abs=1e-6)
    assert "Each model's last chosen checkpoint." in told(app)


def test_seeds_are_one_side_with_the_interval_over_them(shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> None:
    e5, both = "multilingual-e5-small, 4-bit weights", "Demo (2 seeds)"
    for module in (compare_models, seeds):
        monkeypatch.setattr(module, "seeds_of", lambda names: {name: "Demo" for name in names if name in (MLM, CONTRAST)})
    chosen = {"compare": "Models", "checkpoints": ["checkpoint-2000", "4-bit weights"]}
    app = open_abx(view="Compare", model=[MLM, e5, CONTRAST], model_a=both, model_b="Each other", **chosen)
    [each] = shown
    check(shown, 1)
    assert ONE_SEED in told(app)
    assert list(each.data["other"].unique()) == [e5]
    shown.clear()
    open_abx(view="Compare", model=[MLM, e5, CONTRAST], model_a=MLM, model_b="Each other", seed_lines="Apart", **chosen)
    own = shown[0].data.set_index(["other", "layer"])["difference"]
    for row in each.data.itertuples():  # the mean of both seeds' differences
        expected = own[e5, row.layer] - own[CONTRAST, row.layer] / 2
        assert row.difference == pytest.approx(expected, abs=1e-6)
    shown.clear()
    app = open_abx(view="Compare", compare="Models", model=[MLM, CONTRAST])  # of one model's seeds alone none are together
    assert shown[-1].drawn.layout.title.text == f"Difference: {MLM} − {CONTRAST}"


@pytest.mark.parametrize("order", ["name", "clustering"])
def test_both_sides_and_their_difference_have_one_order_of_languages(shown: list[Shown], order: str) -> None:
    for first, second in ((LAST, OTHER), (OTHER, LAST)):
        open_abx(view="Compare", order=order, first=first, second=second)
    orders = [each.drawn.layout[axis].ticktext for each in shown for axis in ("yaxis",)]
    assert len(orders) == 4
    assert len(set(orders)) == 1
    if order == "name":
        assert list(orders[0]) == sorted(orders[0])


def test_kept_contributions_give_paired_intervals_and_hatch_what_contains_zero(tmp_path: Path, shown: list[Shown]) -> None:
    app = open_abx(view="Compare", first=LAST, second=f"{MLM} · checkpoint-1000")
    widest = shown[-1].data
    assert set(widest["interval"]) == {"widest"}
    assert WIDEST in told(app)
    assert PAIRED not in told(app)
    assert "Paired intervals, narrower: what each sentence contributes to **Demo MLM** (checkpoint" in told(app)
    keep_contributions(tmp_path, MLM, ("checkpoint-1000", "checkpoint-2000"))
    app = open_abx(view="Compare", first=LAST, second=f"{MLM} · checkpoint-1000")
    check(shown[-2:], 2)  # the recipe gives them too
    paired, drawn = shown[-1].data, shown[-1].drawn
    assert set(paired["interval"]) == {"paired"}
    assert PAIRED in told(app)
    assert "Paired intervals, narrower" not in told(app)
    assert (paired["high"] - paired["low"] < widest["high"] - widest["low"]).all()
    by_themselves = int(((paired["low"] <= 0) & (paired["high"] >= 0)).sum())
    assert ((paired["p"] >= 0.05) == ((paired["low"] <= 0) & (paired["high"] >= 0))).all()
    assert paired["p_corrected"].tolist() == pytest.approx(benjamini_hochberg(paired["p"]).tolist())
    doubtful = int((paired["p_corrected"] >= 0.05).sum())
    assert doubtful >= by_themselves
    assert 0 < doubtful < len(paired), "or nothing is tested"
    assert f"Hatched, {doubtful} of {len(paired)}" in told(app)
    [cover] = [trace for trace in drawn.data if trace.name == HATCHED]
    corners = [place for place in np.asarray(cover.x, float) if not np.isnan(place)]
    assert len(corners) % 5 == 0
    [cells] = [trace for trace in drawn.data if trace.type == "heatmap"]
    hovers = "\n".join(np.ravel(cells.hovertext))
    assert all(f"{number(row.low, '+.3f')} to {number(row.high, '+.3f')}" in hovers for row in paired.itertuples())


def test_retrieval_has_the_widest_interval_and_no_paired_one_to_offer(shown: list[Shown]) -> None:
    app = open_abx(view="Compare", measure="Retrieval")
    assert WIDEST in told(app)
    assert set(shown[-1].data["interval"]) == {"widest"}
    assert any(trace.name == HATCHED for trace in shown[-1].drawn.data)
    assert "Paired intervals" not in told(app)


@pytest.mark.parametrize(("view", "figures"), [("Layers × checkpoints", 2), ("Languages", 4), ("Pairs", 1), ("Compare", 1)])
def test_fitted_colours_say_between_which_values(shown: list[Shown], view: str, figures: int) -> None:
    open_abx(view=view, fitted="false")
    fixed = [each.drawn.layout.coloraxis for each in shown[:figures]]
    assert all(axis.cmin <= 0.5 and axis.cmax == 1 and "fitted" not in axis.colorbar.title.text for axis in fixed)
    shown.clear()
    open_abx(view=view, fitted="true")
    check(shown, len(shown))  # the recipe draws the same
    for each in shown[:figures]:
        axis = each.drawn.layout.coloraxis
        drawn = np.concatenate([np.ravel(trace.z) for trace in each.drawn.data if trace.type == "heatmap"])
        low, high = np.nanmin(drawn), np.nanmax(drawn)
        assert (axis.cmin, axis.cmax) == (pytest.approx(low), pytest.approx(high))
        assert axis.colorbar.title.text.endswith(f"<br>Colours fitted: {low:.3f} to {high:.3f}")


def test_languages_have_layers_as_columns_where_there_is_one_checkpoint(shown: list[Shown]) -> None:
    app = open_abx(view="Languages", model=[MLM], checkpoints="checkpoint-2000", layers=["1", "2", "4"])
    check(shown, 2)
    for each in shown:
        assert each.drawn.layout.xaxis.title.text.startswith("Layer")
        assert list(each.drawn.layout.xaxis.ticktext) == ["1", "2", "4"]
        [cells] = [trace for trace in each.drawn.data if trace.type == "heatmap"]
        assert cells.texttemplate, "the numbers fit"
    shown.clear()
    app = open_abx(view="Languages", model=[MLM])
    assert app.segmented_control(key="across").value == "Checkpoints"
    assert [each.drawn.layout.xaxis.title.text for each in shown] == ["Training step"] * 2


@pytest.mark.parametrize("what", ["Checkpoints", "Models"])
def test_layers_that_one_side_lacks_are_said(shown: list[Shown], what: str) -> None:
    deeper = "multilingual-e5-small, 4-bit weights"
    app = open_abx(view="Compare", model=[MLM, deeper], layers="8", compare=what, second=f"{deeper} · 4-bit weights")
    assert f"None of the chosen layers is in both: {MLM} has layers 0 to 4." in told(app)
    assert not shown
