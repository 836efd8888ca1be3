"""Files dropped on a shelf that is not theirs are taken to theirs at a press, without a second upload."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from isogloss.backend.corpora.tagged import library as tagged
from isogloss.pages.library.shared.elsewhere import TITLES
from tests.corpora.samples import SAMPLES
from tests.corpora.test_guess import CONLLU
from tests.pages.library.shelves import press, shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

TREEBANK = "".join(CONLLU.replace("= 1", f"= {number}") + "\n" for number in range(12))


def dropped(app: AppTest, files: dict[str, bytes]) -> AppTest:
    for name, content in files.items():
        app.file_uploader[0].upload(name, content)
    app.run()
    assert not app.exception
    return app


def test_every_shelf_is_called_as_it_is() -> None:
    assert {sample.kind.name: sample.shelf for sample in SAMPLES} == TITLES


def test_a_treebank_on_tasks_is_read_on_its_own_shelf(open_page: Callable[..., AppTest], workspace: Path) -> None:
    files = {"en_pud-ud-test.conllu": TREEBANK.encode(), "de_pud-ud-test.conllu.gz": gzip.compress(TREEBANK.encode())}
    app = dropped(open_page("library", shelf="Tasks"), files)
    (said,) = app.info
    assert said.value.replace("\\", "").startswith("en_pud-ud-test.conllu, de_pud-ud-test.conllu.gz: by the first lines")
    assert not [button for button in app.button if button.key == "read-task"]
    press(app, "take-task")
    assert app.session_state["shelf"] == "Tagged text"
    press(app, "read-tagged")
    press(app, "keep-tagged corpus")
    (entry,) = tagged.entries([workspace])
    assert entry.sentences == 24
    assert "leave-out-tagged" not in [button.key for button in app.button]


def test_dictionaries_among_a_corpus_go_and_the_rest_stays(open_page: Callable[..., AppTest]) -> None:
    files = {"en-de.txt": b"dog hund\ncat katze\n", "greetings.csv": b"en,de\nGood night.,Gute Nacht.\nIt rains.,Es regnet.\n"}
    app = press(dropped(open_page("library"), files), "take-corpus")
    assert "Recognised: MUSE, spaces · English → German" in shown(app)
    app.session_state["shelf"] = "Corpora"
    app.session_state["add-Corpora"] = True
    app.run()
    assert "2 languages · 2 sentences" in shown(app)


def test_what_is_meant_is_read_where_it_was_dropped(open_page: Callable[..., AppTest]) -> None:
    app = dropped(open_page("library", shelf="Emergent"), {"en-de.txt": b"wa tok\nbo ba\n"})
    press(press(app, "here-emergent"), "read-emergent")
    assert "Words, one utterance a line · 4 tokens" in shown(app)
