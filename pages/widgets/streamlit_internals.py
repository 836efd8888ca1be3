"""What Isogloss needs of Streamlit that Streamlit 1.67 keeps to itself, in one place, each with why no public name serves."""

from __future__ import annotations

from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx


def in_script() -> bool:
    """Return whether a session's script runs in this thread, rather than the server's start.

    No documented name tells a script from the server's start, where `st.App` imports the same file.
    """
    return get_script_run_ctx() is not None


def ignore_pages_folder() -> None:
    """Leave the menu to `st.navigation`: call when the server starts.

    A folder called pages/ makes Streamlit look for pages of the old kind until the app's file has run once, and say "Page not
    found" to a deep link that comes first. `st.navigation` ends that, but only within the first run; no setting does.
    """
    PagesManager.uses_pages_directory = False


def is_history_navigation() -> bool:
    """Return whether the script runs because the visitor went back or forward in the browser's history; False outside a script.

    `st.query_params` has the URL then, as after any change; `st.context` does not say how it came about.
    """
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation
