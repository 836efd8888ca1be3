"""A prefix before every text: its vectors are those of the prefix typed into the corpus, and without one nothing changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from pydantic import ValidationError

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx import confusions
from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.alignment.words.errors import WordErrorsSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.experiments.alignment.words.vectors import WordEncoder
from isogloss.backend.experiments.probing.features import Encoder, FeaturePart
from isogloss.backend.experiments.probing.spec import ProbingSentencesSpec, ProbingWordsSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.transfer.similarity import LanguageSimilaritySpec
from isogloss.backend.experiments.transfer.spec import TransferSpec, variant
from isogloss.backend.experiments.vectors import embeddings, one_pass
from isogloss.backend.experiments.vectors.keeping import Keeping
from isogloss.backend.experiments.vectors.one_pass import Text
from isogloss.backend.files import digest
from isogloss.backend.models.entry import LONGEST_PREFIX, Pooling
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import Settings
from isogloss.backend.store import embeddings as store
from isogloss.backend.store import scores
from tests.models.tiny import SENTENCES, Architecture, tiny_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.models.entry import Checkpoint

QUERY = "query: "
PREFIXES = [QUERY, "Aufgabe: Finde den Satz.\nSatz: ", " ", "渡"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)
IDS = [f"s{i}" for i in range(len(SENTENCES))]
CUT = [*SENTENCES[:8], " ".join(SENTENCES * 2), ""]
"""The last but one is longer than the model's 64 tokens, the last has none of its own."""


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(Settings(workspace=tmp_path / "workspace", demo=None, device="cpu"))


def made(folder: Path, architecture: Architecture = "xlm-roberta") -> Checkpoint:
    return discover(str(tiny_model(folder, architecture))).checkpoints[0]


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    return made(tmp_path / "model")


def vectors(checkpoint: Checkpoint, context: Context, texts: Sequence[str], prefix: str = "", corpus: str = "corpus") -> Any:
    found = embeddings.of_corpus(checkpoint, corpus, IDS, {"en": texts}, POOLINGS, context, prefix)
    return {pooling: (each["en"].vectors, each["en"].exponents, each["en"].truncated) for pooling, each in found.of.items()}


@pytest.mark.parametrize("architecture", ["xlm-roberta", "bert", "gpt2", "mbart"])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_sentences_are_those_of_the_prefix_typed_into_the_corpus(
    tmp_path: Path, context: Context, architecture: Architecture, prefix: str
) -> None:
    checkpoint = made(tmp_path / "model", architecture)
    typed = vectors(checkpoint, context, [prefix + text for text in CUT], corpus="typed")
    given, kept = (vectors(checkpoint, context, CUT, prefix) for _ in range(2))
    for pooling in POOLINGS:
        for one, other, again in zip(typed[pooling], given[pooling], kept[pooling], strict=True):
            np.testing.assert_array_equal(one, other)
            np.testing.assert_array_equal(one, again)


def test_what_is_kept_with_and_without_a_prefix_never_mixes(
    checkpoint: Checkpoint, context: Context, passes: list[str]
) -> None:
    first = [vectors(checkpoint, context, SENTENCES, prefix)["mean"][0] for prefix in ("", QUERY, "passage: ")]
    assert len(passes) == 3
    again = [vectors(checkpoint, context, SENTENCES, prefix)["mean"][0] for prefix in ("", QUERY, "passage: ")]
    assert len(passes) == 3
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.allclose(first[0], first[1])
    assert not np.allclose(first[1], first[2])


