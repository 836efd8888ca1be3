"""From aligned tokens to word pairs, and to gold links, at their characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict

from isogloss.backend.corpora.dictionaries.word_pairs import Unique, WordPairs, collect, one_to_one
from isogloss.backend.corpora.languages.words import Span, is_word, segment
from isogloss.backend.corpora.shared.textlines import lines_for
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile
    from isogloss.backend.corpora.word_alignments.readers import Alignment

BETWEEN = re.compile("[ \t]+")
"""What separates tokens. Other white space, such as the no-break space in `10 000`, may be part of one."""


@dataclass(frozen=True)
class Tokens:
    """Where the tokens of every sentence stand in its text, in the order of `ParallelCorpus.aligned`."""

    source: Sequence[Sequence[Span]]
    target: Sequence[Sequence[Span]]

    @property
    def lengths(self) -> list[tuple[int, int]]:
        """(source tokens, target tokens) of every sentence pair, as the readers of alignments need them."""
        return [(len(a), len(b)) for a, b in zip(self.source, self.target, strict=True)]


@dataclass(frozen=True)
class Gold:
    """Sentence id → its gold links as (source characters, target characters, sure). A sentence without links is there too."""

    source: str
    target: str
    links: Mapping[str, Sequence[tuple[Span, Span, bool]]]


def tokens_from_files(
    source_file: InputFile, target_file: InputFile, corpus: ParallelCorpus, source: str, target: str
) -> Tokens:
    """Return where the tokens of two files, a sentence a line with spaces between tokens, stand in the sentences of a corpus.

    Raises `CorpusError` with file and line for another number of lines than sentences, and for tokens that are not the
    sentence's.
    """
    _, texts = corpus.align([source, target])
    return Tokens(locate(source_file, texts[source]), locate(target_file, texts[target]))


def own_tokens(corpus: ParallelCorpus, source: str, target: str) -> Tokens:
    """Return the words that `backend.corpora.languages.words.segment` finds, as tokens: for alignments of exactly these."""
    _, texts = corpus.align([source, target])
    return Tokens([segment(text, source) for text in texts[source]], [segment(text, target) for text in texts[target]])


def locate(file: InputFile, texts: Sequence[str]) -> list[list[Span]]:
    """Where the tokens on each line of a file stand in the text of that place. Raises `CorpusError` as `tokens_from_files`."""
    said = "The file has {lines:,} lines of tokens for {sentences:,} sentences."
    lines = lines_for(file, len(texts), said, "Give one line a sentence, in the order of the corpus.")
    return [
        _walk(file, number, text, [token for token in BETWEEN.split(line) if token])
        for number, (line, text) in enumerate(zip(lines, texts, strict=True), start=1)
    ]


def _walk(file: InputFile, line: int, text: str, tokens: Sequence[str]) -> list[Span]:
    """Return the places of tokens that follow each other in `text` with nothing but white space between."""
    spans, place = [], 0
    for number, token in enumerate(tokens, start=1):
        start = place
        while not text.startswith(token, start) and start < len(text) and text[start].isspace():
            start += 1
        if not text.startswith(token, start):
            here = f"where '{text[start : start + 20]}' does" if start < len(text) else "which ends before"
            raise CorpusError(
                f"Token {number}, '{token[:40]}', does not stand at character {start + 1} of the sentence, {here}.",
                remedy="Give the tokens as the sentence writes them, without escapes (&apos;) or normalisation.",
                file=file.name,
                line=line,
            )
        place = start + len(token)
        spans.append((start, place))
    if text[place:].strip():
        raise CorpusError(
            f"The sentence goes on after the last token, with '{text[place:].strip()[:40]}'.",
            remedy="Give all tokens of the sentence, also its punctuation.",
            file=file.name,
            line=line,
        )
    return spans


class PairOptions(TypedDict, total=False):
    """Options of `aligned_pairs`, for those who pass them on."""

    repeated: bool
    which: Literal["all", "sure"]
    unique: Unique | None


def aligned_pairs(
    corpus: ParallelCorpus,
    source: str,
    target: str,
    alignment: Alignment,
    tokens: Tokens,
    *,
    repeated: bool = False,
    which: Literal["all", "sure"] = "all",
    unique: Unique | None = None,
) -> WordPairs:
    """Return the linked tokens of an alignment as word pairs, except where one holds no letter and no number.

    With `unique`, only links of tokens that have one link, as `word_pairs.extract` has it for candidates. Repetition as there.
    Raises `CorpusError` where corpus, tokens and alignment differ in their number of sentences.
    """
    ids, texts = _checked(corpus, source, target, alignment, tokens)
    pairs = []
    words = ambiguous = 0
    for place, (sentence_id, of_sentence) in enumerate(zip(ids, alignment.links, strict=True)):
        left, right = texts[source][place], texts[target][place]
        source_tokens, other = tokens.source[place], tokens.target[place]
        words += sum(is_word(left[start:end]) for start, end in source_tokens)
        chosen = [
            (each.source, each.target)
            for each in of_sentence
            if (each.sure or which == "all")
            and is_word(left[slice(*source_tokens[each.source])])
            and is_word(right[slice(*other[each.target])])
        ]
        if unique:
            chosen, dropped = one_to_one(chosen, unique)
            ambiguous += dropped
        pairs += [(sentence_id, left, right, source_tokens[i], other[j]) for i, j in chosen]
    return collect(pairs, source, target, repeated=repeated, sentences=len(ids), source_words=words, ambiguous=ambiguous)


def gold(corpus: ParallelCorpus, source: str, target: str, alignment: Alignment, tokens: Tokens) -> Gold:
    """Return an alignment as a measure for pairs of any origin. Raises `CorpusError` as `aligned_pairs`."""
    ids, _ = _checked(corpus, source, target, alignment, tokens)
    links = {
        sentence_id: [(own[each.source], other[each.target], each.sure) for each in of_sentence]
        for sentence_id, of_sentence, own, other in zip(ids, alignment.links, tokens.source, tokens.target, strict=True)
    }
    return Gold(source, target, links)


def _checked(
    corpus: ParallelCorpus, source: str, target: str, alignment: Alignment, tokens: Tokens
) -> tuple[list[str], dict[str, list[str]]]:
    ids, texts = corpus.align([source, target])
    counts = {len(ids), len(alignment.links), len(tokens.source), len(tokens.target)}
    if len(counts) > 1:
        raise CorpusError(
            f"The corpus has {len(ids):,} sentences in both languages, the alignment {len(alignment.links):,}.",
            remedy="Use the corpus that was aligned, whole and in its order.",
        )
    return ids, texts
