"""The Library's dictionaries: a dropped file is read in two languages, shown and kept; what cannot be is said in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.corpora.dictionaries.readers import read
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.pages.library.dictionaries.report import matching, tsv
from tests.pages.library.shelves import press, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

ARABIC = "Cat\tقطة\ncat\tقِطّة\ncat\tهر\n\ndog\tكلب\n" + "".join(f"word{n}\tكلمة{n}\n" for n in range(20)) + "fish\n"


def dropped(app: AppTest, files: Mapping[str, str]) -> AppTest:
    for name, content in files.items():
        app.file_uploader[0].upload(name, content.encode())
    app.run()
    assert not app.exception
    return app


def languages(app: AppTest) -> list[str | None]:
    return [box.value for box in app.selectbox]


MUSE = {"en-de.txt": "dog hund\ncat katze\n", "de-en.txt": "hund dog\n", "en-fr.0-5000.txt": "dog chien\ncat chat\n"}


def test_several_files_whose_names_say_their_languages_take_one_press(
    open_page: Callable[..., AppTest], workspace: Path
) -> None:
    app = dropped(open_page("library", shelf="Dictionaries"), MUSE | {"en-ru.txt": "\0"})
    assert [button.key for button in app.button if button.key.startswith(("read", "keep"))] == ["keep-dictionary"]
    assert "en-ru.txt" in app.error[0].value.replace("\\", "")
    assert "Recognised in de-en.txt: MUSE, spaces · German → English · 1 word · 1 pair" in shown(app)
    assert app.button(key="keep-dictionary").label == "Save 3 dictionaries"
    press(app, "keep-dictionary")
    assert {(entry.name, entry.source, entry.target) for entry in dictionaries.entries([workspace])} == {
        ("en-de", "en", "de"),
        ("de-en", "de", "en"),
        ("en-fr.0-5000", "en", "fr"),
    }


def test_languages_are_asked_for_after_what_names_said_was_discarded(open_page: Callable[..., AppTest]) -> None:
    app = dropped(open_page("library", shelf="Dictionaries"), {"en-de.txt": "hund dog\n"})
    dropped(press(app, "discard-dictionary"), {"en-de.txt": "hund dog\n"})
    assert languages(app) == ["en", "de"]
    app.selectbox[0].set_value("de").run()
    app.selectbox[1].set_value("en").run()
    press(app, "read-dictionary")
    assert "German → English · 1 word" in shown(app)


def test_languages_are_asked_for_where_a_file_is_not_what_its_name_says(open_page: Callable[..., AppTest]) -> None:
    app = dropped(open_page("library", shelf="Dictionaries"), {"ar-en.txt": ARABIC})
    assert len(app.error) == 1
    assert languages(app) == ["ar", "en"]
    app.selectbox[0].set_value("en").run()
    app.selectbox[1].set_value("ar").run()
    press(app, "read-dictionary")
    assert "English → Arabic · 22 words" in shown(app)


def test_a_file_is_read_in_the_languages_of_its_name_and_kept(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = open_page("library", shelf="Dictionaries")
    assert "No dictionary is saved yet" in shown(app)
    dropped(app, {"en-ar.txt": ARABIC})
    text = shown(app)
    assert "MUSE, tabs · English → Arabic · 22 words · 23 pairs" in text
    assert "1 blank line, 1 repeated pair skipped" in text
    assert "1 line left out" in text
    assert 'lang="ar" dir="rtl"' in text
    assert "قطة · هر" in text
    press(app, "keep-dictionary")
    (entry,) = dictionaries.entries([workspace])
    again = open_page("library", shelf="Dictionaries")
    again.session_state[f"dictionary-{entry.id[:12]}"] = True
    again.run()
    assert "1 line left out" in shown(again)
    again.text_input[0].set_value("كلب").run()
    assert "dog" in shown(again)
    assert "word1" not in shown(again)


def test_languages_are_chosen_where_the_name_does_not_say(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = dropped(open_page("library", shelf="Dictionaries"), {"animals.csv": "id,de,en\n1,Hund,dog\n2,Katze,cat\n"})
    assert languages(app) == [None, None]
    assert app.button(key="read-dictionary").disabled
    app.selectbox[0].set_value("en").run()
    app.selectbox[1].set_value("de").run()
    press(app, "read-dictionary")
    assert "English → German · 2 words · 2 pairs" in shown(app)
    assert "dog" in shown(app)
    press(app, "discard-dictionary")
    assert dictionaries.entries([workspace]) == []
    assert app.file_uploader


WORDS = st.text("aéßz'\"-, 1", min_size=1, max_size=8).filter(
    lambda word: word == " ".join(word.split()) and any(c.isalpha() for c in word)
)


@given(
    st.dictionaries(WORDS.map(lambda w: f"x{w}"), st.lists(WORDS.map(lambda w: f"y{w}"), min_size=1, unique=True), min_size=1)
)
def test_the_downloaded_table_reads_back(tmp_path_factory: pytest.TempPathFactory, entries: dict[str, list[str]]) -> None:
    first = _read(tmp_path_factory.mktemp("a"), tsv(Dictionary("en", "de", {w: tuple(t) for w, t in entries.items()})))
    assert _read(tmp_path_factory.mktemp("b"), tsv(first)) == first
    assert first.pairs


def _read(folder: Path, content: bytes) -> Dictionary:
    (folder / "x.tsv").write_bytes(content)
    return read(InputFile("x.tsv", folder / "x.tsv"), "en", "de")


def test_finding_folds_what_is_typed() -> None:
    dictionary = Dictionary("en", "de", {"cat": ("katze",), "dog": ("hund", "köter"), "it's": ("es",)})
    assert matching(dictionary, "") == [(1, "cat"), (2, "dog"), (3, "it's")]
    assert matching(dictionary, " KÖT") == [(2, "dog")]
    assert matching(dictionary, "t’s") == [(3, "it's")]
    assert matching(dictionary, "zebra") == []
