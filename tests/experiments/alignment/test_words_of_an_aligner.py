"""Word alignment on the pairs of an aligner, whose tokens need not be words of ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments import links
from isogloss.backend.experiments.alignment.words import shard as word_alignment
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.experiments.alignment.words.vectors import WordEncoder
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.vectors.one_pass import kept_words
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import Settings
from isogloss.backend.store import scores
from tests.models.tiny import tiny_model

ENGLISH = ["They don't leave the harbour.", "The storm leaves nobody.", "The children leave the ferry."]
GERMAN = ["Sie verlassen den Hafen nicht.", "Der Sturm verlässt niemanden.", "Die Kinder verlassen die Fähre."]
TOKENS = {
    "en": ["They do n't leave the harbour .", "The storm leaves nobody .", "The children leave the ferry ."],
    "de": ["Sie verlassen den Hafen nicht .", "Der Sturm verlässt niemanden .", "Die Kinder verlassen die Fähre ."],
}
LINKS = ["0-0 3-1 5-3 2-4", "0-0 1-1 2-2 3-3", "0-0 1-1 2-2 4-4"]


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(Settings(workspace=tmp_path / "workspace", demo=None, device="cpu"))


@pytest.fixture
def corpus(context: Context) -> ParallelCorpus:
    rows = [
        {"sentence_id": str(i), "language": tag, "text": text, "document_id": None}
        for tag, texts in (("de", GERMAN), ("en", ENGLISH))
        for i, text in enumerate(texts)
    ]
    return ParallelCorpus(pa.Table.from_pylist(rows, schema=SCHEMA))


def test_the_aligners_tokens_are_the_words_scored(context: Context, corpus: ParallelCorpus, tmp_path: Path) -> None:
    kept = library.keep(corpus, "Harbour", context.workspace)
    files = {}
    for name, lines in (*TOKENS.items(), ("links", LINKS)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        files[name] = InputFile(name, tmp_path / name)
    found = links.read(files["links"], corpus, "en", "de", tokens=(files["en"], files["de"]))
    entry = alignments.keep(found, "By hand", context.workspace)
    [checkpoint] = discover(str(tiny_model(tmp_path / "model", "xlm-roberta"))).checkpoints
    pair = DictionaryPair(source="de", target="en", dictionary=entry.id)

    pairs = word_alignment.pairs_of(kept.id, pair, False, (context.workspace,))
    words = set(zip(pairs.table["source_word"].to_pylist(), pairs.table["target_word"].to_pylist(), strict=True))
    assert ("nicht", "n't") in words  # half of "don't", which is one word of ours
    assert len(words) == pairs.table.num_rows == 11  # verlassen and leave twice, kept once

    spec = WordAlignmentSpec(model="tiny", checkpoints=(checkpoint,), corpus=kept.id, pairs=(pair,))
    for shard in spec.shards():
        word_alignment.compute(spec, shard, context)
    [file] = scores.shards([context.workspace], "alignment")
    assert file.provenance["counts"]["de-en"]["lost"] == 0

    text = word_alignment.text_of(corpus, kept.id, checkpoint, "en")
    places = word_alignment.places(text, pairs, "target")
    assert kept_words(text, context) is None  # an aligner's tokens are not kept as the words of the language
    vectors = WordEncoder(context, 2).words(text, places, 0.0)
    whole = WordEncoder(context, 2).words(text, [(0, 5, 10)], 0.0)  # don't
    half = vectors.vectors[places.index((0, 7, 10))]
    assert vectors.lost.sum() == 0
    assert not np.array_equal(half, whole.vectors[0])
    again = WordEncoder(context, 2).words(text, places, 0.0)  # also now that all words of ours are kept
    assert kept_words(text, context) is not None
    np.testing.assert_array_equal(again.vectors, vectors.vectors)


def test_an_alignment_of_another_corpus_is_refused(context: Context, corpus: ParallelCorpus, tmp_path: Path) -> None:
    from isogloss.backend.errors import CorpusError

    library.keep(corpus, "Harbour", context.workspace)
    other = library.keep(ParallelCorpus(corpus.table.slice(0, 5)), "Less", context.workspace)
    (tmp_path / "links").write_text("0-0\n0-0\n0-0\n", encoding="utf-8")
    found = links.read(InputFile("links", tmp_path / "links"), corpus, "en", "de")
    entry = alignments.keep(found, "Own words", context.workspace)
    pair = DictionaryPair(source="de", target="en", dictionary=entry.id)
    with pytest.raises(CorpusError, match="another corpus"):
        word_alignment.pairs_of(other.id, pair, False, (context.workspace,))
