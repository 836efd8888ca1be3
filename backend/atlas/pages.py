"""The HTML of an atlas: every name and text in it is escaped, nothing in it is asked of another host."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from isogloss.backend.boards.markdown import to_html
from isogloss.backend.boards.readable import as_text
from isogloss.backend.boards.titles import caption_of
from isogloss.backend.charts.parts.export import listed, table_of
from isogloss.backend.charts.world.world import DISTINCT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.boards.report import Entry
    from isogloss.backend.experiments.family import Family

ROWS = 300
"""Most rows of a table in a page; all are in its files."""
POLICY = (
    "default-src 'none'; script-src 'self' file: blob:; style-src 'self' file: 'unsafe-inline'; "
    "img-src 'self' file: data: blob:; form-action 'none'; base-uri 'none'"
)
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<title>{name} · {title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/atlas.css">
{scripts}
</head>
<body>
<header><nav aria-label="Pages">{nav}</nav></header>
<main>
{body}
</main>
</body>
</html>
"""
_DRAWN = '<div class="figure" role="img" data-figure="{data}" aria-label="{label}" style="min-height:{height:.0f}px"></div>'
_WALK = """<h1>{title}: {family}</h1>
<p class="quiet" id="said"></p>
<p role="alert" id="problem"></p>
<noscript><p>This page draws its figures by JavaScript, which is off here. The numbers are in the files of
<a href="about.html">Data and methods</a>.</p></noscript>
<div class="controls"><div><label for="model">Model</label><select id="model" class="steady"></select></div>
<div><label for="grid">Scores on</label><select id="grid" class="steady"></select></div></div>
<section id="overview-section">
<h2>Layers and checkpoints</h2>
<p class="quiet" id="overview-said"></p>
<div class="figures narrow" id="overview"></div>
</section>
<div class="controls fixed later">
<div><span><label for="checkpoint">Checkpoint</label>: <output id="checkpoint-said"></output></span>
<input type="range" id="checkpoint" min="0" step="1"></div>
<div><span><label for="layer">Layer</label>: <output id="layer-said"></output></span>
<input type="range" id="layer" min="0" step="1"></div>
</div>
<section class="later">
<h2 id="matrices-title">Pairs of languages</h2>
<div class="controls">
<div><label for="order">Languages by</label><select id="order">{orders}</select></div>
<div><label for="search">Search languages</label>
<input type="search" id="search" placeholder="name, tag, family, region"></div>
</div>
<div class="figures" id="matrices"></div>
<p class="quiet" id="order-credits"></p>
<details id="pairs-list"><summary id="pairs-count"></summary>
<div class="scroll"><table id="pairs-table"></table></div></details>
</section>
<section id="map-section" class="later">
<h2>Map</h2>
<div class="controls">
<div><label for="map-measure">Measure</label><select id="map-measure"></select></div>
<div id="map-grouped"><label for="map-groups">Groups</label><select id="map-groups">{groups}</select></div>
<div id="map-with"><label for="map-to">Score with</label><select id="map-to"></select></div>
</div>
<div class="figure" id="map" role="img"></div>
<p class="quiet" id="map-said"></p>
</section>
<section class="later">
<h2 id="pair-title">One pair of languages</h2>
<div class="controls">
<div><label for="source">Language</label><select id="source"></select></div>
<div id="pair-with"><label for="target" id="target-name">and</label><select id="target"></select></div>
</div>
<p id="pair-said" aria-live="polite"></p>
<div class="figures narrow" id="pair"></div>
</section>
<section id="sentences-section" hidden>
<h2>Most confused sentences</h2>
<div class="controls"><div><label for="task">Confused in</label><select id="task"><option value="meaning">Meaning</option>
<option value="language">Language</option></select></div></div>
<div id="sentences"></div>
</section>
"""

_NO_SCRIPT = """<p role="alert" id="problem"></p>
<noscript><p>This page draws its figures by JavaScript, which is off here. The numbers are in the files of
<a href="about.html">Data and methods</a>.</p></noscript>
"""
_MODELS = (
    """<h1>{title}: Models</h1>
<p class="quiet">Means over the languages that all models have, at each one's last checkpoint, over its layers. Models share a
letter where they cannot be told apart; intervals of ranks hold all at once. Data: <a href="{csv}" download>CSV</a></p>
"""
    + _NO_SCRIPT
    + """<div class="controls"><div><label for="measure">Measure</label><select id="measure"></select></div></div>
<p class="quiet" id="said"></p>
<div class="across"><div class="figure" id="figure" role="img"></div></div>
<div class="across"><table id="ranks"></table></div>
"""
)
_RELATIONS = (
    """<h1>{title}: Relations</h1>
<p class="quiet">Measures of a model, at most {most}, at its last checkpoint, over its layers. P-values permute languages.</p>
"""
    + _NO_SCRIPT
    + """<div class="controls">
<div><label for="model">Model</label><select id="model" class="steady"></select></div>
<div><label for="unit">A point is</label><select id="unit"><option value="pair">a pair of languages</option>
<option value="language">a language</option></select></div>
<div><label for="x">Measure</label><select id="x" class="steady"></select></div>
<div><label for="y">against</label><select id="y" class="steady"></select></div>
</div>
<div class="figure" id="scatter" role="img" style="min-height:450px"></div>
<p id="notes"></p>
<section class="later"><h2>All against all</h2>
<p class="quiet">Choose a cell for its points.</p>
<div class="figure" id="matrix" role="img" aria-label="Correlations of all measures with each other"></div>
<ol id="names"></ol>
</section>
"""
)


