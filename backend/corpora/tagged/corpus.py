"""Tagged text: sentences whose words each have a tag, such as a part of speech or an entity's place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend.corpora.parallel.corpus import ReadReport
from isogloss.backend.corpora.shared import kept
from isogloss.backend.corpora.tagged import parts as tagged_parts
from isogloss.backend.corpora.tagged.parts import PARTS, Part
from isogloss.backend.errors import CorpusError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

Kind = Literal["pos", "ner", "other"]

UPOS = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()  # noqa: SIM905 - as UD lists them
)
"""The universal parts of speech (Nivre et al. 2020)."""
ENTITY = re.compile(r"O|[BIESLU]-\S+")
"""Tags of entities: BIO, and BIOES or BILOU, which mark ends and entities of one word besides."""
MOSTLY = 0.9
"""The share of words whose tags say what kind a corpus is, and of ids that must agree for it to be parallel."""

WORDS = pa.list_(pa.int32())
SCHEMA = pa.schema(
    [
        ("language", pa.string()),  # BCP-47, normalised by backend.corpora.languages.languages
        ("part", pa.string()),  # "train", "validation" or "test", as the files have it
        ("sentence_id", pa.string()),  # the source's own, else the sentence's number in its file
        ("text", pa.string()),
        ("starts", WORDS),  # of each word, in characters of the text
        ("ends", WORDS),
        ("tags", pa.list_(pa.string())),
    ]
)


@dataclass(frozen=True)
class TaggedSentence:
    """One sentence: its text, and a tag for each of its words."""

    text: str
    spans: tuple[tuple[int, int], ...]
    """Where each word stands, in characters (code points): word i is `text[start:end]`. In order, none overlapping another."""
    tags: tuple[str, ...]
    """As many as `spans`."""
    id: str = ""
    """The same id is the same sentence in every language where the corpus is parallel."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words as they stand in the text."""
        return tuple(self.text[start:end] for start, end in self.spans)


@dataclass(frozen=True)
class TaggedCorpus:
    """Rows of `SCHEMA`, sorted by language and part and, within them, in the source's order.

    A part that the files of a language lack is split from another of its parts: `sentences` gives all three, always disjoint,
    `own` what the files have, and `origin` says in words which is which.
    """

    table: pa.Table
    report: ReadReport = field(default_factory=lambda: ReadReport("table", {}))
    name: str = ""
    """What people call it; nothing before it is kept."""

    @cached_property
    def id(self) -> str:
        """24 hex digits of the content: the same for equal sentences, parts and tags, whatever they are called."""
        return content_id(self.table)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The BCP-47 tags, sorted."""
        return tuple(sorted(pc.unique(self.table["language"]).to_pylist()))

    @cached_property
    def tag_counts(self) -> dict[str, dict[str, int]]:
        """Language → tag → how many words of all parts have it; the tags of each language sorted."""
        counts_by_language = {}
        for language in self.languages:
            own = self.table.filter(pc.equal(self.table["language"], language))
            counts = pc.value_counts(pc.list_flatten(own["tags"])).to_pylist()
            counts_by_language[language] = {
                each["values"]: each["counts"] for each in sorted(counts, key=lambda each: each["values"])
            }
        return counts_by_language

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Every tag of any language, sorted."""
        return tuple(sorted({tag for own in self.tag_counts.values() for tag in own}))

    @cached_property
    def kind(self) -> Kind:
        """Parts of speech (UPOS) or entities (BIO), where nine words in ten have such a tag; else another set of tags."""
        return kind_of(self.tag_counts)

    @cached_property
    def parts(self) -> dict[str, tuple[Part, ...]]:
        """Language → the parts that its files have, in the order train, validation, test."""
        pairs = self.table.group_by(["language", "part"]).aggregate([]).to_pylist()
        there = {(row["language"], row["part"]) for row in pairs}
        return {tag: tuple(part for part in PARTS if (tag, part) in there) for tag in self.languages}

    @cached_property
    def sizes(self) -> dict[tuple[str, Part], tuple[int, int]]:
        """(language, part of the files) → its sentences and its words."""
        counted = self.table.select(["language", "part"]).append_column("words", pc.list_value_length(self.table["tags"]))
        rows = counted.group_by(["language", "part"]).aggregate([("words", "sum"), ("words", "count")]).to_pylist()
        return {(row["language"], row["part"]): (row["words_count"], row["words_sum"]) for row in rows}

    @cached_property
    def shared_ids(self) -> dict[Part, tuple[str, ...]]:
        """Part → the ids of the sentences that every language has in it, in order; empty where they are no translations.

        They are taken for translations where at least two languages have the part and nine in ten of their ids agree, and
        these do more than number the sentences, as the ids of parallel treebanks (PUD: `n01001011`).
        """
        return {part: _shared([self._ids(tag, part) for tag in self.languages]) for part in PARTS}

    @property
    def parallel(self) -> bool:
        """Whether all languages have the same sentences in some part."""
        return any(self.shared_ids.values())

    def own(self, language: str, part: Part) -> tuple[TaggedSentence, ...]:
        """Return the sentences that the files have as this part, all of them; none where they lack it.

        For a test in a language that nothing is trained on: PUD has test parts alone, and all of each is wanted. Raises
        `CorpusError` for a language the corpus lacks.
        """
        return _sentences(self._rows(language, part))

    def sentences(self, language: str, part: Part) -> tuple[TaggedSentence, ...]:
        """Return the sentences of one part, split from another where the files lack it (`origin` says how).

        Always the same sentences, the parts of a language disjoint; of languages whose files have the same parts, sentences
        of one id go to one part, so that no translation of a training sentence is tested on. Raises `CorpusError` for a
        language the corpus lacks, and where it has too few sentences for three parts.
        """
        share = self._share(language, part)
        of_source = self.own(language, share.source)
        if share.whole:
            return of_source
        chosen = self._chosen(share)
        drawn = tuple(sentence for sentence in of_source if sentence.id in chosen)
        if not drawn:
            raise CorpusError(
                f"'{language}' has {len(of_source):,} sentences in its {share.source} part: "
                f"too few to split a {part} part from.",
                remedy="Leave the language out, or add more of its sentences.",
            )
        return drawn

    def word_counts(self, language: str, part: Part, *, own: bool = False) -> tuple[NDArray[np.int64], str]:
        """Return how many words each of `sentences` has, in their order, and where the part comes from (`origin`).

        With `own` those of all that the files have as this part, where they have it. Raises `CorpusError` for a language the
        corpus lacks.
        """
        share = self._share(language, part)
        if own and part in self.parts[language]:
            share = tagged_parts.Share(part, 0, 100)
        rows = self._rows(language, share.source)
        counts = pc.list_value_length(rows["tags"]).to_numpy().astype(np.int64)
        if not share.whole:
            chosen = self._chosen(share)
            counts = counts[np.array([each in chosen for each in rows["sentence_id"].to_pylist()], np.bool_)]
        return counts, tagged_parts.words(share)

    def origin(self, language: str, part: Part) -> str:
        """Return where a part comes from: `validation`, or `half of validation` where the files lack it or lend it to another.

        Raises `CorpusError` for a language the corpus lacks.
        """
        return tagged_parts.words(self._share(language, part))

    def _share(self, language: str, part: Part) -> tagged_parts.Share:
        self._known(language)
        return tagged_parts.share(self.parts[language], part)

    @cached_property
    def _drawn(self) -> dict[tagged_parts.Share, frozenset[str]]:
        """The ids of each share that was asked for."""
        return {}

    def _chosen(self, share: tagged_parts.Share) -> frozenset[str]:
        if share not in self._drawn:
            ids = self.table.filter(pc.equal(self.table["part"], share.source))["sentence_id"]
            self._drawn[share] = tagged_parts.chosen(ids.to_pylist(), share)
        return self._drawn[share]

    def _rows(self, language: str, part: Part) -> pa.Table:
        self._known(language)
        table = self.table
        return table.filter(pc.and_(pc.equal(table["language"], language), pc.equal(table["part"], part)))

    def _ids(self, language: str, part: Part) -> list[str]:
        ids: list[str] = self._rows(language, part)["sentence_id"].to_pylist()
        return ids

    def _known(self, language: str) -> None:
        if language not in self.languages:
            raise CorpusError(f"The tagged corpus has no language '{language}'.", remedy=did_you_mean(language, self.languages))


