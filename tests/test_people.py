"""Who may do what: roles from the claims of an identity token, and every function that changes a workspace asks first."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from isogloss.backend import people
from isogloss.backend.boards import board
from isogloss.backend.boards.records import Board, Explained, Pin
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.library import KIND
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import categories, sentence_notes
from isogloss.backend.jobs import client, starter
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import discover, library
from isogloss.backend.models.static import library as static_library
from isogloss.backend.people import NEEDS, RANK, Person, RefusedError
from isogloss.backend.settings import Settings, settings
from isogloss.backend.store import cache
from tests.boards.test_board import recipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent
NOW = 1_000_000.0
MODEL = Model(
    name="m",
    architecture="bert",
    layers=1,
    dims=2,
    checkpoints=(Checkpoint(source="folder", location="/m", label="m", fingerprint="a" * 24),),
)


@pytest.fixture(autouse=True)
def _afterwards_the_operator() -> Iterator[None]:
    yield
    people.identify_by(lambda: people.OPERATOR)


def acting(role: people.Role, name: str = "ada@lab.org") -> Person:
    person = Person(name, role)
    people.identify_by(lambda: person)
    return person


def who(members: Settings, **claims: object) -> Person:
    return people.from_claims({"iat": NOW - 60, "sub": "1"} | claims, members, NOW)


def test_roles_are_given_by_address_domain_and_group_and_the_highest_counts() -> None:
    members = Settings(viewers=("@lab.org",), editors=("group:nlp", "eve@lab.org"), admins=("Ada@Lab.org",))
    assert who(members, email="ADA@lab.org") == Person("ada@lab.org", "admin")
    assert who(members, email="eve@lab.org").role == "editor"
    assert who(members, email="bob@lab.org").role == "viewer"
    assert who(members, email="bob@else.org", groups=["x", "nlp"]).role == "editor"
    assert who(members, email="bob@else.org", groups="nlp").role == "editor"
    assert who(members, email="bob@sub.lab.org").role == "nobody"
    assert who(members, email="bob@else.org", groups=["NLP", "nlp2", 7, None]).role == "nobody"
    assert who(members, email="lab.org").role == "nobody"
    assert who(members, roles=["nlp"]).role == "nobody"
    assert who(Settings(editors=("group:nlp",), groups_claim="roles"), roles=["nlp"]).role == "editor"


def test_who_is_in_no_group_is_nobody_and_a_star_means_whoever_logs_in() -> None:
    assert who(Settings(), email="ada@lab.org").role == "nobody"
    assert who(Settings(viewers=("*",))).role == "viewer"


@pytest.mark.parametrize("verified", [False, "false", None, 0, "no"])
def test_an_address_that_is_not_verified_is_nobodys(verified: object) -> None:
    found = who(Settings(admins=("ada@lab.org", "@lab.org")), email="ada@lab.org", email_verified=verified, name="ada@lab.org")
    assert found == Person("ada@lab.org (1)", "nobody"), "their own name does not pass for an address either"


def test_a_login_counts_for_some_hours_and_one_without_a_time_for_none() -> None:
    members = Settings(admins=("ada@lab.org",), login_hours=1.0)
    assert who(members, email="ada@lab.org", iat=NOW - 3599).role == "admin"
    assert who(members, email="ada@lab.org", iat=NOW - 3601) == Person("ada@lab.org", "nobody", asked_again=True)
    assert who(members, email="ada@lab.org", iat=None).role == "nobody"


def test_each_role_may_what_those_below_may_and_of_others_only_what_it_says() -> None:
    for role, rank in RANK.items():
        acting(role)
        for action, (own, others, _) in NEEDS.items():
            assert (people.refusal(action, of="bob@lab.org") is None) == (rank >= RANK[others]), (role, action)
            assert (people.refusal(action, of="ada@lab.org") is None) == (rank >= RANK[own]), (role, action)
    acting("editor", "")
    assert people.refusal("cancel", of=""), "a run without a name is nobody's own"
    acting("viewer")
    with pytest.raises(
        RefusedError, match=r"^Starting runs and workers is for editors, and ada@lab.org is a viewer here\. Ask"
    ):
        people.require("run")


@pytest.mark.parametrize("entry", ["ada", "group:", "group: ", "lab.org", "**"])
def test_a_role_given_to_nobody_is_said(entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_EDITORS", f"ada@lab.org, {entry}")
    with pytest.raises(SpecError, match="which means nobody"):
        settings()


@pytest.mark.parametrize("name", ["read_only", "allow_pickle"])
def test_yes_and_no_are_the_same_in_every_setting(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    yes, no = dict.fromkeys(("1", "True", "yes", " on "), True), dict.fromkeys(("0", "", "No", "off"), False)
    for text, meant in (yes | no).items():
        monkeypatch.setenv(f"ISOGLOSS_{name.upper()}", text)
        assert getattr(settings(), name) is meant, text
    monkeypatch.setenv(f"ISOGLOSS_{name.upper()}", "whatever")
    with pytest.raises(
        SpecError, match=f"^ISOGLOSS_{name.upper()} is 'whatever', which is neither yes nor no. Set it to 1 or 0,"
    ):
        settings()


def test_a_length_is_above_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("0", "-1", "nan", "inf"):
        monkeypatch.setenv("ISOGLOSS_LOGIN_HOURS", text)
        with pytest.raises(SpecError, match="ISOGLOSS_LOGIN_HOURS"):
            settings()


ENTRY = "e" * 24
SENTENCE = sentence_notes.sentence("c", "1")
CHANGES: dict[str, Callable[[Path, Board, str], object]] = {
    "client.submit": lambda w, _b, _p: client.submit(None, Settings(workspace=w)),  # type: ignore[arg-type]
    "starter.ensure_worker": lambda w, _b, _p: starter.ensure_worker(Settings(workspace=w)),
    "kept.keep": lambda w, _b, _p: KIND.keep(None, "x", w),  # type: ignore[arg-type]
    "kept.rename": lambda w, _b, _p: KIND.rename(ENTRY, "other", w),
    "kept.remove": lambda w, _b, _p: KIND.remove(ENTRY, w),
    "models.discover": lambda w, _b, _p: discover.discover(str(w)),
    "models.keep": lambda w, _b, _p: library.keep(MODEL, w),
    "models.remove": lambda w, _b, _p: library.remove("kept", w),
    "models.rename": lambda w, _b, _p: library.rename("kept", "other", [w]),
    "static.rename": lambda w, _b, _p: static_library.rename(ENTRY, "other", w),
    "sentence_notes.write": lambda w, _b, _p: sentence_notes.write(w, SENTENCE, ["tag"], "text"),
    "static.add": lambda w, _b, _p: static_library.add("v", {"en": w / "x.vec"}, w),
    "static.remove": lambda w, _b, _p: static_library.remove(ENTRY, w),
    "categories.set": lambda w, _b, _p: categories.set(w, None, "x"),  # type: ignore[arg-type]
    "cache.remove": lambda w, _b, _p: cache.remove(w, "scores"),
    "cache.check": lambda w, _b, _p: cache.check(w),
    "board.create": lambda w, _b, _p: board.create(w, "Other"),
    "board.rename": lambda w, b, _p: board.rename(w, b, "Other"),
    "board.pin": lambda w, b, _p: _pin(w, b),
    "board.write_note": lambda w, b, p: board.write_note(w, b.id, p, "text"),
    "board.arrange": lambda w, b, p: board.arrange(w, b.id, [p]),
    "board.remove": lambda w, b, p: board.remove(w, b.id, p),
    "board.put_back": lambda w, b, p: board.put_back(w, b.id, p),
}


def _pin(workspace: Path, on: Board) -> Pin:
    card = Explained(name="n", text="t", source="s", bibtex="b")
    return board.pin(
        workspace, on.id, recipe(workspace), pd.DataFrame({"x": [1]}), None, name="F", card=card, link="/abx", alt="a"
    )


def _files(workspace: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in workspace.rglob("*") if path.is_file()}


@pytest.mark.parametrize("change", CHANGES)
def test_a_reader_changes_nothing(change: str, workspace: Path) -> None:
    on = board.create(workspace, "Meeting")
    pinned = _pin(workspace, on)
    library.keep(MODEL.model_copy(update={"name": "kept"}), workspace)
    (workspace / "scores").mkdir()
    (workspace / "scores" / "damaged.parquet").write_text("damaged")
    before = _files(workspace)
    people.identify_by(lambda: people.READER)
    with pytest.raises(RefusedError, match="read-only"):
        CHANGES[change](workspace, on, pinned.id)
    assert _files(workspace) == before


CHANGING = {"submit", "cancel", "forget", "keep", "remove", "rename", "add", "set", "write", "write_note", "pin", "create"} | {
    "arrange",
    "put_back",
    "check",
    "ensure_worker",
    "discover",
}


KIND_FILE = ROOT / "backend" / "corpora" / "shared" / "kind.py"


def test_every_function_that_pages_change_a_workspace_with_is_among_them() -> None:
    """What pages call of a backend module, where its name is that of a change, asks who acts, itself or at one remove."""
    asked = {
        (path, function.name)
        for path in (ROOT / "backend").rglob("*.py")
        if "people.require(" in (text := path.read_text(encoding="utf-8"))
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef) and _asks(function)
    }
    seen = set()
    for page in sorted((ROOT / "pages").rglob("*.py")):
        for module, name in _backend_calls(page):
            if name in CHANGING and "kinds" not in module.stem:  # which reads alone
                assert (_defined(module, name), name) in asked, f"{page.relative_to(ROOT)} calls {module.stem}: {name}"
                seen.add(f"{module.stem}.{name}")
    assert {"client.submit", "library.keep", "board.pin", "board.write_note", "cache.remove", "discover.discover"} <= seen


def _asks(function: ast.FunctionDef) -> bool:
    return "people.require(" in ast.unparse(function)


def _defined(module: Path, name: str) -> Path:
    """Return where a function of a module is: a kind's are those of its declaration."""
    return KIND_FILE if f"KIND.{name}" in module.read_text(encoding="utf-8") else module


