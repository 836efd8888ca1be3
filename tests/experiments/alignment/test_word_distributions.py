"""The four distributions against plain loops over the words of every sentence."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.alignment.words import every_word
from isogloss.backend.experiments.alignment.words import shard as word_alignment
from isogloss.backend.experiments.alignment.words.distributions import WordDistributionsSpec
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.experiments.vectors import one_pass
from isogloss.backend.metrics.retrieval.distributions import bin_edges
from isogloss.backend.store import details
from isogloss.backend.store.word_embeddings import WordVectors
from tests.experiments.alignment.alignment_by_hand import cosine
from tests.experiments.alignment.small_words import WORDS, Small, distributions_of, small, vectors_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def vectors(there: Small) -> dict[str, dict[str, list[tuple[int, str, Any]]]]:
    return vectors_of(there)


def counts_of(cosines: list[float]) -> list[int]:
    edges = bin_edges()
    return [sum(low <= value < high for value in cosines) for low, high in pairwise(edges)]


def overlap_of(a: list[float], b: list[float]) -> float:
    """1 less the greatest distance of the cumulative distributions, looked for at every value."""
    return 1 - max(abs(sum(x <= t for x in a) / len(a) - sum(x <= t for x in b) / len(b)) for t in [*a, *b])


def aligned(german: Any, english: Any, layer: int) -> list[float]:
    """Mutual argmax in one pair of sentences."""
    found = []
    for _, _, u in german:
        to_v = [cosine(u[layer], v[layer]) for _, _, v in english]
        j = to_v.index(max(to_v))
        back = [cosine(other[layer], english[j][2][layer]) for _, _, other in german]
        if german[back.index(max(back))][2] is u:
            found.append(to_v[j])
    return found


def test_distributions_are_those_of_plain_loops(there: Small, vectors: Any) -> None:
    frame = distributions_of(there)
    kinds = ("dictionary", "aligner", "random", "random_within")
    assert [(row.layer, row.kind) for row in frame.itertuples()] == [(layer, kind) for layer in range(3) for kind in kinds]
    shared = [i for i in there.texts["de"] if i in there.texts["en"]]
    for layer in range(3):
        of = {row.kind: row for row in frame[frame.layer == layer].itertuples()}
        paired: dict[str, list[tuple[Any, Any]]] = {}
        aligner: list[float] = []
        for i in shared:
            german, english = vectors["de"][i], vectors["en"][i]
            aligner += aligned(german, english, layer)
            matches = [
                (u[layer], v[layer])
                for _, word, v in english
                for _, other, u in german
                if word.lower() != "about" and WORDS.get(word.lower(), "").lower() == other.lower()
            ]
            paired |= {i: matches} if matches else {}
        dictionary = [cosine(u, v) for pairs in paired.values() for u, v in pairs]
        assert of["dictionary"].n == of["random"].n == len(dictionary)
        assert of["dictionary"].counts.tolist() == counts_of(dictionary)
        assert of["dictionary"].mean == pytest.approx(np.mean(dictionary), abs=1e-12)
        assert of["aligner"].n == len(aligner)
        assert of["aligner"].counts.tolist() == counts_of(aligner)
        assert of["aligner"].mean == pytest.approx(np.mean(aligner), abs=1e-12)
        assert of["random_within"].n == sum(len(pairs) for pairs in paired.values() if len(pairs) > 1)
        assert all(each.counts.sum() == each.n for each in of.values())
        assert of["aligner"].mean > of["random_within"].mean
        assert np.isnan([of["random"].overlap_random, of["random_within"].overlap_random_within]).all()


def test_random_pairs_and_overlaps_are_those_of_plain_loops(there: Small, vectors: Any) -> None:
    """The partners are drawn as `metrics.similarity` says; whose words they join is found here word by word."""
    from isogloss.backend.metrics.retrieval.similarity import random_partners, random_partners_within

    frame = distributions_of(there, n_pairs=60, seed=4)
    pair = there.pair.model_copy(update={"source": "de", "target": "en"})
    pairs = word_alignment.pairs_of(there.corpus, pair, True, tuple(there.context.workspaces))
    drawn = np.sort(np.random.default_rng([4, 0]).choice(pairs.table.num_rows, 60, replace=False))
    rows = [pairs.table.slice(int(i), 1).to_pylist()[0] for i in drawn]
    at = {tag: {(i, start): v for i, words in of.items() for start, _, v in words} for tag, of in vectors.items()}
    u = [at["de"].get((row["sentence_id"], row["source_start"])) for row in rows]
    v = [at["en"].get((row["sentence_id"], row["target_start"])) for row in rows]
    there_are = [i for i in range(60) if u[i] is not None and v[i] is not None]
    u, v, ids = [u[i] for i in there_are], [v[i] for i in there_are], [rows[i]["sentence_id"] for i in there_are]
    items, partners = random_partners_within([int(i[1:]) for i in ids], 4)
    assert all(ids[a] == ids[b] and a != b for a, b in zip(items, partners, strict=True))
    for layer in range(3):
        of = {row.kind: row for row in frame[frame.layer == layer].itertuples()}
        own = [cosine(a[layer], b[layer]) for a, b in zip(u, v, strict=True)]
        random = [cosine(u[a][layer], v[b][layer]) for a, b in enumerate(random_partners(len(u), 4))]
        within = [cosine(u[a][layer], v[b][layer]) for a, b in zip(items, partners, strict=True)]
        assert of["random"].counts.tolist() == counts_of(random)
        assert of["random_within"].counts.tolist() == counts_of(within)
        assert of["random_within"].mean == pytest.approx(np.mean(within), abs=1e-12)
        assert of["dictionary"].overlap_random == pytest.approx(overlap_of(own, random), abs=1e-12)
        assert of["dictionary"].overlap_random_within == pytest.approx(overlap_of(own, within), abs=1e-12)


def test_a_word_without_a_vector_is_nobodys_nearest(there: Small) -> None:
    """Its zeros have cosine 0 with everything: nearer than a word of the opposite direction."""
    places, lost = np.zeros((2, 3), np.int32), np.array([True, False])
    sides = [
        WordVectors(places=places, vectors=np.array(vectors, np.float16)[:, None], lost=lost, device="cpu", precision="float32")
        for vectors in ([[0, 0], [1, 0]], [[0, 0], [-1, 0.5]])
    ]
    assert every_word.mutual_links(sides, 0, there.context)[1].cosines.tolist() == pytest.approx([-1 / np.sqrt(1.25)])


@pytest.mark.parametrize("gib", [0.0, 1e-6])
def test_words_that_are_not_worth_keeping_come_part_by_part(
    there: Small, tmp_path: Path, gib: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same distributions, nothing kept, and never more in hand than a part."""
    whole = distributions_of(there, seed=5)
    monkeypatch.setattr(every_word, "PART", 20_000)
    other = small(tmp_path, gib)
    sizes = watched_sizes(monkeypatch)
    found = distributions_of(other, seed=5)
    assert len(sizes) > 4
    assert max(sizes) <= 20_000
    assert not list(other.context.workspace.rglob("embeddings/*"))
    for name in ("layer", "kind", "n"):
        assert found[name].tolist() == whole[name].tolist()
    assert found["mean"].tolist() == pytest.approx(whole["mean"].tolist(), abs=1e-4)  # batches differ in their padding
    for a, b in zip(found["counts"], whole["counts"], strict=True):
        assert abs(a - b).sum() <= 0.05 * a.sum() + 2


