"""The parts of translation models: options, pairs, model, batches, steps, search and scores."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BartForConditionalGeneration

from backend.errors import CorpusError, ModelError, SpecError
from backend.models.batch_loop import StoppedError
from backend.training.language_model.options import Stage
from backend.training.translation.evaluate import bleu, chrf, readable, translate
from backend.training.translation.model import freeze, load_model, save_model
from backend.training.translation.options import (
    SETTINGS,
    Infilling,
    TranslationArchitecture,
    TranslationOptions,
    TuningStage,
    preset,
)
from backend.training.translation.pairs import translation_text
from backend.training.translation.pretrain import source_windows
from backend.training.translation.run import (
    begin_pretraining,
    begin_tuning,
    fresh_model,
    pair_order,
    with_fresh_embeddings,
)
from tests.training.language_modelling import tiny_source
from tests.training.translating import SHAPE, tiny_options, tiny_pairs

CPU = torch.device("cpu")
PADDING, START, END, MASK = 296, 297, 298, 299


def rows_of(rows: Any) -> list[list[int]]:
    return [rows.ids[a:b].tolist() for a, b in zip(rows.starts[:-1], rows.starts[1:], strict=True)]


# --- options


def test_the_paper_preset_is_the_released_codes() -> None:
    """MtWmt, MtFreeze and MtLL of its `model/config.py`."""
    found = {setting: preset("paper", setting) for setting in SETTINGS}
    shape = found["full"].architecture
    assert (shape.encoder_layers, shape.decoder_layers, shape.heads, shape.dims, shape.feed_forward) == (6, 6, 8, 512, 2048)
    assert (shape.context, shape.vocabulary, shape.dropout) == (256, 30_000, 0.1)
    for options in found.values():
        stage = options.pretraining
        assert (stage.tokens, stage.epochs, stage.batch, stage.learning_rate) == (100_000_000, 5, 32, 1e-4)
        assert (options.infilling.mask_ratio, options.infilling.mean_span, options.beams) == (0.3, 3.0, (1, 3, 5))
        assert (options.tuning.epochs, options.tuning.batch, options.tuning.weight_decay) == (3, 32, 0.01)
        assert (options.tuning.pairs, options.test_pairs, options.translation_tokens) == (2_000_000, 5000, 128)
        assert options.held_out == 0.2
    assert {name: (each.tuning.tokens, each.tuning.learning_rate) for name, each in found.items()} == {
        "full": (50_000_000, 2e-4),
        "frozen": (50_000_000, 2e-4),
        "reduced": (10_000_000, 2e-5),
    }


@pytest.mark.parametrize("name", ["paper", "quick"])
def test_settings_share_their_base_models(name: Any) -> None:
    full, frozen, reduced = (preset(name, setting, seed=5) for setting in SETTINGS)
    assert full.pretraining_about() == frozen.pretraining_about() == reduced.pretraining_about()
    assert full.pretraining_about() != preset(name, "full", seed=6).pretraining_about()
    assert reduced.tuning.learning_rate < full.tuning.learning_rate
    assert TranslationOptions.model_validate_json(full.model_dump_json()) == full


@pytest.mark.parametrize(
    ("changes", "shared"),
    [
        ({"beams": (2,)}, True),
        ({"tuning": TuningStage(tokens=9, epochs=1)}, True),
        ({"test_pairs": 3}, True),
        ({"infilling": Infilling(mean_span=2)}, False),
        ({"pretraining": Stage(tokens=600, epochs=2)}, False),
        ({"precision": "bfloat16"}, False),
        ({"architecture": TranslationArchitecture(**SHAPE | {"dims": 18})}, False),
    ],
)
def test_what_base_models_depend_on(changes: dict[str, Any], shared: bool) -> None:
    assert (tiny_options(**changes).pretraining_about() == tiny_options().pretraining_about()) == shared


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"beams": ()}, "beams must be"),
        ({"beams": (3, 3)}, "beams must be"),
        ({"beams": (0,)}, "beams must be"),
        ({"translation_tokens": 24}, "fewer than the context"),
    ],
)
def test_options_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tiny_options(**changes)
    with pytest.raises(ValueError, match="multiple of heads"):
        TranslationArchitecture(dims=10, heads=4)


@pytest.mark.parametrize(
    "shape", [{}, {"encoder_layers": 3}, {"decoder_layers": 1, "feed_forward": 7}, {"context": 50, "dims": 8}]
)
def test_parameters_are_counted(shape: dict[str, Any]) -> None:
    architecture = TranslationArchitecture(**SHAPE | shape)
    assert architecture.parameters == sum(each.numel() for each in fresh_model(architecture, 0).parameters())


def test_operations_are_counted() -> None:
    """Weights that a token read and a token written are multiplied with, against the model's own."""
    architecture = TranslationArchitecture(**SHAPE)
    matrices = [
        value.numel()
        for name, value in fresh_model(architecture, 0).named_parameters()
        if value.ndim == 2 and "positions" not in name
    ]
    attention = 6 * 2 * (1 + 2 + 2) * 24 * 16  # scores and sums over a window, in five attentions
    assert architecture.training_flop == 6 * sum(matrices) + attention


