"""An atlas in a browser, from a disk: it asks for nothing, runs nothing that people wrote, and reads as the dashboard does."""

from __future__ import annotations

import random
import shutil
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect
from visitors import visitor

from isogloss.backend.atlas import publish
from isogloss.backend.atlas.grids import PairGrid, pair_grids
from isogloss.backend.atlas.site import page_of
from isogloss.backend.atlas.walk import ORDERS
from isogloss.backend.boards.provenance import Provenance
from isogloss.backend.boards.report import Entry
from isogloss.backend.corpora.languages.facts import BY_ORDER, credits_of
from isogloss.backend.experiments.abx import queries
from isogloss.backend.experiments.on_a_map import on_a_map
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.figures import abx as figures
from isogloss.backend.figures.world import world_map
from isogloss.backend.settings import DEMO
from tests.atlas.atlas_workspace import CORPUS, HOSTILE, MODEL, fill
from tests.boards.test_report import CHART, RECIPE, ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PairGrid]:
    """An atlas of hostile names, and the scores that it is of."""
    workspace, folder = (tmp_path_factory.mktemp(name) for name in ("workspace", "site"))
    fill(workspace)
    content = publish.of_models([workspace])
    entry = Entry(
        f"T {HOSTILE}", ROWS, CHART(ROWS), RECIPE, Provenance(), f"N {HOSTILE} ![x](http://example.org/x.png)", HOSTILE
    )
    text = Entry("", ROWS, None, None, Provenance(), f"# {HOSTILE}\n\n[a](javascript:alert(3)) <b onclick=alert(4)>b</b>")
    made = type(content)(f"A {HOSTILE}", "", (text, entry), content.grids)
    publish.publish(made, [workspace], folder, lambda *_: None)
    return folder, pair_grids([workspace])[0]


@contextmanager
def looking(browser: Browser, scheme: Any = "light", width: int = 1280) -> Iterator[Page]:
    """A tab that is offline, in which no dialog opens, nothing fails and no other place is asked."""
    asked: list[str] = []
    wrong: list[str] = []
    with visitor(browser) as tab:
        tab.context.set_offline(True)
        tab.emulate_media(color_scheme=scheme)
        tab.set_viewport_size({"width": width, "height": 720})
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        yield tab
        assert {url.partition(":")[0] for url in asked} <= {"file", "data", "blob"}
        assert wrong == []


def opened(tab: Page, folder: Path, page: str, **words: Any) -> None:
    tab.goto("about:blank")
    tab.goto(f"{(folder / page).as_uri()}#{urlencode(words)}")
    if page != "about.html":
        tab.wait_for_selector("html[data-drawn=all]", state="attached")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_every_page_opens_offline_and_runs_nothing_of_what_people_wrote(
    browser: Browser, atlas: tuple[Path, PairGrid], scheme: str, width: int
) -> None:
    with looking(browser, scheme, width) as tab:
        for page in ("index.html", "abx.html", "about.html"):
            opened(tab, atlas[0], page)
            assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), page
            assert tab.locator("h1").inner_text().startswith("A </script><script>alert(1)</script>")
            assert tab.locator("img, main script, [onerror], [onclick], main a[href^='javascript']").count() == 0
        opened(tab, atlas[0], "index.html")
        expect(tab.locator(".js-plotly-plot .scatterlayer .js-line")).to_have_count(1)
        ink = tab.evaluate("getComputedStyle(document.querySelector('.js-plotly-plot .gtitle, .js-plotly-plot .ytitle')).fill")
        assert (sum(map(int, ink[4:-1].split(","))) > 384) == (scheme == "dark")
        tab.emulate_media(media="print", color_scheme=scheme)
        ink = tab.evaluate("getComputedStyle(document.querySelector('.js-plotly-plot .gtitle, .js-plotly-plot .ytitle')).fill")
        assert ink == "rgb(0, 0, 0)"
        tab.emulate_media(media="screen", color_scheme=scheme)
        tab.get_by_role("link", name=MODEL[:20]).first.click()
        expect(tab.locator("#overview .js-plotly-plot")).to_have_count(3)