def _backend_calls(page: Path) -> list[tuple[Path, str]]:
    tree = ast.parse(page.read_text(encoding="utf-8"))
    modules: dict[str, Path] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("isogloss.backend"):
            for alias in node.names:
                path = ROOT / str(node.module).removeprefix("isogloss.").replace(".", "/")
                of_function = (alias.name, path.with_suffix(".py"))
                modules[alias.asname or alias.name] = path / f"{alias.name}.py" if path.is_dir() else of_function[1]
    calls = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            calls.append((modules[node.value.id], node.attr))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in modules:
            calls.append((modules[node.func.id], node.func.id))
    return [(path, name) for path, name in calls if path.is_file()]


def test_what_is_kept_says_who_brought_it_and_a_name_cannot_be_given(workspace: Path) -> None:
    acting("editor")
    on = board.create(workspace, "Meeting")
    pinned = _pin(workspace, on)
    note = board.write_note(workspace, on.id, pinned.id, "mine", by="Bob")
    library.keep(MODEL, workspace)
    assert (pinned.by, note.by, library.load_entry("m", [workspace]).by) == ("ada@lab.org",) * 3
    acting("viewer", "bob@lab.org")
    with pytest.raises(RefusedError, match=r"is for editors, and bob@lab\.org is a viewer"):
        board.write_note(workspace, on.id, pinned.id, "his", replaces=[note.id])
    with pytest.raises(RefusedError):
        board.remove(workspace, on.id, pinned.id)
    his = sentence_notes.write(workspace, SENTENCE, [], "his own", by="Ada")
    assert his.by == "bob@lab.org"
    acting("viewer", "eve@lab.org")
    with pytest.raises(RefusedError):
        sentence_notes.write(workspace, SENTENCE, [], "", replaces=[his.id])
    own = _pin(workspace, on)
    board.remove(workspace, on.id, own.id)
    opened = board.open_board([workspace], on.id)
    assert [each.id for each in opened.pins] == [pinned.id]
    assert [each.text for each in opened.notes[pinned.id]] == ["mine"]


def test_without_a_login_nothing_is_asked_and_no_name_is_kept(workspace: Path) -> None:
    library.keep(MODEL, workspace)
    assert library.load_entry("m", [workspace]).by == ""
    assert '"by"' not in next((workspace / "models").glob("*.json")).read_text()
    assert corpora.entries([workspace]) == []