def models(title: str, csv: str) -> str:
    """Return the body of the page of models side by side; `csv` is the file of its numbers."""
    return _MODELS.format(title=html.escape(title), csv=csv)


def relations(title: str, most: int) -> str:
    """Return the body of the page of measures against each other, of a model at most so many."""
    return _RELATIONS.format(title=html.escape(title), most=most)


def title_of(family: Family) -> str:
    """Return what the page of a family is called."""
    return family.menu.title if family.menu else family.name


def page(file: str, title: str, names: Mapping[str, str], body: str, scripts: Sequence[str] = ()) -> str:
    """Return a page of an atlas that has these files, each with what it is called; `body` is HTML as it is."""
    nav = " ".join(
        f'<a href="{each}"{" aria-current=page" if each == file else ""}>{html.escape(name)}</a>'
        for each, name in names.items()
    )
    tags = "\n".join(f'<script defer src="assets/{name}"></script>' for name in scripts)
    name = html.escape(names[file])
    return _PAGE.format(policy=POLICY, name=name, title=html.escape(title), scripts=tags, nav=nav, body=body)


def walk(title: str, family: str, orders: Sequence[str]) -> str:
    """Return the body of the page that walks through the scores of a family."""
    options = "".join(f'<option value="{each}">{each}</option>' for each in orders)
    groups = "".join(f'<option value="{each}">{each if each > 1 else "None"}</option>' for each in range(1, DISTINCT + 1))
    return _WALK.format(title=html.escape(title), family=html.escape(family), orders=options, groups=groups)


def figures(title: str, said: str, parts: Sequence[tuple[Entry, str, str]], families: Mapping[str, Mapping[str, str]]) -> str:
    """Return the body of the entry page: what it is, the scores to walk through (by family, a link a model), and every part.

    `parts` are each with the name of its data ("" for a text) and why it is left out ("" where it is not).
    """
    walks = "".join(f"<dt>{html.escape(family)}</dt><dd>{_links(links)}</dd>" for family, links in families.items())
    numbered = [part for part in parts if part[1]]
    contents = "".join(f'<li><a href="#{data}">{html.escape(part.title)}</a></li>' for part, data, _ in numbered)
    body = [
        f'<h1>{html.escape(title)}</h1><p class="quiet">{html.escape(said)}</p>',
        f'<nav aria-label="Figures"><ol>{contents}</ol></nav>' if contents else "",
        f"<h2>Walk through the scores</h2><dl>{walks}</dl>" if walks else "",
        *(_part(*each) for each in parts),
    ]
    return "\n".join(each for each in body if each)


def _links(links: Mapping[str, str]) -> str:
    return ", ".join(f'<a href="{html.escape(link)}">{html.escape(name)}</a>' for name, link in links.items())


def _part(part: Entry, data: str, why: str) -> str:
    if part.is_text:
        return f'<div class="text">{to_html(part.note)}</div>'
    heading = f'<section id="{data}"><h2>{html.escape(part.title)}</h2>'
    note = f'<div class="text note">{to_html(part.note)}</div>' if part.note else ""
    if why:
        return f'{heading}{note}<p class="quiet">{html.escape(why)}</p></section>'
    files = " ".join(f'<a href="tables/{data}.{kind}" download>{kind.upper()}</a>' for kind in ("csv", "parquet"))
    label = html.escape(part.title)
    more = {"Methods": part.rests_on.methods, "The measure": part.card, "BibTeX": part.bibtex}
    return "\n".join(
        [
            heading,
            f'<p class="quiet">{html.escape(part.said)}</p>' if part.said else "",
            note,
            "" if part.figure is None else _DRAWN.format(data=data, label=label, height=part.figure.layout.height or 400),
            f'<p class="quiet">{html.escape(caption_of(part.rests_on))}. Data: {files}</p>',
            table_of(as_text(part.rows.head(ROWS)), ROWS, open=part.figure is None, of=len(part.rows)),
            *(f"<details><summary>{name}</summary>{_said(text)}</details>" for name, text in more.items() if text),
            "</section>",
        ]
    )


def _said(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>" if "\n" in text else f"<p class='text'>{html.escape(text)}</p>"


def about(title: str, blocks: Mapping[str, str | Mapping[str, str]], files: Mapping[str, str]) -> str:
    """Return the body of the page of data and methods: texts, or names with texts, by heading; `files` with what they are."""
    body = [f"<h1>{html.escape(title)}</h1>"]
    for heading, block in blocks.items():
        shown = _said(block) if isinstance(block, str) else listed(block)
        body.append(f"<section><h2>{html.escape(heading)}</h2>{shown}</section>")
    links = "".join(f'<dt><a href="{file}">{file}</a></dt><dd>{html.escape(what)}</dd>' for file, what in files.items())
    return "\n".join([*body, f"<section><h2>Files</h2><dl>{links}</dl></section>"])
