"""The parts of fine-tuning, each against a plain version: options, tokens, packing, embeddings, heads, losses."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from transformers import AutoModelForSequenceClassification, BertConfig, BertModel

from isogloss.backend.errors import ModelError, SpecError
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.settings import Settings
from isogloss.backend.training.finetune import options as options_module
from isogloss.backend.training.finetune.classifier import classifier_of
from isogloss.backend.training.finetune.data import ClassificationData
from isogloss.backend.training.finetune.embeddings import WordEmbeddings
from isogloss.backend.training.finetune.evaluate import EvaluatedPart, evaluating, predict, stream_of
from isogloss.backend.training.finetune.examples import concatenate, prefixed, tokenize_examples
from isogloss.backend.training.finetune.losses import loss_of, symmetric_kl
from isogloss.backend.training.finetune.options import EPOCHS, LEARNING_RATES, FinetuneOptions, learning_rate_at, matters
from isogloss.backend.training.finetune.records import pack, unpack
from isogloss.backend.training.finetune.run import inputs_of
from tests.models.tiny import ARCHITECTURES, SENTENCES, Architecture
from tests.training.finetune.finetuning import tiny_loaded, tiny_options, tiny_task

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [(SENTENCES[i], SENTENCES[-i - 1]) for i in range(6)]


def tensors(batch: dict[str, Any]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(values) for name, values in batch.items()}


def test_defaults_are_those_of_table_4() -> None:
    assert EPOCHS == {"xnli": 40, "paws-x": 60, "parallel": 32}
    assert LEARNING_RATES == {"xnli": (5e-6, 1e-5, 2e-5), "paws-x": (5e-6, 1e-5, 2e-5), "parallel": (2e-5,)}
    for setting, epochs in EPOCHS.items():
        options = FinetuneOptions.published(setting, noise=0.5 if setting == "parallel" else 0.075)
        assert (options.epochs, options.batch, options.weight_decay, options.learning_rate) == (epochs, 32, 0.0, 2e-5)
        assert (options.warmup, options.consistency, options.record_every) == (0.1, 1.0, 10)
        assert (options.patience, options.recipe) == (None, "trainer")
        assert options.noise == (0.5 if setting == "parallel" else 0.075)
    with pytest.raises(ValidationError):
        FinetuneOptions.published("xnli", epochs=0)
    for wrong in ({"epochs": 0}, {"algorithm": "mixup"}, {"windows": [(0.1, 0.0)]}, {"windows": [(1.5, 0.1)]}, {"lr": 1}):
        with pytest.raises(ValidationError):
            FinetuneOptions(**wrong)  # type: ignore[arg-type]


def test_fields_left_out_mean_what_they_meant_and_that_is_said() -> None:
    """Stored specs name no fields at their defaults; what is not as published must stand where the class is read."""
    bare, published = FinetuneOptions(), FinetuneOptions.published()
    moved = {name for name in FinetuneOptions.model_fields if getattr(bare, name) != getattr(published, name)}
    assert (bare.patience, bare.recipe) == (5, "first")
    assert moved == {"patience", "recipe"}
    assert all(name in (options_module.__doc__ or "") for name in moved)


def test_learning_rate_rises_for_a_tenth_and_then_stays() -> None:
    options = FinetuneOptions(learning_rate=1.0)
    rates = [learning_rate_at(step, 50, options) for step in range(1, 51)]
    assert rates[:5] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert rates[4:] == [1.0] * 46
    assert learning_rate_at(1, 50, FinetuneOptions(learning_rate=1.0, warmup=0)) == 1.0
    assert FinetuneOptions(epochs=3, batch=32).steps(65) == 9


def test_windows_are_half_open() -> None:
    windows = ((0.0, 0.001), (0.3, 0.1))
    errors = (0.0, 0.0009, 0.001, 0.29, 0.3, 0.1 + 0.2, 0.399, 0.3 + 0.1, 1.0)
    assert [matters(error, windows) for error in errors] == [True, True, False, False, True, True, True, False, False]
    assert matters(0.77, "all")
    assert not matters(0.0, ())


@given(st.integers(2, 256).flatmap(lambda k: st.tuples(st.just(k), st.lists(st.integers(0, k - 1), max_size=40))))
def test_predictions_survive_packing(case: tuple[int, list[int]]) -> None:
    classes, values = case
    packed = pack(np.array(values, np.uint8), classes)
    assert len(packed) == math.ceil(len(values) * math.ceil(math.log2(classes)) / 8)
    assert unpack(packed, len(values), classes).tolist() == values


@pytest.mark.parametrize("architecture", ["bert", "xlm", "xlm-roberta", "mbart"])
def test_examples_are_what_the_tokeniser_gives(tmp_path: Path, architecture: Architecture) -> None:
    loaded = tiny_loaded(tmp_path, architecture, positions=256)
    for limit in (250, 13):
        parts = [
            tokenize_examples(loaded, PAIRS, limit, language="de"),
            tokenize_examples(loaded, PAIRS[:2], limit, language="en"),
        ]
        batch = concatenate(parts).pad([7, 0, 3])
        for place, (pair, language) in enumerate([(PAIRS[1], "en"), (PAIRS[0], "de"), (PAIRS[3], "de")]):
            if architecture == "mbart":
                loaded.tokenizer.src_lang = {"en": "en_XX", "de": "de_DE"}[language]
            plain = loaded.tokenizer(*pair, truncation="longest_first", max_length=limit)
            length = len(plain["input_ids"])
            assert batch["input_ids"][place, :length].tolist() == plain["input_ids"]
            assert (batch["input_ids"][place, length:] == loaded.tokenizer.pad_token_id).all()
            assert batch["attention_mask"][place].tolist() == [1] * length + [0] * (batch["input_ids"].shape[1] - length)
            if architecture == "bert":
                assert batch["token_type_ids"][place, :length].tolist() == plain["token_type_ids"]
                assert batch["token_type_ids"][place, :length].max() == 1
        assert ("token_type_ids" in batch) == (architecture == "bert")
        assert ("langs" in batch) == (architecture == "xlm")
        if architecture == "xlm":
            assert batch["langs"][:, 0].tolist() == [1, 0, 0]
        assert (sum(part.truncated for part in parts) > 0) == (limit == 13)
    single = tokenize_examples(loaded, ["One text.", ""], 64, language="en")
    assert single.pad([0])["input_ids"][0].tolist()[-1] == loaded.tokenizer("One text.")["input_ids"][-1]
    assert single.lengths[1] >= 1


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta", "bloom"])
def test_a_prefix_is_as_if_it_stood_before_both_texts_of_every_part(tmp_path: Path, architecture: Architecture) -> None:
    loaded, data, plain = tiny_loaded(tmp_path, architecture), tiny_task(extra=5), tiny_options()

    def typed(pairs: Any) -> list[tuple[str, ...]]:
        return [tuple(f"query: {text}" for text in pair) for pair in pairs]

    by_hand = replace(
        data,
        train={tag: typed(pairs) for tag, pairs in data.train.items()},
        validation={tag: typed(pairs) for tag, pairs in data.validation.items()},
        extra=typed(data.extra),
    )
    found = inputs_of(loaded, data, tiny_options(prefix="query: ")).digest()
    assert found == inputs_of(loaded, by_hand, plain).digest()
    assert found != inputs_of(loaded, data, plain).digest()
    assert prefixed(["One.", "Two."], "query: ") == ["query: One.", "query: Two."]


def equal_to_transformers(tmp_path: Path, architecture: Architecture) -> tuple[torch.Tensor, torch.Tensor]:
    """Our logits and those of the library's sequence classifier with the same head."""
    loaded = tiny_loaded(tmp_path, architecture)
    theirs = AutoModelForSequenceClassification.from_pretrained(tmp_path / architecture, num_labels=3).eval()
    examples = tokenize_examples(loaded, PAIRS, 64, language="en")
    ours = classifier_of(loaded, 3, torch.from_numpy(np.unique(examples.ids)).long())
    layers = [layer for layer in ours.head if isinstance(layer, torch.nn.Linear)]
    match architecture:
        case "xlm-roberta":
            pairs = [(layers[0], theirs.classifier.dense), (layers[1], theirs.classifier.out_proj)]
        case "bert":
            pairs = [(layers[0], theirs.bert.pooler.dense), (layers[1], theirs.classifier)]
        case "xlm":
            pairs = [(layers[0], theirs.sequence_summary.summary)]
        case _:
            pairs = [(layers[0], theirs.score)]
    for mine, other in pairs:
        mine.weight.data, mine.bias.data = (
            other.weight.data,
            torch.zeros_like(mine.bias) if other.bias is None else other.bias.data,
        )
    batch = tensors(examples.pad(range(len(PAIRS))))
    with torch.no_grad(), evaluating(ours):
        mine = ours(**batch)
    with torch.no_grad():
        return mine, theirs(**batch).logits