def kind_of(counts: dict[str, dict[str, int]]) -> Kind:
    """Return the kind that nine words in ten say. `counts`: language → tag → words."""
    words = sum(count for own in counts.values() for count in own.values())

    def share(fits: Iterable[int]) -> float:
        return sum(fits) / max(words, 1)

    pairs = [(tag, count) for own in counts.values() for tag, count in own.items()]
    if share(count for tag, count in pairs if tag in UPOS) >= MOSTLY:
        return "pos"
    marked = any(tag != "O" for tag, _ in pairs)
    return "ner" if marked and share(count for tag, count in pairs if ENTITY.fullmatch(tag)) >= MOSTLY else "other"


def content_id(table: pa.Table) -> str:
    """24 hex digits of the rows of a tagged corpus (`SCHEMA`): the same for equal tables, however they are stored."""
    tags = pa.table({"tags": pc.list_flatten(table["tags"]).combine_chunks().cast(pa.string())})
    more = [bytes.fromhex(kept.content_id(tags, ["tags"]))]
    more.append(pc.list_value_length(table["tags"]).to_numpy().astype("<i4").tobytes())
    more += [pc.list_flatten(table[name]).to_numpy().astype("<i4").tobytes() for name in ("starts", "ends")]
    return kept.content_id(table, ["language", "part", "sentence_id", "text"], b"".join(more))


def _sentences(table: pa.Table) -> tuple[TaggedSentence, ...]:
    columns = (table[name].to_pylist() for name in ("text", "starts", "ends", "tags", "sentence_id"))
    return tuple(
        TaggedSentence(text, tuple(zip(starts, ends, strict=True)), tuple(tags), own)
        for text, starts, ends, tags, own in zip(*columns, strict=True)
    )


def _shared(ids: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the ids that all of several languages have, in the first one's order; none where they do not name translations."""
    sets = [set(own) for own in ids]
    if len(ids) < 2 or not all(sets):
        return ()
    common = set.intersection(*sets)
    if len(common) < MOSTLY * max(map(len, sets)) or any(len(own) != len(set(own)) for own in ids):
        return ()
    if all(_numbers(own) for own in ids):
        return ()
    return tuple(each for each in ids[0] if each in common)


def _numbers(ids: Sequence[str]) -> bool:
    """Whether ids only number the sentences (`7`, `train-s7`): two treebanks may agree in these and share no sentence."""
    found = [re.fullmatch(r"(.*?)(\d{1,12})", each, re.DOTALL | re.ASCII) for each in ids]
    if not all(found) or len({match[1] for match in found if match}) > 1:
        return False
    numbers = np.array([int(match[2]) for match in found if match])
    # Some are missing where sentences were left out.
    return bool((np.diff(numbers) > 0).all() and numbers[-1] - numbers[0] < 2 * len(numbers))
