"""Figures with their notes as a report: one HTML file that opens anywhere, or a zip with what a paper needs of each."""

from __future__ import annotations

import html
import io
import json
import re
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from plotly.offline import get_plotlyjs

from isogloss.backend.boards import export, latex
from isogloss.backend.boards.images import NO_BROWSER, Format, Pictures, browser, pictures
from isogloss.backend.boards.markdown import to_html
from isogloss.backend.boards.provenance import versions
from isogloss.backend.boards.readable import as_text
from isogloss.backend.boards.titles import caption_of
from isogloss.backend.charts.parts.export import listed, on_white, page, table_of
from isogloss.backend.charts.parts.for_print import INCHES, Width
from isogloss.backend.charts.parts.theme import config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd
    import plotly.graph_objects as go

    from isogloss.backend.boards.provenance import Provenance
    from isogloss.backend.boards.recipe import Recipe

    Progress = Callable[[float, str], object]
    """Is told the share done, 0 to 1, and what is in hand."""

FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")
ROWS = 1000
"""Most rows of a table in the page; all are in the zip."""

_STYLES = """h1 { font-size: 26px; margin: 0 0 4px }
h2 { font-size: 20px; margin: 48px 0 8px; scroll-margin-top: 12px }
.text { max-width: 80ch; margin: 12px 0 }
.text th, .text td { padding: 2px 8px; border: 1px solid #d5d8e0 }
.note { border-left: 3px solid #2574b0; padding-left: 12px }
.quiet { color: #5a6072 }
summary { cursor: pointer; margin: 8px 0 }
pre { white-space: pre-wrap; font-size: 13px; background: #f4f5f8; padding: 8px 12px }
@media print { details, nav { display: none } section { break-inside: avoid } }"""

_README = """{title}
{rule}
Written by Isogloss {version} on {when}.

figures/     each figure as PDF and SVG (vectors) and PNG (300 dpi), {inches} inches wide, text of 8 points
tables/      its rows as a LaTeX table (booktabs) and as CSV (UTF-8)
data/        its rows as Parquet; the metadata "isogloss" has everything that they rest on, as JSON
recipes/     what gives the figure again: Python, and JSON for Isogloss
provenance/  what its rows rest on, in full
methods.txt  a paragraph a figure for the methods section
references.bib, versions.json
report.html  all of it to read, offline
{note}
"""


@dataclass(frozen=True)
class Entry:
    """A figure or table of a report, and all that is said of it."""

    title: str
    rows: pd.DataFrame
    figure: go.Figure | None
    """None for a table."""
    recipe: Recipe | None
    """None where this version of Isogloss cannot read it."""
    rests_on: Provenance
    note: str = ""
    """People's own text."""
    card: str = ""
    """What the measure's card says, as plain text."""
    bibtex: str = ""
    link: str = ""
    said: str = ""
    """What is other than when it was pinned."""

    @property
    def is_text(self) -> bool:
        """Whether it is people's text alone, without a title."""
        return not self.title


def to_page(title: str, parts: Sequence[Entry]) -> str:
    """Return a page with every part under a table of contents: its figure alive, its note, its methods, its data as a table.

    Everything is in the page, plotly.js (about 5 MB) once; its own policy forbids it to load or send anything.
    """
    figures = _figures(parts)
    contents = "".join(f'<li><a href="#part-{i}">{html.escape(part.title)}</a></li>' for i, part in figures)
    numbers = {id(part): i for i, part in figures}
    sections = "\n".join(
        f'<div class="text">{to_html(part.note)}</div>' if part.is_text else _section(numbers[id(part)], part) for part in parts
    )
    when = f"{len(figures)} figures and tables. {_when()}, Isogloss {versions()['isogloss']}."
    contents = f'<nav aria-label="Contents"><ol>{contents}</ol></nav>'
    body = "\n".join([f'<p class="quiet">{html.escape(when)}</p>', contents, sections])
    return page(title, body, styles=_STYLES, scripts=f"<script>{get_plotlyjs()}</script>")


