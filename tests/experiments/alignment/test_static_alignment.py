"""Static vectors as a baseline: from files and sentences to rows, against a plain double loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.errors import ModelError, SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.alignment import rows as alignment
from isogloss.backend.experiments.alignment.static import StaticAlignmentSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.models.static import library as static_library
from isogloss.backend.models.static import vectors as static_vectors
from isogloss.backend.settings import Settings
from isogloss.backend.store import scores
from tests.experiments.alignment import alignment_by_hand as by_hand
from tests.experiments.one_pair import covering

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.models.static.library import StaticSet

WORDS = 12
DIMS = 6
UNLISTED = 4
"""The number of the word that the German dictionary lacks: without it all languages' words would be numbered alike."""
SPOKEN = ("de", "en", "fr")


def word(tag: str, number: int) -> str:
    """Capitals in German, as it writes nouns; only the dictionary and the sentences share a spelling."""
    name = f"{tag}{chr(ord('a') + number)}"
    return name.capitalize() if tag == "de" else name


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(Settings(workspace=tmp_path / "workspace", demo=None, device="cpu"))


@pytest.fixture
def corpus(context: Context) -> str:
    """Sentences of two words each, every word of a language once."""
    rows = [(f"s{i}", tag, f"{word(tag, i)} {word(tag, i + 1)}.", None) for tag in SPOKEN for i in range(0, WORDS, 2)]
    table = pa.table(list(zip(*rows, strict=True)), schema=SCHEMA)
    return library.keep(ParallelCorpus(table), "Small", context.workspace).id


@pytest.fixture
def pairs(context: Context) -> tuple[DictionaryPair, ...]:
    found = []
    for tag in ("de", "fr"):
        entries = {word("en", i): (word(tag, i).lower(),) for i in range(WORDS) if (tag, i) != ("de", UNLISTED)}
        entry = dictionaries.keep(Dictionary("en", tag, entries), f"en-{tag}", context.workspace)
        found.append(DictionaryPair(source="en", target=tag, dictionary=entry.id))
    return tuple(found)


def vectors_of(tag: str) -> dict[str, np.ndarray[Any, np.dtype[np.float32]]]:
    """Near those of the other languages; German lacks its third word, French its last, and German has decoys."""
    shared = np.random.default_rng(0).normal(size=(WORDS, DIMS))
    own = np.random.default_rng(SPOKEN.index(tag) + 1)
    found = {word(tag, i): (shared[i] + own.normal(size=DIMS) + 0.5).astype(np.float32) for i in range(WORDS)}
    lacking = {"de": 2, "fr": WORDS - 1}.get(tag)
    if lacking is not None:
        del found[word(tag, lacking)]
    return ({word("de", 0).upper(): np.ones(DIMS, np.float32)} if tag == "en" else {}) | found


@pytest.fixture
def kept(context: Context, tmp_path: Path) -> StaticSet:
    files = {}
    for tag in SPOKEN:
        files[tag] = tmp_path / f"{tag}.vec"
        static_vectors.write(files[tag], vectors_of(tag), header=tag != "fr")
    return static_library.add("Baseline", files, context.workspace)


def spec_of(kept: StaticSet, corpus: str, pairs: tuple[DictionaryPair, ...], **options: Any) -> StaticAlignmentSpec:
    return StaticAlignmentSpec(model=kept.name, vectors=kept.fingerprint, corpus=corpus, pairs=pairs, **options)


def computed(spec: StaticAlignmentSpec, context: Context) -> pd.DataFrame:
    for shard in spec.shards():
        registry.compute(registry.parse(spec.model_dump(mode="json")), shard, context)
    return scores.sql("SELECT * FROM scores ORDER BY source, target, metric, seed", context.workspaces)


@pytest.mark.parametrize(
    "options",
    [{}, {"k": 2}, {"similarity": "cosine"}, {"centred": True, "k": 3}, {"similarity": "cosine", "centred": True}],
)
def test_scores_are_those_of_a_plain_double_loop(
    context: Context, corpus: str, pairs: tuple[DictionaryPair, ...], kept: StaticSet, options: dict[str, Any]
) -> None:
    spec = spec_of(kept, corpus, pairs, **options)
    frame = computed(spec, context)
    assert len(frame) == 2 * 2 * 3, "all pairs are taken, so that one run is enough"
    for (source, target), rows in frame.groupby(["source", "target"]):
        sides = [vectors_of(str(tag)) for tag in (source, target)]
        there = [
            i
            for i in range(WORDS)
            if all(word(str(tag), i) in side for tag, side in zip((source, target), sides, strict=True))
            and not ("de" in (source, target) and i == UNLISTED)
        ]
        u, v = (
            [side[word(str(tag), i)].astype(np.float64) for i in there]
            for tag, side in zip((source, target), sides, strict=True)
        )
        expected = by_hand.retrieval(u, v, spec.k, spec.similarity, spec.centred)
        assert dict(zip(rows["metric"].str.removeprefix("word_"), rows["value"], strict=True)) == pytest.approx(expected)
        assert set(rows["n"]) == {len(there)}
    assert frame["value"].nunique() > 2