@pytest.mark.parametrize("architecture", ["bert", "xlm", "xlm-roberta", "qwen3"])
def test_logits_are_those_of_transformers(tmp_path: Path, architecture: Architecture) -> None:
    mine, theirs = equal_to_transformers(tmp_path, architecture)
    torch.testing.assert_close(mine, theirs, atol=2e-6, rtol=1e-5)


def test_a_trained_pooler_is_berts_dense_layer_and_a_missing_one_is_drawn_from_the_seed(tmp_path: Path) -> None:
    heads = []  # of a model saved with a language-modelling head, so without a pooler
    for _ in range(2):
        torch.manual_seed(5)
        heads.append(classifier_of(tiny_loaded(tmp_path, "bert"), 2, None).head[1].weight)
    assert torch.equal(heads[0], heads[1])
    torch.manual_seed(0)
    model = BertModel(BertConfig.from_pretrained(tmp_path / "bert"))
    model.save_pretrained(tmp_path / "bert")
    loaded = load(discover(str(tmp_path / "bert")).checkpoints[0], Settings(workspace=tmp_path / "w2", device="cpu"))
    made = classifier_of(loaded, 2, None)
    assert torch.equal(made.head[1].weight, model.pooler.dense.weight)
    assert made.encoder.pooler is None
    assert loaded.module.pooler is not None  # the model itself is left as it is


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_batches_do_not_change_predictions_of_any_architecture(tmp_path: Path, architecture: Architecture) -> None:
    loaded = tiny_loaded(tmp_path, architecture)
    torch.manual_seed(1)
    classifier = classifier_of(loaded, 3, None)
    parts = [
        EvaluatedPart("train", tag, tokenize_examples(loaded, PAIRS[i:], 64, language=tag), np.zeros(len(PAIRS) - i, np.int64))
        for i, tag in enumerate(("en", "de", "ru"))
    ]
    together = predict(classifier, stream_of(parts, loaded), torch.float32)
    with torch.no_grad(), evaluating(classifier):
        alone = [
            [int(classifier(**tensors(part.examples.pad([row]))).argmax()) for row in range(len(part.examples))]
            for part in parts
        ]
    assert [one.tolist() for one in together] == alone
    assert classifier.training


