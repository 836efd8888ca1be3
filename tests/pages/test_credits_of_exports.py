"""Who says the facts of languages that a figure shows is in every export of it, whichever page draws it, and in no other's."""

from __future__ import annotations

import html
import io
import json
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from isogloss.backend.boards import export, images, latex, report
from isogloss.backend.boards.origins import provenance
from isogloss.backend.charts.parts.export import to_html
from isogloss.backend.corpora.languages.facts import SOURCES, Fact, credits_of, facts
from isogloss.backend.public.place import at
from isogloss.backend.settings import settings
from isogloss.pages.widgets.figures import by_name
from tests.pages.abx.abx_page import DEMO

if TYPE_CHECKING:
    from isogloss.backend.boards.provenance import Provenance
    from isogloss.backend.boards.recipe import Recipe

CREDITED: list[tuple[str, dict[str, Any], set[Fact]]] = [
    ("abx/languages", {"order": "family"}, {"family"}),
    ("abx/pairs", {"order": "genus"}, {"family", "genus"}),
    ("abx/compare", {"order": "script"}, {"script"}),
    ("abx/map", {}, {"place", "coastline"}),
    ("alignment/matrix", {"order": "region"}, {"region"}),
    ("geometry/pairs", {"order": "resource level"}, {"level"}),
    ("transfer/matrix", {"order": "family"}, {"family"}),
    ("relations/scatter", {"unit": "Language", "x": "Speakers", "colour": "Nothing"}, {"speakers"}),
    ("relations/scatter", {"unit": "Pair of languages", "x": "Syntactic distance", "colour": "Nothing"}, {"typology"}),
    ("relations/scatter", {"unit": "Language", "colour": "Resource level"}, {"level"}),
    ("relations/groups", {"group_by": "script"}, {"script"}),
    ("relations/models", {"drawn": "families"}, {"family"}),
    ("relations/models", {}, set()),
    ("abx/pairs", {"order": "name"}, set()),
]
GROUPS: dict[Fact, list[str]] = {
    "family": ["Indo-European", "Afro-Asiatic"],
    "genus": ["Germanic", "Slavic"],
    "script": ["Latin", "Cyrillic"],
}


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))


def drawn(view: str, selection: dict[str, Any]) -> tuple[Recipe, pd.DataFrame, Provenance]:
    with by_name._quiet(), at(None):
        shown = by_name._drawn(view, selection)
        recipe = next(recipe for recipe, _ in shown.values())
        rows = recipe.rows()
        return recipe, rows, provenance(recipe, settings().workspaces, rows)


def in_exports(recipe: Recipe, rows: pd.DataFrame, rests_on: Provenance) -> dict[str, str]:
    """All exports of a figure as plain text, by what they are."""
    said, figure = export.words(rests_on), recipe.drawn(rows)
    table = pq.read_table(io.BytesIO(export.to_parquet(rows, said, rests_on.to_json())))
    entry = report.Entry("A figure", rows, figure, recipe, rests_on)
    found = {
        "CSV": export.to_csv(rows, said).decode("utf-8-sig"),
        "Parquet": str(table.column("provenance_credits")[0]) if "provenance_credits" in table.schema.names else "",
        "Parquet's metadata": json.loads(table.schema.metadata[export.METADATA])["provenance"]["credits"],
        "LaTeX": latex.table(rows, "A figure", said),
        "picture": export.about("A figure", rests_on)["Description"],
        "report": re.sub(r"<script>.*?</script>", "", report.to_page("Board", [entry]), flags=re.DOTALL),
        "methods": rests_on.methods,
    }
    if figure is not None:
        found["HTML"] = re.sub(r"<script.*?</script>", "", to_html(figure, "A figure", "", rows, about=said), flags=re.DOTALL)
    return found


@pytest.mark.parametrize(("view", "selection", "used"), CREDITED, ids=[f"{view} {chosen}" for view, chosen, _ in CREDITED])
def test_each_export_credits_what_it_shows_and_nothing_else(view: str, selection: dict[str, Any], used: set[Fact]) -> None:
    recipe, rows, rests_on = drawn(view, selection)
    credited = {credits_of([fact]) for fact in used}
    for kind, text in in_exports(recipe, rows, rests_on).items():
        for sentence in {credits_of([fact]) for fact in SOURCES}:
            assert (sentence in html.unescape(text)) == (sentence in credited), (kind, sentence)


def test_groups_that_a_figure_names_are_credited_on_every_page_that_orders_by_them() -> None:
    """Found in the figure itself, whatever its recipe is like."""
    views = ("abx/compare", "tokenisers/languages", "geometry/languages", "probing/languages")
    for view in views:
        for fact, names in GROUPS.items():
            recipe, rows, rests_on = drawn(view, {"order": fact})
            figure = recipe.drawn(rows)
            assert figure is not None
            if any(f'"{name}' in figure.to_json() or f"{name}<" in figure.to_json() for name in names):
                assert SOURCES[fact].credit in rests_on.credits, (view, fact)
    assert facts("de").family in GROUPS["family"]


@pytest.mark.skipif(images.browser() is None, reason="no browser draws pictures here")
def test_pictures_and_the_report_s_files_have_the_credits_in_them() -> None:
    recipe, rows, rests_on = drawn("relations/groups", {"group_by": "script"})
    figure = recipe.drawn(rows)
    assert figure is not None
    credit, about = SOURCES["script"].credit, export.about("A figure", rests_on)
    assert credit in images.drawn(figure, "svg", about=about).decode()
    assert credit.encode() in images.drawn(figure, "png", about=about)
    pdf = images.drawn(figure, "pdf", about=about)
    assert credit.encode("utf-16-be").hex().encode() in pdf
    with zipfile.ZipFile(io.BytesIO(report.to_zip("Board", [report.Entry("F", rows, figure, recipe, rests_on)]))) as archive:
        named = [
            name for name in archive.namelist() if name.split("/")[0] in ("methods.txt", "tables", "provenance", "report.html")
        ]
        assert len(named) == 5
        for name in named:
            assert credit in archive.read(name).decode("utf-8-sig"), name
