"""The parts of training a translation model: its weights, batches and steps."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BartForConditionalGeneration

from isogloss.backend.errors import ModelError, SpecError
from isogloss.backend.training.translation.model import freeze, load_model, save_model
from isogloss.backend.training.translation.options import SETTINGS, Infilling, TranslationArchitecture, TuningStage
from isogloss.backend.training.translation.pairs import translation_text
from isogloss.backend.training.translation.pretrain import source_windows
from isogloss.backend.training.translation.run import (
    begin_pretraining,
    begin_tuning,
    fresh_model,
    pair_order,
    with_fresh_embeddings,
)
from tests.training.language_model.language_modelling import tiny_source
from tests.training.translation.translating import MASK, PADDING, SHAPE, START, rows_of, tiny_options, tiny_pairs

CPU = torch.device("cpu")


def test_a_kept_model_is_that_of_transformers_and_comes_back(tmp_path: Path) -> None:
    shape = TranslationArchitecture(**SHAPE)
    model = fresh_model(shape, 1).train(False)
    save_model(tmp_path / "model", model)
    theirs = BartForConditionalGeneration.from_pretrained(tmp_path / "model").train(False)
    read, written = torch.randint(0, 296, (2, 9)), torch.randint(0, 296, (2, 7))
    with torch.no_grad():
        logits = [
            each(input_ids=read, decoder_input_ids=written).logits
            for each in (model, theirs, load_model(tmp_path / "model", shape))
        ]
    assert logits[0].std() > 0.01
    assert torch.equal(logits[0], logits[1])
    assert not torch.equal(logits[0], fresh_model(shape, 2)(input_ids=read, decoder_input_ids=written).logits)
    assert torch.equal(logits[0], load_model(tmp_path / "model", shape).train(False)(read, decoder_input_ids=written).logits)
    with pytest.raises(ModelError, match="another shape"):
        load_model(tmp_path / "model", TranslationArchitecture(**SHAPE | {"dims": 18}))
    (tmp_path / "model" / "model.safetensors").write_bytes(b"no")
    with pytest.raises(ModelError, match="cannot be read"):
        load_model(tmp_path / "model", shape)


def test_fresh_embeddings_are_all_that_is_forgotten() -> None:
    shape = TranslationArchitecture(**SHAPE)
    before = {name: value.clone() for name, value in fresh_model(shape, 1).state_dict().items()}
    model = with_fresh_embeddings(fresh_model(shape, 1), shape, 1)
    changed = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
    assert changed == {
        "model.shared.weight",
        "model.encoder.embed_tokens.weight",
        "model.decoder.embed_tokens.weight",
        "lm_head.weight",
    }
    assert model.lm_head.weight.std().item() == pytest.approx(0.02 * (512 / 16) ** 0.5, rel=0.05)


@pytest.mark.parametrize("setting", SETTINGS)
def test_frozen_weights_do_not_move_and_all_others_do(setting: Any) -> None:
    text = translation_text(*tiny_pairs(), tiny_options())
    model = fresh_model(tiny_options().architecture, 1)
    freeze(model, setting)
    run = begin_tuning(model, text, tiny_options(), CPU)
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    for step in (1, 2, 3):
        run.take(step)
    moved = {name for name, value in model.named_parameters() if not torch.equal(value, before[name])}
    assert moved == ({"model.shared.weight"} if setting == "frozen" else set(before))
    assert model.lm_head.weight is model.model.shared.weight


@pytest.mark.parametrize("setting", ["full", "frozen"])
def test_a_step_of_tuning_is_that_of_transformers_with_plain_adamw(setting: Any) -> None:
    """Weights after three updates against BART's own loss: tied gradients, padding, clipping, decay, schedule."""
    options = tiny_options(
        architecture=TranslationArchitecture(**SHAPE | {"dropout": 0.0}),
        tuning=TuningStage(pairs=20, tokens=10**6, epochs=1, batch=8, learning_rate=1e-3, weight_decay=0.1),
    )
    text = translation_text(*tiny_pairs(), options)
    ours, theirs = (fresh_model(options.architecture, 7) for _ in range(2))
    for model in (ours, theirs):
        freeze(model, setting)
    run = begin_tuning(ours, text, options, CPU)
    optimizer = torch.optim.AdamW([each for each in theirs.parameters() if each.requires_grad], weight_decay=0.1)
    sources, targets = rows_of(text.sources), rows_of(text.targets)
    for step, chosen in enumerate(pair_order(text, 8, 3, 0), 1):
        read = torch.full((len(chosen), max(len(sources[place]) for place in chosen)), PADDING)
        labels = torch.full((len(chosen), max(len(targets[place]) for place in chosen) - 1), -100)
        for row, place in enumerate(chosen):
            read[row, : len(sources[place])] = torch.tensor(sources[place])
            labels[row, : len(targets[place]) - 1] = torch.tensor(targets[place][1:])
        loss = theirs(input_ids=read, attention_mask=(read != PADDING).long(), labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        optimizer.param_groups[0]["lr"] = 1e-3 * (4 - step) / 3
        optimizer.step()
        assert run.take(step).item() == pytest.approx(loss.item(), rel=1e-5)
    for (name, one), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        if not name.endswith("k_proj.bias"):  # those of keys have no gradient but rounding, which AdamW blows up
            torch.testing.assert_close(one, other, rtol=1e-4, atol=2e-5, msg=name)


@pytest.mark.parametrize("predicted", ["hidden", "all"])
def test_a_batch_of_infilling_asks_for_what_is_hidden(predicted: Any) -> None:
    options = tiny_options(infilling=Infilling(predicted=predicted))
    windows = source_windows(tiny_source(), options)
    run = begin_pretraining(fresh_model(options.architecture, 0), windows, options, CPU)
    batches = [run.batch(step) for step in range(1, run.steps + 1)]
    assert run.steps == 8
    for epoch in (batches[:4], batches[4:]):
        assert sorted(chain(*(each.next.tolist() for each in epoch))) == sorted(windows.tolist())
    assert [each.read.tolist() for each in batches[:4]] != [each.read.tolist() for each in batches[4:]]
    for each in batches:
        assert (each.written[:, 0] == START).all()
        assert (each.written[:, 1:] == each.next[:, :-1]).all()
        share = each.counts.sum(axis=1)
        assert (share == (24 if predicted == "all" else 8)).all()  # 0.3 · 24 = 7.2, rounded up
        assert {MASK} <= set(each.read.ravel().tolist()) <= {*range(9), MASK, PADDING}
        for read, following, hidden in zip(each.read, each.next, each.counts, strict=True):
            if predicted == "hidden":
                assert [one for one in read.tolist() if one < PADDING] == following[~hidden].tolist()


def test_every_epoch_has_all_pairs_in_batches_of_similar_length() -> None:
    sources, targets = tiny_pairs(pairs=300)
    options = tiny_options(tuning=TuningStage(tokens=10**6, epochs=3, batch=4))
    text = translation_text(sources, targets, options)
    epochs = [pair_order(text, 4, 3, epoch) for epoch in range(3)]
    assert all(sorted(chain(*(batch.tolist() for batch in epoch))) == list(range(240)) for epoch in epochs)
    assert len({tuple(chain(*(batch.tolist() for batch in epoch))) for epoch in epochs}) == 3
    lengths = text.sources.lengths + text.targets.lengths
    within = np.mean([np.ptp(lengths[batch]) for batch in epochs[0]])
    assert within < np.ptp(lengths) / 5
    firsts = [lengths[batch].mean() for batch in epochs[0]]
    assert firsts != sorted(firsts)


def test_a_source_with_too_many_symbols_says_so() -> None:
    from tests.corpora.emergent.utterances import from_utterances

    with pytest.raises(SpecError, match="297 different symbols, but the model has embeddings for 296"):
        source_windows(from_utterances([list(range(1000, 1297))]), tiny_options())
    assert source_windows(from_utterances([list(range(1000, 1296))]), tiny_options()).max() == PADDING - 1


def test_compiled_training_is_the_same_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """What torch.compile makes of it, without its slow code generators."""
    original = torch.compile
    monkeypatch.setattr(torch, "compile", lambda what, **options: original(what, backend="eager", **options))
    losses = []
    for compiled in (False, True):
        options = tiny_options(
            compile=compiled, architecture=TranslationArchitecture(**SHAPE | {"dropout": 0.0, "decoder_layers": 1})
        )
        windows = source_windows(tiny_source(), options)
        run = begin_pretraining(fresh_model(options.architecture, 1), windows, options, CPU)
        losses.append([run.take(step).item() for step in range(1, 4)])
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    assert len(set(losses[1])) == 3
