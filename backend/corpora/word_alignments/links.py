"""A word alignment of a saved corpus as links between characters, whatever tokens the aligner had."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Unpack

import pyarrow as pa

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.languages.words import is_word
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.shared.textlines import read_lines
from isogloss.backend.corpora.word_alignments import readers
from isogloss.backend.corpora.word_alignments import tokens as pharaoh_pairs
from isogloss.backend.corpora.word_alignments.readers import Alignment, Base, Link
from isogloss.backend.corpora.word_alignments.tokens import Tokens
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.dictionaries.word_pairs import WordPairs
    from isogloss.backend.corpora.languages.words import Span
    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile
    from isogloss.backend.corpora.word_alignments.tokens import Gold

SCHEMA = pa.schema(
    [
        ("sentence_id", pa.string()),
        ("source_start", pa.int32()),  # in characters of the source sentence
        ("source_end", pa.int32()),
        ("target_start", pa.int32()),
        ("target_end", pa.int32()),
        ("sure", pa.bool_()),  # False where a gold alignment has the link as possible only
    ]
)


@dataclass(frozen=True)
class Links:
    """The links of every sentence that a corpus has in two languages (`SCHEMA`), in the order of the sentences."""

    corpus: str
    """Content id of the corpus."""
    source: str
    target: str
    table: pa.Table
    source_words: int
    """Tokens of the source sentences that hold a letter or a number, linked or not."""
    target_words: int
    format: str = field(default="links", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What its reader found odd."""
    gold: bool = field(default=False, compare=False)
    """Whether people made them, so that others are measured by them."""

    def between(self, source: str, target: str) -> Links:
        """Return these links, or the same turned around. Raises `CorpusError` for other languages."""
        if (self.source, self.target) == (source, target):
            return self
        if (self.target, self.source) != (source, target):
            raise CorpusError(
                f"The alignment is of '{self.source}' and '{self.target}', not of '{source}' and '{target}'.",
                remedy="Choose an alignment of these two languages.",
            )
        turned = self.table.select([0, 3, 4, 1, 2, 5]).rename_columns(SCHEMA.names)
        words = self.target_words, self.source_words
        return replace(self, source=source, target=target, table=turned, source_words=words[0], target_words=words[1])


def read(
    file: InputFile,
    corpus: ParallelCorpus,
    source: str,
    target: str,
    *,
    tokens: tuple[InputFile, InputFile] | None = None,
    base: Base = "detect",
) -> Links:
    """The alignment in a file of Pharaoh or NAACL format, of the sentences that `corpus` has in both languages, in its order.

    `tokens` are the tokenised sentences that were aligned, source and target; without them, the corpus's own words
    (`backend.corpora.languages.words.segment`). Raises `CorpusError` with file and line where the three do not belong together.
    """
    ends = language(source).tag, language(target).tag
    if ends[0] == ends[1]:
        raise CorpusError(f"An alignment needs two languages, not '{source}' twice.", remedy="Choose two languages.")
    split = pharaoh_pairs.tokens_from_files(*tokens, corpus, *ends) if tokens else pharaoh_pairs.own_tokens(corpus, *ends)
    form = _format(file)
    match form:
        case "NAACL":
            alignment = readers.read_naacl(file, split.lengths)
        case "Pharaoh":
            alignment = readers.read(file, split.lengths, base=base)
    links = from_tokens(corpus, *ends, alignment, split)
    if not links.table.num_rows:
        raise CorpusError("There is no link.", remedy="Choose the right file.", file=file.name)
    null = (f"{alignment.null:,} links to the empty word were left out.",) if alignment.null else ()
    return replace(links, format=form, notes=(*alignment.notes, *null))


def for_aligners(corpus: ParallelCorpus, source: str, target: str) -> list[str]:
    """The words of both sentences as `a b ||| c d`, a line for each sentence: what FastAlign, eflomal and awesome-align read.

    What they then write is read by `read` without `tokens`. Raises `CorpusError` for languages that the corpus lacks.
    """
    ends = language(source).tag, language(target).tag
    _, texts = corpus.align(ends)
    split = pharaoh_pairs.own_tokens(corpus, *ends)
    left, right = _joined(texts[ends[0]], split.source), _joined(texts[ends[1]], split.target)
    return [f"{own} ||| {other}" for own, other in zip(left, right, strict=True)]


