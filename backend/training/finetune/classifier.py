"""An encoder with a fresh classification head, built as `transformers` builds its sequence classifiers.

BERT, XLM-R and kin: the first token, a dense layer with tanh, a linear layer. XLM: the first token, a linear layer. Decoders:
the last token, a linear layer. The encoder of an encoder-decoder: the mean over tokens, XLM-R's head. Details:
`docs/definitions.md`, "Transfer".
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor, nn

from isogloss.backend.training.finetune.embeddings import WordEmbeddings, replace_embeddings

if TYPE_CHECKING:
    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.training.finetune.options import Recipe

Summary = Literal["first", "last", "mean"]


class Classifier(nn.Module):
    """Token ids in, logits out."""

    def __init__(self, encoder: nn.Module, words: WordEmbeddings, head: nn.Module, summary: Summary, classes: int) -> None:
        super().__init__()
        self.encoder, self.head, self.summary, self.classes = encoder, head, summary, classes
        self._words = [words]  # in a list: it is a part of the encoder already

    @property
    def words(self) -> WordEmbeddings:
        """Table of word embeddings, of which training moves the rows met."""
        return self._words[0]

    def forward(self, **batch: Tensor) -> Tensor:
        """Arrays `[examples, tokens]` of `Examples.pad` → float32 logits `[examples, classes]`."""
        states = self.encoder(**batch, return_dict=True).last_hidden_state
        logits: Tensor = self.head(_summarised(states, batch["attention_mask"], self.summary))
        return logits.float()


def classifier_of(loaded: Loaded, classes: int, met: Tensor | None, recipe: Recipe = "first") -> Classifier:
    """Return a classifier of `classes` on a copy of `loaded`'s module, all weights trainable, in training mode.

    The head's weights are drawn from torch's generator, as the configuration says. `met`: the word embeddings to train, None
    for all. `recipe`: whether BERT's dense layer has dropout before it.
    """
    encoder = copy.deepcopy(loaded.module).requires_grad_(True).train()
    config = encoder.config
    pooler = getattr(encoder, "pooler", None)
    if pooler is not None:
        encoder.pooler = None  # what it gives is not used: its weights would only be kept and counted
    summary = _summary(config)
    drop = nn.Dropout(_dropout(config))
    dense = nn.Linear(loaded.dims, loaded.dims)
    last = nn.Linear(loaded.dims, classes)
    with torch.no_grad():
        for layer in (dense, last):
            layer.weight.normal_(0.0, float(getattr(config, "initializer_range", 0.02) or 0.02))
            layer.bias.zero_()
        if config.model_type == "bert" and pooler is not None:
            dense.load_state_dict(pooler.dense.state_dict())
    plain = config.model_type == "xlm" or summary == "last"
    pooled = [] if config.model_type == "bert" and recipe == "trainer" else [drop]
    head = nn.Sequential(drop, last) if plain else nn.Sequential(*pooled, dense, nn.Tanh(), drop, last)
    return Classifier(encoder, replace_embeddings(encoder, met), head, summary, classes).to(loaded.device)


def decayed(classifier: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Return the weights that `Trainer` decays and those that it spares: biases, and all of a norm's."""
    norms = [module for module in classifier.modules() if "norm" in type(module).__name__.lower()]
    spared = {id(weight) for module in norms for weight in module.parameters()}
    named = list(classifier.named_parameters())
    spared |= {id(weight) for name, weight in named if "bias" in name}
    return [w for _, w in named if id(w) not in spared], [w for _, w in named if id(w) in spared]


def _summary(config: Any) -> Summary:
    from transformers.models.auto import modeling_auto as auto

    architecture = config.model_type
    if getattr(config, "is_encoder_decoder", False):
        return "mean"
    causal = architecture in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    return "last" if causal and architecture not in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES else "first"


def _dropout(config: Any) -> float:
    """Return the head's dropout, by the names that configurations give it; none where a model has none (most decoders)."""
    for name in ("classifier_dropout", "summary_first_dropout", "hidden_dropout_prob", "dropout_rate", "dropout"):
        value = getattr(config, name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    return 0.0


def _summarised(states: Tensor, mask: Tensor, summary: Summary) -> Tensor:
    """Hidden states `[batch, tokens, dims]` → `[batch, dims]`."""
    match summary:
        case "first":
            return states[:, 0]
        case "last":
            return states[torch.arange(len(states), device=states.device), mask.sum(1) - 1]
        case "mean":
            weights = mask.to(states.dtype).unsqueeze(2)
            return (states * weights).sum(1) / weights.sum(1)
