"""Places in a training read from checkpoints' names, and whole series in their authors' order."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.models.files.steps import in_order, natural_key, parse

SERIES = sorted(Path(__file__).with_name("series").glob("*.txt"))
"""Names in their order; those that tell nothing come last. Each file says where its names were read."""
UNPLACED = {"main", "multiberts-seed_0", "latest-rank0.pt", "checkpoint_last.pt"}


def recorded(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("step1000", 1000),
        ("step0", 0),
        ("global_step1000", 1000),
        ("checkpoint-500", 500),
        ("checkpoint_12_5000.pt", 5000),
        ("checkpoint_1_500", 500),
        ("step-10k", 10_000),
        ("step1.5M", 1_500_000),
        ("step_000250", 250),
        ("iter_0005000", 5000),
        ("ckpt-300", 300),
        ("stage1-step-40000", 40_000),
        ("step1000-tokens4B", 1000),
        ("seed1-step-2000", 2000),
        ("10k", 10_000),
        ("143000", 143_000),
        ("base_5k", 5000),
        ("it5000", 5000),
        ("50ksteps", 50_000),
        ("100-steps-500M-tokens", 100),
        ("llama-3-steps-1000", 1000),
        ("checkpoint-3/step-2000", 2000),
        ("step1_000_000", 1_000_000),
        ("step1,000,000", 1_000_000),
        ("step100-2024-05-01", 100),
        ("v2-step1000", 1000),
        ("ep0-ba20000-rank0.pt", 20_000),
        ("epoch=3-step=500.ckpt", 500),
        ("main", None),
        ("v1.0", None),
        ("2.5", None),
        ("1.0", None),
        ("1.0.1", None),
        ("rc1", None),
        ("2024-05-01", None),
        ("20240501", None),
        ("checkpoint_20240501", None),
        ("checkpoint12.pt", None),
        ("checkpoint_best.pt", None),
        ("checkpoint_last.pt", None),
        ("epoch3", None),
        ("footsteps", None),
        ("stepwise2b", None),
        ("refs/pr/3", None),
        ("1_Pooling", None),
        ("llama-3-8b", None),
        ("a1b2c3d4", None),
        ("step" + "9" * 40, None),
        ("²", None),
        ("step٣", None),
        ("", None),
    ],
)
def test_steps_are_read_from_names(name: str, step: int | None) -> None:
    assert parse(name).step == step


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("1000B", 1000 * 10**9),
        ("0.5T", 5 * 10**11),
        ("16.78B", 16_780_000_000),
        ("2T-tokens", 2 * 10**12),
        ("tokens-5B", 5 * 10**9),
        ("step50000-tokens210B", 210 * 10**9),
        ("step2627139-tokens15T", 15 * 10**12),
        ("5B-tokens-step1000", 5 * 10**9),
        ("200b_tokens", 200 * 10**9),
        ("300Btok", 300 * 10**9),
        ("open_llama_7b_preview_200bt", 200 * 10**9),
        ("TinyLlama-1.1B-intermediate-step-1431k-3T", 3 * 10**12),
        ("train_00220B", 220 * 10**9),
        ("stage2-100B", 100 * 10**9),
        ("llama-7b", None),
        ("Poro-34B", None),
        ("llama-3-tokens", None),
        ("step1000", None),
    ],
)
def test_tokens_are_read_from_names(name: str, tokens: int | None) -> None:
    assert parse(name).tokens == tokens


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("step1000", ""),
        ("stage1-step-40000", "stage1"),
        ("stage2-ingredient1-step1000-tokens5B", "stage2-ingredient1"),
        ("lc-4k-to-32k-step-4000", "lc-4k-to-32k"),
        ("longctx-step50", "longctx"),
        ("extension_step0000250", "extension"),
        ("it-SFT", "it-SFT"),
        ("phase-2_iter_005000", "phase-2"),
        ("stage-1.5", "stage-1.5"),
        ("stageII-step5", "stageII"),
        ("stage2b-step100", "stage2b"),
        ("anneal-step2000", "anneal"),
        ("Mid-Training_step100", "Mid-Training"),
        ("CrystalCoder_phase1_checkpoint_055500", "phase1"),
        ("main", ""),
        ("base", ""),
    ],
)
def test_stages_are_named_as_the_name_spells_them(name: str, stage: str) -> None:
    assert parse(name).stage == stage


@pytest.mark.parametrize(
    "ordered",
    [
        ["warmup-step100", "step50", "stage1-step200", "stage-1.5-step10", "stage2-step10", "stageIII-step1"],
        ["pretrain-step900", "mid-training-step10", "long-context-step10", "decay-step10", "sft-step10", "dpo-step5"],
        ["pretraining_iter_100", "cpt-step-100", "cooldown_step_50", "SFT", "rlvr-step-20", "final"],
        ["phase1_5B", "phase1_10B", "phase2_1B", "phase10_1B"],
        ["stage2a-step100", "stage2b-step50", "stage3-step1"],
        ["mid1", "mid2", "mid10"],
        ["sft-stage1-step100", "sft-stage2-step10"],
        ["stage1-stable-step900", "stage1-decay-step10", "stage2-stable-step5", "stage2-decay-step1"],
        ["ext-1k", "ext-2k", "ext-3k", "ext-4k", "ext-10k"],
        ["longctx-32k-step500", "longctx-128k-step10"],
        ["epoch1", "epoch2", "epoch10"],
        ["epoch1-step500", "epoch2-step100", "epoch10-step1"],
        ["checkpoint2.pt", "checkpoint10.pt", "checkpoint_best.pt"],
        ["10k", "20k", "100k", "1.5M"],
        ["500B", "1T", "1.5T", "2T", "10T"],
        ["v1.0-step100", "v1.0-step1000", "v2.0", "v1.0"],
    ],
)
def test_naming_that_no_series_here_has(ordered: list[str]) -> None:
    told = [name for name in ordered if parse(name).is_known]
    silent = [name for name in ordered if not parse(name).is_known]
    for seed in range(5):
        shuffled = random.Random(seed).sample(told, len(told))
        assert in_order([*silent, *shuffled], str) == ordered


@pytest.mark.parametrize("file", SERIES, ids=lambda file: file.stem)
def test_public_series_are_ordered_as_their_authors_say(file: Path) -> None:
    names = recorded(file)
    told = [name for name in names if name not in UNPLACED]
    assert len(told) > 5
    assert all(parse(name).is_known for name in told), [name for name in told if not parse(name).is_known]
    assert not any(parse(name).is_known for name in names if name in UNPLACED)
    for seed in range(3):
        shuffled = random.Random(seed).sample(told, len(told))
        assert in_order([*(set(names) & UNPLACED), *shuffled], str) == names


def test_names_that_tell_nothing_follow_as_given() -> None:
    names = ["main", "step1000", "step200", "final", "step10"]
    assert in_order(names, str) == ["step10", "step200", "step1000", "main", "final"]


def test_numbers_inside_names_are_ordered_as_numbers() -> None:
    assert sorted(["epoch10", "epoch2", "a", "10", "9"], key=natural_key) == ["9", "10", "a", "epoch2", "epoch10"]


WORDS = [
    "step",
    "stage",
    "tokens",
    "lc",
    "to",
    "it",
    "sft",
    "epoch",
    "ba",
    "checkpoint",
    "phase",
    "llama",
    "decay",
    "v",
    "B",
    "ii",
]
NAMES = st.lists(st.sampled_from(WORDS) | st.integers(0, 10**20).map(str) | st.sampled_from("-_=. /²٣kmbtİ"), max_size=10)


@settings(max_examples=500)
@given(st.lists(NAMES.map("".join) | st.text(max_size=40), max_size=8, unique=True), st.randoms())
def test_no_name_breaks_and_the_order_given_does_not_count(names: list[str], shuffle: random.Random) -> None:
    placed = [name for name in names if parse(name).is_known]
    for name in names:
        place = parse(name)
        assert place.step is None or 0 <= place.step < 2**63
        assert place.tokens is None or 0 <= place.tokens < 2**63
    shuffled = shuffle.sample(placed, len(placed))
    assert in_order(shuffled, str) == in_order(placed, str)


@settings(max_examples=200)
@given(st.integers(1, 9), st.integers(0, 10**7), st.integers(0, 10**5), st.sampled_from(["-", "_", "", "="]), st.booleans())
def test_whatever_parts_the_words(stage: int, step: int, billions: int, mark: str, padded: bool) -> None:
    digits = f"{step:08d}" if padded else str(step)
    place = parse(f"stage{mark}{stage}-step{mark}{digits}-tokens{mark}{billions}B")
    assert (place.step, place.tokens) == (step, billions * 10**9)
    assert place.stage == f"stage{mark}{stage}"
