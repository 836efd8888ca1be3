"""A fine-tuned classifier as a folder that `transformers` loads, safetensors alone.

Where the architecture's own sequence classifier has the very head that was trained, the folder is one. Where it has not, it
holds the encoder, which `AutoModel` loads, and the head beside it: decoders' classifiers have no bias, mBART's and T5's read
the decoder, other encoders' have another activation.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import torch
from safetensors.torch import save
from torch import Tensor, nn

from isogloss.backend.models.encoding.tokens import one_at_a_time, set_language
from isogloss.backend.training.finetune.examples import segmented

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.training.finetune.classifier import Classifier, Summary

WEIGHTS, HEAD = "model.safetensors", "head.safetensors"

Form = Literal["classifier", "encoder and head"]


@dataclass(frozen=True)
class Exported:
    """What was written, for those who say how to use it."""

    form: Form
    summary: Summary
    """Which token's hidden state the head reads, or the mean over them."""
    dense: bool
    """Whether a dense layer with tanh comes before the last layer."""
    encoder_decoder: bool
    """Whether the encoder is that of an encoder-decoder."""
    inputs: tuple[str, ...]
    """What of the tokeniser's the model takes. XLM would take segments for words: it was trained without."""
    language: Literal["prefix", "langs"] | None
    """How the model is told the texts' language: a code before them (mBART), a row of a table (XLM), or not."""


def export(folder: Path, classifier: Classifier, loaded: Loaded, labels: Sequence[str], *, language: str) -> Exported:
    """Write weights, configuration and tokeniser into `folder`, which exists and is empty.

    Args:
        folder: Best one of `publish_folder`: it is not written at once.
        classifier: Its weights are float32 and stay so.
        loaded: What it was trained from.
        labels: The classes' names, class 0 first; classes beyond them are called `class 3`.
        language: BCP-47 tag of the language trained on: the tokeniser's default where it writes one.
    """
    config: Any = copy.deepcopy(classifier.encoder.config)
    names = _names(labels, classifier.classes)
    config.id2label, config.label2id = dict(enumerate(names)), {name: place for place, name in enumerate(names)}
    config.problem_type = "single_label_classification"
    config.dtype = torch.float32
    layers = [layer for layer in classifier.head.children() if isinstance(layer, nn.Linear)]
    head = {"dense": layers[0], "last": layers[-1]} if len(layers) > 1 else {"last": layers[-1]}
    places = _same_head(config)
    decoder = bool(getattr(config, "is_encoder_decoder", False))
    if places is not None and places.keys() == head.keys():
        known = _classifier_class(config)
        config.architectures = [known.__name__]
        weights = {f"{known.base_model_prefix}.{name}": value for name, value in _encoder(classifier).items()}
        weights |= {f"{places[name]}.{key}": value for name, layer in head.items() for key, value in layer.state_dict().items()}
        form: Form = "classifier"
    else:
        config.architectures = None
        weights = _encoder(classifier)
        if decoder:  # under the names of the whole model, whose decoder has no layers
            table = _name_of(classifier.words, classifier.encoder)
            weights = {"shared.weight" if name == table else f"encoder.{name}": value for name, value in weights.items()}
        values = {f"{name}.{key}": value for name, layer in head.items() for key, value in layer.state_dict().items()}
        _write(folder / HEAD, values)
        form = "encoder and head"
    _write(folder / WEIGHTS, weights)
    config.save_pretrained(folder)
    inputs = ("input_ids", "attention_mask", *(("token_type_ids",) if segmented(loaded) else ()))
    _tokenizer(folder, loaded, language, inputs)
    told: Literal["prefix", "langs"] | None = "langs" if getattr(config, "use_lang_emb", False) else None
    told = "prefix" if getattr(loaded.tokenizer, "src_lang", None) else told
    return Exported(form, classifier.summary, "dense" in head, decoder, inputs, told)


def _names(labels: Sequence[str], classes: int) -> list[str]:
    """Return a name of its own for every class."""
    names = list(labels)
    for place in range(len(names), classes):
        name = f"class {place}"
        while name in names:
            name += "'"
        names.append(name)
    return names


def _tokenizer(folder: Path, loaded: Loaded, language: str, inputs: tuple[str, ...]) -> None:
    """As it was used: it gives the model what it was trained with and nothing else."""
    with one_at_a_time:
        set_language(loaded.tokenizer, language)
        loaded.tokenizer.save_pretrained(folder)
    path = folder / "tokenizer_config.json"
    options = json.loads(path.read_text(encoding="utf-8")) | {"model_input_names": list(inputs)}
    path.write_text(json.dumps(options, ensure_ascii=False, indent=2), encoding="utf-8")


def _same_head(config: Any) -> dict[str, str] | None:
    """Where the architecture's sequence classifier has our layers; `config` is told what makes the heads alike. None: nowhere.

    Source: `transformers` 5, the `…ForSequenceClassification` of each.
    """
    match config.model_type:
        case "roberta" | "xlm-roberta" | "xlm-roberta-xl" | "camembert":
            return {"dense": "classifier.dense", "last": "classifier.out_proj"}
        case "bert":
            return {"dense": "bert.pooler.dense", "last": "classifier"}
        case "deberta-v2":
            config.pooler_hidden_act = "tanh"
            return {"dense": "pooler.dense", "last": "classifier"}
        case "xlm":
            config.summary_type, config.summary_activation = "first", None
            config.summary_use_proj = config.summary_proj_to_labels = True
            return {"last": "sequence_summary.summary"}
        case _:
            return None


def _classifier_class(config: Any) -> Any:
    from transformers import AutoModelForSequenceClassification

    return AutoModelForSequenceClassification._model_mapping[type(config)]


def _encoder(classifier: Classifier) -> dict[str, Tensor]:
    """Return the encoder's weights by the names that `transformers` gives them, each tensor once."""
    classifier.words.settle()
    table = _name_of(classifier.words, classifier.encoder)
    weights: dict[str, Tensor] = {table: classifier.words.whole}
    seen = {classifier.words.whole.data_ptr(), classifier.words.rows.data_ptr()}
    for name, value in classifier.encoder.state_dict().items():
        if value.data_ptr() not in seen:
            seen.add(value.data_ptr())
            weights[name] = value
    return weights


def _name_of(words: nn.Module, encoder: nn.Module) -> str:
    """Return the name of the table of word embeddings."""
    return next(f"{name}.weight" for name, module in encoder.named_modules() if module is words)


def _write(path: Path, weights: dict[str, Tensor]) -> None:
    path.write_bytes(save({name: value.detach().cpu().contiguous() for name, value in weights.items()}, {"format": "pt"}))
