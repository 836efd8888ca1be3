"""For each kind of data two small contents, as files: what the tests of kinds, commands and shelves import."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.corpora.covariates import library as covariates
from isogloss.backend.corpora.covariates import reader as covariates_reader
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries import readers as dictionary_readers
from isogloss.backend.corpora.emergent import library as emergent
from isogloss.backend.corpora.emergent import readers as emergent_readers
from isogloss.backend.corpora.kinds import KINDS
from isogloss.backend.corpora.parallel import library as parallel
from isogloss.backend.corpora.parallel import readers as parallel_readers
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tagged import readers as tagged_readers
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks import readers as task_readers
from isogloss.backend.corpora.word_alignments import library as word_alignments
from isogloss.backend.corpora.word_alignments import links

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from isogloss.backend.corpora.shared.kind import Kind

CORPUS = "en\tde\nThe dog sleeps.\tDer Hund schläft.\nIt's late!\tEs ist spät!\n"
"""Whose words the sample alignments link."""


@dataclass(frozen=True)
class Sample:
    """Files of one kind, and what is said of them."""

    kind: Kind[Any, Any]
    file: str
    text: str
    other: str
    """Of the same form, with another content."""
    bad: str
    """What cannot be read."""
    read: Callable[[InputFile], Any]
    summary: str
    """On the command line."""
    shelf: str
    """The title on the Library page."""
    facts: str
    """On the page."""
    options: tuple[str, ...] = ()
    """Of the command line."""
    why: str = ""
    """What is wrong with `bad`."""
    odd: str = ""
    """Of the same form, with rows of which some are left out or warned of."""
    entry: Mapping[str, object] = field(default_factory=dict)
    """What the entry of `odd` says, among others."""

    def content(self, folder: Path, text: str = "") -> Any:
        """Read the content of the file with this text, its own if none is given."""
        path = folder / self.file
        path.write_text(text or self.text, encoding="utf-8")
        return self.read(InputFile(self.file, path))


def corpus(folder: Path) -> Any:
    """Read the corpus whose words are aligned."""
    (folder / "mine.tsv").write_text(CORPUS, encoding="utf-8")
    return parallel_readers.read([InputFile("mine.tsv", folder / "mine.tsv")])


TASK = "text_en,text_de,label\n" + "".join(f"Water {i},Wasser {i},{i % 2}\n" for i in range(12))
TAGGED = "".join(f"water{i}\tNOUN\nflows\tVERB\n\n" for i in range(12))
SAMPLES = (
    Sample(
        parallel.KIND,
        "greetings.csv",
        "en,de\nGood night.,Gute Nacht.\nIt rains.,Es regnet.\n",
        "en,de\nGood night.,Gute Nacht.\nIt snows.,Es schneit.\n",
        "en,xxq\nGood.,Gut.\n",
        lambda file: parallel_readers.read([file]),
        "CSV, a column per language: 2 sentences, 2 languages",
        "Corpora",
        "CSV, a column per language · 2 languages · 2 sentences",
        why="greetings.csv",
        odd="en,fin\nOne.,Yksi.\nTwo.,\nThree.,Kolme.\n",
        entry={
            "languages": (
                {"tag": "en", "source_name": "en", "sentences": 3, "characters": 14},
                {"tag": "fi", "source_name": "fin", "sentences": 2, "characters": 11},
            ),
            "sentences": 3,
            "rows": 5,
            "complete": False,
            "skipped": 1,
        },
    ),
    Sample(
        dictionaries.KIND,
        "en-de.txt",
        "dog\thund\ncat\tkatze\n",
        "dog\thund\ncat\tkater\n",
        "dog,hund\ncat,katze\n",
        lambda file: dictionary_readers.read(file, "en", "de"),
        "MUSE, tabs: 2 words, 2 pairs en to de (0 blank lines, 0 repeated pairs)",
        "Dictionaries",
        "MUSE, tabs · English → German · 2 words · 2 pairs",
        ("--source", "en", "--target", "de"),
        why="en-de.txt, line 1: Most lines are not two words",
        odd="dog\thund\nDog\tHund\n\ndog\tköter\nfish\n" + "".join(f"cat{n}\tkatze{n}\n" for n in "abcdefgh"),
        entry={"source": "en", "target": "de", "words": 9, "pairs": 10, "blank": 1, "duplicates": 1, "skipped": 1},
    ),
    Sample(
        word_alignments.KIND,
        "en-de.align",
        "0-0 1-1 2-2\n1-2\n",
        "0-0 1-1 2-2\n1-1\n",
        "0-0\n",
        lambda file: links.read(file, corpus(file.path.parent), "en", "de"),
        "Pharaoh: 4 links (4 sure) in 2 sentences, en to de",
        "Alignments",
        "Pharaoh · English → German · 4 links",
        ("--corpus", "Mine", "--source", "en", "--target", "de"),
        why="en-de.align, line 1: The alignment has 1 lines for 2 sentence pairs",
        odd="1-1 2p1\n\n",
        entry={"source": "en", "target": "de", "gold": False, "links": 2, "sure": 1, "sentences": 1, "source_words": 5},
    ),
    Sample(
        tasks.KIND,
        "water.csv",
        TASK,
        TASK.replace("Water 3", "Tea 3"),
        "a,b\n1,2\n",
        lambda file: task_readers.read([file]),
        "a column per language: 12 sentences, 2 labels, 2 languages",
        "Tasks",
        "a column per language · 2 languages · 12 sentences · 2 labels",
        why="water.csv, line 1: There is no column of labels",
        odd="premise_en,hypothesis_en,premise_de,hypothesis_de,label_en,label_de,split\n"
        + "".join(f"a{i},ab,b{i},bbb,{i % 2},{max(i % 2, i == 4):d},{('train', 'dev')[i > 5]}\n" for i in range(10))
        + "c,,d,dd,1,1,train\n",
        entry={
            "languages": ("de", "en"),
            "labels": ("0", "1"),
            "is_pair": True,
            "rows": 10,
            "validation_rows": 4,
            "label_differs": 1,
            "characters": {"de": 50, "en": 40},
            "skipped": 1,
        },
    ),
    Sample(
        tagged.KIND,
        "train-en.tsv",
        TAGGED,
        TAGGED.replace("water3", "tea"),
        "a\tb\tc\n",
        lambda file: tagged_readers.read([file]),
        "two columns: parts of speech, 1 languages, 12 sentences, 24 words, 2 tags",
        "Tagged text",
        "two columns · 1 language · 12 sentences · 24 words · 2 tags: parts of speech (UPOS)",
        why="train-en.tsv, line 1: The row has 3 columns, not 2",
        odd=TAGGED + "lost\n\n\u200b\tX\nso\tADV\n",
        entry={
            "kind": "pos",
            "tags": ("ADV", "NOUN", "VERB"),
            "languages": (
                {"tag": "en", "source_name": "en", "sentences": {"train": 13}, "words": {"train": 25}, "characters": 148},
            ),
            "parallel": False,
            "skipped": 2,
        },
    ),
    Sample(
        emergent.KIND,
        "game.jsonl",
        "[3, 1, 4]\n[1, 5]\n",
        "[3, 1, 4]\n[1, 1]\n",
        "",
        lambda file: emergent_readers.read([file]),
        "JSON Lines of integer arrays: 5 tokens, 2 utterances, 4 different symbols",
        "Emergent",
        "JSON Lines of integer arrays · 5 tokens · 2 utterances · 4 symbols",
        why="game.jsonl: The file is empty",
        odd='["wa", "é", "é"]\n["tok"]\n[]\n["wa"]\n',
        entry={
            "symbols": "words",
            "tokens": 5,
            "utterances": 3,
            "vocabulary_size": 3,
            "longest": 3,
            "reasons": (("an empty utterance", 1),),
            "skipped": 1,
        },
    ),
    Sample(
        covariates.KIND,
        "speakers.csv",
        "language,speakers\nde,90\nfin,5.5\n",
        "language,speakers\nde,91\nfin,5.5\n",
        "language,size\nde,1\nde,2\n",
        covariates_reader.read_file,
        "2 languages, columns: speakers",
        "Covariates",
        "2 languages · 1 column: speakers",
        why="speakers.csv, line 3: de is there twice, first in line 2",
        odd="language,speakers,family\nde,90,Germanic\nxxq,1,None\n",
        entry={"columns": ("speakers",), "languages": ("de",)},
    ),
)
assert [sample.kind for sample in SAMPLES] == list(KINDS)
every_kind = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind.group)