def test_rows_lie_in_the_figure_of_models(
    context: Context, corpus: str, pairs: tuple[DictionaryPair, ...], kept: StaticSet
) -> None:
    spec = spec_of(kept, corpus, pairs, n_pairs=5, runs=3, repeated=True, centred=True)
    frame = computed(spec, context)
    assert set(frame["experiment"]) == {"alignment"}
    assert set(frame["model"]) == {"Baseline"}
    assert set(frame["checkpoint"]) == {kept.fingerprint}
    assert frame["layer"].isna().all()
    assert frame["step"].isna().all()
    checkpoint = {"source": "folder", "location": "/x", "label": "x", "fingerprint": "f" * 24}
    of_model = WordAlignmentSpec(
        model="m", checkpoints=(checkpoint,), corpus=corpus, pairs=pairs, n_pairs=5, runs=3, repeated=True, centred=True
    )
    assert set(frame["variant"]) == {of_model.variant} == {"word/csls10/5 pairs/repeated/centred"}
    assert {tuple(pair) for pair in frame[["source", "target"]].to_numpy()} == {
        ("de", "en"),
        ("en", "de"),
        ("en", "fr"),
        ("fr", "en"),
    }
    assert sorted(frame["seed"].unique()) == [0, 1, 2]
    assert frame["low"].isna().all(), "the spread over runs is the interval"
    assert set(frame["n"]) <= {4, 5}
    assert 4 in set(frame["n"]), "what has no vector is left out of its run, not replaced"


def test_what_has_no_vector_is_counted(
    context: Context, corpus: str, pairs: tuple[DictionaryPair, ...], kept: StaticSet
) -> None:
    computed(spec_of(kept, corpus, pairs), context)
    [shard] = scores.shards(context.workspaces, alignment.FAMILY)
    assert shard.provenance["counts"]["de-en"] == {
        "pairs": WORDS - 1,
        "drawn": WORDS - 1,
        "lost": 1,
        "ambiguous": 0,
        "repeated": 0,
    }
    assert shard.provenance["words"] == {
        "de": {"words": WORDS - 1, "without": 1, "note": None},
        "en": {"words": WORDS, "without": 0, "note": None},
        "fr": {"words": WORDS, "without": 1, "note": None},
    }
    assert (shard.provenance["label"], shard.provenance["fingerprint"], shard.provenance["static"]) == (
        "Baseline",
        kept.fingerprint,
        True,
    )


def test_pairs_that_a_file_has_are_not_computed_again(
    context: Context, corpus: str, pairs: tuple[DictionaryPair, ...], kept: StaticSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed(spec_of(kept, corpus, pairs[:1]), context)
    read: list[str] = []
    real = static_vectors.read
    monkeypatch.setattr(
        static_vectors, "read", lambda path, *args, **options: (read.append(path.name), real(path, *args, **options))[1]
    )
    both = spec_of(kept, corpus, pairs)
    frame = computed(both, context)
    assert read == ["en.vec", "fr.vec"], "each file once, and none for what is there"
    assert not frame.duplicated(["metric", "source", "target", "seed"]).any()
    have = scores.shards(context.workspaces, alignment.FAMILY)
    assert [shard.provenance["pairs"] for shard in have] == [[both.pairs[0].key], [both.pairs[1].key]]
    assert all(covering(both.provenance(), pair.key, have) for pair in both.pairs)
    assert len(computed(both, context)) == len(frame)
    assert len(read) == 2


def test_a_language_without_a_file_is_named(
    context: Context, corpus: str, pairs: tuple[DictionaryPair, ...], tmp_path: Path
) -> None:
    path = tmp_path / "en.vec"
    static_vectors.write(path, vectors_of("en"))
    kept = static_library.add("English alone", {"en": path}, context.workspace)
    with pytest.raises(SpecError, match="'English alone' have no file for de, fr, only for en"):
        computed(spec_of(kept, corpus, pairs), context)


def test_files_that_changed_give_no_scores(
    context: Context, corpus: str, pairs: tuple[DictionaryPair, ...], kept: StaticSet, tmp_path: Path
) -> None:
    static_vectors.write(tmp_path / "fr.vec", vectors_of("fr"), header=True)
    with pytest.raises(ModelError, match=r"fr\.vec of 'Baseline' has changed"):
        computed(spec_of(kept, corpus, pairs), context)
    assert scores.shards(context.workspaces) == []
    with pytest.raises(ModelError, match="not in the library"):
        computed(spec_of(kept, corpus, pairs).model_copy(update={"vectors": "0" * 24}), context)


def test_a_cancelled_run_stops_while_it_reads(
    context: Context, corpus: str, pairs: tuple[DictionaryPair, ...], kept: StaticSet
) -> None:
    stopping = Context(context.settings, should_stop=lambda: True)
    with pytest.raises(Cancelled):
        computed(spec_of(kept, corpus, pairs), stopping)
    assert scores.shards(context.workspaces) == []


def test_specs_say_what_is_wrong(corpus: str, kept: StaticSet, pairs: tuple[DictionaryPair, ...]) -> None:
    spec = spec_of(kept, corpus, pairs)
    assert spec == spec_of(kept, corpus, pairs[::-1])
    assert [(pair.source, pair.target) for pair in spec.pairs] == [("de", "en"), ("en", "fr")]
    assert spec.id != spec_of(kept, corpus, pairs, seed=1).id
    with pytest.raises(SpecError, match="two languages, not en twice"):
        registry.parse(spec.model_dump(mode="json") | {"pairs": [{"source": "en", "target": "en", "dictionary": "d" * 24}]})
