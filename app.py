"""Page configuration and navigation, nothing else."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from isogloss.backend import listing, people
from isogloss.backend.jobs import memory
from isogloss.backend.settings import settings
from isogloss.pages.widgets import fitted, notes
from isogloss.pages.widgets.figures import present
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.navigation import sections
from isogloss.pages.widgets.server import streamlit_internals, visitor
from isogloss.pages.widgets.server.collector import collect_at_times, spare_imports, tidy_at_times
from isogloss.pages.widgets.server.doors import AccessMiddleware
from isogloss.pages.widgets.server.styled import StyleMiddleware

ICON = Path(__file__).parent / "pages" / "widgets" / "icon.svg"
"""Of our own: Streamlit's icons and emoji of a tab are fetched from another host."""

people.identify_by(visitor.now)
if not streamlit_internals.in_script():  # the server starts
    memory.share_arenas()
    streamlit_internals.ignore_pages_folder()
    streamlit_internals.leave_address_alone()
    streamlit_internals.take_defaults_for_what_does_not_fit()
    streamlit_internals.limit_uploads(settings().upload_mb)
    app = st.App(
        __file__,
        middleware=[Middleware(AccessMiddleware), Middleware(StyleMiddleware, style=fitted.STYLE, script=fitted.FOCUS)],
    )
else:
    st.set_page_config(page_title="Isogloss", page_icon=str(ICON), layout="wide", initial_sidebar_state="auto")
    page = st.navigation(sections(), position=visitor.menu(), expanded=True)
    visitor.gate()
    address.take_over(page.url_path)
    present.begin()
    notes.show()
    with listing.listed_once():
        page.run()
    address.write(page.url_path)
    spare_imports(page.title)
    collect_at_times()
    tidy_at_times()
