"""Login and roles on the pages: what is shown to whom, and that what is not offered is not done either."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from isogloss.backend import people
from isogloss.backend.boards import board
from isogloss.backend.models.library import library
from tests.pages.jobs.test_jobs_page import RUNNING, with_jobs
from tests.pages.opened import PATIENCE, _pages, app
from tests.test_people import MODEL, _pin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRETS = """[auth]
redirect_uri = "http://localhost:8501/oauth2callback"
cookie_secret = "secret"
client_id = "isogloss"
client_secret = "secret"
server_metadata_url = "http://localhost:1/.well-known/openid-configuration"
"""


@pytest.fixture
def login(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A dashboard with a provider, and one member of each role. The file of secrets."""
    workspace.mkdir()
    board.create(workspace, "Confidential")
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(SECRETS)
    monkeypatch.setenv("ISOGLOSS_VIEWERS", "viewer@lab.org")
    monkeypatch.setenv("ISOGLOSS_EDITORS", "editor@lab.org, group:editors")
    monkeypatch.setenv("ISOGLOSS_ADMINS", "admin@lab.org")
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # the harness leaves its script there
    before = st.get_option("secrets.files")
    _pages()  # which asks nobody who they are
    st.config.set_option("secrets.files", [str(secrets)])
    yield secrets
    st.config.set_option("secrets.files", before)
    people.identify_by(lambda: people.OPERATOR)


def opened_by(page: str, email: str | None, **claims: object) -> AppTest:
    """A page as somebody sees it; None: nobody has logged in."""
    visitor_ = app()
    visitor_._registered_pages = _pages()
    visitor_.switch_page(f"pages/{page}/page.py")
    if email is not None:
        visitor_.user = {"is_logged_in": True, "email": email, "iat": time.time(), "sub": "1"} | claims
    visitor_.run()
    assert not visitor_.exception, visitor_.exception
    return visitor_


def texts(shown: AppTest) -> str:
    every = [*shown.title, *shown.markdown, *shown.caption, *shown.error, *shown.warning, *shown.info]
    return " ".join(str(each.value).replace("\\", "") for each in every)


def labels(shown: AppTest) -> list[str]:
    return [button.label for button in shown.button]


@pytest.mark.parametrize("page", ["home", "library", "boards", "jobs", "abx", "relations"])
def test_nothing_is_shown_before_a_login(page: str, login: Path) -> None:
    shown = opened_by(page, None)
    assert labels(shown) == ["Log in"]
    assert texts(shown) == "Isogloss Log in to look at this workspace."
    assert not shown.get("page_link")


def test_who_is_in_no_group_is_refused_with_a_sentence(login: Path) -> None:
    shown = opened_by("home", "stranger@lab.org")
    assert "Looking at this workspace is for its members, and stranger@lab.org is none." in texts(shown)
    assert labels(shown) == ["Log out"]
    assert "editor@lab.org · editor" in texts(opened_by("jobs", "editor@lab.org"))
    assert "x@else.org · editor" in texts(opened_by("jobs", "x@else.org", groups=["editors"]))
    assert "Your login is over" in texts(opened_by("home", "editor@lab.org", iat=time.time() - 13 * 3600))


