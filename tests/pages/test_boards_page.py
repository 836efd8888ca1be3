"""The page of boards: a link whose board is elsewhere says so, boards of one name are told apart, a text is shown."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from opened import opened

from isogloss.backend.boards import board, versions
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.boards.records import Board, Explained
from isogloss.backend.figures.languages import language_table
from isogloss.pages.widgets.figures.pin import titles_of

if TYPE_CHECKING:
    from pathlib import Path


def test_a_link_to_a_board_of_another_workspace_says_so(workspace: Path) -> None:
    asked = {"board": "0123456789ab"}
    said = "The board of this link (0123456789ab) is not in this workspace. Open the link where it was made"
    assert said in opened("boards", asked).info[0].value
    on = board.create(workspace, "Ours")
    board.write_text(workspace, on.id, "# Where?\n**Here**", by="A")
    shown = opened("boards", asked)
    assert "is not in this workspace. Another one is shown." in shown.info[0].value
    assert "## Where?  \n**Here**" in [each.value for each in shown.markdown]
    for link in (on.id, "Ours"):  # a title, as older links have it
        found = opened("boards", {"board": link})
        assert not found.info
        assert found.selectbox(key="board").value == on.id


def test_boards_of_one_name_are_told_apart() -> None:
    def of(id_: str, title: str, day: int, hour: int) -> Board:
        return Board(id=id_ * 12, title=title, created_at=datetime(2026, 3, day, hour, tzinfo=UTC))

    same = [of("a", "Meeting", 1, 9), of("b", "Meeting", 2, 9), of("c", "Meeting", 2, 10), of("d", "Meeting", 2, 10)]
    titles = titles_of([*same, of("e", "Other", 2, 9)])
    assert titles["a" * 12] == "Meeting, 1 Mar 2026"
    assert titles["b" * 12] == "Meeting, 2 Mar 2026, 09:00"
    assert titles["c" * 12] == f"Meeting, 2 Mar 2026, 10:00, {'c' * 12}"
    assert titles["e" * 12] == "Other"
    assert len(set(titles.values())) == 5


def test_a_version_is_kept_chosen_and_removed(workspace: Path) -> None:
    on = board.create(workspace, "Ours")
    card = Explained(name="Languages", text="What it is.", source="S", bibtex="")
    recipe = Recipe((partial(language_table, tags=["de", "fi"]),))
    pin = board.pin(workspace, on.id, recipe, recipe.rows(), None, name="Table", card=card, link="/", alt="Two languages")
    board.write_note(workspace, on.id, pin.id, "As we thought", by="A")
    app = opened("boards", {"board": on.id})
    assert "version" not in {box.key for box in app.selectbox}  # none is kept
    app.text_input(key="version-title").set_value("March")
    next(button for button in app.button if button.label == "Keep").click().run()
    (kept,) = versions.versions([workspace], on.id)
    board.write_note(workspace, on.id, pin.id, "We were wrong", by="B")
    app = opened("boards", {"board": on.id, "version": kept.id})
    assert not app.exception
    texts = [each.value for each in (*app.markdown, *app.caption)]
    assert "As we thought" in texts
    assert "We were wrong" not in texts
    assert "Nothing is other now." in texts
    assert len(app.dataframe) == 1
    beside = opened("boards", {"board": on.id, "version": kept.id, "version-beside": "Beside now"})
    assert not beside.exception
    assert len(beside.dataframe) == 2
    app.button(key="version-off").click().run()
    assert versions.versions([workspace], on.id) == []
    assert "We were wrong" in [each.value for each in app.markdown]
