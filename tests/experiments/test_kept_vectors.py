"""Prices that know kept vectors: what they say is kept is what a worker then does not encode."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.corpora.dictionaries import library as lexicons
from backend.corpora.parallel import library as corpora
from backend.experiments import kept_vectors
from backend.experiments.abx import price as abx_price
from backend.experiments.abx import shard as abx
from backend.experiments.abx.confusions import ConfusionsSpec
from backend.experiments.abx.shard import AbxSpec
from backend.experiments.alignment import price as alignment_price
from backend.experiments.alignment.sentences import SentenceAlignmentSpec
from backend.experiments.alignment.words.errors import WordErrorsSpec
from backend.experiments.alignment.words.spec import DictionaryPair
from backend.experiments.estimate import STARTING_SECONDS, Lacking, estimate_of_shards
from backend.experiments.spec import Context
from backend.experiments.transfer import price as transfer_price
from backend.experiments.transfer.similarity import LanguageSimilaritySpec
from backend.models.library import library as models
from backend.settings import DEMO, Settings
from backend.store import embeddings
from backend.store.scores import ShardFile
from tests.experiments.devices import IDLE, encoding, model
from tests.pages.abx.abx_page import MLM

ALL = "all vectors are kept: nothing is encoded"


def spec(**changes: Any) -> AbxSpec:
    (entry, *_), mlm = corpora.entries([DEMO]), models.load_entry(MLM, [DEMO])
    fields = {"model": mlm.name, "checkpoints": mlm.checkpoints[:1], "corpus": entry.id, "languages": ("de", "en")}
    return AbxSpec.model_validate(fields | {"sentences": 40} | changes)


def compute(spec: AbxSpec, workspace: Path) -> None:
    for shard in spec.shards():
        abx.compute(spec, shard, Context(Settings(workspace=workspace)))


def test_a_price_counts_what_the_worker_then_encodes(tmp_path: Path, passes: list[str]) -> None:
    there = [tmp_path, DEMO]

    def kept(of: AbxSpec) -> str:
        found = abx_price.abx(of, IDLE, there)
        assert found is not None
        assert found.why.endswith(found.kept)
        return found.kept

    assert kept(spec()) == ""
    compute(spec(), tmp_path)
    assert passes == ["de", "en"]
    assert kept(spec()) == ALL
    three = spec(languages=("de", "en", "zh"))
    assert kept(three) == "vectors of 2 of 3 languages are kept: the others are encoded"
    passes.clear()
    compute(three, tmp_path)
    assert passes == ["zh"]
    last = models.load_entry(MLM, [DEMO]).checkpoints[-1]
    two = spec(checkpoints=(*spec().checkpoints, last))
    assert kept(two) == "vectors of 1 of 2 checkpoints are kept: the others are encoded"
    for other in ({"prefix": "query: "}, {"pooling": "last"}, {"sentences": 41}, {"checkpoints": (last,)}):
        assert kept(spec(**other)) == "", other
    assert kept(spec(pooling="first")) == ALL  # kept from the same pass
    for file in (tmp_path / embeddings.FOLDER).iterdir():
        file.unlink()
    assert kept(spec()) == ""


def test_other_measures_know_the_same_vectors(tmp_path: Path, passes: list[str]) -> None:
    """One pass of ABX over all sentences leaves sentences and words: nothing is encoded for what asks about either."""
    there = [tmp_path, DEMO]
    [words] = [each for each in lexicons.entries([DEMO]) if {each.source, each.target} == {"de", "en"}][:1]
    of = spec(sentences=None, protocol="sampled", n_triplets=100)  # the demo has the exact scores
    pair = DictionaryPair(source=words.source, target=words.target, dictionary=words.id)
    common = {"corpus": of.corpus, "model": of.model, "checkpoints": of.checkpoints, "languages": of.languages}
    one = {"corpus": of.corpus, "checkpoint": of.checkpoints[0]}
    prices = {
        "confusions": lambda: abx_price.confusions(
            ConfusionsSpec(**one, languages=of.languages, layer=1, source="en", target="de"), IDLE, there
        ),
        "sentences": lambda: alignment_price.sentence_alignment(SentenceAlignmentSpec(**common), IDLE, there),
        "similarity": lambda: transfer_price.language_similarity(LanguageSimilaritySpec(**common), IDLE, there),
        "words": lambda: alignment_price.word_errors(WordErrorsSpec(**one, pair=pair, layer=1), IDLE, there),
        "masked": lambda: alignment_price.word_errors(WordErrorsSpec(**one, pair=pair, layer=1, masked=True), IDLE, there),
    }
    before = {name: price() for name, price in prices.items()}
    assert {found.kept for found in before.values()} == {""}
    compute(of, tmp_path)
    after = {name: price() for name, price in prices.items()}
    assert {name: found.kept for name, found in after.items()} == dict.fromkeys(prices, ALL) | {"masked": ""}


@pytest.mark.parametrize("seen", [False, True])
def test_shards_cost_what_each_lacks(seen: bool) -> None:
    """Together as much as one by one, but for the start of the worker, which is paid once; all there costs reading alone."""
    earlier = [
        ShardFile(Path("s"), {"model": "m", "device": "cpu", "texts": 200, "tokens": 8000, "seconds_encoding": 20.0}, 0.0)
    ]
    texts = encoding(model(12, 768, 278_000_000), 4, 500, 200_000, IDLE, earlier if seen else ())
    starting = 0.0 if seen else STARTING_SECONDS

    def priced(*shares: float) -> float:
        return estimate_of_shards(replace(texts, lacking=Lacking(shares, "")), len(shares), 2.0, kept=False).seconds

    shares = (1.0, 0.25, 0.0, 0.0)
    assert priced(*shares) == pytest.approx(sum(map(priced, shares)) - starting * (sum(share > 0 for share in shares) - 1))
    whole = estimate_of_shards(texts, 3, 2.0, kept=False).seconds
    assert priced(1.0, 1.0, 1.0) == pytest.approx(whole)
    assert priced(0.0) == pytest.approx(estimate_of_shards(texts, 1, 2.0, kept=True).seconds)
    assert priced(0.0) < priced(0.25) < priced(0.5) < priced(1.0)


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ([2, 2], "all vectors"),
        ([1, 1], "1 of 2 languages"),
        ([0, 2, 2], "2 of 3 checkpoints"),
        ([0, 1, 2], "3 of 6 languages × checkpoints"),
    ],
)
def test_what_is_kept_is_said_as_shortly_as_it_can_be(there: list[int], words: str) -> None:
    assert words in kept_vectors.said(there, 2)