def watched_sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Bytes of the vectors of every part that is compared."""
    real: Callable[..., Any] = every_word.parts
    sizes: list[int] = []

    def watched(*arguments: Any) -> Any:
        for part in real(*arguments):
            sizes.append(sum(side.vectors.nbytes for side in part))
            yield part

    monkeypatch.setattr(every_word, "parts", watched)
    return sizes


def test_kept_words_are_cut_into_the_same_parts(there: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = distributions_of(there, seed=6)
    spec = WordDistributionsSpec(checkpoint=there.checkpoint, corpus=there.corpus, pair=there.pair, repeated=True, seed=6)
    details.path(there.context.workspace, spec.id).unlink()
    monkeypatch.setattr(every_word, "PART", 20_000)
    monkeypatch.setattr(one_pass, "run", lambda *_, **__: pytest.fail("encoded again"))
    sizes = watched_sizes(monkeypatch)
    again = distributions_of(there, seed=6)
    assert len(sizes) > 4
    assert max(sizes) <= 20_000
    assert again.drop(columns="counts").equals(whole.drop(columns="counts"))
    assert [each.tolist() for each in again["counts"]] == [each.tolist() for each in whole["counts"]]


def test_words_encoded_for_sentences_serve_the_distributions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
    from isogloss.backend.models.loading import load as load_module

    there = small(tmp_path)
    sentences = SentenceAlignmentSpec(
        model="tiny", checkpoints=(there.checkpoint,), corpus=there.corpus, languages=("de", "en")
    )
    registry.compute(sentences, next(iter(sentences.shards())), there.context)
    monkeypatch.setattr(load_module, "load", lambda *_, **_options: pytest.fail("the model is loaded again"))
    assert len(distributions_of(there)) == 12


def test_a_pair_is_the_same_from_either_side(there: Small) -> None:
    turned = there.pair.model_copy(update={"source": "de", "target": "en"})
    specs = [
        WordDistributionsSpec(checkpoint=there.checkpoint, corpus=there.corpus, pair=pair) for pair in (there.pair, turned)
    ]
    assert specs[0].id == specs[1].id


def test_it_stops_when_asked_and_says_what_is_missing(there: Small) -> None:
    with pytest.raises(Cancelled):
        distributions_of(there, Context(there.context.settings, should_stop=lambda: True), seed=99)
    with pytest.raises(SpecError, match="two languages"):
        registry.parse(
            {"experiment": "word_distributions", "checkpoint": there.checkpoint.model_dump(mode="json"), "corpus": "c" * 24}
            | {"pair": {"source": "en", "target": "en", "dictionary": "d" * 24}}
        )
