"""A figure as one HTML file that opens anywhere, without a server and without a network."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from isogloss.backend.charts.parts.theme import config

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
img-src data: blob:; form-action 'none'; base-uri 'none'">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #1f2430; background: #fff; max-width: 1240px }}
body {{ margin: 24px auto; padding: 0 20px }}
dl {{ display: grid; grid-template-columns: max-content minmax(0, 80ch); gap: 2px 16px; font-size: 14px }}
dt {{ color: #5a6072 }}
dd {{ margin: 0; overflow-wrap: anywhere }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 14px }}
th, td {{ border-bottom: 1px solid #d8dbe2; padding: 3px 10px; text-align: left }}
{styles}
</style>
{scripts}
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""
_STYLES = """h1 { font-size: 22px; margin: 0 0 12px }
.card { white-space: pre-wrap; max-width: 80ch; margin: 16px 0 }"""


def page(title: str, body: str, *, styles: str, scripts: str = "") -> str:
    """Return a page under `title`, a plain text; the rest is HTML and CSS as it is.

    The page's own policy forbids it to load or send anything.
    """
    return _PAGE.format(title=html.escape(title), body=body, styles=styles, scripts=scripts)


def to_html(
    figure: go.Figure,
    title: str,
    card_text: str,
    data: pd.DataFrame | None = None,
    *,
    about: Mapping[str, str] | None = None,
    rows: int = 5000,
) -> str:
    """Return a page with `figure`, alive, under `title`, with `card_text` (plain text), `about` and `data` as tables below.

    Everything is in the page, plotly.js included (about 5 MB). Title, text and table are escaped, and the page's own policy
    forbids it to load or send anything. Of a longer table the first `rows` are there, and it says so. `figure` is unchanged.
    """
    inner = on_white(figure).to_html(full_html=False, include_plotlyjs=True, config=config(title), auto_play=False)
    card = f'<p class="card">{html.escape(card_text)}</p>'
    return page(title, "\n".join([inner, card, listed(about), table_of(data, rows)]), styles=_STYLES)


def without_webgl(drawn: dict[str, Any]) -> dict[str, Any]:
    """Return a figure, as plotly.js takes it, whose points are shapes of the page.

    Points of the graphics card's need programs that plotly.js makes of texts, which the policies of our pages forbid: in their
    place it would say that the browser has no WebGL. In print they would be a picture, where shapes are vectors.
    """
    traces = [trace | {"type": "scatter"} if trace.get("type") == "scattergl" else trace for trace in drawn["data"]]
    return drawn | {"data": traces}


def on_white(figure: go.Figure) -> go.Figure:
    """Return a copy of `figure` with the fonts and colours of a white page, and what such a page may draw (`without_webgl`)."""
    shown = go.Figure(without_webgl(figure.to_dict()))
    shown.update_layout(
        font={"family": "system-ui, sans-serif", "size": 14, "color": "#1f2430"},
        hoverlabel={"bgcolor": "#ffffff", "font": {"color": "#1f2430"}},
    )
    return shown


def listed(about: Mapping[str, str] | None) -> str:
    """Return names and texts as HTML, escaped; a link that is an address of the web as one."""
    items = [
        f"<dt>{html.escape(name.replace('_', ' ').capitalize())}</dt><dd>{_linked(text)}</dd>"
        for name, text in (about or {}).items()
    ]
    return f"<dl>{''.join(items)}</dl>" if items else ""


def _linked(text: str) -> str:
    shown = html.escape(text)
    return f'<a href="{shown}" rel="noreferrer">{shown}</a>' if text.startswith(("http://", "https://")) else shown


def table_of(data: pd.DataFrame | None, rows: int, *, open: bool = False, of: int | None = None) -> str:
    """Return the first `rows` of `data` as an HTML table behind a summary, escaped; nothing where there are none.

    `of` is how many rows there are where `data` are some of them.
    """
    if data is None or data.empty:
        return ""
    whole = of or len(data)
    note = "" if whole <= rows else f"<p>The first {rows:,} of {whole:,} rows.</p>"
    table = data.head(rows).to_html(index=False, escape=True, border=0, na_rep="")
    return f"<details{' open' if open else ''}><summary>The data ({whole:,} rows)</summary>{note}{table}</details>"
