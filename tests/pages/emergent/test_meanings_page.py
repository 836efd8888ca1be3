"""Meanings on the pages: brought to the Library with utterances, and measured on Emergent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent import meanings
from isogloss.backend.corpora.emergent.layouts import Options
from isogloss.backend.corpora.emergent.readers import InputFile, read
from isogloss.pages.library.emergent import report
from tests.corpora.emergent.utterances import from_utterances
from tests.pages.emergent import benchmark_workspace as benchmark
from tests.pages.emergent.emergent_page import again, said
from tests.pages.emergent.emergent_page import open_page as open_emergent
from tests.pages.library.shelves import press, shown
from tests.pages.library.test_emergent_shelf import again as add_again
from tests.pages.library.test_emergent_shelf import dropped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from tests.pages.abx.abx_page import Shown

OBJECTS = [(size, colour) for size in range(4) for colour in ("red", "blue", "g<b>")] * 3
MESSAGES = [f"{size} {len(colour) + 10}" for size, colour in OBJECTS]
CSV = "message,object,size,round\n" + "".join(f"{m},{c},{s},7\n" for m, (s, c) in zip(MESSAGES, OBJECTS, strict=True))
LINES = "".join(f"{message}\n" for message in MESSAGES)
TOLD = "".join(f"{size},{colour}\n" for size, colour in OBJECTS)


def keep(workspace: Path, name: str, text: str, columns: tuple[str, ...] = ()) -> emergent_library.EmergentEntry:
    workspace.mkdir(exist_ok=True)
    path = workspace / "file"
    path.write_text(text)
    return emergent_library.keep(read([InputFile(name, path)], Options(meaning=columns)), name, workspace)


def test_columns_are_proposed_by_their_names_and_read_when_asked(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = press(dropped(open_page("library", shelf="Emergent"), {"game.csv": CSV}), "read-emergent")
    text = shown(app)
    assert "Recognised: CSV, column 'message' · 72 tokens · 36 utterances · 6 symbols" in text
    assert "meanings of" not in text
    assert "Not read, since not the utterances: columns 'object', 'size', 'round'. By name, 'object' may be" in text
    box = next(each for each in app.multiselect if each.label == "Columns of meaning")
    assert (box.options, box.value) == (["object", "size", "round"], ["object"])
    box.set_value(["object", "size"]).run()
    press(app, next(str(each.key) for each in app.button if each.label == "Read with meanings"))
    text = shown(app)
    assert "6 symbols · meanings of 2 attributes (object, size)" in text
    assert "Not read, since neither utterances nor meanings: column 'round'." in text
    assert "g&lt;b&gt;, 0" in text
    press(app, "keep-emergent")
    (entry,) = emergent_library.entries([workspace])
    assert (entry.name, entry.attributes) == ("game", ("object", "size"))
    corpus = emergent_library.load(entry.id, [workspace])
    (workspace / "down.jsonl").write_bytes(report.jsonl(corpus))
    back = read([InputFile("down.jsonl", workspace / "down.jsonl")], Options(meaning=("meaning",)))
    assert back.meanings is not None
    assert corpus.meanings is not None
    assert back.meanings.table.equals(corpus.meanings.table)


def test_a_file_of_meanings_is_chosen_among_those_dropped(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = dropped(open_page("library", shelf="Emergent"), {"m.txt": LINES, "told.csv": TOLD})
    next(each for each in app.selectbox if each.label == "File of meanings").select("told.csv").run()
    press(app, "read-emergent")
    assert "36 utterances · 6 symbols · meanings of 2 attributes (1, 2)" in shown(app)
    press(app, "keep-emergent")
    assert [entry.name for entry in emergent_library.entries([workspace])] == ["m"]
    app = dropped(add_again(open_page), {"m.txt": LINES, "told.csv": TOLD + "9,9\n9,9\n"})
    next(each for each in app.selectbox if each.label == "File of meanings").select("told.csv").run()
    press(app, "read-emergent")
    assert "told.csv: It has 38 rows of meanings, m.txt 36 rows of utterances." in shown(app)
    app = dropped(add_again(open_page), {"m.txt": LINES, "n.txt": LINES, "told.csv": TOLD})
    next(each for each in app.selectbox if each.label == "File of meanings").select("told.csv").run()
    press(app, "read-emergent")
    assert "A file of meanings is of one corpus. Turn on “All files are one corpus”" in shown(app)


def test_meanings_are_added_to_what_is_saved_without_them(open_page: Callable[..., AppTest], workspace: Path) -> None:
    bare = keep(workspace, "Mine", CSV)
    app = press(dropped(add_again(open_page), {"game.csv": CSV}), "read-emergent")
    assert "the same utterances as Mine, which is saved already" in shown(app)
    press(app, next(str(each.key) for each in app.button if each.label == "Read with meanings"))
    assert [each.value for each in app.text_input] == ["Mine"]
    press(app, "keep-emergent")
    (entry,) = emergent_library.entries([workspace])
    assert (entry.id, entry.name, entry.attributes) == (bare.id, "Mine", ("object",))


def test_they_are_measured_where_they_are_known(workspace: Path, exported: list[Shown]) -> None:
    keep(workspace, "Told <b>$x$", CSV, ("object", "size"))
    emergent_library.keep(from_utterances([[1, 2, 3], [2, 3]] * 9), "Bare", workspace)
    both: dict[str, str | list[str]] = {"corpora": ["Told <b>$x$", "Bare"]}
    app = open_emergent(view="Meanings", **both)
    (each,) = exported
    again(each)
    assert each.data["measure"].tolist() == ["topographic_similarity", "posdis", "bosdis"]
    assert each.data["value"].between(0.4, 1).all()
    assert "Without meanings: Bare." in said(app)
    app = open_emergent(view="Meanings", distance="Euclidean", normalised="true", **both)
    assert "Topographic similarity is not defined for Told <b>$x$: all distances are equal, or" in said(app)
    table = open_emergent(view="Overview", **both).dataframe[0].value.set_index("corpus")
    assert table["posdis"].notna().tolist() == [False, True]
    again(exported[-1])
    assert "posdis" not in open_emergent(view="Overview", corpora=["Bare"]).dataframe[0].value
    assert "None of these corpora has meanings." in said(open_emergent(view="Meanings", corpora=["Bare"]))


def test_scores_of_the_benchmark_are_set_against_them(workspace: Path, exported: list[Shown]) -> None:
    keys = benchmark.fill(workspace)
    wanted = {"view": "Score × statistic", "board_statistic": "Positional disentanglement"}
    assert "No corpus has both a score and this statistic" in said(open_emergent(**wanted))
    for name in ("Mine", benchmark.ODD):
        bare = emergent_library.load(keys[name], [workspace])  # of two utterances
        told = meanings.of_columns(("kind", "same"), [pa.array(["a", "b"]), pa.array(["c", "c"])])
        emergent_library.keep(replace(bare, meanings=told), name, workspace)
    exported.clear()
    app = open_emergent(**wanted)
    (each,) = exported
    again(each)
    assert dict(zip(each.data["source"], each.data["posdis"], strict=True)) == {keys["Mine"]: 1.0, keys[benchmark.ODD]: 1.0}
    assert "no meanings to mirror" in said(app)
