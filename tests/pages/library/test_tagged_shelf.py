"""The Library's tagged text: dropped files are read, shown and kept; what cannot be is one sentence with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.tagged import library as tagged_library
from isogloss.pages.library.tagged import files as tagged_files
from isogloss.pages.library.tagged import report as tagged_report
from tests.corpora.tagged.tagged_reading import columns, conllu, dropped, row
from tests.pages.library.shelves import press, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

WORDS = {"en": "word", "ar": "كلمة"}
PARALLEL = {
    f"{tag}_x-ud-test.conllu": conllu(
        *[
            (f"n{i * i}", [row(1, f"{word}{i}", misc="SpaceAfter=No"), row(2, "!", "PUNCT"), row(3, "so", "ADV")])
            for i in range(12)
        ]
    )
    for tag, word in WORDS.items()
}


def drop(app: AppTest, files: Mapping[str, str]) -> AppTest:
    for name, text in files.items():
        app.file_uploader[0].upload(name, text.encode())
    app.run()
    return press(app, "read-tagged")


def choose(app: AppTest, label: str, value: str) -> None:
    next(each for each in app.segmented_control if each.label == label).set_value(value).run()
    assert not app.exception


def frame_with(app: AppTest, column: str) -> dict[str, list[str]]:
    return next(frame.value for frame in app.dataframe if column in frame.value).to_dict("list")  # type: ignore[no-any-return]


def test_files_are_read_shown_and_kept(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = open_page("library", shelf="Tagged text")
    assert "No tagged corpus is saved yet" in shown(app)
    drop(app, PARALLEL)
    text = shown(app)
    assert "CoNLL-U · 2 languages, the same sentences in all · 24 sentences · 72 words · 3 tags: parts of speech (UPOS)" in text
    assert "The files have no train and no validation part in every language: train is 80% of test" in text
    assert "word3! so" in text
    assert "word3/NOUN !/PUNCT so/ADV" in text
    assert 'lang="ar" dir="rtl"' in text
    press(app, "keep-tagged corpus")
    (entry,) = tagged_library.entries([workspace])
    again = open_page("library", shelf="Tagged text")
    again.session_state[f"tagged corpus-{entry.id[:12]}"] = True
    again.run()
    choose(again, "Show", "Tags")
    assert frame_with(again, "en") == {"ar": ["33.3"] * 3, "en": ["33.3"] * 3}
    choose(again, "Show", "Parts")
    parts = frame_with(again, "Test")
    assert parts["Language"] == ["Arabic · ar", "English · en"]
    assert parts["Train"] == ["80% of test"] * 2
    assert parts["Test"] == ["12 sentences, 36 words, of which 10%"] * 2


def test_texts_that_are_no_translations_are_shown_one_language_at_a_time(open_page: Callable[..., AppTest]) -> None:
    app = open_page("library", shelf="Tagged text")
    files = {f"train-{tag}.tsv": columns([(word, "NOUN"), ("so", "ADV")], [(word, "NOUN")]) for tag, word in WORDS.items()}
    drop(app, files | {"dev-en.tsv": columns([("later", "ADV")])})
    assert "word so" in shown(app)
    assert "كلمة" not in shown(app)
    next(each for each in app.selectbox if each.label == "Language").set_value("ar").run()
    assert "كلمة" in shown(app)
    choose(app, "Part", "validation")
    assert "later/ADV" in shown(app)


def test_the_downloaded_files_read_back(tmp_path: Path) -> None:
    """The same content has the same id: words, spaces, tags, parts and ids all survive."""
    odd = columns([("a\u2028b", "B-PER"), ("#", "I-PER"), ("", "O"), ("10 000", "O")], [("1-2", "O")])
    for files in (PARALLEL, {"train-sr-Latn.tsv": odd, "dev-en.tsv": odd, "test-zh-Hant.tsv": odd}):
        corpus = dropped(tmp_path, files)
        again = dropped(tmp_path, {"x.zip": tagged_files.conllu(corpus)})
        assert again.id == corpus.id


def test_shares_of_tags(tmp_path: Path) -> None:
    many = columns([("a", "NOUN")] * 2999 + [("b", "X")])
    corpus = dropped(tmp_path, {"train-en.tsv": many, "train-de.tsv": columns([("c", "NOUN"), ("d", "ADV")])})
    frame = tagged_report.tag_shares(corpus)
    assert frame["en"].to_dict() == {"ADV": "–", "NOUN": "100.0", "X": "< 0.1"}
    assert frame["de"].to_dict() == {"ADV": "50.0", "NOUN": "50.0", "X": "–"}


def test_what_has_names_alone_says_so(
    open_page: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = tmp_path / "demo"
    entry = tagged_library.keep(dropped(tmp_path, PARALLEL), "Shipped", demo)
    folder = demo / "tagged" / entry.id
    (folder / "tagged.parquet").unlink()
    (folder / "entry.json").write_text(entry.model_copy(update={"names_only": True}).model_dump_json())
    monkeypatch.setenv("ISOGLOSS_DEMO", str(demo))
    app = open_page("library", shelf="Tagged text")
    app.session_state[f"tagged corpus-{entry.id[:12]}"] = True
    app.run()
    assert not app.exception
    assert not app.error
    (said,) = (each.value for each in app.info)
    assert "The texts of 'Shipped' are not part of the demo" in said.replace("\\", "")
    assert "Shipped" in shown(app)
    assert "read-only" in shown(app)
    assert not app.get("download_button")
