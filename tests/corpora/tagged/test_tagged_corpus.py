"""A tagged corpus: its three parts, what is parallel in it, and what its reader says of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.corpora.tagged import parts as tagged_parts
from isogloss.backend.corpora.tagged.parts import PARTS, Part
from isogloss.backend.errors import CorpusError
from isogloss.backend.settings import ROOT
from tests.corpora.tagged.tagged_reading import Drop, columns, conllu, row

DATA = Path(os.environ.get("ISOGLOSS_TEST_DATA", ROOT.parent / "shared" / "data")) / "pud"


def numbered(count: int, word: str = "word", first: int = 0) -> str:
    return columns(*[[(f"{word}{i}", "NOUN"), (".", "PUNCT")] for i in range(first, first + count)])


def treebank(ids: list[str], word: str = "word") -> str:
    return conllu(*[(own, [row(1, f"{word}{i}"), row(2, ".", "PUNCT")]) for i, own in enumerate(ids)])


@pytest.mark.parametrize(
    ("there", "sizes", "origins"),
    [
        (["train", "dev", "test"], (40, 40, 40), ("train", "validation", "test")),
        (["train", "dev"], (40, 20, 20), ("train", "half of validation", "half of validation")),
        (["train", "test"], (36, 4, 40), ("90% of train", "10% of train", "test")),
        (["dev", "test"], (32, 8, 40), ("80% of validation", "20% of validation", "test")),
        (["train"], (32, 4, 4), ("80% of train", "10% of train", "10% of train")),
        (["dev"], (32, 4, 4), ("80% of validation", "10% of validation", "10% of validation")),
        (["test"], (32, 4, 4), ("80% of test", "10% of test", "10% of test")),
    ],
)
def test_a_missing_part_is_split_from_another(
    drop: Drop, there: list[str], sizes: tuple[int, ...], origins: tuple[str, ...]
) -> None:
    """The three are disjoint, together the files' sentences, the same at every reading, and said in the report."""
    files = {f"{part}-en.tsv": numbered(40, first=100 * i) for i, part in enumerate(there)}
    corpus, again = drop(files), drop(dict(reversed(files.items())))
    found = {part: corpus.sentences("en", part) for part in PARTS}
    assert tuple(map(len, found.values())) == sizes
    assert tuple(corpus.origin("en", part) for part in PARTS) == origins
    texts = [sentence.text for part in PARTS for sentence in found[part]]
    assert sorted(texts) == sorted(corpus.table["text"].to_pylist())
    assert found == {part: again.sentences("en", part) for part in PARTS}
    notes = [note for note in corpus.report.warnings if note.startswith("The files have no")]
    assert len(notes) == (len(there) < 3)
    for part, origin in zip(PARTS, origins, strict=True):
        assert all((f"{part} is {origin}" in note) == (part != origin) for note in notes)


def test_translations_go_to_one_part(drop: Drop) -> None:
    """Ids decide, for all languages at once: where one lacks some sentences, no translation of its test is trained on."""
    ids = [f"n{7 * i * i}" for i in range(100)]
    corpus = drop(
        {
            "de_x-ud-test.conllu": treebank(ids, "Wort"),
            "en_x-ud-test.conllu": treebank(ids[:31] + ids[34:]),
            "fi_x-ud-test.conllu": treebank(ids[5:], "sana"),
        }
    )
    assert corpus.parallel
    assert corpus.shared_ids["test"] == tuple(ids[5:31] + ids[34:])
    own = {tag: {part: {s.id for s in corpus.sentences(tag, part)} for part in PARTS} for tag in corpus.languages}
    for part in PARTS:
        for other in {*PARTS} - {part}:
            assert not any(own[a][part] & own[b][other] for a in own for b in own)
    assert len(own["de"]["test"]) == 10
    assert len(corpus.own("en", "test")) == 97
    assert corpus.own("en", "train") == ()


@given(st.lists(st.text(min_size=1), min_size=1, max_size=60), st.sets(st.sampled_from(PARTS), min_size=1))
def test_shares_cover_every_sentence_once(ids: list[str], present: set[Part]) -> None:
    for source in present:
        taken = [
            tagged_parts.chosen(ids, share) for part in PARTS if (share := tagged_parts.share(present, part)).source == source
        ]
        assert frozenset().union(*taken) == frozenset(ids)
        assert sum(map(len, taken)) == len(set(ids))


