"""Work that knows kept vectors: what it says is kept is what a worker then does not encode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isogloss.backend.corpora.dictionaries import library as lexicons
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.abx.confusions import ConfusionsSpec
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.alignment.words.errors import WordErrorsSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair
from isogloss.backend.experiments.pricing.estimate import Work, kept_in_words
from isogloss.backend.experiments.spec import Context, Spec
from isogloss.backend.experiments.transfer.similarity import LanguageSimilaritySpec
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import DEMO, Settings
from isogloss.backend.store import embeddings
from tests.experiments.machines import place
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
    def kept(of: AbxSpec) -> str:
        works = [registry.work(of, shard, place([tmp_path, DEMO])) for shard in of.shards()]
        return kept_in_words([(work.kept, work.needed) for work in works if work is not None])

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


def test_what_is_kept_in_part_is_encoded_in_part_and_scored_whole(tmp_path: Path) -> None:
    """Whatever is encoded, all is scored: that is beside it, and tells its own time."""
    with_one = spec(languages=("de", "en", "zh"))
    [shard] = with_one.shards()

    def work() -> Work:
        found = registry.work(with_one, shard, place([tmp_path, DEMO]))
        assert found is not None
        return found

    whole = work()
    compute(spec(), tmp_path)
    part = work()
    assert part.like == whole.like
    compute(spec(languages=("en", "zh")), tmp_path)
    scored = work()
    for each in (whole, part):
        assert each.beside is not None
        assert (each.beside.like, each.beside.amount) == (scored.like, scored.amount)
    assert part.amount < 0.6 * whole.amount
    # Chinese has a third of the characters, each of which is as many tokens as two letters.
    characters = {each.tag: each.characters for each in corpora.entries([DEMO])[0].languages}
    assert part.amount / whole.amount > characters["zh"] / sum(characters[tag] for tag in with_one.languages)


def test_other_measures_know_the_same_vectors(tmp_path: Path, passes: list[str]) -> None:
    """One pass of ABX over all sentences leaves sentences and words: nothing is encoded for what asks about either."""
    [words] = [each for each in lexicons.entries([DEMO]) if {each.source, each.target} == {"de", "en"}][:1]
    of = spec(sentences=None, protocol="sampled", n_triplets=100)  # the demo has the exact scores
    pair = DictionaryPair(source=words.source, target=words.target, dictionary=words.id)
    common = {"corpus": of.corpus, "model": of.model, "checkpoints": of.checkpoints, "languages": of.languages}
    one = {"corpus": of.corpus, "checkpoint": of.checkpoints[0]}
    specs: dict[str, Spec] = {
        "confusions": ConfusionsSpec(**one, languages=of.languages, layer=1, source="en", target="de"),
        "sentences": SentenceAlignmentSpec(**common),
        "similarity": LanguageSimilaritySpec(**common),
        "words": WordErrorsSpec(**one, pair=pair, layer=1),
        "masked": WordErrorsSpec(**one, pair=pair, layer=1, masked=True),
    }

    def done() -> dict[str, str]:
        works = {name: registry.work(each, next(iter(each.shards())), place([tmp_path, DEMO])) for name, each in specs.items()}
        return {name: work.like[0].split(",")[0] for name, work in works.items() if work is not None}

    assert done() == dict.fromkeys(specs, "encoding alone")
    compute(of, tmp_path)
    assert done() == dict.fromkeys(specs, "scoring") | {"masked": "encoding alone"}