def test_a_file_without_a_prefix_has_the_name_and_the_footer_it_always_had() -> None:
    key = store.EmbeddingKey("f" * 24, "corpus", "en", "mean", "0" * 24)
    before = {"fingerprint": "f" * 24, "corpus": "corpus", "language": "en", "pooling": "mean", "sentences": "0" * 24}
    assert key.fields == before
    assert key.file == f"{digest(before | {'format': store.FORMAT})}.parquet"
    with_one = replace(key, prefix=QUERY)
    assert with_one.fields == before | {"prefix": QUERY}
    assert with_one.file not in (key.file, replace(key, prefix="query:").file)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_words_are_those_of_the_typed_prefix_and_keep_their_places(
    checkpoint: Checkpoint, context: Context, prefix: str
) -> None:
    text = Text(checkpoint, "corpus", "en", IDS, CUT, prefix=prefix)
    spans = text.words()
    loaded = one_pass.load(checkpoint, context)
    with Keeping(context) as keeping:
        given = one_pass.run(loaded, text, [], spans, lambda *_: None, context, keeping=keeping).words
    typed_text = replace(text, corpus="typed", texts=[prefix + each for each in CUT], prefix="")
    moved = [[(start + len(prefix), end + len(prefix)) for start, end in each] for each in spans]
    typed = one_pass.run(loaded, typed_text, [], moved, lambda *_: None, context).words
    assert given is not None
    assert typed is not None
    np.testing.assert_array_equal(given.vectors, typed.vectors)
    np.testing.assert_array_equal(given.lost, typed.lost)
    assert given.lost.any()  # with the end of the long sentence
    assert [tuple(place) for place in given.places.tolist()] == [(i, *span) for i, each in enumerate(spans) for span in each]
    kept = one_pass.kept_words(text, context)
    assert kept is not None
    np.testing.assert_array_equal(kept.vectors, given.vectors)
    assert one_pass.kept_words(replace(text, prefix=""), context) is None


def test_masked_words_stand_behind_the_prefix(checkpoint: Checkpoint, context: Context) -> None:
    text, wanted = Text(checkpoint, "corpus", "en", IDS, SENTENCES), [(0, 4, 9), (1, 0, 6)]
    given = WordEncoder(context, 1).encode_masked(replace(text, prefix=QUERY), wanted, 0.0)
    typed = replace(text, texts=[QUERY + each for each in SENTENCES])
    moved = [(i, start + len(QUERY), end + len(QUERY)) for i, start, end in wanted]
    np.testing.assert_array_equal(given.vectors, WordEncoder(context, 1).encode_masked(typed, moved, 0.0).vectors)
    assert not np.allclose(given.vectors, WordEncoder(context, 1).encode_masked(text, wanted, 0.0).vectors)


def test_probes_read_the_same(checkpoint: Checkpoint, context: Context) -> None:
    def part(prefix: str, corpus: str) -> FeaturePart:
        spans = [[(len(prefix), len(prefix) + 3)] for _ in SENTENCES]
        return FeaturePart(corpus, "en", IDS, [prefix + text for text in SENTENCES], spans)

    given, typed = (Encoder(checkpoint, context, 1, prefix) for prefix in (QUERY, ""))
    for pooling in POOLINGS:
        one, other = (encoder.sentences(part(*of), pooling, (0.0, 1.0)) for encoder, of in _both(given, typed))
        np.testing.assert_array_equal(one.stored, other.stored)
    for word in ("mean", "first"):
        one, other = (encoder.words(part(*of), word, (0.0, 1.0)) for encoder, of in _both(given, typed))  # type: ignore[arg-type]
        np.testing.assert_array_equal(one.stored, other.stored)


def _both(given: Encoder, typed: Encoder) -> list[tuple[Encoder, tuple[str, str]]]:
    return [(given, ("", "corpus")), (typed, (QUERY, "typed"))]


TWO = {"en": [SENTENCES[i] for i in range(10)], "de": [SENTENCES[(3 * i + 1) % 10] for i in range(10)]}
"""No translations: scores then lie between the extremes, and move with whatever the model reads."""


def kept_corpus(context: Context, prefix: str = "") -> str:
    lines = {tag: [f"{prefix}{text} {i}" for i, text in enumerate(texts)] for tag, texts in TWO.items()}
    folder = context.workspace / f"typed {len(prefix)}"
    folder.mkdir(parents=True, exist_ok=True)
    for tag, texts in lines.items():
        (folder / f"x.{tag}").write_text("\n".join(texts) + "\n", encoding="utf-8")
    files = [InputFile(path.name, path) for path in sorted(folder.iterdir())]
    return corpora.keep(read(files), f"Two {prefix}", context.workspace).id


