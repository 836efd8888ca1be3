"""What may be odd about the tags and the sentences of a corpus: said in its report, and kept as it is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend.corpora.shared.inputs import listed
from isogloss.backend.corpora.tagged import parts
from isogloss.backend.corpora.tagged.corpus import ENTITY, UPOS
from isogloss.backend.corpora.tagged.parts import PARTS
from isogloss.backend.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.corpora.tagged.corpus import TaggedCorpus
    from isogloss.backend.corpora.tagged.sentences import Tags

LISTED = 8


def notes(corpus: TaggedCorpus, tags: Tags) -> list[str]:
    """Return a sentence with numbers on each thing that is odd. `tags` knows where each tag was first read."""
    found = [*_strange(corpus, tags), *_broken_entities(corpus), *_sets(corpus), *_untrained(corpus), *_repeats(corpus)]
    return [*found, *_ids(corpus), *_split(corpus)]


def _strange(corpus: TaggedCorpus, tags: Tags) -> list[str]:
    """Tags that are none of the set that most words' tags are of."""
    counts = Counter[str]()
    for own in corpus.tag_counts.values():
        counts.update(own)
    known: frozenset[str] = frozenset()
    match corpus.kind:
        case "pos":
            strange, known, what = [tag for tag in counts if tag not in UPOS], UPOS, "are not UPOS"
        case "ner":
            strange, known, what = [tag for tag in counts if not ENTITY.fullmatch(tag)], known, "are no entity's (BIO)"
        case "other":
            return [f"The {len(counts):,} tags are neither UPOS nor entities' (BIO): {listed(_most(counts), LISTED)}."]
    if not strange:
        return []
    most = _most(Counter({tag: counts[tag] for tag in strange}))
    first = tags.first[most[0]]
    meant = f" {did_you_mean(most[0], known)}" if known else ""
    return [
        f"{sum(counts[tag] for tag in strange):,} words have tags that {what}, each kept as a tag of its own: "
        f"{listed([f'{tag} ({counts[tag]:,})' for tag in most], LISTED)}. The first: {first[0]}, line {first[1]}.{meant}"
    ]


def _broken_entities(corpus: TaggedCorpus) -> list[str]:
    """Return how many entities begin with I- after a word that is not of them, by language."""
    if corpus.kind != "ner":
        return []
    counts = {}
    for language in corpus.languages:
        tags_of_language = corpus.table.filter(pc.equal(corpus.table["language"], language))["tags"].combine_chunks()
        codes = pc.dictionary_encode(tags_of_language.flatten())
        names: list[str] = codes.dictionary.to_pylist()
        kinds = {kind: i for i, kind in enumerate(sorted({name[2:] for name in names}), start=1)}
        kind = np.array([kinds[name[2:]] if name[1:2] == "-" else 0 for name in names])[codes.indices.to_numpy()]
        inside = np.array([name.startswith("I-") for name in names])[codes.indices.to_numpy()]
        before = np.concatenate(([0], kind[:-1]))
        lengths = pc.list_value_length(tags_of_language).to_numpy()
        before[np.cumsum(lengths)[:-1]] = 0  # the first words of sentences follow nothing
        counts[language] = int((inside & (before != kind)).sum())
    total = sum(counts.values())
    if not total:
        return []
    again = listed([f"{count:,} in {tag}" for tag, count in _by_size(counts) if count], LISTED)
    return [f"{total:,} entities begin with I- where B- is due ({again}): each counts as the beginning of one."]


def _sets(corpus: TaggedCorpus) -> list[str]:
    """Return the tags that some languages lack."""
    lacking = {tag: [one for one in corpus.languages if tag not in corpus.tag_counts[one]] for tag in corpus.tags}
    differ = [f"{tag} (not in {listed(without, LISTED)})" for tag, without in lacking.items() if without]
    return [f"Tags that not every language has: {listed(differ, 2 * LISTED)}."] if differ else []


def _untrained(corpus: TaggedCorpus) -> list[str]:
    """Tags that a language's validation or test has and its training part lacks."""
    lacking = []
    for language in corpus.languages:
        if len(corpus.parts[language]) < 2:
            continue
        sets = {part: _tags(corpus, language, part) for part in corpus.parts[language]}
        first = corpus.parts[language][0]
        if strange := sorted(set().union(*sets.values()) - sets[first]):
            lacking.append(f"{', '.join(strange[:LISTED])} ({language})")
    return [f"Tags that are never trained on, so no probe can give them: {listed(lacking, LISTED)}."] if lacking else []


def _tags(corpus: TaggedCorpus, language: str, part: parts.Part) -> set[str]:
    table = corpus.table
    own = table.filter(pc.and_(pc.equal(table["language"], language), pc.equal(table["part"], part)))
    return set(pc.unique(pc.list_flatten(own["tags"])).to_pylist())


def _repeats(corpus: TaggedCorpus) -> list[str]:
    """Sentences with the same text as an earlier one of their part, and as one of the training part."""
    again, trained = Counter[str](), Counter[str]()
    table = corpus.table.select(["language", "part", "text"])
    for language in corpus.languages:
        texts = {
            part: table.filter(pc.and_(pc.equal(table["language"], language), pc.equal(table["part"], part)))["text"]
            for part in corpus.parts[language]
        }
        first = corpus.parts[language][0]
        for part, own in texts.items():
            again[language] += len(own) - pc.count_distinct(own).as_py()
            if part != first:
                known = pa.array(pc.unique(texts[first]), pa.string())
                trained[language] += pc.sum(pc.is_in(own, known)).as_py() or 0
    warnings = []
    if again.total():
        warnings.append(f"Sentences with the words of an earlier one, kept: {_counted(again)}.")
    if trained.total():
        warnings.append(f"Sentences of later parts that are in the first part too, kept: {_counted(trained)}.")
    return warnings


def _ids(corpus: TaggedCorpus) -> list[str]:
    """Ids of the source that recur in a language and part: such sentences cannot be told apart between languages."""
    grouped = corpus.table.group_by(["language", "part"]).aggregate(
        [("sentence_id", "count"), ("sentence_id", "count_distinct")]
    )
    again = Counter[str]()
    for row in grouped.to_pylist():
        again[row["language"]] += row["sentence_id_count"] - row["sentence_id_count_distinct"]
    return [f"Sentences whose id an earlier one has: {_counted(again)}."] if again.total() else []


def _split(corpus: TaggedCorpus) -> list[str]:
    """Return which parts are split from others, in which languages."""
    groups: dict[tuple[parts.Part, ...], list[str]] = {}
    for language in corpus.languages:
        groups.setdefault(corpus.parts[language], []).append(language)
    sentences = []
    for present, languages in groups.items():
        if len(present) == len(PARTS):
            continue
        lacking = [part for part in PARTS if part not in present]
        origins = ", ".join(
            f"{part} is {corpus.origin(languages[0], part)}" for part in PARTS if not _same(corpus, languages[0], part)
        )
        where = "in every language" if len(languages) == len(corpus.languages) else f"in {listed(languages, LISTED)}"
        sentences.append(f"The files have no {' and no '.join(lacking)} part {where}: {origins}, by the sentences' ids.")
    return sentences


def _same(corpus: TaggedCorpus, language: str, part: parts.Part) -> bool:
    return corpus.origin(language, part) == part


def _counted(counts: Mapping[str, int]) -> str:
    return listed([f"{count:,} in {tag}" for tag, count in _by_size(counts) if count], LISTED)


def _by_size(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _most(counts: Mapping[str, int]) -> list[str]:
    return [tag for tag, _ in _by_size(counts)]
