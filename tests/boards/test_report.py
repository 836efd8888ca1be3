"""A report opens where Isogloss is not: its zip in pandas and pyarrow; its page asks for nothing."""

from __future__ import annotations

import io
import json
import re
import zipfile
from functools import partial
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow.parquet as pq
import pytest

from isogloss.backend.boards import board, images
from isogloss.backend.boards.parts import parts_of
from isogloss.backend.boards.provenance import Provenance, versions
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.boards.records import Explained
from isogloss.backend.boards.report import Entry, references, to_page, to_zip
from isogloss.backend.charts.curves import curves
from isogloss.backend.figures.languages import language_table

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
ROWS = pd.DataFrame({"model": "M", "layer": [0, 1, 2], "value": [0.5, 0.25, 0.75], "metric": HOSTILE})
CHART = partial(curves, x="layer", value_title="Score (higher = better)")
RECIPE = Recipe((partial(language_table, tags=["de", "fi"]),))
OF = Provenance(models={"M": {"step 1": "a" * 24}}, languages=("de",), protocol=("exact/mean",), versions=versions())
BIB = "@article{b-2020,\n title={B}\n}\n\n@book{a-2019,\n title={A}\n}"


def parts(n: int = 2) -> list[Entry]:
    drawn = [
        Entry(f"Score {i}: Größe", ROWS, CHART(ROWS), RECIPE, OF, f"See {HOSTILE}\nline two", "Card", BIB) for i in range(n)
    ]
    return [*drawn, Entry(HOSTILE, ROWS, None, RECIPE, OF, bibtex="@article{b-2020,\n title={other}\n}")]


class Read(HTMLParser):
    """The tags and ids of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_has_every_part_and_loads_nothing() -> None:
    page = to_page(f"Meeting {HOSTILE}", parts())
    read = Read()
    read.feed(re.sub(r"<script\b.*?</script>", "", page, flags=re.S))
    ids = {attributes["id"] for tag, attributes in read.tags if tag == "section"}
    assert ids == {"part-1", "part-2", "part-3"}
    links = [attributes["href"] for tag, attributes in read.tags if tag == "a"]
    assert [link for link in links if link and link.startswith("#")] == ["#part-1", "#part-2", "#part-3"]
    assert not [tag for tag, attributes in read.tags if tag in ("img", "link", "iframe") or attributes.get("src")]
    assert len(re.findall(r"plotly\.js v\d", page)) == 1  # once, however many figures
    assert "default-src 'none'" in page
    assert HOSTILE not in page
    assert "&lt;img src=x" in page
    assert "line two" in page
    assert "Languages (1): de." in page


def test_the_zip_opens_in_readers_that_are_not_ours() -> None:
    told: list[tuple[float, str]] = []
    made = zipfile.ZipFile(io.BytesIO(to_zip("A board", parts(1), width="column", progress=lambda *each: told.append(each))))
    names = set(made.namelist())
    kinds = {"tables": ("csv", "tex"), "data": ("parquet",), "recipes": ("json", "py"), "provenance": ("json",)}
    stems = {name.partition("/")[2].rpartition(".")[0] for name in names if name.startswith("data/")}
    assert len(stems) == 2
    assert all(re.fullmatch(r"0[12]-[a-z0-9-]+", stem) for stem in stems)
    assert names >= {f"{folder}/{stem}.{kind}" for folder, all_ in kinds.items() for kind in all_ for stem in stems}
    assert names >= {"README.txt", "methods.txt", "references.bib", "versions.json", "report.html"}
    first = min(stems)
    csv = pd.read_csv(made.open(f"tables/{first}.csv"))
    assert csv["value"].tolist() == [0.5, 0.25, 0.75]
    table = pq.read_table(io.BytesIO(made.read(f"data/{first}.parquet")))
    assert json.loads(table.schema.metadata[b"isogloss"])["provenance"]["protocol"] == ["exact/mean"]
    assert Recipe.from_json(json.loads(made.read(f"recipes/{first}.json")), []).rows()["name"].tolist() == ["German", "Finnish"]
    compile(made.read(f"recipes/{first}.py"), first, "exec")
    assert r"\begin{tabular}" in made.read(f"tables/{first}.tex").decode()
    assert json.loads(made.read("versions.json")) == versions()
    assert made.read("references.bib").decode().count("@") == 2
    assert "exact/mean" in made.read("methods.txt").decode()
    assert told[0] == (0.0, "Score 0: Größe")
    assert told[-1][0] == 1.0
    if images.browser() is None:
        assert "no pictures" in made.read("README.txt").decode()
        return
    assert {name for name in names if name.startswith("figures/")} == {
        f"figures/{first}.{kind}" for kind in ("svg", "pdf", "png")
    }
    assert made.read(f"figures/{first}.pdf").startswith(b"%PDF")


def test_without_a_browser_the_zip_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    made = zipfile.ZipFile(io.BytesIO(to_zip("A board", parts(1))))
    assert not [name for name in made.namelist() if name.startswith("figures/")]
    assert "There are no pictures" in made.read("README.txt").decode()


def test_every_reference_is_there_once() -> None:
    assert references([BIB, "@article{b-2020,\n title={other}\n}", ""]) == "\n\n".join(reversed(BIB.split("\n\n"))) + "\n"
    assert references([]) == ""


def test_a_board_is_a_report_of_its_pins_and_notes(tmp_path: Path) -> None:
    on = board.create(tmp_path, "Meeting")
    card = Explained(name="Languages", text="What it is.", source="S", bibtex=BIB)
    rows = RECIPE.rows()
    table = board.pin(tmp_path, on.id, RECIPE, rows, None, name="Table", card=card, link="/abx?view=Pairs", alt="")
    board.write_note(tmp_path, on.id, table.id, "first", by="Ada")
    board.write_note(tmp_path, on.id, table.id, "second")
    (part,) = parts_of([tmp_path], board.open_board([tmp_path], on.id), "http://here:1/")
    assert (part.title, part.link, part.card, part.figure) == ("Table", "http://here:1/abx?view=Pairs", "What it is.", None)
    assert part.note == "first\n\n— Ada\n\nsecond"
    pd.testing.assert_frame_equal(part.rows, rows, check_dtype=False)
    assert part.recipe is not None
    assert "second" in to_page("Meeting", [part])
    path = board.folder_of(tmp_path, on.id) / "pins" / f"{table.id}.json"
    kept = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(kept | {"recipe": {"calls": [{"!": "call", "of": "backend.charts.gone:x"}]}}), encoding="utf-8")
    (part,) = parts_of([tmp_path], board.open_board([tmp_path], on.id))
    assert part.recipe is None  # of another version: its rows are those that were pinned
    assert len(part.rows) == len(rows)
    assert "Shown as it was pinned" in to_page("Meeting", [part])
    assert not [name for name in zipfile.ZipFile(io.BytesIO(to_zip("M", [part]))).namelist() if name.startswith("recipes/")]
