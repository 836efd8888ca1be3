"""A checkpoint with the head that tells tokens, for the logit lens: hidden states of any layer, read as its last ones are.

The head is run by the model's own code, which is given hidden states in place of those of its layers: transforms, biases,
scaling and capping of logits are as the architecture has them. The final norm is found by running it: the one norm outside of
the layers whose output is the last hidden state. `transformers` gives that state normed, all others not.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM

from isogloss.backend.errors import ModelError
from isogloss.backend.models.device import choose_device, choose_dtype
from isogloss.backend.models.encoding.tokens import tokenize
from isogloss.backend.models.files.fits import check_fits
from isogloss.backend.models.files.heads import NEEDS, Head, check_head, head_of
from isogloss.backend.models.layered.choice import why_in_layers
from isogloss.backend.models.loading.blueprint import check_size
from isogloss.backend.models.loading.load import TRIAL, Loaded, hub_files, local_files, longest_input, place
from isogloss.backend.models.loading.tokenizer import reason, tokenizer_of

if TYPE_CHECKING:
    from torch import Tensor

    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.models.files.weights import ModelFiles
    from isogloss.backend.settings import Settings

CLASSES: dict[Head, Any] = {"next": AutoModelForCausalLM, "masked": AutoModelForMaskedLM}


@dataclass(frozen=True)
class LanguageModel:
    """A checkpoint ready to run, with its head."""

    loaded: Loaded
    """Its `module` is the model without its head, as `load` gives it."""
    tells: Head
    norm: Any
    """The final norm, an `nn.Module`; None where the architecture has none (BERT and XLM-R norm within their layers)."""
    _whole: Any
    _states: _Given

    def head(self, hidden: Tensor) -> Tensor:
        """Return the logits `[rows, vocabulary]` of hidden states `[rows, dims]` that went through the final norm."""
        self._states.hidden = hidden.to(self.loaded.dtype).unsqueeze(0)
        ids = torch.zeros(1, len(hidden), dtype=torch.int64, device=hidden.device)
        with torch.inference_mode():
            logits: Tensor = self._whole(input_ids=ids, attention_mask=torch.ones_like(ids), return_dict=True).logits
        return logits.squeeze(0)

    def normed(self, hidden: Tensor) -> Tensor:
        """Return hidden states `[rows, dims]` of any layer but the last through the final norm, where there is one."""
        with torch.inference_mode():
            given = hidden.to(self.loaded.dtype)
            return given if self.norm is None else self.norm(given)


class _Given(torch.nn.Module):
    """Stands where the layers stood: gives the hidden states that it was given."""

    hidden: Tensor

    def forward(self, *_inputs: Any, **_options: Any) -> _Output:
        return _Output(self.hidden)


class _Output:
    """What a model of `transformers` gives, with nothing but its last hidden state."""

    def __init__(self, hidden: Tensor) -> None:
        self.last_hidden_state = hidden

    def __getitem__(self, at: Any) -> Any:
        return (self.last_hidden_state, None, None)[at]

    def __getattr__(self, _name: str) -> None:
        return None


def load_language_model(checkpoint: Checkpoint, settings: Settings) -> LanguageModel:
    """Load a checkpoint with its head, on the device and in the precision that `load` would.

    A model that does not fit into memory is not run layer by layer. Raises `ModelError` where the model has no head, where
    its head is not understood (what it says of the last layer must be what the whole model says), and as `load` does.
    """
    shown = f"'{checkpoint.label}'"
    check_head(checkpoint)
    device = choose_device(settings.device)
    dtype, why = choose_dtype(device)
    files = hub_files(checkpoint, settings) if checkpoint.source == "hub" else local_files(checkpoint, settings)
    tells = head_of(files.config, shown)
    why_in_layers(files, device, dtype, settings, can_be=False)  # the head is read with every layer: all of it is in memory
    whole = place(_read(files, dtype, tells), device, shown)
    tokenizer, identity = tokenizer_of(files, checkpoint)
    module = whole.base_model
    if hasattr(module.config, "use_cache"):
        module.config.use_cache = False
    loaded = Loaded(
        module=module,
        tokenizer=tokenizer,
        tokenizer_identity=identity,
        layers=files.shape.layers,
        dims=files.shape.dims,
        max_tokens=longest_input(module, tokenizer),
        device=device,
        dtype=dtype,
        why_dtype=why,
        shown=shown,
    )
    return _with_head(whole, loaded, tells)


def _read(files: ModelFiles, dtype: torch.dtype, tells: Head) -> Any:
    """Return the whole model on the CPU. Raises `ModelError` where it cannot be loaded, or the files lack a weight."""
    shown, weights = files.shown, files.weights
    check_fits(files)
    try:
        config = AutoConfig.from_pretrained(files.folder, trust_remote_code=False, local_files_only=True)
        check_size(config, files)
        whole, report = CLASSES[tells].from_pretrained(
            files.folder,
            config=config,
            dtype=dtype,
            trust_remote_code=False,
            local_files_only=True,
            use_safetensors=weights[0].suffix == ".safetensors",
            weights_only=True,
            output_loading_info=True,
        )
    except (MemoryError, ModelError):
        raise
    except Exception as error:  # whatever a damaged or hostile folder makes transformers raise
        raise ModelError(reason(shown, error)) from error
    # What the files lack was made up at random just now; a head most of all.
    lacking = {str(key) for key in report["missing_keys"]} & {name for name, _ in whole.named_parameters()}
    if lacking := {name for name in lacking if "pooler" not in name}:
        raise ModelError(f"The weights of {shown} lack '{min(lacking)[:80]}', without which no token is told. {NEEDS}")
    return whole


def _with_head(whole: Any, loaded: Loaded, tells: Head) -> LanguageModel:
    """Find the final norm, set the stand-in for the layers, and hold what the head says of a trial against the whole model."""
    base, name = loaded.module, str(whole.base_model_prefix)
    tokens = tokenize(loaded.tokenizer, TRIAL[1:], loaded.max_tokens)
    ids = torch.from_numpy(tokens.ids[0]).long().unsqueeze(0).to(loaded.device)
    try:
        with torch.inference_mode():
            logits = whole(input_ids=ids, attention_mask=torch.ones_like(ids), return_dict=True).logits[0]
            norm, last = _final_norm(base, ids)
        states = _Given()
        setattr(whole, name, states)
        model = LanguageModel(loaded, tells, norm, whole, states)
        again = model.head(last)
    except Exception as error:  # an architecture whose head takes more than the last hidden state
        raise ModelError(reason(f"The head of {loaded.shown}", error, "run by itself")) from error
    if again.shape != logits.shape or not torch.allclose(again.float(), logits.float(), rtol=1e-2, atol=1e-2):
        raise ModelError(
            f"The head of {loaded.shown} does not say of the last layer what the model says: its architecture is not supported."
        )
    return model


def _final_norm(base: Any, ids: Tensor) -> tuple[Any, Tensor]:
    """Return the norm outside of the layers that gives the last hidden state, or None; and that state `[tokens, dims]`."""
    given: list[tuple[Any, Tensor]] = []
    outside = [
        module
        for name, module in base.named_modules()
        if "norm" in type(module).__name__.lower() and not any(part.isdigit() for part in name.split("."))
    ]
    with ExitStack() as hooks:
        for each in outside:
            handle = each.register_forward_hook(lambda module, _inputs, output: given.append((module, output)))
            hooks.callback(handle.remove)
        output = base(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True, return_dict=True)
    last = output.hidden_states[-1]
    found = [module for module, normed in given if normed.shape == last.shape and torch.equal(normed, last)]
    return (found[-1] if found else None), last[0]
