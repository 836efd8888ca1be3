"""Saved classifiers against the one in memory: equal logits, from the tokeniser that lies beside the weights."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

from isogloss.backend.training.finetune.evaluate import evaluating
from isogloss.backend.training.finetune.export import HEAD, export
from isogloss.backend.training.finetune.run import Run, begin, inputs_of, train_step
from tests.training.finetune.finetuning import tiny_loaded, tiny_options, tiny_task

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.models.loading.load import Loaded
    from tests.models.tiny import Architecture


def trained(loaded: Loaded, steps: int = 4, **changes: Any) -> Run:
    data, options = tiny_task(), tiny_options(learning_rate=2e-2, **changes)
    run = begin(loaded, inputs_of(loaded, data, options), options, data.classes)
    with torch.no_grad():  # fresh biases are zero and the head's weights so small that activations are all but linear
        for parameter in run.classifier.head.parameters():
            parameter.add_(torch.randn_like(parameter))
    for step in range(1, steps + 1):
        train_step(run, step)
    return run


@pytest.mark.parametrize("architecture", ["bert", "xlm", "xlm-roberta", "deberta-v2"])
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_the_classifier_of_transformers_gives_equal_logits(
    architecture: Architecture, weight_decay: float, tmp_path: Path
) -> None:
    """Straight after the last step, in training mode; with weight decay all rows of the table are trained."""
    loaded = tiny_loaded(tmp_path, architecture, positions=128)
    run = trained(loaded, weight_decay=weight_decay)
    folder = tmp_path / "saved"
    folder.mkdir()
    written = export(folder, run.classifier, loaded, ["a", "b"], language="en")
    assert written.form == "classifier"
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model, report = AutoModelForSequenceClassification.from_pretrained(folder, output_loading_info=True)
    assert not any(report[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    assert model.config.id2label == {0: "a", 1: "b", 2: "class 2"}
    assert model.dtype == torch.float32
    for row, texts in enumerate(tiny_task().train["en"][:6]):
        with evaluating(run.classifier):
            batch = {name: torch.from_numpy(value) for name, value in run.inputs.source.examples.pad([row]).items()}
            expected = run.classifier(**batch)
        own = tokenizer([texts[0]], [texts[1]], return_tensors="pt")
        if architecture == "xlm":
            own["langs"] = torch.full_like(own["input_ids"], model.config.lang2id["en"])
        assert own.keys() == batch.keys()
        with torch.inference_mode():
            torch.testing.assert_close(model.eval()(**own).logits, expected, rtol=1e-4, atol=1e-5)


def test_no_class_shares_a_name(tmp_path: Path) -> None:
    """`label2id` would lose one."""
    loaded = tiny_loaded(tmp_path)
    run = trained(loaded, 1)
    folder = tmp_path / "saved"
    folder.mkdir()
    export(folder, run.classifier, loaded, ["class 2", "b"], language="en")
    config = AutoConfig.from_pretrained(folder)
    assert len(config.label2id) == config.num_labels == 3


def test_a_head_that_transformers_lacks_lies_beside_the_model(tmp_path: Path) -> None:
    loaded = tiny_loaded(tmp_path, "qwen3")
    run = trained(loaded, 1)
    folder = tmp_path / "saved"
    folder.mkdir()
    written = export(folder, run.classifier, replace(loaded), ["a", "b", "c"], language="en")
    assert (written.form, written.summary, written.dense) == ("encoder and head", "last", False)
    head = load_file(folder / HEAD)
    assert {name: tuple(value.shape) for name, value in head.items()} == {"last.weight": (3, loaded.dims), "last.bias": (3,)}
    (linear,) = [layer for layer in run.classifier.head.children() if isinstance(layer, torch.nn.Linear)]
    assert torch.equal(head["last.weight"], linear.weight)