def test_what_is_parallel(drop: Drop) -> None:
    """Ids of the source that agree; not numbers, which two treebanks may share without a common sentence."""
    telling = [f"w{i * i}" for i in range(20)]

    def parallel(one: list[str], other: list[str], name: str = "fr_x-ud-test.conllu") -> bool:
        return drop({"en_x-ud-test.conllu": treebank(one), name: treebank(other, "mot")}).parallel

    assert parallel(telling, telling)
    assert parallel(telling, telling[::-1])
    assert parallel(telling, telling[:18])
    assert not parallel(telling, telling[:17])
    assert not parallel(telling, [*telling[:-1], telling[0]])  # an id that recurs names no one sentence
    assert not parallel(telling, telling, "fr_x-ud-train.conllu")
    for prefix in ("", "train-s", "doc 1 sentence "):
        numbers = [f"{prefix}{i}" for i in range(1, 21)]
        assert not parallel(numbers, numbers)
        assert not parallel(numbers, numbers[:5] + numbers[6:])
    assert not drop({"en_x-ud-test.conllu": treebank(telling)}).parallel
    recurring = drop({"en_x-ud-test.conllu": treebank([*telling, telling[0]])})
    assert "Sentences whose id an earlier one has: 1 in en." in recurring.report.warnings


def test_repeats_and_what_is_never_trained_on(drop: Drop) -> None:
    train = numbered(10)
    dev = columns([("word3", "NOUN"), (".", "PUNCT")], [("so", "ADV")], [("so", "ADV")])
    corpus = drop(
        {"train-en.tsv": train, "dev-en.tsv": dev, "train-de.tsv": numbered(3, "Wort"), "dev-de.tsv": numbered(2, "W")}
    )
    assert [note for note in corpus.report.warnings if "split" not in note and "no test" not in note] == [
        "Tags that not every language has: ADV (not in de).",
        "Tags that are never trained on, so no probe can give them: ADV (en).",
        "Sentences with the words of an earlier one, kept: 1 in en.",
        "Sentences of later parts that are in the first part too, kept: 1 in en.",
    ]


def test_what_is_not_there(drop: Drop) -> None:
    corpus = drop({"train-en.tsv": numbered(4)})
    with pytest.raises(CorpusError, match=r"The tagged corpus has no language 'em'\. Choose one of: en"):
        corpus.sentences("em", "train")
    with pytest.raises(CorpusError, match="'en' has 4 sentences in its train part: too few to split a validation part from"):
        corpus.sentences("en", "validation")


def test_the_same_content_has_one_id(drop: Drop) -> None:
    train, dev = numbered(5), numbered(3, "w")
    one = drop({"train-en.tsv": train, "dev-en.tsv": dev})
    assert drop({"eng/dev.txt": dev, "eng/train.txt": train}).id == one.id
    changed = [
        {"train-en.tsv": train.replace("NOUN", "VERB", 1), "dev-en.tsv": dev},
        {"train-en.tsv": train.replace("word0", "wor d0"), "dev-en.tsv": dev},
        {"train-en.tsv": train.replace("\n\n", "\n", 1), "dev-en.tsv": dev},
        {"train-en.tsv": train, "test-en.tsv": dev},
        {"train-de.tsv": train, "dev-de.tsv": dev},
    ]
    assert len({one.id, *(drop(files).id for files in changed)}) == 6


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no treebanks in {DATA.name} of the test data")
def test_real_parallel_treebanks(drop: Drop) -> None:
    paths = sorted(DATA.glob("*.conllu"))[:4]
    corpus = drop({path.name: path.read_bytes() for path in paths})
    assert corpus.parallel
    assert len(corpus.shared_ids["test"]) == 1000
    assert {tag: [len(corpus.sentences(tag, part)) for part in PARTS] for tag in corpus.languages} == {
        path.name[:2]: [800, 100, 100] for path in paths
    }
    tests = [{sentence.id for sentence in corpus.sentences(tag, "test")} for tag in corpus.languages]
    assert all(each == tests[0] for each in tests)
