"""The benchmark's views: what is drawn is what their Python gives, variants never mix, printed tables need nothing."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.experiments import glance
from isogloss.backend.experiments.xferbench.printed import tables as published
from isogloss.backend.training.language_model.options import preset
from tests.pages.abx.abx_page import DEMO, Shown
from tests.pages.beside import beside
from tests.pages.emergent import benchmark_workspace as made
from tests.pages.emergent.emergent_page import again, button, measured, open_page, said, same

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("query", [{}, {"board_sources": ["Mine", "Random"]}], ids=str)
def test_the_leaderboard_is_of_one_variant_and_its_python_gives_it(
    workspace: Path, shown: list[Shown], query: dict[str, Any]
) -> None:
    keys = made.fill(workspace)
    app = open_page(view="Leaderboard", **query)
    own, printed = shown
    again(own)
    again(printed)
    assert own.data["score"].between(5, 7).all()  # the other variant's are 66 and 77
    names = ["Mine", "Random"] if "board_sources" in query else [name for name in made.LEVELS if name != "Paren"]
    assert set(own.data["source"]) == {keys[name] for name in names}
    order = sorted(names, key=made.LEVELS.__getitem__)
    assert own.data["source"].tolist() == [keys[name] for name in order]
    assert (own.data["targets"] == 3).all()
    assert "Intervals need" not in said(app)
    left = "Left out, so that all have the same targets: Paren." in said(app)  # it lacks Basque
    assert left == ("board_sources" not in query)
    if left:
        shown.clear()
        app.button(key="board_rest").click().run()
        assert shown[0].data[["source", "targets"]].values.tolist() == [
            [keys[name], 2] for name in sorted(made.LEVELS, key=made.LEVELS.__getitem__)
        ]
    assert published.NOTE.split(":")[0] in said(app)


def test_the_first_own_score_in_a_text_of_its_own_opens_the_leaderboard_and_the_rest_is_a_press_away(
    workspace: Path, shown: list[Shown]
) -> None:
    keys = made.fill(workspace)
    later = dt.datetime(2026, 2, 1, tzinfo=dt.UTC)
    for name, value in (("Mine", 5.1), ("None", 5.3)):  # the others lack it
        made.score(workspace, source=keys[name], corpus="f" * 24, target="hu", value=value, created_at=later)
    app = open_page(view="Leaderboard", board_paper="false")
    assert shown[0].data[["source", "targets"]].values.tolist() == [[keys["Mine"], 4], [keys["None"], 4]]
    again(shown[0])
    assert "Left out, so that all have the same targets:" in said(app)
    shown.clear()
    app.button(key="board_rest").click().run()
    assert {"Human", "Random"} <= {name for name, key in keys.items() if key in set(shown[0].data["source"])}


def test_a_first_score_that_no_other_source_has_a_text_of_leaves_the_leaderboard_and_home_as_they_were(
    workspace: Path, shown: list[Shown]
) -> None:
    """`none` alone in a text of one's own: with that text it would stand on the leaderboard alone."""
    keys = made.fill(workspace)
    later = dt.datetime(2026, 2, 1, tzinfo=dt.UTC)
    made.score(workspace, source=keys["None"], corpus="f" * 24, target="hu", value=5.3, created_at=later)
    app = open_page(view="Leaderboard", board_paper="false")
    assert len(shown[0].data) == len(glance.by_source([workspace])) == len(made.LEVELS) - 1  # Paren lacks a target
    again(shown[0])
    assert "Hungarian" in next(each.value for each in app.caption if each.value.startswith("Left out"))
    shown.clear()
    open_page(view="Leaderboard", board_paper="false", board_targets=["Hungarian"])
    (alone,) = shown
    assert alone.data["score"].tolist() == [5.3]
    low, high = alone.drawn.layout.xaxis.range  # and no digits without end
    assert low < 5.3 < high


