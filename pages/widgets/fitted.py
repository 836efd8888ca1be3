"""How pages fit their window: in a narrow one columns stack and figures scroll sideways, in a wide one figures grow.

One rule for every page. A window 1280 pixels wide at a zoom of 150% counts as 853: style sheets measure it so. Text that
Streamlit makes too faint for its ground has another colour here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.charts.parts.readable import can_be_read

NARROW, WIDE = 960, 1600
"""Widths of a window in pixels: up to the first it is narrow, from the second on wide."""
MENU = 515
"""Height in pixels of the menu, which a page's controls in the side bar stand below: they are there first."""
TALL = 450
"""Height in pixels of a figure that does not say its own, as plotly has it."""
FIGURE = "[class*=st-key-]:has(> [data-testid=stFullScreenFrame] .stPlotlyChart)"
ROOM = "[class*=st-key-][class*=-room]"
"""Where a figure is, or will be: a column beside one that comes first is as wide from the beginning."""
COMING = "[data-testid=stElementContainer]:has(> [data-testid=stSkeleton])"
"""What the browser has yet to fetch the script of: a grey spot, which would be seen to jump to where the thing goes."""
AXES = ":is(.xtick, .ytick, .g-xtitle, .g-ytitle, .cbaxis, .cbtitleunit, .legend) text"
"""What plotly writes beside a figure."""
FADED = "text[style*='rgb(128, 132, 149)']"
"""What Streamlit's light theme writes in a figure without a colour of its own: annotations, names of points, titles of bars."""
BESIDE = "[class*=st-key-][class*=-beside]"
"""What stands below a figure or a table (`figures.figure.beside`)."""
SIDES = ", ".join(
    f".st-key-{key}" for key in ("first", "second", "model_a", "model_b", "other_corpus", "compare_model", "compared_with")
)
"""Boxes that choose the sides of a comparison: as high as they will be, or all below jumps where they stand in lines."""
OFFER = "[class*=st-key-compute-][class*=-offer]"
"""What is not computed yet, with its price and button (`runs.compute`): it stands above the figures."""
NOTE = "[class*=st-key-note-]"
"""The way to write a note below a row of a list (`lists.sentence_notes.below`)."""
STYLE = f"""
.stPlotlyChart :is({AXES}, {FADED}) {{ fill: color-mix(in srgb, currentColor 80%, transparent) !important; }}
[data-variant=segmented_control][data-selected], [data-testid=stSliderThumbValue] {{ color: inherit !important; }}
[data-testid=stApp]:not(:has([data-testid=stSidebar], [data-testid=stElementContainer])) * {{ display: none; }}
[data-testid=stApp]:not(:has([data-testid=stSidebar], .st-key-closed)) [data-testid=stMain] {{
  visibility: hidden; animation: isogloss-seen 0s 5s forwards;
}}
@keyframes isogloss-seen {{ to {{ visibility: visible; }} }}
[data-testid=stMain] h1 {{ padding-top: 0 !important; }}
[data-testid=stSidebarContent]:not(:has([data-testid=stSidebarNavLink])) [data-testid=stSidebarUserContent] {{
  margin-top: {MENU}px;
}}
{COMING} {{ visibility: hidden; }}
[data-testid=stLayoutWrapper]:has(> .st-key-view-alone) {{ display: none; }}
[data-testid=stSidebar] {COMING}, [data-testid=stHorizontalBlock]:has(> * > .st-key-view-options, > .st-key-view-options) {{
  min-height: 4.25rem;
}}
:is(.st-key-view, .st-key-view-group, .st-key-unit):has(> [data-testid=stSkeleton]) {{ height: 32px; overflow: hidden; }}
:is({SIDES}) {{ min-height: 4.25rem; }}
:is(.st-key-compare, .st-key-measure) {{ min-height: 3.75rem; }}
[data-testid=stMain] .st-key-swap {{ min-width: 5.125rem !important; }}
[data-testid=stSelectbox] input {{ text-overflow: ellipsis; }}
[data-testid=stSidebar] [data-testid=stSelectbox] input {{ font-size: .8125rem; }}
[data-testid=stSidebar] [data-testid=stExpanderDetails] {{ padding-left: .5rem; padding-right: .5rem; }}
[class*=st-key-card-] {{ position: relative; border-radius: .5rem; }}
[class*=st-key-card-] > :has(> [data-testid=stPageLink]) {{ position: static; }}
[class*=st-key-card-] a::after {{ content: ""; position: absolute; inset: 0; z-index: 1; }}
[class*=st-key-card-]:hover {{ background: color-mix(in srgb, currentColor 5%, transparent); }}
[class*=st-key-card-]:has(a:focus-visible) {{ outline: 2px solid currentColor; outline-offset: 4px; }}
[data-testid=stNumberInput] button:not([aria-label^=Help]) {{ display: none; }}
@media (hover: hover) {{
  [data-testid=stMultiSelect]:not(:hover, :focus-within) button[aria-label^=Remove],
  [data-testid=stVerticalBlock]:not(:hover, :focus-within) > * > * > {NOTE}:not(:has([aria-expanded=true])),
  [data-testid=stColumn] ~ [data-testid=stColumn]:not(:hover, :focus-within) {BESIDE}:not(:has([aria-expanded=true])) {{
    opacity: 0;
  }}
}}
[data-testid=stPopoverBody]:has([class*=-pin-press]) {{ min-height: min-content; }}
{FIGURE} > [data-testid=stFullScreenFrame], {FIGURE} .stPlotlyChart {{ height: 100%; }}
@media (max-width: {NARROW}px) {{
  [data-testid=stSidebar][data-collapsed=false] {{ min-width: 14rem !important; width: 14rem !important; }}
  [data-testid=stMain] [data-testid=stMainBlockContainer] {{ padding-left: 1rem; padding-right: 1rem; }}
  [data-testid=stMain] [data-testid=stHorizontalBlock] {{ flex-wrap: wrap; }}
  [data-testid=stMain] [data-testid=stColumn] {{ flex: 1 1 8rem; min-width: min(100%, 8rem); }}
  [data-testid=stMain] [data-testid=stColumn]:where(:has({ROOM}, .stDataFrame), :has({ROOM}) ~ *) {{
    flex: 1 1 24rem; min-width: min(100%, 24rem);
  }}
  [data-testid=stMain] .st-key-glances [data-testid=stColumn] {{ flex: 1 1 16rem; min-width: min(100%, 16rem); }}
  .st-key-views-in-two-rows .st-key-view:has(> [data-testid=stSkeleton]) {{ height: 4.2rem; }}
  [data-testid=stMain] {OFFER} {{ gap: .25rem 1rem; padding: .5rem .75rem; }}
  {FIGURE} {{ overflow-x: auto; overflow-y: hidden; }}
  {FIGURE} > [data-testid=stFullScreenFrame] {{ min-width: 31rem; }}
  [data-testid=stColumn] {FIGURE} > [data-testid=stFullScreenFrame] {{ min-width: 0; }}
  {FIGURE}:has(.subplot.x2y2 .heatmaplayer) .annotation-text {{ font-size: 11px !important; }}
}}"""
"""Of every page. Before the menu is there nothing is drawn, for 5 s at most: it would move aside. What is yet to come has its
room. A title stands as high alone as beside a button. What *Pin* opens stands above its button where
there is no room below. A number is typed or moved by the arrow keys. What takes a choice away, what is done with a figure
to the right of another, and a row's *Note*, is seen under a pointer or in focus; on a screen without pointers always."""
GROWN = """<style>@media (min-width: {wide}px) {{
  :has(> .st-key-{key}) {{ min-height: min(1.45 * {tall}px, 100vh - 16rem); }}
}}</style>"""
"""Of one figure, in a wide window."""
UNNUMBERED = """<style>@media (max-width: {narrow}px) {{ .st-key-{key} .heatmap-label {{ display: none; }} }}</style>"""
"""Of one figure, in a narrow window."""
FOCUS = Path(__file__).with_name("focus.js").read_text(encoding="utf-8")
"""Of every page: of many lines the one under the pointer stands out."""
CELLS = 300.0
"""Pixels that the cells of a heatmap have together in a narrow window, beside their names and the colour bar."""


def chart(figure: go.Figure, key: str, **more: Any) -> Any:
    """Draw a figure as high as it says, higher in a wide window; `more` is `st.plotly_chart`'s. Returns what that does."""
    tall, room = figure.layout.height or TALL, f"{key}-room"
    with st.container(height=tall, border=False, key=room):  # there before the figure: nothing below moves when it comes
        st.html(GROWN.format(key=room, tall=tall, wide=WIDE))
        if not can_be_read(figure, CELLS):
            st.html(UNNUMBERED.format(key=room, narrow=NARROW))
        return st.plotly_chart(figure, key=key, height="stretch", theme="streamlit", **more)