# --- pairs


def test_no_test_sentence_is_tuned_on() -> None:
    """Nor a pair that shares one side with it."""
    sources, targets = tiny_pairs(pairs=200)
    options = tiny_options(tuning=TuningStage(pairs=1000, tokens=10**6, epochs=1), test_pairs=1000)
    plain = translation_text(sources, targets, options)
    held_out = np.random.default_rng(0).permutation(200)[:40]
    assert plain.tested.tolist() == sorted(held_out.tolist())
    assert sorted([*plain.tuned.tolist(), *plain.tested.tolist()]) == list(range(200))
    assert plain.repeated == 0
    one, other, third = plain.tuned[:3].tolist()
    sources[one] = sources[held_out[0]]
    targets[other] = f"  {targets[held_out[1]]}\t"
    sources[third], targets[third] = sources[held_out[2]], targets[held_out[2]]
    found = translation_text(sources, targets, options)
    assert found.repeated == 3
    assert found.tested.tolist() == plain.tested.tolist()
    assert found.tuned.tolist() == [place for place in plain.tuned.tolist() if place not in (one, other, third)]
    tuned_on = {readable(row, found.tokenizer, END) for row in chain(rows_of(found.sources), rows_of(found.targets))}
    assert len(tuned_on) == 2 * len(found.tuned)
    assert not tuned_on & {*found.test_sources, *found.references}
    assert found.references == tuple(targets[place].strip() for place in found.tested)


def test_held_out_pairs_that_are_not_translated_are_not_tuned_on_either() -> None:
    sources, targets = tiny_pairs(pairs=50)
    found = translation_text(sources, targets, tiny_options(test_pairs=4))
    held_out = set(np.random.default_rng(0).permutation(50)[:10].tolist())
    assert len(found.tested) == 4
    assert set(found.tested.tolist()) <= held_out
    assert not held_out & set(found.tuned.tolist())


def test_the_tokeniser_sees_no_test_text_and_no_setting() -> None:
    sources, targets = tiny_pairs(pairs=60)
    held_out = np.random.default_rng(0).permutation(60)[:12]
    for place in held_out:
        sources[place], targets[place] = f"qqqqqqqq {place}", f"xxxxxxxx {place}"
    found = translation_text(sources, targets, tiny_options())
    few = translation_text(sources, targets, tiny_options(tuning=TuningStage(pairs=3, tokens=10**6, epochs=1)))
    assert found.tokenizer.to_str() == few.tokenizer.to_str()
    assert not any("qq" in token or "xx" in token for token in found.tokenizer.get_vocab())
    assert any("trois" in token for token in found.tokenizer.get_vocab())
    assert max(found.tokenizer.get_vocab().values()) < PADDING
    assert len(few.tuned) == len(few.sources) == len(few.targets) == 3


def test_the_budget_is_that_of_the_sources_tokens() -> None:
    sources, targets = tiny_pairs(pairs=60)
    every = translation_text(sources, targets, tiny_options(tuning=TuningStage(tokens=10**6, epochs=1)))
    ends = every.sources.starts[1:]
    for budget in (4, int(ends[7]), int(ends[7]) + 1):
        found = translation_text(sources, targets, tiny_options(tuning=TuningStage(tokens=budget, epochs=1)))
        assert len(found.sources) == int((ends < budget).sum()) + 1
        assert rows_of(found.targets) == rows_of(every.targets)[: len(found.sources)]


def test_sentences_have_their_marks_and_are_cut_to_the_context() -> None:
    sources, targets = tiny_pairs(pairs=30)
    targets[5] = "trois " * 200
    found = translation_text([*sources, "", "ein"], [*targets, "un", "   "], tiny_options())
    assert {30, 31}.isdisjoint([*found.tuned.tolist(), *found.tested.tolist()])
    rows = [*rows_of(found.sources), *rows_of(found.targets), *rows_of(found.test)]
    assert all((row[0], row[-1]) == (START, END) and max(row[1:-1]) < PADDING for row in rows)
    assert max(map(len, rows)) <= 24
    assert [readable(row, found.tokenizer, END) for row in rows_of(found.test)] == list(found.test_sources)