def test_lacking_baselines_are_added_by_one_press(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the text of the targets is saved, with the options of the scores shown; Random is made at the press."""
    keys = made.fill(workspace)
    asked = measured(monkeypatch)
    app = open_page(view="Leaderboard", board_paper="false")
    assert not [each for each in app.button if each.label.startswith("Start")]  # both are there
    for path in (workspace / "scores" / "emergent").glob("*.parquet"):
        if path.name.startswith(("none-", keys["Random"])):
            path.unlink()
    app.run()
    assert "Add as baselines: *No pre-training* and *Random*." in said(app)
    press = next(each for each in app.button if each.label.startswith("Start ("))
    assert "Random, 2.4 M" not in {entry.name for entry in emergent_library.entries([workspace])}
    press.click().run()
    assert not app.exception
    (spec,) = asked
    assert spec.variant.name == made.QUICK
    corpus = keys["Human"].partition("/")[0]
    assert [target.key for target in spec.targets] == [f"{corpus}/{tag}" for tag in sorted(made.TARGETS)]
    assert spec.seeds == (0, 1)
    none, random = (source.key for source in spec.sources)
    (entry,) = (each for each in emergent_library.entries([workspace]) if each.name == "Random, 2.4 M")
    assert (none, random, entry.origin) == ("none", entry.id, "random")
    assert (entry.tokens, entry.vocabulary_size, entry.longest) == (2_400_000, 256, 32)  # no more than the model can tell apart
    (shipped,) = (each for each in emergent_library.entries([DEMO]) if each.name == "Random, 2.4 M")
    assert random == shipped.id  # what the demo has scores of


def test_intervals_of_one_seed_say_what_they_are_over(workspace: Path) -> None:
    keys = made.fill(workspace)
    one = "One seed: intervals are over targets; how other seeds would differ is not in them."
    assert one in said(open_page(view="Leaderboard"))
    corpus = keys["Human"].partition("/")[0]
    for target in made.TARGETS:
        made.score(workspace, source=keys["Random"], corpus=corpus, target=target, checkpoint="b" * 24, seed=1, value=5.95)
    assert one not in said(open_page(view="Leaderboard", board_sources=["Mine", "Random"]))


def test_one_s_own_is_in_colour_and_nothing_else(workspace: Path, shown: list[Shown]) -> None:
    made.fill(workspace)
    open_page(view="Leaderboard", corpora=["Mine", "Random"], board_order="By score", board_paper="false")
    (own,) = shown
    ticks = [text for text in own.drawn.layout.yaxis.ticktext if "<b>" in text]
    assert len(ticks) == 1
    assert "Mine" in ticks[0]
    assert "<b>$x$" not in "".join(own.drawn.layout.yaxis.ticktext)


def test_another_variant_is_another_figure(workspace: Path, shown: list[Shown]) -> None:
    made.fill(workspace)
    app = open_page(view="Leaderboard", board_paper="false")
    boxes = app.selectbox(key="variant")
    assert len(boxes.options) == 2
    shown.clear()
    boxes.select(next(each for each in boxes.options if "released" in each)).run()
    assert not app.exception
    (own,) = shown
    assert own.data["score"].tolist() == [66.0, 77.0]
    assert boxes.options == ["Quick preset, corrected", "Quick preset, as the released code"]  # digits where two share a name
    again(own)


@pytest.mark.parametrize("named", ["value", "formerly"])
def test_a_link_says_the_variant_and_opens_what_it_was_called(workspace: Path, shown: list[Shown], named: str) -> None:
    made.fill(workspace)
    found = made.QUICK if named == "value" else f"Quick, correct ({made.QUICK.rpartition('/')[2]})"
    app = open_page(view="Leaderboard", board_paper="false", variant=found)
    assert app.selectbox(key="variant").value == "Quick preset, corrected"
    assert shown[0].drawn.layout.title.text == "XferBench here: Quick preset, corrected"
    assert not [each for each in app.info if "The link asks for" in each.value]


@pytest.mark.parametrize("values", ["Raw", "Normalised"])
def test_the_heatmap_has_every_cell_and_hatches_what_lacks(workspace: Path, shown: list[Shown], values: str) -> None:
    keys = made.fill(workspace)
    open_page(view="Source × target", board_values=values)
    own, printed = shown
    for each in shown:
        again(each)
    drawn = next(trace for trace in own.drawn.data if trace.type == "heatmap")
    assert drawn.z.shape == (6, 3)
    assert np.isnan(drawn.z).sum() == 1
    column = "value" if values == "Raw" else "normalised"
    assert np.nansum(drawn.z) == pytest.approx(own.data[column].sum(), rel=1e-4, abs=1e-4)
    assert drawn.texttemplate
    assert own.data.loc[own.data["source"] == keys["Mine"], "seeds"].tolist() == [2, 2, 2]
    (table,) = (trace for trace in printed.drawn.data if trace.type == "heatmap")
    assert table.z.shape == (17, 10)


def test_what_was_folded_is_said(workspace: Path, shown: list[Shown]) -> None:
    import pyarrow as pa

    from isogloss.backend.store import details

    keys = made.fill(workspace)
    provenance = {"symbols": 29_990, "options": {"architecture": {"vocabulary": 512}}}
    details.write(workspace, "b" * 24, pa.table({"step": [1], "loss": [1.0]}), provenance)
    corpus = keys["Human"].partition("/")[0]
    for target in made.TARGETS:
        made.score(workspace, source=keys["Random"], corpus=corpus, target=target, checkpoint="b" * 24, seed=1, value=5.95)
        name = f"{keys['Random']}-{target}-0-{made.QUICK}".replace("/", "-")
        (workspace / "scores" / "emergent" / f"{name}.parquet").unlink()
    for view in ("Leaderboard", "Source × target"):
        shown.clear()
        app = open_page(view=view, board_paper="false")
        (own,) = shown
        again(own)
        assert "the model has 512 embeddings and these have more symbols: Random (29,990)" in said(app)
        hovers = [str(text) for trace in own.drawn.data if trace.hovertext is not None for text in np.ravel(trace.hovertext)]
        folded = [text for text in hovers if "29,990 symbols shared 512 embeddings" in text]
        assert folded
        assert all("Random" in text for text in folded)


def test_without_anything_the_printed_tables_open(workspace: Path, shown: list[Shown]) -> None:
    app = open_page()
    (printed,) = shown
    again(printed)
    assert "No emergent-language corpus is saved yet" in said(app)
    assert published.NOTE.split(":")[0] in said(app)


def test_every_printed_table_opens(workspace: Path, exported: list[Shown]) -> None:
    app = open_page()
    for place in range(13):
        exported.clear()
        app.selectbox(key="printed_table").select_index(place).run()
        assert not app.exception
        again(*exported)


def test_a_preset_of_one_s_own_comes_from_the_form_and_the_link(
    workspace: Path, shown: list[Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    made.keep_corpora(workspace)
    asked = measured(monkeypatch)

    app = open_page(view="Leaderboard", bench_preset="Custom", bench_layers="2", bench_tuning_epochs="7", bench_seeds="2")
    before = button(app).label
    app.number_input(key="bench_dims").set_value(384).run()
    assert button(app).label != before  # the price is of these options
    button(app).click().run()
    (spec,) = asked
    assert spec.preset == "custom"
    options = spec.options(1)
    assert options.seed == 1
    assert (options.architecture.layers, options.architecture.dims, options.tuning.epochs) == (2, 384, 7)
    quick = preset("quick")
    assert options.pretraining == quick.pretraining
    assert options.tuning == quick.tuning.model_copy(update={"epochs": 7})
    assert options.evaluation_tokens == quick.evaluation_tokens


def test_options_that_do_not_go_together_are_one_sentence(workspace: Path, shown: list[Shown]) -> None:
    made.keep_corpora(workspace)
    app = open_page(view="Leaderboard", bench_preset="Custom", bench_heads="7")
    assert [str(each.value).replace("\\", "") for each in app.error] == ["dims (96) must be a multiple of heads (7)."]
    assert not [each for each in app.button if str(each.key).startswith("compute-")]


def test_the_hypotheses_are_said_under_the_leaderboard(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three targets; a corpus that is none of the emergent languages is left out, and so is one that is no longer saved."""
    found = beside(monkeypatch)
    keys = made.fill(workspace)
    app = open_page(view="Leaderboard", board_paper="false")
    found.clear()
    app.button(key="board_rest").click().run()
    ((_, data, recipe),) = (each for each in found if each[0] == "XferBench hypotheses")
    same(recipe, data)
    assert "H1 cannot be told" in said(app)  # two targets tell next to nothing
    assert "H2 cannot be told" in said(app)
    assert "It takes two human sources." in said(app)
    assert data["n"].tolist()[:2] == [2, 2]  # one source lacks the third target
    human, others = made.LEVELS["Human"], ("Mine", made.ODD, "Paren")
    assert data["value"][0] == pytest.approx(human - np.mean([made.LEVELS[name] for name in others]), abs=0.05)
    of_three = open_page(view="Leaderboard", board_sources=["Mine", made.ODD, "Random", "None"])
    assert "H3 holds" in said(of_three)
    found.clear()
    emergent_library.remove(keys["Mine"], workspace)
    app.multiselect(key="board_sources").set_value([]).run()
    app.button(key="board_rest").click().run()
    app.multiselect(key="board_not_emergent").select(made.ODD).run()
    assert not app.exception
    assert "Left out, for what they are is no longer known" in said(app)
    assert found[-1][1]["value"][0] == pytest.approx(human - made.LEVELS["Paren"], abs=0.05)