def from_tokens(corpus: ParallelCorpus, source: str, target: str, alignment: Alignment, tokens: Tokens) -> Links:
    """Return the links of aligned tokens at their characters. Raises `CorpusError` as `pharaoh_pairs.gold`."""
    found = pharaoh_pairs.gold(corpus, source, target, alignment, tokens)
    rows = [(each, *own, *other, sure) for each, links in found.links.items() for own, other, sure in links]
    columns = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
    table = pa.table([pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], schema=SCHEMA)
    _, texts = corpus.align([source, target])
    words = _words(texts[source], tokens.source), _words(texts[target], tokens.target)
    return Links(library.content_id(corpus.table), source, target, table, *words)


def pairs(
    links: Links, corpus: ParallelCorpus, source: str, target: str, **options: Unpack[pharaoh_pairs.PairOptions]
) -> WordPairs:
    """Return the linked words as pairs in their sentences, in either direction; options as of `pharaoh_pairs.aligned_pairs`.

    Raises `CorpusError` for other languages and for another corpus than was aligned.
    """
    links = links.between(source, target)
    aligned = pharaoh_pairs.aligned_pairs(corpus, source, target, *_linked(links, corpus), **options)
    return replace(aligned, source_words=links.source_words)


def gold(links: Links, corpus: ParallelCorpus, source: str, target: str) -> Gold:
    """The links as a measure for pairs of any origin (`pharaoh_pairs.precision`), in either direction. Raises as `pairs`."""
    links = links.between(source, target)
    return pharaoh_pairs.gold(corpus, source, target, *_linked(links, corpus))


def _linked(links: Links, corpus: ParallelCorpus) -> tuple[Alignment, Tokens]:
    """Return the links as an alignment of the tokens that have one."""
    if library.content_id(corpus.table) != links.corpus:
        raise CorpusError("The alignment is of another corpus.", remedy="Choose the corpus that was aligned.")
    links_by_sentence: dict[str, list[tuple[Span, Span, bool]]] = {}
    for row in links.table.to_pylist():
        own, other = (row["source_start"], row["source_end"]), (row["target_start"], row["target_end"])
        links_by_sentence.setdefault(row["sentence_id"], []).append((own, other, row["sure"]))
    alignment: list[tuple[Link, ...]] = []
    tokens: tuple[list[list[Span]], list[list[Span]]] = [], []
    for sentence_id in corpus.align([links.source, links.target])[0]:
        here = links_by_sentence.get(sentence_id, [])
        left, right = sorted({own for own, _, _ in here}), sorted({other for _, other, _ in here})
        places = {span: i for i, span in enumerate(left)}, {span: i for i, span in enumerate(right)}
        of_sentence = [Link(places[0][own], places[1][other], sure) for own, other, sure in here]
        alignment.append(tuple(sorted(of_sentence, key=lambda link: (link.source, link.target))))
        tokens[0].append(left)
        tokens[1].append(right)
    return Alignment(tuple(alignment), 0), Tokens(*tokens)


def _words(texts: Sequence[str], tokens: Sequence[Sequence[Span]]) -> int:
    return sum(is_word(text[start:end]) for text, spans in zip(texts, tokens, strict=True) for start, end in spans)


def _joined(texts: Sequence[str], tokens: Sequence[Sequence[Span]]) -> list[str]:
    return [" ".join(text[start:end] for start, end in spans) for text, spans in zip(texts, tokens, strict=True)]


def _format(file: InputFile) -> Literal["Pharaoh", "NAACL"]:
    """NAACL has numbers between spaces, Pharaoh a mark between the two numbers of each link."""
    first = next(line.split() for line in read_lines(file) if line.strip())
    return "NAACL" if len(first) >= 3 and all(readers.NUMBER.fullmatch(each) for each in first[:3]) else "Pharaoh"
