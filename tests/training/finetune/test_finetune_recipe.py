"""Fine-tuning as `transformers` does it: BERT's head in training, and which weights decay, against the library's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, BertConfig, BertModel, Trainer

from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.settings import Settings
from isogloss.backend.training.finetune.classifier import classifier_of, decayed
from isogloss.backend.training.finetune.examples import tokenize_examples
from isogloss.backend.training.finetune.loop import finetune
from isogloss.backend.training.finetune.options import FinetuneOptions, Recipe
from isogloss.backend.training.finetune.run import begin, inputs_of, train_step
from tests.models.tiny import ARCHITECTURES, SENTENCES, Architecture
from tests.training.finetune.finetuning import tiny_loaded, tiny_options, tiny_task

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [(SENTENCES[i], SENTENCES[-i - 1]) for i in range(6)]


def in_training(tmp_path: Path, recipe: Recipe) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits with dropout, ours and those of `BertForSequenceClassification`, from one state of the generator."""
    tiny_loaded(tmp_path, "bert")
    config = BertConfig.from_pretrained(tmp_path / "bert")
    config.hidden_dropout_prob, config.attention_probs_dropout_prob = 0.3, 0.3
    BertModel(config).save_pretrained(tmp_path / "bert")  # with a pooler
    loaded = load(discover(str(tmp_path / "bert")).checkpoints[0], Settings(workspace=tmp_path / "w", device="cpu"))
    theirs = AutoModelForSequenceClassification.from_pretrained(tmp_path / "bert", num_labels=3).train()
    ours = classifier_of(loaded, 3, None, recipe).train()
    last = [layer for layer in ours.head if isinstance(layer, torch.nn.Linear)][-1]
    last.load_state_dict(theirs.classifier.state_dict())
    examples = tokenize_examples(loaded, PAIRS, 64, language="en")
    batch: dict[str, Any] = {name: torch.from_numpy(values) for name, values in examples.pad(range(len(PAIRS))).items()}
    found = []
    for model in (ours, theirs):
        torch.manual_seed(11)
        with torch.no_grad():
            found.append(model(**batch))
    return found[0], found[1].logits


def test_berts_head_drops_what_the_librarys_drops(tmp_path: Path) -> None:
    mine, theirs = in_training(tmp_path, "trainer")
    torch.testing.assert_close(mine, theirs, atol=2e-6, rtol=1e-5)


def test_the_first_recipe_drops_before_the_pooler_too(tmp_path: Path) -> None:
    mine, theirs = in_training(tmp_path, "first")
    assert not torch.allclose(mine, theirs, atol=1e-3)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_weights_that_decay_are_those_of_the_trainer(tmp_path: Path, architecture: Architecture) -> None:
    classifier = classifier_of(tiny_loaded(tmp_path, architecture), 3, None, "trainer")
    theirs = set(Trainer.get_decay_parameter_names(None, classifier))
    names = {id(weight): name for name, weight in classifier.named_parameters()}
    with_decay, without = ([names[id(weight)] for weight in group] for group in decayed(classifier))
    assert set(with_decay) == theirs
    assert sorted(with_decay + without) == sorted(names.values())
    assert without


@pytest.mark.parametrize("architecture", ["xlm-roberta", "xlm", "mbart"])
def test_only_berts_head_depends_on_the_recipe(tmp_path: Path, architecture: Architecture) -> None:
    loaded = tiny_loaded(tmp_path, architecture)
    made = [[type(layer) for layer in classifier_of(loaded, 2, None, recipe).head] for recipe in ("first", "trainer")]
    assert made[0] == made[1]


def test_without_decay_the_groups_change_no_step(tmp_path: Path) -> None:
    """Table 4 has a weight decay of 0: there the recipe is the head alone, and for XLM-R nothing at all."""
    loaded, data = tiny_loaded(tmp_path), tiny_task()
    tables = []
    for recipe in ("first", "trainer"):
        options = tiny_options(recipe=recipe)
        run = begin(loaded, inputs_of(loaded, data, options), options, 3)
        for step in range(1, 5):
            train_step(run, step)
        tables.append({name: weight.detach().clone() for name, weight in run.classifier.named_parameters()})
    assert all(torch.equal(tables[0][name], tables[1][name]) for name in tables[0])


def test_biases_and_norms_stay_where_only_decay_would_move_them(tmp_path: Path) -> None:
    loaded, data = tiny_loaded(tmp_path), tiny_task()
    moved = {}
    for decay in (0.0, 0.5):
        options = tiny_options(recipe="trainer", weight_decay=decay)
        run = begin(loaded, inputs_of(loaded, data, options), options, 3)
        train_step(run, 1)
        moved[decay] = {name: weight.detach().clone() for name, weight in run.classifier.named_parameters()}
    for name, plain in moved[0.0].items():
        spared = "bias" in name or "LayerNorm" in name
        assert torch.equal(plain, moved[0.5][name]) is spared, name


def test_a_stopped_run_with_groups_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    """The optimiser counts weights group by group: its moments come back to the weights that they are of."""
    loaded, data = tiny_loaded(tmp_path), tiny_task()
    options = tiny_options(recipe="trainer", weight_decay=0.1)
    whole = finetune(loaded, data, options, tmp_path / "whole", fingerprint="f")
    steps = iter(range(1000))
    part = finetune(loaded, data, options, tmp_path / "part", fingerprint="f", should_stop=lambda: next(steps) > 9)
    assert not part.finished
    assert finetune(loaded, data, options, tmp_path / "part", fingerprint="f").records == whole.records


def test_a_recipe_is_written_only_where_it_is_chosen() -> None:
    assert "recipe" not in FinetuneOptions().model_dump(mode="json")
    assert FinetuneOptions(recipe="trainer").model_dump(mode="json")["recipe"] == "trainer"
    assert FinetuneOptions.model_validate(FinetuneOptions(recipe="trainer").model_dump(mode="json")).recipe == "trainer"


def test_a_run_that_may_not_stop_makes_all_its_steps_and_never_a_greater_igap(tmp_path: Path) -> None:
    """With the stop the records are the first of those without it, so a least gap over them can only be greater."""
    loaded, data = tiny_loaded(tmp_path), tiny_task(12, 2)
    changes: dict[str, Any] = {"epochs": 30, "learning_rate": 5e-3}
    stopped, whole = (
        finetune(loaded, data, tiny_options(**changes, patience=patience), tmp_path / str(patience), fingerprint="f")
        for patience in (3, None)
    )
    assert (stopped.reason, whole.reason, whole.step) == ("no errors left", "epochs", 60)
    assert whole.records[: len(stopped.records)] == stopped.records
    least = []
    for result in (stopped, whole):
        errors = {(one.step, one.language): one.error for one in result.records if one.split == "train"}
        least.append(min(errors[step, "de"] - e for (step, language), e in errors.items() if language == "en" and e == 0))
    assert least[1] <= least[0]
    assert np.isfinite(least).all()
