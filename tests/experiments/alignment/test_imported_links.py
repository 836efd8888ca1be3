"""An aligner's links beside the dictionary: their distribution of similarity, and how many pairs either gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments import links
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.alignment.words import distributions, pair_counts
from isogloss.backend.experiments.alignment.words import shard as words
from isogloss.backend.experiments.alignment.words.distributions import WordDistributionsSpec
from isogloss.backend.experiments.alignment.words.pair_counts import PairCountsSpec
from tests.experiments.alignment.small_words import Small, distributions_of

if TYPE_CHECKING:
    from pathlib import Path


def imported(there: Small, folder: Path, lines: list[str], name: str, tokens: dict[str, list[str]] | None = None) -> str:
    corpus = corpora.load(there.corpus, there.context.workspaces)
    files = {}
    for part, of in {"links": lines, **(tokens or {})}.items():
        (folder / f"{name} {part}").write_text("".join(f"{line}\n" for line in of), encoding="utf-8")
        files[part] = InputFile(part, folder / f"{name} {part}")
    split = (files["en"], files["de"]) if tokens else None
    found = links.read(files["links"], corpus, "en", "de", tokens=split)
    return alignments.keep(found, name, there.context.workspace).id


def of_dictionary(there: Small) -> tuple[list[str], list[str]]:
    """The dictionary's pairs as links of our own words, a line a sentence; and all sentences as aligners read them."""
    corpus = corpora.load(there.corpus, there.context.workspaces)
    pairs = words.pairs_of(there.corpus, there.pair, True, tuple(there.context.workspaces)).table.to_pylist()
    shared, texts = corpus.align(["en", "de"])
    found = []
    for sentence, left, right in zip(shared, texts["en"], texts["de"], strict=True):
        spans = [
            words.Text(there.checkpoint, there.corpus, tag, [sentence], [text]).words()[0]
            for tag, text in (("en", left), ("de", right))
        ]
        here = [row for row in pairs if row["sentence_id"] == sentence]
        starts = [[start for start, _ in side] for side in spans]
        found.append(" ".join(f"{starts[0].index(row['source_start'])}-{starts[1].index(row['target_start'])}" for row in here))
    return found, links.for_aligners(corpus, "en", "de")


def test_links_of_the_dictionarys_pairs_have_its_distribution(there: Small, tmp_path: Path) -> None:
    lines, _ = of_dictionary(there)
    found = distributions_of(there, alignment=imported(there, tmp_path, lines, "Same"))
    assert list(found["kind"].unique()) == ["dictionary", "aligner", "random", "random_within", "alignment"]
    for _, rows in found.groupby("layer"):
        of = rows.set_index("kind")
        assert of.loc["alignment", "n"] == of.loc["dictionary", "n"] > 50
        assert of.loc["alignment", "counts"].tolist() == of.loc["dictionary", "counts"].tolist()
        for name in ("mean", "overlap_random", "overlap_random_within"):
            assert of.loc["alignment", name] == pytest.approx(of.loc["dictionary", name])
    without = distributions_of(there)
    pair = found[found["kind"] != "alignment"].reset_index(drop=True)
    assert without.drop(columns="counts").equals(pair.drop(columns="counts"))


def test_wrong_links_lie_nearer_to_random_pairs(there: Small, tmp_path: Path) -> None:
    """Half of the links lead to the next word: what the paper says of an aligner's mistakes."""
    lines, joined = of_dictionary(there)
    turned = []
    for line, both in zip(lines, joined, strict=True):
        last = len(both.split(" ||| ")[1].split()) - 1
        pairs = [tuple(map(int, link.split("-"))) for link in line.split()]
        turned.append(" ".join(f"{i}-{min(j + n % 2, last)}" for n, (i, j) in enumerate(pairs)))
    found = distributions_of(there, alignment=imported(there, tmp_path, turned, "Turned"))
    of = found[found["layer"] == 0].set_index("kind")
    assert of.loc["alignment", "overlap_random"] > of.loc["dictionary", "overlap_random"]


def test_a_token_stands_for_the_one_word_that_it_shares_characters_with(there: Small, tmp_path: Path) -> None:
    """Both halves of a word stand for it; a token of two words, or of none, stands for nothing."""
    corpus = corpora.load(there.corpus, there.context.workspaces)
    shared, texts = corpus.align(["en", "de"])
    english = [text.split() for text in texts["en"]]
    tokens = [[part for word in text for part in (word[:2], word[2:]) if part] for text in english]
    split = {"en": [" ".join(text) for text in tokens], "de": texts["de"]}
    alignment = imported(there, tmp_path, ["0-0 1-0"] * len(shared), "Halves", split)
    spec = WordDistributionsSpec(
        checkpoint=there.checkpoint, corpus=there.corpus, pair=there.pair, repeated=True, alignment=alignment
    )
    left, right = distributions.linked_words(spec, corpus, there.context)
    assert (spec.pair.source, spec.pair.target) == ("de", "en")
    assert len(left) == len(right) == 2 * len(shared)
    assert right[0] == right[1] == (0, 0, len(english[0][0].rstrip(".")))
    for words_, token, expected in (
        ([(0, 5), (6, 9)], (0, 5), [(0, 5)]),
        ([(0, 5), (6, 9)], (3, 5), [(0, 5)]),
        ([(0, 5), (6, 9)], (3, 7), [(0, 5), (6, 9)]),
        ([(0, 5), (6, 9)], (5, 6), []),
    ):
        assert distributions._sharing(words_, token) == expected


def test_pairs_of_every_source_are_counted(there: Small, tmp_path: Path) -> None:
    lines, _ = of_dictionary(there)
    same, one = imported(there, tmp_path, lines, "All"), imported(there, tmp_path, [lines[0]] + [""] * (len(lines) - 1), "One")
    spec = PairCountsSpec(corpus=there.corpus, pair=there.pair, others=(same, one))
    registry.compute(registry.parse(spec.model_dump(mode="json")), next(iter(spec.shards())), there.context)
    found = pair_counts.load(spec, there.context.workspaces)
    assert found is not None
    of = found.set_index("id")
    linked = sum(len(line.split()) for line in lines)
    assert of.loc[there.pair.dictionary].tolist() == ["dictionary", linked, 11, 58]
    assert of.loc[same].tolist() == ["alignment", linked, 11, 58]
    assert of.loc[one, "pairs"] == of.loc[one, "distinct"] == len(lines[0].split())
    again = PairCountsSpec(corpus=there.corpus, pair=there.pair, others=(one, same))
    assert again.id == spec.id
    assert PairCountsSpec(corpus=there.corpus, pair=there.pair, unique="source").id != spec.id


def test_an_alignment_of_other_languages_is_refused(there: Small) -> None:
    with pytest.raises(CorpusError):
        distributions_of(there, alignment="0" * 24)