@pytest.mark.parametrize("architecture", ["bert", "xlm", "xlm-roberta", "mbart", "mt5", "deberta-v2", "xglm", "bloom"])
def test_rows_that_training_never_meets_need_not_be_trained(tmp_path: Path, architecture: Architecture) -> None:
    """The same steps on all rows and on those met: equal weights of every row, and the unmet ones as they were."""
    loaded = tiny_loaded(tmp_path, architecture)
    examples = tokenize_examples(loaded, PAIRS[:3], 64, language="en")
    met = torch.from_numpy(np.union1d(examples.ids, [examples.padding])).long()
    batch, labels = tensors(examples.pad([0, 1, 2])), torch.tensor([0, 1, 2])
    tables = []
    for rows in (met, None):
        torch.manual_seed(0)
        classifier = classifier_of(loaded, 3, rows)
        optimizer = torch.optim.AdamW(classifier.parameters(), lr=1e-3, weight_decay=0.0)
        for step in range(3):
            torch.manual_seed(step)
            optimizer.zero_grad()
            loss_of(classifier, batch, labels, tiny_options()).backward()
            optimizer.step()
        classifier.words.settle()
        tables.append(classifier.words.whole)
    before = loaded.module.get_input_embeddings().weight
    unmet = np.setdiff1d(np.arange(len(before)), met.numpy())
    torch.testing.assert_close(tables[0], tables[1], atol=1e-6, rtol=1e-5)
    assert len(unmet) > 0
    assert torch.equal(tables[0][unmet], before[unmet])
    assert not torch.allclose(tables[0][met], before[met])


