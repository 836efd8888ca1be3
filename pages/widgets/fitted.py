"""How pages fit their window: in a narrow one columns stack and figures scroll sideways, in a wide one figures grow.

One rule for every page. A window 1280 pixels wide at a zoom of 150% counts as 853: style sheets measure it so.
"""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

NARROW, WIDE = 960, 1600
"""Widths of a window in pixels: up to the first it is narrow, from the second on wide."""
TALL = 450
"""Height in pixels of a figure that does not say its own, as plotly has it."""
KINDS = ("figure", "pin", "glance")
"""How the keys of figures begin."""
FIGURE = f":is({', '.join(f'[class*=st-key-{kind}-]' for kind in KINDS)}):has(> [data-testid=stFullScreenFrame] .stPlotlyChart)"
STYLE = f"""<style>
{FIGURE} {{ flex: none; height: var(--tall); }}
[class*=st-key-card-] {{ position: relative; border-radius: .5rem; }}
[class*=st-key-card-] > :has(> [data-testid=stPageLink]) {{ position: static; }}
[class*=st-key-card-] a::after {{ content: ""; position: absolute; inset: 0; z-index: 1; }}
[class*=st-key-card-]:hover {{ background: color-mix(in srgb, currentColor 5%, transparent); }}
[class*=st-key-card-]:has(a:focus-visible) {{ outline: 2px solid currentColor; outline-offset: 4px; }}
{FIGURE} > [data-testid=stFullScreenFrame], {FIGURE} .stPlotlyChart {{ height: 100%; }}
@media (min-width: {WIDE}px) {{
  {FIGURE} {{ height: max(var(--tall), min(1.45 * var(--tall), 100vh - 16rem)); }}
}}
@media (max-width: {NARROW}px) {{
  [data-testid=stSidebar][data-collapsed=false] {{ min-width: 14rem !important; width: 14rem !important; }}
  [data-testid=stMain] [data-testid=stHorizontalBlock] {{ flex-wrap: wrap; }}
  [data-testid=stMain] [data-testid=stColumn] {{ flex: 1 1 8rem; min-width: min(100%, 8rem); }}
  [data-testid=stMain] [data-testid=stColumn]:has(.stPlotlyChart, .stDataFrame) {{
    flex: 1 1 24rem; min-width: min(100%, 24rem);
  }}
  [data-testid=stMain] .st-key-glances [data-testid=stColumn] {{ flex: 1 1 16rem; min-width: min(100%, 16rem); }}
  {FIGURE} {{ overflow-x: auto; overflow-y: hidden; }}
  {FIGURE} > [data-testid=stFullScreenFrame] {{ min-width: 37rem; }}
  [data-testid=stColumn] {FIGURE} > [data-testid=stFullScreenFrame] {{ min-width: 0; }}
}}
</style>"""


def begin() -> None:
    """Lay the page out for any window: call before anything is drawn."""
    st.html(STYLE)


def chart(figure: go.Figure, key: str, **more: Any) -> Any:
    """Draw a figure as high as it says, higher in a wide window; `more` is `st.plotly_chart`'s. Returns what that does.

    `key` begins with one of `KINDS`.
    """
    st.html(f"<style>.st-key-{key} {{ --tall: {figure.layout.height or TALL}px; }}</style>")
    return st.plotly_chart(figure, key=key, height="stretch", theme="streamlit", **more)
