"""Boards: what two people do at once is all kept; figures are drawn anew and say what changed."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from isogloss.backend.boards import as_pinned, board
from isogloss.backend.boards.again import GONE, again, change
from isogloss.backend.boards.parts import parts_of
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.boards.records import Board, Explained, Pin
from isogloss.backend.boards.report import to_page
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.abx import queries
from isogloss.backend.experiments.frames import files_of, label_checkpoints
from isogloss.backend.figures import abx as figures
from isogloss.backend.store import scores
from tests.footers import footer
from tests.warm import WARM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CARD = Explained(name="ABX", text="What it is.", source="de Seyssel et al. 2025", bibtex="@article{a}")
SHARD, CHECKPOINT = "0" * 24, "f" * 16


def measured(workspace: Path, value: float) -> None:
    """Scores of two layers of one checkpoint, meaning as given."""
    rows = [
        {"metric": metric, "step": 1, "layer": layer, "source": "de", "target": "en", "n": 9}
        | {"value": value if metric == "abx_meaning" else 0.5 + layer / 10}
        for metric in figures.METRICS
        for layer in (0, 1)
    ]
    said = {"model": "M", "checkpoint": CHECKPOINT, "corpus": "c", "variant": "exact/mean/all"}
    scores.write(workspace, "abx", SHARD, scores.table(rows, run=SHARD, family="abx", **said), footer("abx"))


def recipe(workspace: Path) -> Recipe:
    """Both scores by layer."""
    calls = (
        partial(files_of, workspaces=[workspace], family="abx", shards=[SHARD]),
        partial(queries.grid, languages=["de", "en"], checkpoints=[CHECKPOINT]),
        partial(label_checkpoints, checkpoints=[(CHECKPOINT, "M", "step 1", 1, 0)]),
    )
    drawn = partial(figures.layers_by_checkpoints, layers=[0, 1], columns={CHECKPOINT: "1"}, column_title="Step", title="M")
    return Recipe(calls, partial(drawn, shared=True))


def pinned(workspace: Path, on: Board, name: str = "Figure") -> Pin:
    own = recipe(workspace)
    rows = own.rows()
    return board.pin(workspace, on.id, own, rows, own.drawn(rows), name=name, card=CARD, link="/abx?view=Pairs", alt="a")


@pytest.fixture
def on(tmp_path: Path) -> Board:
    measured(tmp_path, 0.9)
    return board.create(tmp_path, "  Our   meeting ")


@pytest.fixture
def pin(tmp_path: Path, on: Board) -> Pin:
    return pinned(tmp_path, on)


def test_a_figure_comes_back_as_it_was_pinned(tmp_path: Path, on: Board, pin: Pin) -> None:
    found = board.open_board([tmp_path], on.id)
    assert (found.board.title, found.pins, found.damaged) == ("Our meeting", (pin,), ())
    shown = again([tmp_path], on.id, pin)
    pd.testing.assert_frame_equal(shown.rows, recipe(tmp_path).rows())
    assert shown.said == ""
    assert shown.picture is not None
    assert shown.picture.to_json() == recipe(tmp_path).drawn(shown.rows).to_json()  # type: ignore[union-attr]


def test_it_is_drawn_from_the_scores_of_now_and_says_what_changed(tmp_path: Path, on: Board, pin: Pin) -> None:
    measured(tmp_path, 0.7)
    shown = again([tmp_path], on.id, pin)
    assert "2 of " in shown.said
    assert "by 0.2 at most" in shown.said
    assert shown.picture is not None
    assert np.allclose(shown.picture.data[1].z, 0.7)
    scores.shard_path(tmp_path, "abx", SHARD).unlink()
    shown = again([tmp_path], on.id, pin)
    assert shown.said == GONE
    assert shown.as_pinned
    assert shown.picture is not None
    assert np.allclose(shown.picture.data[1].z, 0.9)


@pytest.mark.parametrize("address", ["https://example.org/x.png", "//example.org/x.png", " HTTP://example.org", "file:///x"])
def test_a_picture_that_would_load_something_from_elsewhere_is_not_shown(tmp_path: Path, address: str) -> None:
    picture = go.Figure(go.Scatter(x=[1], y=[2]), {"images": [{"source": address}]})
    as_pinned.keep(tmp_path, "0" * 12, pd.DataFrame({"a": [1]}), picture)
    assert as_pinned.picture_of([tmp_path], "0" * 12) is None


def test_a_recipe_that_cannot_be_read_is_shown_as_pinned(tmp_path: Path, on: Board, pin: Pin) -> None:
    hostile = pin.model_copy(update={"recipe": {"calls": [{"!": "call", "of": "os:system", "is": ["x"], "with": {}}]}})
    shown = again([tmp_path], on.id, hostile)
    assert "os:system" in shown.said
    assert isinstance(shown.picture, go.Figure)


def test_a_table_has_no_picture(tmp_path: Path, on: Board) -> None:
    own = recipe(tmp_path).with_chart(None)
    pin = board.pin(tmp_path, on.id, own, own.rows(), None, name="T", card=CARD, link="/", alt="")
    shown = again([tmp_path], on.id, pin)
    assert (shown.picture, shown.said) == (None, "")
    pd.testing.assert_frame_equal(shown.rows, own.rows())


def test_notes_are_rewritten_and_taken_away(tmp_path: Path, on: Board, pin: Pin) -> None:
    first = board.write_note(tmp_path, on.id, pin.id, "one", by="A")
    second = board.write_note(tmp_path, on.id, pin.id, "two", by="B")
    rewritten = board.write_note(tmp_path, on.id, pin.id, "one, better", by="A", replaces=[first.id])
    also = board.write_note(tmp_path, on.id, pin.id, "one, worse", by="B", replaces=[first.id])  # from the same text, at once
    assert board.open_board([tmp_path], on.id).notes[pin.id] == (second, rewritten, also)
    board.write_note(tmp_path, on.id, pin.id, "", replaces=[second.id])
    assert board.open_board([tmp_path], on.id).notes[pin.id] == (rewritten, also)


def test_order_removal_and_return(tmp_path: Path, on: Board) -> None:
    a, _, c = (pinned(tmp_path, on, name) for name in "abc")
    board.arrange(tmp_path, on.id, [c.id, a.id])
    assert [each.name for each in board.open_board([tmp_path], on.id).pins] == ["c", "a", "b"]
    board.remove(tmp_path, on.id, a.id)
    found = board.open_board([tmp_path], on.id)
    assert [each.name for each in found.pins] == ["c", "b"]
    assert found.removed == (a,)
    board.put_back(tmp_path, on.id, a.id)
    assert [each.name for each in board.open_board([tmp_path], on.id).pins] == ["c", "a", "b"]
    assert board.rename(tmp_path, on, "Other").title == board.boards([tmp_path])[0].title == "Other"


def busy(workspace: Path, on: str, pin: str, who: str) -> None:
    for number in range(40):
        board.write_note(workspace, on, pin, f"{who} {number}", by=who)
        board.arrange(workspace, on, [pin])
        board.open_board([workspace], on)


def test_two_people_at_once_lose_nothing(tmp_path: Path, on: Board, pin: Pin) -> None:
    people = [WARM.Process(target=busy, args=(tmp_path, on.id, pin.id, who)) for who in "AB"]
    for each in people:
        each.start()
    for each in people:
        each.join(120)
    assert [each.exitcode for each in people] == [0, 0]
    found = board.open_board([tmp_path], on.id)
    assert {note.text for note in found.notes[pin.id]} == {f"{who} {number}" for who in "AB" for number in range(40)}
    assert found.damaged == ()


@pytest.mark.parametrize("name", ["pins", "notes", "removed"])
def test_a_damaged_file_is_named_and_the_rest_is_there(tmp_path: Path, on: Board, pin: Pin, name: str) -> None:
    path = tmp_path / "boards" / on.id / name / "half.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"id":')
    found = board.open_board([tmp_path], on.id)
    assert found.pins == (pin,)
    assert found.damaged == (f"{name}/half.json",)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda workspace: board.open_board([workspace], "../../etc"),
        lambda workspace: board.open_board([workspace], "0" * 12),
        lambda workspace: board.create(workspace, " \n "),
        lambda workspace: board.create(workspace, "x" * 121),
        lambda workspace: board.write_note(workspace, "0" * 12, "..", "x"),
        lambda workspace: board.write_note(workspace, "0" * 12, "0" * 12, "x" * 20_001),
        lambda workspace: board.arrange(workspace, "0" * 12, ["/etc/passwd"]),
        lambda workspace: board.remove(workspace, "0" * 12, "a/b"),
        lambda workspace: board.folder_of(workspace, ".."),
        lambda workspace: as_pinned.rows_of([workspace], "0" * 12),
    ],
)
def test_what_cannot_be_is_said(tmp_path: Path, wrong: Callable[[Path], Any]) -> None:
    with pytest.raises(StoreError):
        wrong(tmp_path)
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("link", ["https://x.org", "//x.org", "javascript:alert(1)", "abx", "/\\x.org"])
def test_a_link_leads_nowhere_else(link: str) -> None:
    with pytest.raises(ValueError, match="link"):
        Pin(id="0" * 12, name="", recipe={}, card=CARD, link=link, alt="", by="", at=datetime.now(UTC))


def test_changes_are_counted() -> None:
    then = pd.DataFrame({"name": ["a", "b"], "value": [0.1, None], "n": pd.array([1, None], "Int64")})
    assert change(then, then.copy()) == ""
    assert change(then, then.assign(value=[0.1 + 1e-12, None])) == ""
    assert change(then, then.assign(value=[0.1, 0.2])).startswith("1 of 6 values")
    assert change(then, then.assign(value=[0.1, 0.2])).endswith("since this was pinned.")
    assert change(then, then.assign(name=["a", "c"])) == "1 name changed since this was pinned."
    assert "3 rows now, 2 when" in change(then, pd.concat([then, then[:1]]))
    assert "other columns" in change(then, then.assign(more=1))


def test_a_text_is_a_note_of_its_own_and_goes_when_it_is_emptied(tmp_path: Path, on: Board, pin: Pin) -> None:
    text = board.write_text(tmp_path, on.id, "# Where?\n- one", by="A")
    found = board.open_board([tmp_path], on.id)
    assert found.pins == (pin, text)
    assert [text.is_text, pin.is_text] == [True, False]
    assert [note.text for note in found.notes[text.id]] == ["# Where?\n- one"]
    board.arrange(tmp_path, on.id, [text.id, pin.id])
    words, drawn = parts_of([tmp_path], board.open_board([tmp_path], on.id))
    assert (words.is_text, words.note, drawn.is_text) == (True, "# Where?\n- one", False)
    page = to_page("Board", [words, drawn])
    assert page.index("<h3>Where?</h3>") < page.index('<section id="part-1">')
    board.write_note(tmp_path, on.id, text.id, "", replaces=[found.notes[text.id][0].id])
    assert board.open_board([tmp_path], on.id).pins == (pin,)
    with pytest.raises(StoreError, match="text is empty"):
        board.write_text(tmp_path, on.id, "  ")


def test_a_pin_is_called_as_people_say_until_they_take_it_back(tmp_path: Path, on: Board, pin: Pin) -> None:
    board.retitle(tmp_path, on.id, pin, " Ours ")
    (found,) = board.open_board([tmp_path], on.id).pins
    assert (found.title, found.recipe) == ("Ours", pin.recipe)
    board.retitle(tmp_path, on.id, found, "")
    assert board.open_board([tmp_path], on.id).pins == (pin,)


def test_a_board_keeps_how_it_is_laid_out(tmp_path: Path, on: Board) -> None:
    board.lay_out(tmp_path, on, 2)
    assert board.open_board([tmp_path], on.id).board.columns == 2
