"""Who looks at the dashboard: login and roles, and what a role may not press."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from isogloss.backend import people
from isogloss.backend.models.library import roots
from isogloss.backend.settings import settings
from isogloss.pages.widgets.server import streamlit_internals
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard

if TYPE_CHECKING:
    from isogloss.backend.people import Person

NO_LOGIN = (
    "This dashboard names who may see it (ISOGLOSS_VIEWERS, ISOGLOSS_EDITORS or ISOGLOSS_ADMINS), but nobody can log in: there "
    "is no readable .streamlit/secrets.toml with a section [auth]. docs/sharing.md says what it holds."
)


def now() -> Person:
    """Return who this session's script runs for: the operator alone where neither login nor read-only mode is set up."""
    return streamlit_internals.once_a_run("person", lambda: person(st.user.to_dict() if has_login() else {}))


def person(claims: Mapping[str, Any]) -> Person:
    """Return who somebody is with these claims of an identity token; Streamlit adds whether they are logged in.

    Raises `SpecError` where a setting is none.
    """
    set_up = settings()
    if set_up.read_only:
        return people.READER
    if not has_login():
        return people.NOBODY if set_up.names_members else people.OPERATOR
    if claims.get("is_logged_in") is not True:
        return people.NOBODY
    return people.from_claims(claims, set_up, time.time())


def has_login() -> bool:
    """Return whether people log in: the secrets have `[auth]`, or cannot be read, which lets nobody in.

    Streamlit's own answer is the same for no secrets and for such as cannot be read.
    """
    return any(_auth(Path(each).expanduser()) is not None for each in st.get_option("secrets.files"))


def _auth(path: Path) -> Mapping[str, Any] | None:
    """Return the section of a file of secrets, empty where the file cannot be read; None where there is none of it."""
    try:
        return _auth_at(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return None
    except OSError:
        return {}


@lru_cache(maxsize=8)
def _auth_at(path: Path, _changed: int) -> Mapping[str, Any] | None:
    try:
        section = tomllib.loads(path.read_text(encoding="utf-8")).get("auth")
    except (OSError, ValueError):
        return {}
    return section if isinstance(section, dict) or section is None else {}


def model_roots() -> tuple[Path, ...] | None:
    """Return the folders that pages may read models from; None for any."""
    set_up = settings()
    return roots.of_pages(set_up, shared=has_login() or set_up.names_members or set_up.read_only)


def menu() -> Literal["sidebar", "hidden"]:
    """Say where the menu is: nowhere for who may not look."""
    with guard():
        return "hidden" if people.refusal("look") else "sidebar"


def gate() -> None:
    """Let by who may look, their name in the side bar; for others, ask for a login or say why not, and end the page."""
    with guard():
        why, who = people.refusal("look"), people.now()
    if why is not None:
        with st.container(key="closed"):  # the style waits for the menu before it shows a page, and here comes none
            _closed(who, why)
        st.stop()
    if who.role == "reader":
        st.sidebar.caption(":material/visibility: Read-only")
    elif who.name:
        with st.sidebar.container(horizontal=True, vertical_alignment="center", key="visitor"):
            st.caption(f"{verbatim(who.name)} · {who.role}", width="stretch")
            _log_out()


def _closed(who: Person, why: str) -> None:
    st.title("Isogloss", anchor=False)
    if not _providers():
        st.error(NO_LOGIN, icon=":material/lock:")
    elif who.name and not who.asked_again:
        st.error(verbatim(why), icon=":material/lock:")
        _log_out()
    else:
        st.markdown("Your login is over: log in again." if who.asked_again else "Log in to look at this workspace.")
        for provider in _providers():
            name = f" with {provider.capitalize()}" if provider else ""
            if st.button(f"Log in{name}", type="primary", icon=":material/login:", key=f"log-in-{provider}"):
                st.login(provider or None)


def _log_out() -> None:
    if st.button("Log out", type="tertiary", key="log-out"):
        st.logout()


def _providers() -> list[str]:
    """Return the providers that secrets name, "" for the one without a name; none where nobody can log in."""
    sections = [_auth(Path(each).expanduser()) or {} for each in st.get_option("secrets.files")]
    auth = {key: each for section in sections for key, each in section.items()}
    named = [key for key, each in auth.items() if isinstance(each, dict) and "client_id" in each]
    return [*([""] if "client_id" in auth else []), *named]