def shown(tab: Page, grid: PairGrid, checkpoint: int, layer: int, **words: Any) -> None:
    before = int(tab.evaluate("document.documentElement.dataset.shown"))
    cell = {"view": "Pairs", "pair_model": MODEL, "pair_checkpoint": grid.checkpoints[checkpoint].label, "pair_layer": layer}
    tab.evaluate("words => { location.hash = words }", urlencode({"corpus": CORPUS, **cell, **words}))
    tab.wait_for_selector(f"html[data-shown='{before + 1}']", state="attached")


def hovers(tab: Page, place: str) -> list[list[list[str]]]:
    """What hovers over each cell of each figure of a section."""
    read = "all => all.map(each => each.data[0].hovertext.map(row => [...row]))"
    found: list[list[list[str]]] = tab.eval_on_selector_all(f"#{place} .js-plotly-plot", read)
    return found


def test_every_hover_is_the_dashboards_letter_by_letter(browser: Browser, atlas: tuple[Path, PairGrid]) -> None:
    folder, grid = atlas
    files = [file.path for file in grid.files]
    views = random.Random(0).sample(list(product(range(3), range(3), ORDERS)), 12)
    every = ""
    with looking(browser) as tab:
        opened(tab, folder, "abx.html")
        for checkpoint, layer, order in views:
            shown(tab, grid, checkpoint, layer, order=order)
            rows = queries.pairs(files, grid.languages, [grid.checkpoints[checkpoint].fingerprint], [layer])
            drawn = figures.pairs(rows, languages=grid.languages, order=order, shared=True, some=False, title="")
            of_dashboard = [each.hovertext.tolist() for each in drawn.data if each.type == "heatmap"]
            assert hovers(tab, "matrices")[:2] == of_dashboard
            assert tab.inner_text("#order-credits") == credits_of(BY_ORDER.get(order, ()))
            every += str(of_dashboard)
    assert "95% interval" in every
    assert "not computed" in every


def test_a_pair_is_shown_over_all_layers_and_checkpoints(browser: Browser, atlas: tuple[Path, PairGrid]) -> None:
    folder, grid = atlas
    with looking(browser) as tab:
        opened(tab, folder, "abx.html")
        shown(tab, grid, 1, 2, pair_source="German · de", pair_target="Arabic · ar")
        language, meaning, _ = hovers(tab, "pair")
        for place, checkpoint in enumerate(grid.checkpoints):
            for layer in range(3):
                rows = queries.pairs([grid.files[place].path], ["ar", "de"], [checkpoint.fingerprint], [layer])
                for texts, name in ((language, "language"), (meaning, "meaning")):
                    assert f"<b>{rows[name].iloc[0]:.3f}</b>" in texts[layer][place]
                    assert f"{rows[f'{name}_low'].iloc[0]:.3f} to {rows[f'{name}_high'].iloc[0]:.3f}" in texts[layer][place]
                    assert f"Sentences: {998 - layer}" in texts[layer][place]
        expect(tab.locator("#pair-said")).to_contain_text(
            "German – Arabic, layer 2, checkpoint-100: Language discrimination 0."
        )
        shown(tab, grid, 0, 0, pair_source="ar", pair_target="fi")
        assert "not computed" in hovers(tab, "pair")[0][0][2]


def on_the_map(tab: Page) -> dict[str, str]:
    """What hovers over each language of the map, by its name."""
    read = "each => each.data.slice(2).flatMap(trace => [...trace.hovertext])"
    return {text.partition("</b>")[0]: text for text in tab.eval_on_selector("#map.js-plotly-plot", read)}


