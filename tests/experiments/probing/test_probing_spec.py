"""What a probing spec asks for: its shards, their keys, its variant, and which files serve it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.probing.spec import ProbingSpec, control_of, serving
from isogloss.backend.store.scores import ShardFile

ONE = {"source": "folder", "location": "/models/a", "label": "step 10", "step": 10, "fingerprint": "a" * 24}
TWO = ONE | {"label": "step 20", "step": 20, "fingerprint": "b" * 24}
WORDS: dict[str, Any] = {"experiment": "probing_words", "model": "XLM-R", "checkpoints": [ONE, TWO], "corpus": "c" * 24}
PAIRS = WORDS | {"experiment": "probing_sentences"}


def spec(given: dict[str, Any] = WORDS, **options: Any) -> ProbingSpec:
    found = registry.parse(given | {"sources": ["de", "en"]} | options)
    assert isinstance(found, ProbingSpec)
    return found


def test_a_shard_is_a_checkpoint_and_the_language_it_is_trained_on() -> None:
    asked = spec(sources=["fr", "de", "fr"])
    assert [each.label for each in asked.shards().values()] == ["step 10, de", "step 10, fr", "step 20, de", "step 20, fr"]
    assert [asked.targets_of(each.source) for each in asked.shards().values()] == [("de",), ("fr",)] * 2
    assert spec(targets=["it", "de"]).targets_of("en") == ("de", "it")


CHANGES: list[dict[str, Any]] = [
    {"corpus": "d" * 24},
    {"targets": ["de", "fr"]},
    {"tested": "e" * 24},
    {"description_length": True},
    *(
        {"probe": change}
        for change in (
            {"pooling": "first"},
            {"standardisation": "none"},
            {"optimiser": "sgd"},
            {"learning_rate": 0.5},
            {"batch": 7},
            {"weight_decay": 0.1},
            {"window": 64},
            {"patience": 9},
            {"epochs": 9},
            {"training_words": None},
            {"training_words": 500},
            {"seeds": [0]},
            {"control": False},
            {"control": "by seed"},
        )
    ),
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_whatever_changes_the_result_changes_the_key(change: dict[str, Any]) -> None:
    assert not set(spec().shards()) & set(spec(**change).shards())


@pytest.mark.parametrize("change", [each for each in CHANGES if "control" not in each.get("probe", {})], ids=str)
def test_whatever_changes_a_score_is_seen_in_its_variant_or_its_columns(change: dict[str, Any]) -> None:
    said = {spec().variant, spec(**change).variant}
    beside = bool(change.keys() & {"corpus", "targets", "description_length"})  # a column, other rows, a metric of its own
    assert len(said) == (1 if beside else 2)


def test_two_variants_that_read_alike_are_alike() -> None:
    different = [each for each in CHANGES if each.get("probe") != {"control": "by seed"}]  # of tags the scores are the same
    found = [spec(**change).variant for change in different if not change.keys() & {"corpus", "targets", "description_length"}]
    assert len(set(found)) == len(found)


def test_the_order_in_which_things_are_named_does_not_matter() -> None:
    one, other = ({"sources": tags, "targets": tags[::-1], "probe": {"seeds": seeds}} for tags, seeds in TURNED)
    assert list(spec(**one).shards()) == list(spec(**other).shards())


TURNED = ((["de", "en"], (0, 3, 1)), (["en", "de"], (3, 1, 0)))


def test_control_tags_by_seed_have_keys_of_their_own_but_of_seed_0_alone() -> None:
    one, by_seed = (spec(sources=["de"], probe={"control": control}) for control in (True, "by seed"))
    alone = [spec(sources=["de"], probe={"control": control, "seeds": [0]}) for control in (True, "by seed")]
    assert list(alone[0].shards()) == list(alone[1].shards())  # the draw is the same, and so is every number
    said = [each.provenance(next(iter(each.shards().values()))) for each in (one, by_seed)]
    assert [each["extras"] for each in said] == [["controls"], ["controls by seed"]]
    assert [control_of(each["extras"]) for each in said] == [True, "by seed"]
    assert control_of(["description length"]) is False
    files = [ShardFile(Path("f.parquet"), each, 0.0) for each in said]
    assert [serving(each, files)["de"] for each in said] == files, "neither serves the other"
    tags = spec(sources=["de"], probe={"control": False})
    assert serving(tags.provenance(next(iter(tags.shards().values()))), files[:1])["de"] is files[0]


def test_testing_on_what_is_trained_on_is_the_same_as_naming_nothing() -> None:
    assert spec(tested="c" * 24) == spec()
    assert spec(tested="d" * 24).variant == "words/mean/tested on dddddd/100000 examples/6 seeds"


def test_sentences_say_their_pooling_and_features() -> None:
    assert spec(PAIRS).variant.startswith("sentences/mean/100000")
    assert spec(PAIRS, pooling="first", features="second").variant.startswith("sentences/first/second alone/")
    with pytest.raises(SpecError, match=r"probe\.pooling is of words: give pooling"):
        spec(PAIRS, probe={"pooling": "first"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sources": []}, "sources"),
        ({"checkpoints": []}, "checkpoints"),
        ({"probe": {"seeds": [0, 0]}}, "Each seed may be given once"),
        ({"probe": {"learning_rate": 0}}, "learning_rate"),
        ({"probe": {"unknown": 1}}, "unknown"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        spec(**change)


def test_files_serve_by_target_and_extras() -> None:
    asked = spec(targets=["de", "en"])
    shard = next(iter(asked.shards().values()))
    provenance = asked.provenance(shard)

    def file(**other: Any) -> ShardFile:
        return ShardFile(Path("f.parquet"), provenance | {"seconds": 1.0} | other, 0.0)

    mine, more = file(), file(targets=["de", "en", "fr"], extras=["controls", "description length"])
    assert serving(provenance, [mine])["de"] is mine
    three = provenance | {"targets": ["de", "en", "fr"]}
    assert serving(three, [mine]) == {"de": mine, "en": mine}
    assert serving(three, [mine, more]) == {"de": more, "en": more, "fr": more}
    assert "fr" not in serving(provenance, [more])
    plain = file(extras=[])
    assert "de" not in serving(provenance, [plain])  # it lacks the controls of German
    assert serving(provenance, [plain])["en"] is plain  # there are none in English for probes of German
    assert "de" not in serving(provenance, [file(options=provenance["options"] | {"batch": 3})])
    assert "de" not in serving(provenance, [file(tested="d" * 24)])
    assert "de" not in serving(provenance, [file(fingerprint="c" * 24)])
