"""What a machine-translation check asks for: shards by content, settings that share base models, what cannot be asked."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from pydantic import ValidationError

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.sources.source import Pretraining
from isogloss.backend.experiments.translation.spec import Cell, TranslationSpec, pair_label
from isogloss.backend.training.resumable.options import Stage
from isogloss.backend.training.translation.options import preset

A, B, TEXT = "a" * 24, "b" * 24, "c" * 24
RANDOM, PAREN = {"kind": "emergent", "corpus": A, "name": "Random"}, {"kind": "emergent", "corpus": B}
GERMAN, NONE = {"kind": "text", "corpus": TEXT, "language": "de", "name": "News"}, {"kind": "none"}


def spec(**changes: Any) -> TranslationSpec:
    return TranslationSpec.model_validate({"sources": [RANDOM, GERMAN, NONE], "text": {"corpus": TEXT}} | changes)


def test_a_base_model_a_source_and_seed_then_a_cell_a_source_setting_and_seed() -> None:
    shards = list(spec(seeds=(1, 0), settings=("reduced", "full")).shards().values())
    assert [piece.label for piece in shards[:8]] == [
        "pre-training on Random, training seed 0",
        "pre-training on German (News), training seed 0",
        "Random: English → French, full, training seed 0",
        "German (News): English → French, full, training seed 0",
        "No pre-training: English → French, full, training seed 0",
        "Random: English → French, reduced, training seed 0",
        "German (News): English → French, reduced, training seed 0",
        "No pre-training: English → French, reduced, training seed 0",
    ]
    assert [type(piece) for piece in shards] == 2 * [*2 * [Pretraining], *6 * [Cell]]
    assert [piece.options.seed for piece in shards] == [*8 * [0], *8 * [1]]
    assert len(spec().shards()) == 2 + 9


def test_keys_are_of_content_alone() -> None:
    one = spec()
    renamed = spec(
        sources=[{**RANDOM, "name": "Other"}, {**GERMAN, "name": ""}, NONE, NONE], text={"corpus": TEXT, "name": "x"}
    )
    assert list(renamed.shards()) == list(one.shards())
    assert renamed.id == one.id
    assert registry.parse(one.model_dump(mode="json")) == one
    assert set(spec(sources=[RANDOM], settings=("frozen",)).shards()) < set(spec(seeds=(0, 7)).shards())
    assert spec(sources=[PAREN, RANDOM]).id == spec(sources=[RANDOM, PAREN]).id


def test_every_setting_language_and_option_has_scores_of_its_own() -> None:
    base = preset("quick", "full")
    tuned = base.model_copy(update={"tuning": base.tuning.model_copy(update={"epochs": 9})})
    longer = base.model_copy(update={"pretraining": Stage(tokens=1000, epochs=1)})
    specs = [
        spec(),
        spec(text={"corpus": TEXT, "target_language": "fi"}),
        spec(text={"corpus": TEXT, "source_language": "fr", "target_language": "en"}),
        spec(text={"corpus": B}),
        spec(preset="custom", custom=base),
        spec(preset="custom", custom=tuned),
        spec(preset="custom", custom=longer),
        spec(preset="custom", custom=base.model_copy(update={"beams": (1,)})),
        spec(preset="paper"),
    ]
    assert all(set(one.cells()).isdisjoint(other.cells()) for one, other in itertools.combinations(specs, 2))
    bases = [set(each.shards()) - set(each.cells()) for each in specs]
    assert all(each == bases[0] for each in (*bases[1:6], bases[7]))
    assert bases[0].isdisjoint(bases[6])
    assert bases[0].isdisjoint(bases[8])
    assert len({each.group for each in specs}) == len(specs) - 3  # text and languages stand in columns of their own
    assert spec(seeds=(5,), settings=("full",)).group == spec().group


def test_a_variant_names_the_setting_and_all_settings_share_digits() -> None:
    one = spec()
    name, digits = one.group.split("/")
    assert [one.variant(setting).name for setting in one.settings] == [f"{name}/{each}/{digits}" for each in one.settings]
    assert {cell.variant for cell in one.cells().values()} == {one.variant(setting) for setting in one.settings}


def test_custom_options_are_reduced_as_the_paper_s_are() -> None:
    full = preset("paper", "full")
    custom = spec(preset="custom", custom=full)
    for setting in ("full", "frozen"):
        assert custom.options(setting, 3) == preset("paper", setting, seed=3)  # type: ignore[arg-type]
    reduced, printed = custom.options("reduced", 0).tuning, preset("paper", "reduced").tuning
    assert (reduced.tokens, reduced.learning_rate) == (printed.tokens, pytest.approx(printed.learning_rate))
    assert reduced.pairs == full.tuning.pairs // 5


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sources": []}, "at least 1 item"),
        ({"settings": []}, "at least 1 item"),
        ({"seeds": ()}, "at least 1 item"),
        ({"preset": "custom"}, "options go with the preset 'custom'"),
        ({"custom": preset("quick", "full")}, "options go with the preset 'custom'"),
        ({"preset": "custom", "custom": preset("quick", "full", seed=1)}, "seed is swept over"),
        ({"text": {"corpus": TEXT, "target_language": "en"}}, "English cannot be translated into itself"),
        ({"text": {"corpus": "../x"}}, "should match pattern"),
        ({"sources": [{**GERMAN, "language": "fr"}]}, "French .News. is pre-trained on and translated in the same text"),
        ({"sources": [{**GERMAN, "language": "en"}]}, "English .News. is pre-trained on"),
    ],
)
def test_what_cannot_be_asked_is_said(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        spec(**changes)
    assert spec(sources=[{**GERMAN, "corpus": B, "language": "fr"}])


def test_pairs_in_words() -> None:
    assert pair_label("en>fr") == "English → French"
    assert pair_label("zxx-odd>fi").endswith("→ Finnish")