def test_every_hover_of_the_map_is_the_dashboards_letter_by_letter(browser: Browser, atlas: tuple[Path, PairGrid]) -> None:
    folder, grid = atlas
    with looking(browser) as tab:
        opened(tab, folder, "abx.html", view="Map")
        found_groups: list[set[int]] = []
        views = list(product(range(3), (0, 2), grid.metrics, (None, "ar")))
        for number, (checkpoint, layer, metric, to) in enumerate(views):
            groups = number % 7 + 1  # the line between them, too
            words = {"map_measure": metric, "map_groups": groups, **({"map_to": to} if to else {})}
            shown(tab, grid, checkpoint, layer, **words | {"view": "Map"})
            found = grid.values(checkpoint)
            at = grid.metrics.index(metric), grid.layers.index(layer)
            columns = {name: found[name][at] for name in ("value", "low", "high")}
            rows = pd.DataFrame(grid.pairs, columns=["source", "target"]).assign(**columns)
            marks = on_a_map(rows, languages=grid.languages, to=to, groups=groups, apart=metric == "abx_language")
            drawn = world_map(marks, value_title=MEASURES[metric].axis, title="")
            of_dashboard = [text for each in drawn.data[3:] for text in each.hovertext]
            assert on_the_map(tab) == {text.partition("</b>")[0]: text for text in of_dashboard}
            line = tab.eval_on_selector("#map.js-plotly-plot", "({ data }) => [[...data[1].x], [...data[1].y]]")
            for own, shown_there in zip(line, (drawn.data[2].x, drawn.data[2].y), strict=True):
                np.testing.assert_allclose(np.array(own, float), np.array(shown_there, float), atol=1e-5)
            found_groups.append(set(marks["group"]))
            symbols = tab.eval_on_selector("#map.js-plotly-plot", "({ data }) => [...data[3].marker.symbol]")
            assert symbols == drawn.data[4].marker.symbol.tolist()
        assert {len(grouped) for grouped in found_groups} >= {1, 2, 3}
        assert "no score" in str(on_the_map(tab))  # of the pair that the last checkpoint lacks
        before = tab.url
        tab.get_by_label("Score with").select_option("German")
        assert "map_to=de" in tab.url != before
        assert on_the_map(tab)["<b>German"].endswith("with German: no score")


def test_cells_sliders_and_boxes_lead_to_the_same_view(browser: Browser, atlas: tuple[Path, PairGrid]) -> None:
    folder, _ = atlas
    with looking(browser) as tab:
        opened(tab, folder, "abx.html")
        read = tab.evaluate("performance.getEntriesByType('resource').length")  # none yet: pairs are read when asked for
        assert not read or tab.locator("#matrices .js-plotly-plot").count() == 0
        tab.locator("#overview .js-plotly-plot").first.locator(".nsewdrag").click(position={"x": 10, "y": 10})
        expect(tab.locator("#matrices .js-plotly-plot")).to_have_count(3)
        assert "pair_layer=2" in tab.url
        assert "pair_checkpoint=checkpoint-0" in tab.url
        tab.locator("#layer").focus()
        tab.keyboard.press("ArrowLeft")
        expect(tab.locator("#layer-said")).to_have_text("1")
        tab.get_by_label("Search languages").fill("german, uralic")
        expect(tab.locator("#pairs-count")).to_have_text("5 of 6 pairs at layer 1, checkpoint-0")
        tab.locator("#pairs-count").click()
        expect(tab.locator("#pairs-table tr")).to_have_count(6)
        tab.get_by_label("Language", exact=True).select_option("German")
        tab.get_by_label("and", exact=True).select_option("Finnish")
        expect(tab.locator("#pair-said")).to_contain_text("German – Finnish, layer 1, checkpoint-0")
        link = tab.url
    with looking(browser) as tab:
        tab.goto(link)
        expect(tab.locator("#pair-said")).to_contain_text("German – Finnish, layer 1, checkpoint-0")