def test_noise_is_on_the_asked_examples_and_of_the_asked_size() -> None:
    table = torch.nn.Embedding(50, 400)
    words = WordEmbeddings(table, torch.arange(50))
    ids = torch.arange(40).reshape(4, 10)
    torch.manual_seed(0)
    with words.noisy(0.075, start=1):
        noise = (words(ids) - table(ids)).detach()
        words.eval()
        assert torch.equal(words(ids), table(ids))
        words.train()
    assert torch.equal(words(ids), table(ids))
    assert not noise[0].any()
    assert noise[1:].std().item() == pytest.approx(0.075, rel=0.02)
    assert abs(noise[1:].mean().item()) < 0.003


def test_symmetric_kl_by_hand_and_its_gradient() -> None:
    one, other = torch.randn(5, 3, requires_grad=True), torch.randn(5, 3, requires_grad=True)
    p, q = one.detach().softmax(1), other.detach().softmax(1)
    by_hand = sum(float(a * math.log(a / b) + b * math.log(b / a)) for a, b in zip(p.flatten(), q.flatten(), strict=True)) / 5
    loss = symmetric_kl(one, other)
    assert loss.item() == pytest.approx(by_hand, rel=1e-5)
    loss.backward()
    # With fixed targets the gradient of a KL in logits is the difference of the distributions.
    torch.testing.assert_close(one.grad, (p - q) / 5)
    torch.testing.assert_close(other.grad, (q - p) / 5)
    assert symmetric_kl(one, one).item() == pytest.approx(0, abs=1e-6)


def test_losses_of_the_algorithms(tmp_path: Path) -> None:
    """Without dropout and noise they are the plain cross-entropy; with noise, xTune adds the weighted divergence."""
    loaded = tiny_loaded(tmp_path)
    classifier = classifier_of(loaded, 3, None)
    for module in classifier.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    examples = tokenize_examples(loaded, PAIRS, 64, language="en")
    batch, labels = tensors(examples.pad(range(6))), torch.tensor([0, 1, 2, 0, 1, 2])
    with torch.no_grad():
        clean = classifier(**batch)
        plain = torch.nn.functional.cross_entropy(clean, labels)
        for algorithm in ("vanilla", "gaussian", "xtune"):
            torch.testing.assert_close(loss_of(classifier, batch, labels, tiny_options(algorithm=algorithm, noise=0.0)), plain)
        torch.manual_seed(3)
        with classifier.words.noisy(2.0):
            noised = classifier(**batch)
        torch.manual_seed(3)
        loss = loss_of(classifier, batch, labels, tiny_options(algorithm="gaussian", noise=2.0))
        torch.testing.assert_close(loss, torch.nn.functional.cross_entropy(noised, labels))
        torch.manual_seed(3)
        loss = loss_of(classifier, batch, labels, tiny_options(algorithm="xtune", noise=2.0, consistency=0.5))
        torch.testing.assert_close(loss, plain + 0.5 * symmetric_kl(clean, noised))
        assert not torch.allclose(loss, plain)


def test_data_that_do_not_fit_are_one_sentence() -> None:
    labels = np.array([0, 1])
    for arguments, message in (
        (("de", {"en": ["a", "b"]}, labels), "no training examples in de"),
        (("en", {"en": ["a", "b"], "de": ["a"]}, labels), "1 training examples in de but 2 labels"),
        (("en", {"en": ["a", "b"]}, labels, {"de": ["a"]}), "1 validation examples in de but 0 labels"),
        (("en", {"en": ["a", "b"]}, np.array([0, -1])), "classes from 0 to 255"),
        (("en", {"en": []}, labels[:0]), "no training examples"),
    ):
        with pytest.raises(SpecError, match=message):
            ClassificationData(*arguments)
    assert ClassificationData("en", {"en": ["a"]}, np.array([0])).classes == 2
    assert ClassificationData("en", {"en": ["a"]}, np.array([0]), {"de": ["b"]}, {"de": np.array([4])}).classes == 5


def test_scores_that_are_no_numbers_are_an_error(tmp_path: Path) -> None:
    loaded = tiny_loaded(tmp_path)
    classifier = classifier_of(loaded, 2, None)
    classifier.head[-1].weight.data.fill_(torch.nan)
    part = EvaluatedPart("train", "en", tokenize_examples(loaded, PAIRS, 64, language="en"), np.zeros(6, np.int64))
    with pytest.raises(ModelError, match="no longer numbers"):
        predict(classifier, stream_of([part], loaded), torch.float32)