def computed(spec: AbxSpec | SentenceAlignmentSpec | LanguageSimilaritySpec, context: Context) -> pd.DataFrame:
    """The rows of a spec of one checkpoint, in a known order."""
    [shard] = spec.shards()
    registry.compute(spec, shard, context)
    files = [each for each in scores.shards(context.workspaces, None) if each.provenance["corpus"] == spec.corpus]
    rows = pa.concat_tables([pa.parquet.read_table(each.path) for each in files]).to_pandas()
    several = isinstance(spec, SentenceAlignmentSpec)
    variants = {spec.variant(each) for each in spec.poolings} if several else {spec.variant}
    order = ["metric", "variant", "layer", "source", "target"]
    return rows[rows["variant"].isin(list(variants))].sort_values(order).reset_index(drop=True)


@pytest.mark.parametrize("kind", [AbxSpec, SentenceAlignmentSpec, LanguageSimilaritySpec])
def test_scores_are_those_of_the_typed_corpus_under_a_variant_of_their_own(
    checkpoint: Checkpoint, context: Context, kind: type[Any]
) -> None:
    common = {"model": "tiny", "checkpoints": (checkpoint,), "languages": ("de", "en")}
    plain, typed = kept_corpus(context), kept_corpus(context, QUERY)
    without = computed(kind(**common, corpus=plain), context)
    given = computed(kind(**common, corpus=plain, prefix=QUERY), context)
    by_hand = computed(kind(**common, corpus=typed), context)
    assert len(given) == len(by_hand) == len(without) > 0
    np.testing.assert_array_equal(given["value"], by_hand["value"])
    assert set(given["variant"]) == {f'{each}/prefix "query: "' for each in set(by_hand["variant"])}
    assert set(without["variant"]) == set(by_hand["variant"])
    assert not np.allclose(given["value"].fillna(0), without["value"].fillna(0))


def test_a_model_s_own_pooling_takes_the_place_of_the_two_of_the_paper(checkpoint: Checkpoint, context: Context) -> None:
    corpus = kept_corpus(context)
    common = {"model": "tiny", "checkpoints": (checkpoint,), "languages": ("de", "en"), "corpus": corpus}
    both = SentenceAlignmentSpec(**common)
    for pooling in ("mean", "first"):
        assert SentenceAlignmentSpec(**common, pooling=pooling) == both
        assert list(SentenceAlignmentSpec(**common, pooling=pooling).shards()) == list(both.shards())
    own = SentenceAlignmentSpec(**common, pooling="mean_special")
    assert list(own.shards()) != list(both.shards())
    rows = computed(own, context)
    assert set(rows["variant"]) == {"sentence/mean_special/csls10"}
    cosines = rows[(rows["metric"] == "cosine_translations") & (rows["layer"] == 2)]["value"].to_list()
    ids, texts = corpora.load(corpus, context.workspaces).align(("de", "en"))
    of = embeddings.of_corpus(checkpoint, corpus, ids, texts, ["mean_special"], context).of["mean_special"]
    u, v = (of[tag].vectors[:, 2].astype(np.float64) for tag in ("de", "en"))
    expected = np.mean((u * v).sum(1) / np.sqrt((u * u).sum(1) * (v * v).sum(1)))
    assert cosines == pytest.approx([expected], abs=1e-6)


def test_confused_sentences_are_those_of_the_typed_corpus_and_shown_without_the_prefix(
    checkpoint: Checkpoint, context: Context
) -> None:
    def worst(corpus: str, prefix: str = "") -> pd.DataFrame:
        of = {"corpus": corpus, "languages": ("de", "en"), "layer": 1, "source": "de", "target": "en", "k": 3}
        spec = confusions.ConfusionsSpec(checkpoint=checkpoint, prefix=prefix, **of)
        confusions.compute(spec, spec.id, context)
        found = confusions.load(spec, context.workspaces)
        assert found is not None
        return found

    given, typed = worst(kept_corpus(context), QUERY), worst(kept_corpus(context, QUERY))
    np.testing.assert_array_equal(given["margin"], typed["margin"])
    assert [QUERY + each for each in given["anchor"]] == typed["anchor"].to_list()


