"""`run probing-words` and `run probing-sentences`, as a person types them: from flags to a spec to scores."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.probing.spec import ProbingSentencesSpec, ProbingWordsSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from isogloss.backend.training.probe.options import ProbeOptions
from tests.cli.typed import made_by_typing, output, run, spec_of
from tests.experiments.probing.small_probing import SIZES, keep_tagged, keep_task, sentences
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["probing-words", "--model", "Tiny", "--corpus", "Tagged"]
PAIRS = ["probing-sentences", "--model", "Tiny", "--task", "Pairs"]
QUICK = ["--seeds", "2", "--epochs", "2"]


@made_by_typing
def fill(workspace: Path) -> None:
    """A tagged corpus of three languages, one to test on of two, a task of two, and a model of two checkpoints."""
    draw = random.Random(3)
    rows = [row for tag in ("de", "en", "zh") for part, count in SIZES.items() for row in sentences(tag, count, draw, part)]
    keep_tagged(rows, "Tagged", workspace)
    keep_tagged([row for tag in ("de", "zh") for row in sentences(tag, 20, draw, "test")], "Tested", workspace)
    keep_task(workspace)
    for step in (10, 20):
        tiny_model(workspace / "model" / f"checkpoint-{step}", "xlm-roberta", seed=step)
    run("models", "add", str(workspace / "model"), "--name", "Tiny")


@pytest.fixture
def filled(workspace: Path) -> Path:
    fill(workspace)
    return workspace


def test_every_language_in_itself_by_default(filled: Path) -> None:
    spec = spec_of(ProbingWordsSpec, *WORDS)
    assert [checkpoint.label for checkpoint in spec.checkpoints] == ["checkpoint-10", "checkpoint-20"]
    assert (spec.sources, spec.targets, spec.tested) == (("de", "en", "zh"), (), None)
    assert spec.probe == ProbeOptions(control="by seed")
    assert spec_of(ProbingWordsSpec, *WORDS, "--tested", "Tested").sources == ("de", "zh")  # those that both have


def test_flags_become_a_spec_that_computes(filled: Path) -> None:
    across = ["--sources", "en", "--targets", "all", "--tested", "Tested", "--checkpoints", "checkpoint-20"]
    spec = spec_of(ProbingWordsSpec, *WORDS, *across, *QUICK)
    assert (spec.sources, spec.targets, len(spec.shards())) == (("en",), ("de", "zh"), 1)
    for shard in spec.shards():
        registry.compute(spec, shard, Context(settings()))
    rows = scores.sql("SELECT DISTINCT source, target, metric FROM scores WHERE experiment = 'probing'", [filled])
    assert set(rows["target"]) == {"de", "zh"}
    assert set(rows["metric"]) == {"probe_accuracy", "majority_accuracy", "word_majority_accuracy"}


def test_sentences(filled: Path) -> None:
    spec = spec_of(ProbingSentencesSpec, *PAIRS, "--sources", "en", "--checkpoints", "checkpoint-10", *QUICK)
    for shard in spec.shards():
        registry.compute(spec, shard, Context(settings()))
    rows = scores.sql("SELECT DISTINCT source, target, metric FROM scores WHERE experiment = 'probing'", [filled])
    assert sorted(rows.values.tolist()) == [["en", "en", "majority_accuracy"], ["en", "en", "probe_accuracy"]]
    assert spec_of(ProbingSentencesSpec, *PAIRS, "--features", "second", "--pooling", "first").variant.startswith(
        "sentences/first/second alone/"
    )


def test_every_option(filled: Path) -> None:
    chosen = [
        "--pooling",
        "first",
        "--training-words",
        "all",
        "--seeds",
        "3",
        "--standardisation",
        "none",
        "--optimiser",
        "sgd",
    ]
    chosen += ["--learning-rate", "0.1", "--batch", "16", "--weight-decay", "0.01", "--patience", "5", "--epochs", "7"]
    spec = spec_of(ProbingWordsSpec, *WORDS, *chosen, "--no-control", "--description-length")
    assert spec.description_length
    assert spec.probe == ProbeOptions(
        pooling="first",
        training_words=None,
        seeds=(0, 1, 2),
        standardisation="none",
        optimiser="sgd",
        learning_rate=0.1,
        batch=16,
        weight_decay=0.01,
        patience=5,
        epochs=7,
        control=False,
    )
    assert spec_of(ProbingWordsSpec, *WORDS, "--training-words", "500").probe.training_words == 500


def test_sets_of_the_paper_are_named(filled: Path) -> None:
    spec = spec_of(ProbingWordsSpec, *WORDS, "--sources", "paper-cross", "--targets", "paper-nli")
    assert (spec.sources, spec.targets) == (("de", "en", "zh"), ("de", "en", "zh"))
    with pytest.raises(SpecError, match="Did you mean 'paper-cross'"):
        output("run", *WORDS, "--sources", "paper-cros")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*WORDS, "--sources", "fr"], "'Tagged' has no language 'fr'"),
        ([*WORDS, "--targets", "fr"], "'Tagged' has no language 'fr'"),
        ([*WORDS, "--tested", "Tested", "--targets", "en"], "'Tested' has no language 'en'"),
        ([*WORDS, "--tested", "Tested", "--sources", "en"], "'Tested' has no language 'en' to test in"),
        ([*WORDS, "--tested", "Teste"], "There is no tagged corpus 'Teste'. Did you mean 'Tested'"),
        ([*WORDS, "--training-words", "many"], "'many' is no number of words"),
        ([*WORDS, "--checkpoints", "checkpoint-2"], "has no checkpoint 'checkpoint-2'"),
        ([*WORDS, "--learning-rate", "0"], "learning_rate"),
        ([*PAIRS, "--sources", "zh"], "'Pairs' has no language 'zh'"),
    ],
)
def test_what_is_wrong_is_said(filled: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        output("run", *arguments, "--print-spec")
