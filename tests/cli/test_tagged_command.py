"""`isogloss tagged`, as a person types it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import CorpusError
from tests.cli.typed import output
from tests.corpora.tagged.tagged_reading import columns

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path) -> Path:
    folder.mkdir()
    for tag, word in (("de", "Wort"), ("en", "word")):
        for part, count in (("train", 12), ("dev", 6)):
            own = [[(f"{word}{part}{i}", "NOUN"), ("so", "ADV"), (".", "PUNCT")] for i in range(count)]
            (folder / f"{part}-{tag}.tsv").write_text(columns(*own), encoding="utf-8")
    (folder / "test-en.tsv").write_text("no\ntags\n", encoding="utf-8")
    return folder


def run(*arguments: str) -> str:
    return output("tagged", *arguments)


def test_a_folder_is_read_and_its_sentences_are_shown(workspace: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "udpos")
    with open(folder / "train-de.tsv", "a", encoding="utf-8") as file:
        file.write("ohne\n")
    with pytest.raises(CorpusError, match=r"train-de.tsv: 1 of 13 sentences \(7.7%\) would be left out: a word has no tag"):
        run("import", str(folder), "--name", "UD")
    printed = run("import", str(folder), "--name", "UD", "--drop-broken")
    assert "Note: Not read, since the words have no tags: test-en.tsv." in printed
    assert "validation is half of validation, test is half of validation" in printed
    assert "Left out: train-de.tsv, line 49: the word 'ohne' has no tag: sentence left out" in printed
    assert "two columns: parts of speech, 2 languages, 36 sentences, 108 words, 3 tags, saved as 'UD'" in printed
    told = run("show", "UD", "--sentences", "2")
    assert "en        12 (36)                   6 (18)                         0 (0)" in told
    assert "NOUN             33.3  33.3" in told
    assert "en 2: wordtrain1/NOUN so/ADV ./PUNCT" in told
    assert "1 languages, 18 sentences" in run("import", str(folder), "--language", "eng")


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["tagged", "hub", "unimelb-nlp/wikian", "en"], "Did you mean 'unimelb-nlp/wikiann'?"),
        (["tagged", "hub", "unimelb-nlp/wikiann", "en"], "the Hugging Face Hub cannot be reached"),
        (["task", "hub", "facebook/xnl"], "Did you mean 'facebook/xnli'"),
        (["task", "hub", "facebook/xnli"], "the Hugging Face Hub cannot be reached"),
    ],
)
def test_what_the_hub_does_not_give_is_a_sentence(command: list[str], said: str) -> None:
    with pytest.raises(CorpusError, match=re.escape(said)):
        output(*command)
