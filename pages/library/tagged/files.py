"""A tagged corpus as files that Isogloss reads back to the same corpus."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from isogloss.backend.corpora.tagged.parts import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.corpora.tagged.corpus import TaggedCorpus, TaggedSentence

NAMES: dict[Part, str] = {"train": "train", "validation": "dev", "test": "test"}


def conllu(corpus: TaggedCorpus) -> bytes:
    """Write a zip archive with a CoNLL-U file for each language and part: `train-en.conllu`; tags stand in the column UPOS."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for tag in corpus.languages:
            for part in corpus.parts[tag]:
                text = "".join(line for sentence in corpus.own(tag, part) for line in _lines(sentence))
                archive.writestr(f"{NAMES[part]}-{tag}.conllu", text.encode("utf-8"))
    return out.getvalue()


def _lines(sentence: TaggedSentence) -> Iterator[str]:
    yield f"# sent_id = {sentence.id}\n"
    starts = [start for start, _ in sentence.spans[1:]]
    for number, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True), start=1):
        glued = number <= len(starts) and starts[number - 1] == sentence.spans[number - 1][1]
        yield f"{number}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t{'SpaceAfter=No' if glued else '_'}\n"
    yield "\n"
