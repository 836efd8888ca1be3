"""The benchmark's views: what is drawn is what their Python gives, variants never mix, printed tables need nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from backend.corpora.emergent import library as emergent_library
from backend.corpora.emergent.corpus import EmergentReport
from backend.experiments.sources.source import EmergentSource
from backend.experiments.xferbench.printed import tables as published
from backend.experiments.xferbench.spec import Target, XferBenchSpec
from backend.jobs.job import Job
from backend.training.language_model.options import preset
from tests.corpora.emergent.utterances import from_utterances
from tests.pages.abx.abx_page import Shown
from tests.pages.beside import beside
from tests.pages.emergent import benchmark_workspace as made
from tests.pages.emergent.emergent_page import again, button, measured, open_page, said, same, under_way

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("query", [{}, {"board_order": "By score"}, {"board_sources": ["Mine", "Random"]}], ids=str)
def test_the_leaderboard_is_of_one_variant_and_its_python_gives_it(
    workspace: Path, shown: list[Shown], query: dict[str, Any]
) -> None:
    keys = made.fill(workspace)
    app = open_page(view="Leaderboard", **query)
    own, printed = shown
    again(own)
    again(printed)
    assert own.data["score"].between(5, 7).all()  # the other variant's are 66 and 77
    names = ["Mine", "Random"] if "board_sources" in query else [*made.LEVELS]
    assert set(own.data["source"]) == {keys[name] for name in names}
    order = sorted(names, key=made.LEVELS.__getitem__)
    assert own.data["source"].tolist() == [keys[name] for name in order]
    texts = 3 if "board_sources" in query else 2  # Paren lacks Basque
    assert (own.data["targets"] == texts).all()
    assert "Intervals need" not in said(app)
    assert ("Left out" in said(app)) == (texts == 2)
    assert published.NOTE.split(":")[0] in said(app)


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
    again(own)


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

    from backend.store import details

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


@pytest.mark.parametrize("place", range(13))
def test_every_printed_table_opens(workspace: Path, monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    found = beside(monkeypatch)
    app = open_page()
    found.clear()
    box = app.selectbox(key="printed_table")
    box.select_index(place).run()
    assert not app.exception
    ((_, data, recipe),) = found
    same(recipe, data)


@pytest.mark.parametrize(
    ("label", "protocol"),
    [("As the released code", "released"), ("As printed", "printed"), ("Released, since 12/2024", "released-2024-12")],
)
def test_nothing_computed_is_said_and_offered(
    workspace: Path, shown: list[Shown], monkeypatch: pytest.MonkeyPatch, label: str, protocol: str
) -> None:
    made.keep_corpora(workspace)
    asked = measured(monkeypatch)
    app = open_page(view="Leaderboard", corpora=["Mine", "Random"], bench_seeds="2", bench_protocol=label)
    assert "No XferBench score is computed yet" in said(app)
    assert len(shown) == 1  # the printed one
    assert "Train (" in button(app).label
    button(app).click().run()
    assert not app.exception
    (spec,) = asked
    assert (spec.preset, spec.protocol, spec.seeds) == ("quick", protocol, (0, 1))
    assert [source.label for source in spec.sources] == ["Mine", "Random", "English (Text)", "No pre-training"]
    assert sorted(target.language for target in spec.targets) == ["da", "eu", "fi"]


def test_source_and_target_of_one_text_is_explained(workspace: Path, shown: list[Shown]) -> None:
    made.keep_corpora(workspace)
    app = open_page(view="Leaderboard")
    box = next(each for each in app.multiselect if each.label == "Targets")
    box.set_value(["en", "fi"]).run()
    assert not app.exception
    assert "source and target with the same text" in said(app)


def test_the_paper_preset_names_the_price_of_quick(
    workspace: Path, shown: list[Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    made.keep_corpora(workspace)
    measured(monkeypatch)
    app = open_page(view="Leaderboard", bench_preset="Paper")
    assert "With “Quick”" in said(app)
    assert "5.5 hours (section 3.3), 6 (table 3)" in said(app)


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


def test_without_text_the_way_to_it_is_shown(workspace: Path, shown: list[Shown]) -> None:
    emergent_library.keep(from_utterances([[1, 2]], None, EmergentReport("x", "integers")), "Mine", workspace)
    app = open_page(view="Source × target")
    assert "no corpus of it is saved yet" in said(app)
    links = {link.proto.label: link.proto.query_string for link in app.get("page_link")}
    assert "Add text" in links
    assert links["Fetch text of Wikipedia"] == "shelf=Corpora&corpus-from=Wikipedia"


@pytest.mark.parametrize(
    "query",
    [
        {"variant": "?", "bench_seeds": "-3", "bench_text": "?", "bench_preset": "huge"},
        {
            "board_order": "?",
            "board_targets": ["x", "y"],
            "bench_preset": "Custom",
            "bench_dims": "-9",
            "bench_vocabulary": "x",
        },
        {"board_values": "?", "board_sources": "nobody", "view": "Source × target"},
        {"printed_table": "table 99", "view": "Printed"},
    ],
    ids=str,
)
def test_odd_links_do_no_harm(workspace: Path, shown: list[Shown], query: dict[str, Any]) -> None:
    made.fill(workspace)
    open_page(**({"view": "Leaderboard"} | query))
    assert shown


def test_a_run_under_way_is_watched_whatever_the_form_says(
    workspace: Path, shown: list[Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = made.fill(workspace)
    corpus = keys["Human"].partition("/")[0]
    spec = XferBenchSpec(
        sources=(EmergentSource(corpus=keys["Mine"], name="Mine"),), targets=(Target(corpus=corpus, language="fi"),)
    )
    job = Job(
        "run-1",
        spec.model_dump(mode="json"),
        "running",
        2,
        0,
        (),
        "pre-training on Mine",
        0.1,
        time.time(),
        None,
        tuple(spec.shards()),
    )
    under_way(monkeypatch, job)
    app = open_page(view="Leaderboard")
    assert [button.label for button in app.button if button.key == "cancel-run-1"] == ["Cancel"]
    assert "under way" in said(app)
    assert not [button for button in app.button if str(button.key).startswith("compute-")]
    assert len(shown) == 2  # what is there is shown meanwhile


def test_the_hypotheses_are_said_under_the_leaderboard(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three targets; a corpus that is none of the emergent languages is left out, and so is one that is no longer saved."""
    found = beside(monkeypatch)
    keys = made.fill(workspace)
    app = open_page(view="Leaderboard", board_paper="false")
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
    app.multiselect(key="board_not_emergent").select(made.ODD).run()
    assert not app.exception
    assert "Left out, for what they are is no longer known" in said(app)
    assert found[-1][1]["value"][0] == pytest.approx(human - made.LEVELS["Paren"], abs=0.05)