def test_what_is_missing_or_damaged_is_said(browser: Browser, atlas: tuple[Path, PairGrid], tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(atlas[0], folder)
    (folder / "data" / "g0-c1.js").unlink()
    (folder / "data" / "g0-c0.js").write_text("")
    with visitor(browser) as tab:
        for label, why in (("checkpoint-100", "cannot be read. Get the atlas again"), ("checkpoint-0", "is damaged")):
            opened(tab, folder, "abx.html", pair_checkpoint=label)
            expect(tab.get_by_role("alert")).to_contain_text(why)


def test_every_family_of_the_demo_is_walked_through_as_its_scores_are(browser: Browser, tmp_path: Path) -> None:
    model = "Demo MLM + translation contrast"
    content = publish.of_models([DEMO], model)
    few = {(grid.family.name, grid.of): number for number, grid in reversed(list(enumerate(content.grids)))}
    chosen = [content.grids[number] for number in sorted(few.values())]
    publish.publish(replace(content, grids=tuple(chosen)), [DEMO], tmp_path / "site", lambda *_: None)
    with looking(browser) as tab:
        for grid in chosen:
            words = {"model": model, "corpus": grid.corpus.name, "protocol": grid.protocol, "map_measure": grid.metrics[0]}
            label, layer = grid.checkpoints[-1].label, grid.layers[-1]
            pair = {"pair_source": grid.pairs[0][0], "pair_target": grid.pairs[0][1]}
            opened(tab, tmp_path / "site", page_of(grid.family), pair_checkpoint=label, pair_layer=layer, **words, **pair)
            found, at = grid.values(len(grid.checkpoints) - 1), (0, len(grid.layers) - 1, 0)
            said = f"{MEASURES[grid.metrics[0]].title} {found['value'][at]:.3f}"
            if np.isfinite(found["low"][at]):
                said += f" (95% interval {found['low'][at]:.3f} to {found['high'][at]:.3f}"
            expect(tab.locator("#pair-said")).to_contain_text(said)
            shown_there = sum(
                f"{MEASURES[grid.metrics[0]].title}: <b>" in text for rows in hovers(tab, "matrices")[0] for text in rows
            )
            layers = [slice(None)] if grid.of == "languages" else [len(grid.layers) - 1]
            assert shown_there == np.isfinite(found["value"][0, layers[0]]).sum()
            expect(tab.get_by_role("alert")).to_have_text("")
        tab.set_viewport_size({"width": 360, "height": 720})
        for file in {page_of(grid.family) for grid in chosen}:
            opened(tab, tmp_path / "site", file)
            assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), file


def test_models_and_relations_are_chosen_and_linked_to(browser: Browser, tmp_path: Path) -> None:
    grids = [grid for grid in publish.of_models([DEMO]).grids if grid.family.name in ("abx", "geometry")]
    content = replace(publish.of_models([DEMO]), grids=tuple(grid for grid in grids if grid.model.name.startswith("Demo")))
    publish.publish(content, [DEMO], tmp_path / "site", lambda *_: None)
    with looking(browser) as tab:
        opened(tab, tmp_path / "site", "models.html", measure="Meaning discrimination")
        expect(tab.locator("#ranks tr")).to_have_count(3)
        expect(tab.locator("#ranks tr").nth(1)).to_contain_text("Demo MLM + translation contrast")
        tab.get_by_label("Measure").select_option("Hubness")
        tab.wait_for_selector("html[data-shown=Hubness]", state="attached")
        assert "measure=Hubness" in tab.url
        opened(tab, tmp_path / "site", "relations.html")
        tab.get_by_label("A point is").select_option("a language")
        tab.get_by_label("Measure", exact=True).select_option("MEXA")
        tab.get_by_label("against").select_option("Meaning discrimination")
        expect(tab.locator("#scatter .xtitle")).to_contain_text("Meaning discrimination")
        expect(tab.locator("#scatter")).to_contain_text("10 points (language)")
        link = tab.url
        opened(tab, tmp_path / "site", "models.html")
        tab.goto(link)
        expect(tab.locator("#scatter")).to_contain_text("10 points (language)")
        tab.set_viewport_size({"width": 360, "height": 720})
        tab.reload()
        expect(tab.locator("#notes")).to_contain_text("10 points (language)")
        expect(tab.locator("#matrix .ytick")).to_have_text(
            [str(place + 1) for place in range(tab.locator("#names li").count())]
        )
        for place in ("html", "#matrix", "#scatter"):
            assert tab.eval_on_selector(place, "each => each.scrollWidth <= 360"), place
