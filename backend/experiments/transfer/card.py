"""What is said of a kept model: its card, how to load it, and whether it is the one that was recorded. Text alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from backend.corpora.languages.languages import language

if TYPE_CHECKING:
    from collections.abc import Mapping


def card(about: Mapping[str, Any]) -> str:
    """The README.md of a kept model. `about` is what `transfer_weights` keeps of it."""
    options, name = about["options"], language(about["source"]).name
    what = "random labels on the sentences of" if about["data"] == "parallel" else "the task"
    came = f" (Hub: `{_line(about['hub'])}`)" if about["hub"] else f", content {about['fingerprint']}"
    corrupted = f" {about['corruption']:.0%} of the training labels are replaced at random." if about["corruption"] else ""
    licence = f" Licence of the data: {_line(about['licence'])}." if about["licence"] else ""
    taken = f"{options['algorithm']}, learning rate {options['learning_rate']:g}, batches of {options['batch']}"
    threads = f" with {about['threads']} threads" if about["device"] == "cpu" else ""
    versions = ", ".join(f"{package} {number}" for package, number in about["versions"].items())
    return f"""---
library_name: transformers
pipeline_tag: text-classification
---

# {_line(about["model"])}, {_line(about["label"])}, fine-tuned on {name}

The model of step {about["step"]:,} (epoch {about["epoch"]}) of a run that measures cross-lingual transfer, kept by Isogloss.

- From: {_line(about["model"])}, checkpoint {_line(about["label"])}{came}.
- Trained on: {what} {_line(about["data_name"])} (content {about["corpus"]}), in {name}.{corrupted}{licence}
- Training: {taken}, seed {options["seed"]}; at most {about["max_tokens"]} tokens an example.
- Training error: {about["errors"]:,} of {about["examples"]:,} examples, {_error(about, "errors")}.
- Labels, class 0 first: {_line(json.dumps(about["labels"], ensure_ascii=False))}.
- {agreement(about)}
- Trained on {about["device"]}{threads}, products in {about["precision"]}; weights are float32. {versions}. Run {about["run"]}.

{_form(about)}

```python
{usage(about)}```
"""


def agreement(about: Mapping[str, Any]) -> str:
    """Whether the model kept is the one that was recorded: what its predictions say, in one sentence."""
    if not about["different"]:
        return f"All {about['compared']:,} predictions are those recorded when the run was made."
    if about["device"] != about["recorded_device"]:
        why = f"made on {about['device']}, recorded on {about['recorded_device']}"
    else:
        why = "another number of threads or version of torch"
    return (
        f"{about['different']:,} of {about['compared']:,} predictions differ from those recorded ({why}: sums are rounded "
        "differently), so this is a model like the recorded one, not the same: "
        f"its training error is {_error(about, 'errors')}, the recorded one's {_error(about, 'recorded_errors')}."
    )


def _error(about: Mapping[str, Any], which: str) -> str:
    return f"{about[which] / about['examples']:.1%}"


def loading(about: Mapping[str, Any], folder: str, note: str = "") -> str:
    """Python that loads model and tokeniser: two lines, the import and the folder above them."""
    name = "AutoModelForSequenceClassification" if about["use"]["form"] == "classifier" else "AutoModel"
    encoder = ".get_encoder()" if about["use"]["encoder_decoder"] else ""
    return (
        f"from transformers import {name}, AutoTokenizer\n\n"
        f"folder = {json.dumps(folder, ensure_ascii=False)}{note}\n"
        f"model = {name}.from_pretrained(folder){encoder}\n"
        "tokenizer = AutoTokenizer.from_pretrained(folder)\n"
    )


def usage(about: Mapping[str, Any]) -> str:
    """A program that classifies texts. Its variable `texts` holds what the tokeniser takes: first texts, then second ones."""
    use = about["use"]
    headless = use["form"] != "classifier"
    texts = '[["A text."], ["Its second text."]]' if about["pairs"] else '[["A text."]]'
    lines = ["import torch"]
    lines += ["from safetensors.torch import load_file"] if headless else []
    lines += [loading(about, ".", "  # where this file lies").rstrip()]
    lines += ["model.eval()"]
    if use["summary"] == "last":
        lines += ["tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token"]
    if use["language"] == "prefix":
        lines += ['# Texts in another language: say so first, such as tokenizer.src_lang = "de_DE".']
    cut = f'truncation=True, max_length={about["max_tokens"]}, padding=True, padding_side="right"'
    lines += [f"texts = {texts}", f'batch = tokenizer(*texts, {cut}, return_tensors="pt")']
    if use["language"] == "langs":
        tag = about["source"].split("-")[0]
        lines += [
            f'batch["langs"] = torch.full_like(batch["input_ids"], model.config.lang2id["{tag}"])  # the texts\' language'
        ]
    lines += ["with torch.inference_mode():"]
    lines += [f"    {line}" for line in (_head(use) if headless else ["logits = model(**batch).logits"])]
    lines += ["print([model.config.id2label[each] for each in logits.argmax(1).tolist()])"]
    return "\n".join(lines) + "\n"


def _head(use: Mapping[str, Any]) -> list[str]:
    """The head in lines of Python."""
    pooled = {
        "first": "states[:, 0]",
        "last": "states[torch.arange(len(states)), mask.sum(1) - 1]",
        "mean": "(states * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True)",
    }
    lines = ["states, mask = model(**batch).last_hidden_state, batch['attention_mask']", f"vector = {pooled[use['summary']]}"]
    lines += ['head = load_file(f"{folder}/head.safetensors")']
    lines += ['vector = torch.tanh(vector @ head["dense.weight"].T + head["dense.bias"])'] if use["dense"] else []
    return [*lines, 'logits = vector @ head["last.weight"].T + head["last.bias"]']


def _form(about: Mapping[str, Any]) -> str:
    if about["use"]["form"] == "classifier":
        return "The folder is a sequence classifier of `transformers`:"
    decoder = (
        " Messages about missing weights of a decoder do not matter: it is not used." if about["use"]["encoder_decoder"] else ""
    )
    return (
        "The sequence classifier that `transformers` has for this architecture has another head than the one trained. So the "
        f"folder holds the model without a head, and the head in `head.safetensors`.{decoder}"
    )


def _line(text: str) -> str:
    """A name from a person or an uploaded file, in one line that Markdown leaves as it is."""
    plain = " ".join(text.split())
    return "".join(f"\\{each}" if each in "\\`*_[]<>#|" else each for each in plain)
