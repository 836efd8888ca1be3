"""Whatever bytes a file holds and whatever it is called, it is read whole or refused in one sentence."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.tagged import library as tagged_library
from isogloss.backend.corpora.tagged.parts import PARTS
from isogloss.backend.errors import CorpusError, StoreError
from isogloss.pages.library.tagged import files as tagged_files
from tests.corpora.tagged.tagged_reading import columns, conllu, dropped, row

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.tagged.corpus import TaggedCorpus

TREEBANK = conllu(
    *[
        (
            f"n{i * i}",
            [
                row("1-2", "don't", "_", "SpaceAfter=No"),
                row(1, "do", "AUX"),
                row(2, "n't", "PART"),
                row("2.1", "x", "_"),
                row(3, f"wörter{i}", "NOUN"),
            ],
        )
        for i in range(8)
    ]
)
COLUMNS = columns(*[[(f"en:w{i}", "B-PER"), ("en:\u200f", "O"), ("en:go", "I-PER")] for i in range(8)])
MUTATIONS = [
    b"\t",
    b"\n",
    b"\n\n",
    b"_",
    b"#",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xe2\x80\xa8",
    b"-",
    b".",
    b"9",
    b" ",
    b"SpaceAfter=No",
    b"",
]


def check(corpus: TaggedCorpus) -> None:
    """What holds of every corpus that is read."""
    for language in corpus.languages:
        for part in PARTS:
            for sentence in corpus.own(language, part):
                assert len(sentence.words) == len(sentence.tags) > 0
                assert all(sentence.words)
                assert all(word == word.strip() for word in sentence.words)
                assert all(sentence.tags)
                ends = [0, *(end for _, end in sentence.spans)]
                assert all(before <= start for before, (start, _) in zip(ends, sentence.spans, strict=False))
                assert "".join(sentence.text.split(" ")) == "".join("".join(sentence.words).split(" "))


def read_or_refused(folder: Path, name: str, content: bytes) -> None:
    refused = ""
    try:
        corpus = dropped(folder, {name: content})
    except (CorpusError, StoreError) as error:
        refused = str(error)
    if refused:
        assert "\n" not in refused
        assert len(refused) < 700
        return
    check(corpus)
    entry = tagged_library.keep(corpus, "x", folder / "workspace")
    assert tagged_library.load(entry.id, [folder / "workspace"]).id == corpus.id
    assert dropped(folder, {"again.zip": tagged_files.conllu(corpus)}).id == corpus.id
    tagged_library.remove(entry.id, folder / "workspace")


@pytest.mark.parametrize("name", ["en_x-ud-train.conllu", "train-en.tsv"])
def test_files_broken_at_random(tmp_path: Path, name: str) -> None:
    draw = random.Random(7)
    whole = (TREEBANK if name.endswith("conllu") else COLUMNS).encode()
    for _ in range(90):
        content = whole
        for _ in range(draw.choice([1, 1, 2, 5])):
            place = draw.randrange(len(content))
            content = content[:place] + draw.choice(MUTATIONS) + content[place + draw.choice([0, 0, 1, 7, 60]) :]
        read_or_refused(tmp_path, name, content)


@given(st.binary(max_size=200), st.sampled_from(["train-en.tsv", "en_x-ud-dev.conllu", "test.zip", "a/de/train", "x.tar.gz"]))
@settings(max_examples=80, deadline=None)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str) -> None:
    read_or_refused(tmp_path_factory.mktemp("any"), name, content)


@given(st.text(max_size=40), st.sampled_from([".tsv", ".conllu", "", "-ud-train.conllu", ".zip"]))
@settings(max_examples=80, deadline=None)
def test_any_name(tmp_path_factory: pytest.TempPathFactory, name: str, ending: str) -> None:
    read_or_refused(tmp_path_factory.mktemp("any"), name + ending, COLUMNS.encode())
