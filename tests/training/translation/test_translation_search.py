"""Search and scores of translation models, against plain search and sacreBLEU."""

from __future__ import annotations

from typing import Any

import pytest
import sacrebleu
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BartForConditionalGeneration

from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.translation.evaluate import bleu, chrf, readable, translate
from isogloss.backend.training.translation.pairs import translation_text
from isogloss.backend.training.translation.run import fresh_model
from tests.training.translation.translating import END, MASK, PADDING, START, rows_of, tiny_options, tiny_pairs


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
    from isogloss.backend.training.translation import evaluate

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
@settings(max_examples=100)
def test_text_comes_back_from_its_tokens(words: str) -> None:
    ids = TOKENIZER.encode(words, add_special_tokens=False).ids
    assert readable([*ids, END, 5, 5], TOKENIZER, END) == words.strip()
    assert readable([START, PADDING, *ids, MASK], TOKENIZER, END) == words.strip()
