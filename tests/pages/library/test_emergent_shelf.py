"""The Library's emergent corpora: dropped files are read, shown and kept; who drops them decides on broken rows."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.corpus import EmergentReport
from isogloss.backend.corpora.emergent.readers import InputFile, read
from isogloss.pages.library.emergent import report as emergent_report
from tests.corpora.emergent.utterances import from_utterances
from tests.pages.library.shelves import press, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

GAME = "".join(f"[{i % 5}, {i % 3}, 7]\n" for i in range(25))
BROKEN = GAME + "[1, -4]\n[]\n[true]\n[]\n"


def dropped(app: AppTest, files: Mapping[str, str | bytes]) -> AppTest:
    for name, content in files.items():
        app.file_uploader[0].upload(name, content if isinstance(content, bytes) else content.encode())
    app.run()
    assert not app.exception
    return app


def again(open_page: Callable[..., AppTest]) -> AppTest:
    """The shelf with what can be added opened beside what is kept."""
    app = open_page("library", shelf="Emergent")
    app.session_state["add-Emergent"] = True
    return app.run()


def test_a_corpus_with_broken_rows_is_read_shown_and_kept_without_them(
    open_page: Callable[..., AppTest], workspace: Path
) -> None:
    app = open_page("library", shelf="Emergent")
    assert "No emergent corpus is saved yet" in shown(app)
    press(dropped(app, {"game one.jsonl.gz": gzip.compress(BROKEN.encode())}), "read-emergent")
    text = shown(app)
    assert "Recognised: JSON Lines of integer arrays, gzip · 75 tokens · 25 utterances · 6 symbols" in text
    assert "4 rows left out" in text
    assert "Left out · an empty utterance: 2 · a negative id: 1 · not an integer: 1" in text
    frame = next(frame.value for frame in app.dataframe if "Reason" in frame.value)
    assert frame.to_dict("list") == {
        "File": ["game one.jsonl.gz"] * 4,
        "Line": [26, 27, 28, 29],
        "Reason": ["a negative id: -4", "an empty utterance", "not an integer: true", "an empty utterance"],
    }
    assert "3 tokens in every utterance · 6 of the integers 0 to 7" in text
    assert ">4 1 7<" in text
    assert emergent_library.entries([workspace]) == []
    (warning,) = [each.value.replace("\\", "").replace("*", "") for each in app.warning]
    assert "game one.jsonl.gz: 4 of 29 rows (14%) would be left out: an empty utterance (2, first in line 27)" in warning
    assert "For instance line 26: a negative id: -4 · line 27: an empty utterance" in warning
    keep = app.button(key="keep-emergent")
    assert (keep.label, keep.proto.type) == ("Save without them", "secondary")
    press(app, "keep-emergent")
    (entry,) = emergent_library.entries([workspace])
    assert (entry.name, entry.tokens, entry.skipped) == ("game one", 75, 4)
    later = open_page("library", shelf="Emergent")
    later.session_state[f"emergent corpus-{entry.id[:12]}"] = True
    later.run()
    assert "a negative id: 1" in shown(later)
    assert ">4 1 7<" in shown(later)


def test_several_files_are_several_corpora_and_a_bad_one_is_named(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = open_page("library", shelf="Emergent")
    files = {"a.txt": "1 2\n3\n", "b.csv": "n,message\n1,wa tok\n", "../c![x](http://a.test).txt": b"\0\1" * 99}
    press(dropped(app, files), "read-emergent")
    (error,) = app.error
    assert "The file is binary" in error.value.replace("\\", "")
    assert "![" not in error.value
    assert app.button(key="keep-emergent").label == "Save 2 corpora"
    press(app, "keep-emergent")
    assert [(entry.name, entry.symbols) for entry in emergent_library.entries([workspace])] == [
        ("a", "integers"),
        ("b", "words"),
    ]
    assert "emergent corpus-found" not in app.session_state


def test_files_together_are_one_corpus(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = dropped(open_page("library", shelf="Emergent"), {"a.txt": "1 2\n", "b.txt": "2 0\n"})
    next(each for each in app.toggle if each.label == "All files are one corpus").set_value(True).run()
    press(press(app, "read-emergent"), "keep-emergent")
    (entry,) = emergent_library.entries([workspace])
    assert (entry.utterances, entry.vocabulary_size) == (2, 3)


def test_a_field_is_asked_for_and_chosen(open_page: Callable[..., AppTest], workspace: Path) -> None:
    rows = "".join(json.dumps({"said": [i], "heard": [i, i]}) + "\n" for i in range(5))
    app = press(dropped(open_page("library", shelf="Emergent"), {"x.jsonl": rows}), "read-emergent")
    assert "Nothing says which field holds the utterances" in app.error[0].value.replace("\\", "")
    box = next(each for each in app.selectbox if each.label.startswith("Field"))
    assert box.options == ["said", "heard"]
    box.select("heard").run()
    press(app, "read-emergent")
    assert "field 'heard' · 10 tokens" in shown(app)
    press(app, "discard-emergent")
    assert app.file_uploader
    assert emergent_library.entries([workspace]) == []


def test_symbols_can_be_characters(open_page: Callable[..., AppTest]) -> None:
    app = dropped(open_page("library", shelf="Emergent"), {"x.txt": "abba <b>\n"})
    next(each for each in app.selectbox if each.label.startswith("Symbols")).select("Characters").run()
    press(app, "read-emergent")
    text = shown(app)
    assert "8 tokens · 1 utterance · 5 symbols" in text
    assert "abba &lt;b&gt;" in text
    assert "characters a, b, ' ', <, >" in text


def test_a_format_that_was_mistaken_is_said_by_hand(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = dropped(open_page("library", shelf="Emergent"), {"x.txt": "who,said\nba,bu bi\nbo,be\n"})
    press(app, "read-emergent")
    assert "Words, one utterance a line · 4 tokens" in shown(app)
    press(app, "discard-emergent")
    dropped(app, {"x.txt": "who,said\nba,bu bi\nbo,be\n"})
    next(each for each in app.selectbox if each.label == "Format").select("CSV").run()
    press(app, "read-emergent")
    assert "Nothing says which column" in app.error[0].value.replace("\\", "")
    next(each for each in app.selectbox if each.label.startswith("Field")).select("said").run()
    press(app, "read-emergent")
    assert "CSV, column 'said' · 3 tokens · 2 utterances" in shown(app)
    assert "1 to 2 tokens per utterance, 1.5 on average · words bu, bi, be" in shown(app)


def test_a_taken_name_is_said_and_the_others_are_kept(open_page: Callable[..., AppTest], workspace: Path) -> None:
    emergent_library.keep(from_utterances([[5, 5]]), "A", workspace)
    app = press(dropped(again(open_page), {"a.txt": "1 2\n3\n", "b.txt": "4 4\n"}), "read-emergent")
    assert [each.value for each in app.text_input] == ["a 2", "b"]
    app.text_input[0].set_value("a").run()
    press(app, "keep-emergent")
    assert "Another emergent corpus is called 'a'" in app.error[0].value.replace("\\", "")
    assert [entry.name for entry in emergent_library.entries([workspace])] == ["A", "b"]
    next(each for each in app.text_input if each.label == "Name").set_value("c").run()
    press(app, "keep-emergent")
    assert [entry.name for entry in emergent_library.entries([workspace])] == ["A", "b", "c"]


def test_utterances_that_are_kept_already_are_said_to_be(open_page: Callable[..., AppTest], workspace: Path) -> None:
    emergent_library.keep(from_utterances([[0, 1], [1]]), "Mine", workspace)
    app = press(dropped(again(open_page), {"a.txt": "0 1\n1\n"}), "read-emergent")
    assert "a.txt: the same utterances as Mine, which is saved already." in shown(app)
    assert app.button(key="keep-emergent").disabled
    press(app, "discard-emergent")
    assert len(emergent_library.entries([workspace])) == 1


def test_utterances_that_another_tab_keeps_meanwhile_are_said_to_be(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = press(dropped(again(open_page), {"a.txt": "0 1\n1\n"}), "read-emergent")
    emergent_library.keep(from_utterances([[0, 1], [1]]), "Mine", workspace)
    press(app, "keep-emergent")
    assert [toast.value for toast in app.toast] == ["The same utterances are saved already, as Mine."]
    assert len(emergent_library.entries([workspace])) == 1


def test_equal_files_are_kept_once_and_counted_once(open_page: Callable[..., AppTest], workspace: Path) -> None:
    files = {f"{i}.jsonl": f"[{i + 1}, 0]\n" * 60 + "[-1]\n" for i in range(4)}
    files |= {"x.txt": "2 0\n" * 60 + "-1\n", "y.txt": "2 0\n" * 60}
    app = press(dropped(open_page("library", shelf="Emergent"), files), "read-emergent")
    assert "x.txt: the same utterances as 1.jsonl." in shown(app)
    assert "y.txt: the same utterances as 1.jsonl." in shown(app)
    assert app.button(key="keep-emergent").label == "Save 4 corpora without 4 broken rows"
    press(app, "keep-emergent")
    assert [toast.value for toast in app.toast] == ["4 corpora are saved."]
    assert [entry.name for entry in emergent_library.entries([workspace])] == ["0", "1", "2", "3"]


def test_names_that_are_suggested_are_free(open_page: Callable[..., AppTest], workspace: Path) -> None:
    emergent_library.keep(from_utterances([[5, 5]]), "Game", workspace)
    files = {"game.txt": "1\n", "game.csv": "2\n", "run-0.1.txt": "3\n", "run-0.2.txt": "4\n", "Game.jsonl": "[6]\n"}
    app = press(dropped(again(open_page), files), "read-emergent")
    assert [each.value for each in app.text_input] == ["game 2", "game 3", "run-0.1", "run-0.2", "Game 4"]
    press(app, "keep-emergent")
    assert len(emergent_library.entries([workspace])) == 6


def test_one_of_several_can_be_left_out(open_page: Callable[..., AppTest], workspace: Path) -> None:
    files = {"a.jsonl": "[1]\n[0]\n" * 60 + "[-1]\n[-2]\n", "b.jsonl": "[2]\n[3]\n" * 60 + "[-1]\n"}
    app = press(dropped(open_page("library", shelf="Emergent"), files), "read-emergent")
    assert "Recognised in a.jsonl: JSON Lines of integer arrays · 120 tokens" in shown(app)
    assert "Recognised in b.jsonl: JSON Lines of integer arrays · 120 tokens" in shown(app)
    assert app.button(key="keep-emergent").label == "Save 2 corpora without 3 broken rows"
    app.checkbox[0].uncheck().run()
    assert app.button(key="keep-emergent").label == "Save 1 corpus without 1 broken row"
    press(app, "keep-emergent")
    assert [entry.name for entry in emergent_library.entries([workspace])] == ["b"]


def test_a_file_that_loses_much_is_kept_only_when_asked_for_or_renumbered(
    open_page: Callable[..., AppTest], workspace: Path
) -> None:
    """Three of four rows are negative: neither is kept with the others; renumbered, nothing is lost and it is."""
    rows = "".join(f"[{i % 4 - 3}, {i % 4}]\n" for i in range(40))
    files = {"a.jsonl": "[1]\n[0]\n", "b.jsonl": rows, "c.jsonl": rows + "[9]\n"}
    app = press(dropped(open_page("library", shelf="Emergent"), files), "read-emergent")
    assert [each.label for each in app.checkbox] == ["Save", "Save without them", "Save without them"]
    assert [each.value for each in app.checkbox] == [True, False, False]
    keep = app.button(key="keep-emergent")
    assert (keep.label, keep.proto.type) == ("Save 1 corpus", "primary")
    assert len(app.warning) == 2
    press(app, "renumber-emergent-1")
    assert len([each for each in app.warning if "would be left out" in each.value]) == 1
    assert "Renumbered: the integers -3 to 3 are 0 to 6 here, in their order." in shown(app)
    press(app, "keep-emergent")
    kept = {entry.name: entry for entry in emergent_library.entries([workspace])}
    assert {name: (entry.utterances, entry.skipped) for name, entry in kept.items()} == {"a": (2, 0), "b": (40, 0)}
    corpus = emergent_library.load(kept["b"].id, [workspace])
    assert [corpus.utterance(i) for i in range(4)] == [["0", "3"], ["1", "4"], ["2", "5"], ["3", "6"]]


def test_files_that_need_a_field_wait_until_the_others_are_decided_on(
    open_page: Callable[..., AppTest], workspace: Path
) -> None:
    rows = "".join(json.dumps({"said": [i], "heard": [i, i]}) + "\n" for i in range(5))
    files = {"a.txt": "1 2\n", "b.jsonl": rows, "c.txt": b"\0\1" * 99, "d.jsonl": rows + rows}
    app = press(dropped(open_page("library", shelf="Emergent"), files), "read-emergent")
    assert len(app.error) == 3
    press(app, "keep-emergent")
    assert "Choose a field or column to read: b.jsonl, d.jsonl" in shown(app)
    next(each for each in app.selectbox if each.label.startswith("Field")).select("heard").run()
    press(press(app, "read-emergent"), "keep-emergent")
    assert [(entry.name, entry.tokens) for entry in emergent_library.entries([workspace])] == [("a", 2), ("b", 10), ("d", 20)]
    assert "Choose a field or column to read" not in shown(app)


def test_files_that_need_a_field_can_be_left_out(open_page: Callable[..., AppTest], workspace: Path) -> None:
    files = {"a.txt": "1 2\n", "b.jsonl": '{"said": [1], "heard": [2]}\n'}
    app = press(dropped(open_page("library", shelf="Emergent"), files), "read-emergent")
    press(press(app, "discard-emergent"), "leave-out-emergent")
    assert "Choose a field or column to read" not in shown(app)
    assert not [each for each in app.button if each.key == "read-emergent"]


def test_many_files_that_cannot_be_read_are_folded_and_all_are_named(open_page: Callable[..., AppTest]) -> None:
    files = {f"{i}.txt": "" for i in range(8)} | {"a.txt": "1\n"}
    app = press(dropped(open_page("library", shelf="Emergent"), files), "read-emergent")
    assert len(app.error) == 5
    assert "Recognised in a.txt: Integers" in shown(app)
    assert "3 more files could not be read" in shown(app)
    assert all(f"{i}.txt: The file is empty." in shown(app) for i in range(8))


SYMBOL = st.text("aé\u2028\"\\ \n\x01{'", min_size=1, max_size=3)
ROWS = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4), min_size=1, max_size=6)


@given(ROWS, st.lists(SYMBOL, min_size=6, max_size=6, unique=True), st.sampled_from(["integers", "words", "bare"]))
def test_the_download_reads_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[int]], vocabulary: list[str], kind: str
) -> None:
    known = None if kind == "bare" else tuple(map(str, range(7, 70, 11))) if kind == "integers" else tuple(vocabulary)
    report = EmergentReport("x", "words" if kind == "words" else "integers")
    corpus = from_utterances(rows, known, report)
    path = tmp_path_factory.mktemp("corpus") / "x"
    path.write_bytes(emergent_report.jsonl(corpus))
    back = read([InputFile("x", path)])
    assert [back.utterance(i) for i in range(back.utterances)] == [corpus.utterance(i) for i in range(corpus.utterances)]


def test_the_download_of_a_long_corpus_has_every_utterance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emergent_report, "BATCH", 2)
    rows = [[i, 0] for i in range(5)]
    assert [json.loads(line) for line in emergent_report.jsonl(from_utterances(rows)).splitlines()] == rows


def test_symbols_that_would_turn_or_break_the_table_are_escaped_in_view() -> None:
    corpus = from_utterances([[0, 1, 2, 3]], ("a\u202eb", "\x07", "\u2028", "می\u200cرود"), EmergentReport("x", "words"))
    text = emergent_report.html(corpus, [0], label="x")
    assert ">a\\u202eb \\u0007 \\u2028 می\u200cرود<" in text
    assert "\u202e" not in emergent_report.symbols(corpus)


def test_a_long_utterance_is_cut_in_view() -> None:
    corpus = from_utterances([list(range(450)), [3]])
    text = emergent_report.html(corpus, [0, 1], label="x")
    assert "198 199 <span" in text
    assert "… 250 more" in text