CHECKPOINT = {"source": "folder", "location": "/m", "label": "main", "fingerprint": "a" * 24}
ONE = {"model": "m", "checkpoints": (CHECKPOINT,), "corpus": "c" * 24}
PAIR = DictionaryPair(source="de", target="en", dictionary="d" * 24)
SPECS: list[tuple[type[Any], dict[str, Any]]] = [
    (AbxSpec, ONE | {"languages": ("de", "en")}),
    (SentenceAlignmentSpec, ONE | {"languages": ("de", "en")}),
    (WordAlignmentSpec, ONE | {"pairs": (PAIR,)}),
    (ProbingWordsSpec, ONE | {"sources": ("de",)}),
    (ProbingSentencesSpec, ONE | {"sources": ("de",)}),
    (LanguageSimilaritySpec, ONE | {"languages": ("de", "en")}),
    (WordErrorsSpec, {"checkpoint": CHECKPOINT, "corpus": "c" * 24, "pair": PAIR, "layer": 0}),
    (
        confusions.ConfusionsSpec,
        {"checkpoint": CHECKPOINT, "corpus": "c" * 24, "languages": ("de", "en"), "layer": 0, "source": "de", "target": "en"},
    ),
]


@pytest.mark.parametrize(("kind", "fields"), SPECS)
def test_every_spec_has_keys_of_its_own_for_each_prefix(kind: type[Any], fields: dict[str, Any]) -> None:
    specs = [kind(**fields, **({"prefix": prefix} if prefix else {})) for prefix in ("", QUERY, "query:", "passage: ")]
    assert "prefix" not in specs[0].model_dump()
    assert specs[0] == kind(**fields, prefix="")
    assert len({spec.id for spec in specs}) == len({tuple(spec.shards()) for spec in specs}) == 4
    for spec in specs:
        assert kind.model_validate_json(spec.model_dump_json()) == spec
    said = registry.details(specs[1].model_dump(mode="json"), {})
    assert 'prefix "query: "' in said
    assert "prefix" not in registry.details(specs[0].model_dump(mode="json"), {})
    with pytest.raises(ValidationError, match="prefix"):
        kind(**fields, prefix="a" * (LONGEST_PREFIX + 1))


def test_runs_of_fine_tuning_have_keys_and_variants_of_their_own_for_each_prefix() -> None:
    fields = ONE | {"data": "task", "sources": ("de",), "languages": ("de", "en"), "seeds": (0,), "learning_rates": (1e-5,)}
    specs = [TransferSpec(**fields, training={"prefix": prefix}) for prefix in ("", QUERY, "query:")]
    assert specs[0] == TransferSpec(**fields)
    assert "prefix" not in specs[0].model_dump_json()
    assert len({spec.id for spec in specs}) == len({tuple(spec.shards()) for spec in specs}) == 3
    [run] = specs[1].runs()
    assert variant(specs[1].provenance(run)).endswith('/prefix "query: "')
    assert "prefix" not in variant(specs[0].provenance(specs[0].runs()[0]))
    assert TransferSpec.model_validate_json(specs[1].model_dump_json()) == specs[1]
    assert 'prefix "query: "' in registry.details(specs[1].model_dump(mode="json"), {})


def test_abx_of_one_prefix_does_not_serve_another() -> None:
    spec = AbxSpec(**ONE, languages=("de", "en"), prefix=QUERY)
    other = spec.model_copy(update={"prefix": ""})
    checkpoint = spec.checkpoints[0]
    provenance = spec.provenance(checkpoint) | {"complete": True}
    file: Any = type("File", (), {"provenance": provenance})()
    assert abx.covering(spec, checkpoint, [file]) is file
    assert abx.covering(other, checkpoint, [file]) is None