def test_texts_that_cannot_be_split_say_so() -> None:
    with pytest.raises(CorpusError, match="3 sentences to translate and 2 translations"):
        translation_text(["a", "b", "c"], ["a", "b"], tiny_options())
    for pairs in ([], ["a"], ["a", "a"], ["", "a"]):
        with pytest.raises(CorpusError, match="too few"):
            translation_text(pairs, pairs, tiny_options())


def test_what_changes_a_text_changes_its_digest() -> None:
    sources, targets = tiny_pairs()
    options = tiny_options()
    plain = translation_text(sources, targets, options)
    assert plain.digest() == translation_text(sources, targets, options).digest()
    swapped = translation_text(targets, sources, options)
    fewer = translation_text(sources, targets, tiny_options(test_pairs=5))
    assert len({plain.digest(), swapped.digest(), fewer.digest()}) == 3


# --- model


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


# --- steps


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
    from backend.corpora.emergent import from_utterances

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


# --- search and scores


def searched(beam: int, **arguments: Any) -> list[str]:
    options = tiny_options()
    text = translation_text(*tiny_pairs(), options)
    return translate(wild_model(), text, beam, options, **arguments)


def wild_model() -> BartForConditionalGeneration:
    """Untrained, with weights large enough that every input has its own output."""
    model = fresh_model(tiny_options().architecture, 4)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.mul_(25)
    return model


def test_one_beam_takes_the_likeliest_token_again_and_again() -> None:
    options = tiny_options()
    text = translation_text(*tiny_pairs(), options)
    model = wild_model().train(False)
    expected = []
    for row in rows_of(text.test):
        written = [START]
        while written[-1] != END and len(written) <= options.translation_tokens:
            with torch.no_grad():
                scores = model(torch.tensor([row]), decoder_input_ids=torch.tensor([written])).logits[0, -1]
            written.append(int(scores.argmax()))
        expected.append(readable(written[1:], text.tokenizer, END))
    assert searched(1) == expected
    assert len(set(expected)) > 1


def test_wider_beams_find_likelier_translations(monkeypatch: pytest.MonkeyPatch) -> None:
    from backend.training.translation import evaluate

    alone = {}
    for beam in (1, 3, 5):
        found = searched(beam)
        assert found == searched(beam)
        monkeypatch.setitem(evaluate.AT_ONCE, "cpu", 1)
        alone[beam] = searched(beam)
        monkeypatch.undo()
        assert len(found) == 6
        assert sum(one == other for one, other in zip(found, alone[beam], strict=True)) >= 5  # rounding may turn one
    assert alone[1] != alone[3]


def test_a_search_leaves_the_model_in_training_and_can_be_stopped() -> None:
    options = tiny_options()
    text = translation_text(*tiny_pairs(), options)
    model = wild_model().train()
    translate(model, text, 1, options)
    assert model.training
    with pytest.raises(StoppedError):
        translate(model, text, 1, options, should_stop=lambda: True)
    assert model.training


def test_scores_are_sacrebleus() -> None:
    hypotheses = ["the cat sat on the mat .", "il y a deux chats", "", "où est-il ?"]
    references = ["the cat is on the mat .", "il y a trois chats ici", "rien", "où est-il ?"]
    assert chrf(hypotheses, references) == sacrebleu.CHRF().corpus_score(hypotheses, [references]).score
    assert bleu(hypotheses, references) == sacrebleu.BLEU().corpus_score(hypotheses, [references]).score
    assert chrf(references, references) == pytest.approx(100)
    assert bleu(references, references) == pytest.approx(100)
    assert chrf(["zzz"] * 4, references) == 0
    # "cat" of "cats": of its 3, 2 and 1 sequences of 1, 2 and 3 characters all are right, of 4, 3 and 2; none is longer. β = 2.
    precision, recall = 1.0, (3 / 4 + 2 / 3 + 1 / 2) / 3
    assert chrf(["cat"], ["cats"]) == pytest.approx(100 * 5 * precision * recall / (4 * precision + recall))


TOKENIZER = translation_text(*tiny_pairs(), tiny_options()).tokenizer


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
@settings(max_examples=100, deadline=None)
def test_text_comes_back_from_its_tokens(words: str) -> None:
    ids = TOKENIZER.encode(words, add_special_tokens=False).ids
    assert readable([*ids, END, 5, 5], TOKENIZER, END) == words.strip()
    assert readable([START, PADDING, *ids, MASK], TOKENIZER, END) == words.strip()