def to_zip(title: str, parts: Sequence[Entry], *, width: Width = "page", progress: Progress | None = None) -> bytes:
    """Return a zip with the files of `_README` for every part.

    Without a browser there are no pictures, and README.txt says so. Raises `StoreError` where a picture cannot be drawn.
    """
    buffer = io.BytesIO()
    figures = _figures(parts)
    drawing_too = browser() is not None
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file, pictures() as drawing:
        for i, part in figures:
            name = f"{i:02d}-{export.slug(part.title)[:60].strip('-') or 'figure'}"
            if progress is not None:
                progress((i - 1) / len(figures), part.title)
            for path, content in _files(name, part):
                file.writestr(path, content)
            if part.figure is not None and drawing_too:
                for format in FORMATS:
                    file.writestr(f"figures/{name}.{format}", _picture(drawing, part, format, width))
        if progress is not None:
            progress(1.0, "Report")
        note = "" if drawing_too else f"\nThere are no pictures: {NO_BROWSER}\n"
        file.writestr("README.txt", _readme(title, width, note))
        file.writestr("report.html", to_page(title, parts))
        file.writestr("methods.txt", "\n\n".join(_methods(i, part) for i, part in figures) + "\n")
        file.writestr("references.bib", references(part.bibtex for part in parts))
        file.writestr("versions.json", _json(versions()))
    return buffer.getvalue()


def _figures(parts: Sequence[Entry]) -> list[tuple[int, Entry]]:
    """Return the parts that are figures and tables, numbered."""
    return list(enumerate((part for part in parts if not part.is_text), 1))


def references(entries: Iterable[str]) -> str:
    """Return BibTeX in which every key is there once, by key."""
    entries_by_key: dict[str, str] = {}
    for text in entries:
        for entry in re.split(r"\n(?=@)", text.strip()):
            if key := re.match(r"@\w+\s*\{\s*([^,\s]+)", entry):
                entries_by_key.setdefault(key.group(1), entry.strip())
    return "\n\n".join(entry for _, entry in sorted(entries_by_key.items())) + ("\n" if entries_by_key else "")


def _section(number: int, part: Entry) -> str:
    facts = export.words(part.rests_on, part.link)
    texts = [
        f'<section id="part-{number}"><h2>{number}. {html.escape(part.title)}</h2>',
        f'<p class="quiet">{html.escape(part.said)}</p>' if part.said else "",
        f'<div class="text note">{to_html(part.note)}</div>' if part.note else "",
        _alive(part.figure, part.title) if part.figure is not None else "",
        f'<p class="quiet">{html.escape(caption_of(part.rests_on))}</p>',
        table_of(as_text(part.rows.head(ROWS)), ROWS, open=part.figure is None, of=len(part.rows)),
        f'<p class="text">{html.escape(part.rests_on.methods)}</p>',
        f"<details><summary>The measure</summary><p class='text'>{html.escape(part.card)}</p></details>" if part.card else "",
        f"<details><summary>What it rests on</summary>{listed(facts)}</details>",
        f"<details><summary>Python</summary><pre>{html.escape(part.recipe.python())}</pre></details>" if part.recipe else "",
        f"<details><summary>BibTeX</summary><pre>{html.escape(part.bibtex)}</pre></details>" if part.bibtex else "",
        "</section>",
    ]
    return "\n".join(text for text in texts if text)


def _alive(figure: go.Figure, title: str) -> str:
    html_of = on_white(figure).to_html
    made: str = html_of(full_html=False, include_plotlyjs=False, config=config(title), auto_play=False)
    return made


def _files(name: str, part: Entry) -> list[tuple[str, str | bytes]]:
    """Return the files of one part but its pictures."""
    said = export.words(part.rests_on, part.link)
    files: list[tuple[str, str | bytes]] = [
        (f"tables/{name}.csv", export.to_csv(part.rows, said)),
        (f"tables/{name}.tex", latex.table(part.rows, part.title, said)),
        (f"data/{name}.parquet", export.to_parquet(part.rows, said, part.rests_on.to_json())),
        (f"provenance/{name}.json", _json(part.rests_on.to_json() | {"link": part.link})),
    ]
    if part.recipe is not None:
        files += [(f"recipes/{name}.json", _json(part.recipe.to_json())), (f"recipes/{name}.py", part.recipe.python())]
    return files


def _picture(drawing: Pictures, part: Entry, format: Format, width: Width) -> bytes:
    assert part.figure is not None
    return drawing.draw(part.figure, format, width, export.about(part.title, part.rests_on, part.link))


def _methods(number: int, part: Entry) -> str:
    note = f"\n{part.note.strip()}" if part.note.strip() else ""
    return f"{number}. {part.title}\n{part.rests_on.methods}{note}"


def _readme(title: str, width: Width, note: str) -> str:
    line = " ".join(title.split())
    return _README.format(
        title=line, rule="=" * len(line), version=versions()["isogloss"], when=_when(), inches=INCHES[width], note=note
    )


def _when() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
