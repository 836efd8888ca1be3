"""What an XferBench spec asks for: shards by content, variants that never mix, and what cannot be asked."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from pydantic import ValidationError

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.sources.source import Pretraining, source_of
from isogloss.backend.experiments.xferbench.spec import Cell, XferBenchSpec
from isogloss.backend.training.language_model.options import preset
from isogloss.backend.training.resumable.options import Stage

A, B, TEXT = "a" * 24, "b" * 24, "c" * 24
RANDOM, PAREN = {"kind": "emergent", "corpus": A, "name": "Random"}, {"kind": "emergent", "corpus": B}
ENGLISH, NONE = {"kind": "text", "corpus": TEXT, "language": "en", "name": "News"}, {"kind": "none"}
FINNISH, DANISH = {"corpus": TEXT, "language": "fi"}, {"corpus": TEXT, "language": "da"}


def spec(**changes: Any) -> XferBenchSpec:
    return XferBenchSpec.model_validate({"sources": [RANDOM, ENGLISH, NONE], "targets": [FINNISH, DANISH]} | changes)


def test_a_base_model_a_source_and_seed_then_a_cell_a_source_target_and_seed() -> None:
    shards = list(spec(seeds=(1, 0)).shards().values())
    assert [piece.label for piece in shards[:8]] == [
        "pre-training on Random, training seed 0",
        "pre-training on English (News), training seed 0",
        "Random → Finnish, training seed 0",
        "English (News) → Finnish, training seed 0",
        "No pre-training → Finnish, training seed 0",
        "Random → Danish, training seed 0",
        "English (News) → Danish, training seed 0",
        "No pre-training → Danish, training seed 0",
    ]
    assert [type(piece) for piece in shards] == 2 * [*2 * [Pretraining], *6 * [Cell]]
    assert [piece.options.seed for piece in shards] == [*8 * [0], *8 * [1]]
    assert [piece.source.key for piece in shards[2:5]] == [A, f"{TEXT}/en", "none"]
    assert spec().sources[1].label == "English (News)"
    assert spec(sources=[PAREN]).sources[0].label == "corpus bbbbbb"


def test_keys_are_of_content_alone() -> None:
    one = spec()
    renamed = spec(sources=[{**RANDOM, "name": "Other"}, {**ENGLISH, "name": ""}, NONE, NONE])
    assert list(renamed.shards()) == list(one.shards())
    assert renamed.id == one.id
    assert registry.parse(one.model_dump(mode="json")) == one
    # A larger spec has the shards of a smaller one: what is there is not computed again.
    assert set(spec(sources=[RANDOM], targets=[DANISH]).shards()) < set(spec(seeds=(0, 7)).shards())
    assert spec(sources=[PAREN, RANDOM]).id == spec(sources=[RANDOM, PAREN]).id


def test_base_models_are_shared_by_all_that_changes_tuning_alone() -> None:
    base = preset("quick")
    tuning = base.model_copy(update={"tuning": Stage(tokens=1000, epochs=1)})
    longer = base.model_copy(update={"pretraining": Stage(tokens=1000, epochs=1)})
    released = base.model_copy(update={"protocol": "released"})
    specs = [
        spec(),
        spec(protocol="released"),
        spec(preset="custom", custom=base),
        spec(preset="custom", custom=tuning),
        spec(preset="custom", custom=longer),
        spec(preset="custom", custom=released, protocol="released"),
        spec(preset="paper"),
        spec(preset="paper", protocol="released"),
    ]
    bases = [set(each.shards()) - set(each.cells()) for each in specs]
    assert bases[0] == bases[2] == bases[3] == bases[5]
    others = [bases[place] for place in (0, 1, 4, 6, 7)]  # `released` reads and cuts the source in another way
    assert all(one.isdisjoint(other) for one, other in itertools.combinations(others, 2))
    # No cell serves another setting, and no variant is another's.
    assert all(set(one.cells()).isdisjoint(other.cells()) for one, other in itertools.combinations(specs, 2))
    assert len({each.variant.name for each in specs}) == len(specs)
    assert specs[1].variant.name.startswith("quick/released/")
    assert spec(seeds=(5,)).variant == spec().variant
    assert spec(seeds=(5,)).variant.name == f"quick/correct/{spec().variant.digits}"


def test_each_option_changes_the_variant() -> None:
    base = preset("quick")
    plain = spec(preset="custom", custom=base).variant
    for field, value in {
        "architecture": base.architecture.model_copy(update={"layers": 7}),
        "pretraining": base.pretraining.model_copy(update={"weight_decay": 0.5}),
        "tuning": base.tuning.model_copy(update={"batch": 3}),
        "evaluation_tokens": 7,
        "held_out": 0.3,
        "precision": "float32",
        "compile": True,
    }.items():
        assert spec(preset="custom", custom=base.model_copy(update={field: value})).variant != plain


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sources": []}, "at least 1 item"),
        ({"targets": []}, "at least 1 item"),
        ({"seeds": ()}, "at least 1 item"),
        ({"seeds": (-1,)}, "greater than or equal to 0"),
        ({"preset": "custom"}, "options go with the preset 'custom'"),
        ({"custom": preset("quick")}, "options go with the preset 'custom'"),
        ({"preset": "custom", "custom": preset("quick", seed=1)}, "give it in seeds"),
        ({"preset": "custom", "custom": preset("quick", protocol="released")}, "say the same twice"),
        ({"sources": [ENGLISH], "targets": [{"corpus": TEXT, "language": "en"}]}, "English is source and target"),
        ({"sources": [{"kind": "emergent", "corpus": "../../etc"}]}, "string_pattern_mismatch|match pattern"),
        ({"targets": [{"corpus": "X" * 24, "language": "en"}]}, "string_pattern_mismatch|match pattern"),
        ({"sources": [{"kind": "other"}]}, "kind"),
        ({"preset": "fast"}, "'paper', 'quick' or 'custom'"),
    ],
)
def test_what_cannot_be_asked(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        spec(**changes)


def test_sources_are_found_again_by_what_scores_call_them() -> None:
    for source in spec().sources:
        assert source_of(source.key, {A: "Random", TEXT: "News"}) == source
    assert source_of(B, {}).label == "corpus bbbbbb"
    for key in ("", "other", f"{A[:-1]}/en", "../x"):
        with pytest.raises(SpecError, match="not a source"):
            source_of(key, {})