def test_secrets_that_cannot_be_read_or_name_no_login_let_nobody_in(login: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for broken in ("[auth", "", None):
        if broken is None:
            login.unlink()
        else:
            login.write_text(broken)
        shown = opened_by("home", None)
        assert "nobody can log in" in texts(shown), broken
        assert labels(shown) == []
    for role in ("VIEWERS", "EDITORS", "ADMINS"):
        monkeypatch.delenv(f"ISOGLOSS_{role}")
    assert "nobody can log in" not in texts(opened_by("home", None)), "one user, as without any of this"
    login.write_text("[auth")
    assert "nobody can log in" in texts(opened_by("home", None))


def test_several_providers_have_a_button_each(login: Path) -> None:
    common, provider = SECRETS.split("client_id")
    login.write_text(f"{common}[auth.google]\nclient_id{provider}\n[auth.keycloak]\nclient_id{provider}")
    assert labels(opened_by("home", None)) == ["Log in with Google", "Log in with Keycloak"]


def test_runs_are_anothers_or_ones_own(login: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = replace(RUNNING, id="run-1", by="editor@lab.org")
    other = replace(RUNNING, id="run-2", by="admin@lab.org")
    with_jobs(monkeypatch, own, other, replace(other, id="run-3", state="done"))
    keys = {who: {b.key for b in opened_by("jobs", f"{who}@lab.org").button} for who in ("viewer", "editor", "admin")}
    assert not any(str(key).startswith(("cancel", "again", "forget", "start")) for key in keys["viewer"])
    assert keys["editor"] >= {"cancel-run-1", "again-run-3"}
    assert not keys["editor"] & {"cancel-run-2", "forget-run-3"}
    assert keys["admin"] >= {"cancel-run-1", "cancel-run-2", "again-run-3", "forget-run-3"}
    assert "by admin@lab.org" in texts(opened_by("jobs", "viewer@lab.org"))


def _submitting() -> None:
    import streamlit as st

    from isogloss.backend import people
    from isogloss.pages.widgets.runs import compute
    from isogloss.pages.widgets.server import visitor
    from tests.pages.jobs.test_jobs_page import SPEC

    people.identify_by(visitor.now)
    st.text(compute.submit(SPEC) or "submitted")


def _pinning() -> None:
    import streamlit as st

    from isogloss.backend import people
    from isogloss.pages.widgets import notes
    from isogloss.pages.widgets.figures import pin
    from isogloss.pages.widgets.server import visitor

    people.identify_by(visitor.now)
    notes.show()
    st.session_state["k-title"] = "Meeting"
    st.button("Pin", on_click=pin._press, args=("k", None, None))


def test_what_another_role_may_do_is_not_done_and_said(login: Path, workspace: Path) -> None:
    """As where a page forgot to ask before it offered it."""
    shown = AppTest.from_function(_submitting, default_timeout=PATIENCE)
    shown.user = {"is_logged_in": True, "email": "viewer@lab.org", "iat": time.time()}
    shown.run()
    assert "is for editors, and viewer@lab.org is a viewer here" in shown.text[0].value
    assert [each.name for each in workspace.rglob("*.json")] == ["board.json"]


def test_a_press_counts_as_of_who_presses_not_of_whom_the_button_was_drawn_for(login: Path, workspace: Path) -> None:
    """Callbacks run before the page does: who acts is asked then too."""
    shown = AppTest.from_function(_pinning, default_timeout=PATIENCE)
    shown.user = {"is_logged_in": True, "email": "viewer@lab.org", "iat": time.time()}
    shown.run()
    shown.user = {"is_logged_in": True, "email": "stranger@lab.org", "iat": time.time()}
    shown.button[0].click().run()
    assert "Pinning figures is for its members, and stranger@lab.org is none" in shown.toast[0].value.replace("\\", "")
    assert [each.name for each in workspace.rglob("*.json")] == ["board.json"]


def test_a_reader_looks_and_changes_nothing(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.mkdir()
    on = board.create(workspace, "Meeting")
    pinned = _pin(workspace, on)
    board.write_note(workspace, on.id, pinned.id, "Seen by all")
    library.keep(MODEL, workspace)
    monkeypatch.setenv("ISOGLOSS_READ_ONLY", "1")
    with_jobs(monkeypatch, RUNNING)
    boards = opened_by("boards", None)
    assert "Seen by all" in texts(boards)
    assert "Read-only" in texts(boards)
    assert not set(labels(boards)) & {"Up", "Down", "Remove", "Save", "Pin", "Rename", "Make the board"}
    assert "Cancel" not in labels(opened_by("jobs", None))
    shown = opened_by("library", None)
    assert "nothing can be changed" in texts(shown)
    assert not shown.get("file_uploader")
    people.identify_by(lambda: people.OPERATOR)
