"""The head of every architecture against the model's own logits, the final norm that is found, and models without a head."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch
import transformers as hf
from safetensors.torch import load_file, save_file

from isogloss.backend.errors import ModelError
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.models.files.heads import check_head, head_of
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import language_model
from isogloss.backend.models.loading.language_model import LanguageModel, load_language_model
from isogloss.backend.settings import settings
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

NORMS = {"llama": "norm", "qwen2": "norm", "qwen3": "norm", "gpt2": "ln_f", "bloom": "ln_f", "xglm": "layer_norm"}
"""What each decoder calls its final norm."""
MASKED = ("bert", "xlm", "xlm-roberta")
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "gemma2": ("Gemma2ForCausalLM", {"head_dim": 8, "num_key_value_heads": 2, "final_logit_softcapping": 1.0}),
    "cohere": ("CohereForCausalLM", {"num_key_value_heads": 2, "logit_scale": 0.3}),
    "granite": ("GraniteForCausalLM", {"num_key_value_heads": 2, "logits_scaling": 5.0}),
    "olmo2": ("Olmo2ForCausalLM", {"num_key_value_heads": 2}),
    "modernbert": ("ModernBertForMaskedLM", {}),
}
"""Heads that scale or cap logits, and norms elsewhere: a head and a norm by themselves would miss them."""


def checkpoint_of(folder: Path) -> Checkpoint:
    return discover(str(folder), name="Tiny").checkpoints[0]


def states(model: LanguageModel, ids: torch.Tensor) -> list[torch.Tensor]:
    output = model.loaded.module(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True)
    return [each[0] for each in output.hidden_states]


def agrees(folder: Path, model: LanguageModel, whole: Any) -> list[torch.Tensor]:
    """Hold the head against the whole model's own logits; returns the hidden states of some tokens."""
    ids = torch.arange(8, 15).unsqueeze(0)
    with torch.inference_mode():
        found = states(model, ids)
        logits = whole.eval()(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0]
    assert torch.allclose(model.head(found[-1]), logits, atol=1e-5), folder
    return found


@pytest.mark.parametrize("architecture", NORMS)
def test_a_decoders_head_and_norm_are_its_own(tmp_path: Path, workspace: Path, architecture: Any) -> None:
    folder = tiny_model(tmp_path / architecture, architecture)
    model = load_language_model(checkpoint_of(folder), settings())
    whole = hf.AutoModelForCausalLM.from_pretrained(folder)
    found = agrees(folder, model, whole)
    norm = getattr(whole.base_model, NORMS[architecture])
    assert model.tells == "next"
    with torch.inference_mode():
        assert torch.allclose(model.normed(found[1]), norm(found[1]), atol=1e-6)
    before: list[torch.Tensor] = []
    handle = norm.register_forward_pre_hook(lambda _module, given: before.append(given[0][0]))
    agrees(folder, model, whole)
    handle.remove()
    assert torch.allclose(model.normed(before[0]), found[-1], atol=1e-5)  # the last state is normed already
    assert not torch.allclose(before[0], found[-1], atol=1e-2)


@pytest.mark.parametrize("architecture", MASKED)
def test_a_masked_models_head_is_its_own_and_has_no_final_norm(tmp_path: Path, workspace: Path, architecture: Any) -> None:
    folder = tiny_model(tmp_path / architecture, architecture)
    model = load_language_model(checkpoint_of(folder), settings())
    found = agrees(folder, model, hf.AutoModelForMaskedLM.from_pretrained(folder))
    assert (model.tells, model.norm) == ("masked", None)
    assert torch.equal(model.normed(found[1]), found[1])


@pytest.mark.parametrize("name", OTHERS)
def test_scaled_and_capped_logits_are_as_the_architecture_has_them(tmp_path: Path, workspace: Path, name: str) -> None:
    kind, more = OTHERS[name]
    folder = tiny_model(tmp_path / name, "xlm-roberta" if name == "modernbert" else "llama")
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    torch.manual_seed(0)
    made = getattr(hf, kind)
    config = made.config_class(**SIZES, **more, vocab_size=len(tokenizer), pad_token_id=0, bos_token_id=0, eos_token_id=0)
    made(config).save_pretrained(folder)
    model = load_language_model(checkpoint_of(folder), settings())
    agrees(folder, model, made.from_pretrained(folder))
    assert model.norm is not None


def test_a_model_without_a_head_is_refused_in_a_sentence_before_and_when_it_is_loaded(tmp_path: Path, workspace: Path) -> None:
    for architecture, said in (("deberta-v2", "was saved as DebertaV2Model"), ("mt5", "is an encoder-decoder")):
        checkpoint = checkpoint_of(tiny_model(tmp_path / architecture, architecture))  # type: ignore[arg-type]
        for ask in (lambda one: check_head(one), lambda one: load_language_model(one, settings())):
            with pytest.raises(ModelError, match=said):
                ask(checkpoint)
    with pytest.raises(ModelError, match="names no architecture"):
        head_of({"model_type": "llama"}, "'a'")
    for more in ({"source": "fairseq"}, {"part": "decoder"}):
        with pytest.raises(ModelError, match="without its head"):
            check_head(checkpoint.model_copy(update=more))


def test_of_the_hub_nothing_is_said_before_it_is_here(workspace: Path) -> None:
    check_head(Checkpoint(source="hub", location="some/model", commit="0" * 40, label="main", fingerprint="a" * 24))


def test_a_head_that_the_files_lack_is_not_made_up(tmp_path: Path, workspace: Path) -> None:
    folder = tiny_model(tmp_path / "model", "bert")
    weights = load_file(folder / "model.safetensors")
    kept = {name: value for name, value in weights.items() if not name.startswith("cls.predictions.transform")}
    assert len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors", {"format": "pt"})
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["BertForMaskedLM"]
    with pytest.raises(ModelError, match=r"lack 'cls\.predictions\.transform"):
        load_language_model(checkpoint_of(folder), settings())


def test_a_model_that_does_not_fit_is_refused_before_it_is_read(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language_model, "_read", lambda *_: pytest.fail("was read"))
    checkpoint = checkpoint_of(tiny_model(tmp_path / "model", "llama"))
    with pytest.raises(ModelError, match="does not fit into the memory"):
        load_language_model(checkpoint, replace(settings(), memory_gib=1e-6))
