"""What is said of a kept model: its card, how to load it, and whether it is the one that was recorded. Text alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.models.entry import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping


def card(provenance: Mapping[str, Any]) -> str:
    """Return the README.md of a kept model. `provenance` is what `transfer_weights` keeps of it."""
    options, name = provenance["options"], language(provenance["source"]).name
    what = "random labels on the sentences of" if provenance["data"] == "parallel" else "the task"
    came = f" (Hub: `{_line(provenance['hub'])}`)" if provenance["hub"] else f", content {provenance['fingerprint']}"
    corrupted = (
        f" {provenance['corruption']:.0%} of the training labels are replaced at random." if provenance["corruption"] else ""
    )
    licence = f" Licence of the data: {_line(provenance['licence'])}." if provenance["licence"] else ""
    taken = f"{options['algorithm']}, learning rate {options['learning_rate']:g}, batches of {options['batch']}"
    longest = f"at most {provenance['max_tokens']} tokens an example{_prefix(options)}"
    step, epoch, run, device, precision = (provenance[name] for name in ("step", "epoch", "run", "device", "precision"))
    threads = f" with {provenance['threads']} threads" if device == "cpu" else ""
    versions = ", ".join(f"{package} {number}" for package, number in provenance["versions"].items())
    return f"""---
library_name: transformers
pipeline_tag: text-classification
---

# {_line(provenance["model"])}, {_line(provenance["label"])}, fine-tuned on {name}

The model of step {step:,} (epoch {epoch}) of a run that measures cross-lingual transfer, kept by Isogloss.

- From: {_line(provenance["model"])}, checkpoint {_line(provenance["label"])}{came}.
- Trained on: {what} {_line(provenance["data_name"])} (content {provenance["corpus"]}), in {name}.{corrupted}{licence}
- Training: {taken}, seed {options["seed"]}{_recipe(options)}; {longest}.
- Training error: {provenance["errors"]:,} of {provenance["examples"]:,} examples, {_error(provenance, "errors")}.
- Labels, class 0 first: {_line(json.dumps(provenance["labels"], ensure_ascii=False))}.
- {agreement(provenance)}
- Trained on {device}{threads}, products in {precision}; weights are float32. {versions}. Run {run}.

{_form(provenance)}

```python
{usage(provenance)}```
"""


def agreement(provenance: Mapping[str, Any]) -> str:
    """Return whether the model kept is the one that was recorded: what its predictions say, in one sentence."""
    if not provenance["different"]:
        return f"All {provenance['compared']:,} predictions are those recorded when the run was made."
    if provenance["device"] != provenance["recorded_device"]:
        why = f"made on {provenance['device']}, recorded on {provenance['recorded_device']}"
    else:
        why = "another number of threads or version of torch"
    return (
        f"{provenance['different']:,} of {provenance['compared']:,} predictions differ from those recorded "
        f"({why}: sums are rounded differently), so this is a model like the recorded one, not the same: "
        f"its training error is {_error(provenance, 'errors')}, the recorded one's {_error(provenance, 'recorded_errors')}."
    )


def _recipe(options: Mapping[str, Any]) -> str:
    if options.get("recipe") == "trainer":
        return ", head and weight decay as in transformers"
    return ", dropout on both sides of any dense layer of the head, weight decay (if any) on all weights"


def _prefix(options: Mapping[str, Any]) -> str:
    return f", {_line(quoted(options['prefix']))} before every text" if options.get("prefix") else ""


def _error(provenance: Mapping[str, Any], which: str) -> str:
    return f"{provenance[which] / provenance['examples']:.1%}"


def loading(provenance: Mapping[str, Any], folder: str, note: str = "") -> str:
    """Python that loads model and tokeniser: two lines, the import and the folder above them."""
    name = "AutoModelForSequenceClassification" if provenance["use"]["form"] == "classifier" else "AutoModel"
    encoder = ".get_encoder()" if provenance["use"]["encoder_decoder"] else ""
    return (
        f"from transformers import {name}, AutoTokenizer\n\n"
        f"folder = {json.dumps(folder, ensure_ascii=False)}{note}\n"
        f"model = {name}.from_pretrained(folder){encoder}\n"
        "tokenizer = AutoTokenizer.from_pretrained(folder)\n"
    )


def usage(provenance: Mapping[str, Any]) -> str:
    """A program that classifies texts. Its variable `texts` holds what the tokeniser takes: first texts, then second ones."""
    use = provenance["use"]
    headless = use["form"] != "classifier"
    texts = '[["A text."], ["Its second text."]]' if provenance["pairs"] else '[["A text."]]'
    lines = ["import torch"]
    lines += ["from safetensors.torch import load_file"] if headless else []
    lines += [loading(provenance, ".", "  # where this file lies").rstrip()]
    lines += ["model.eval()"]
    if use["summary"] == "last":
        lines += ["tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token"]
    if use["language"] == "prefix":
        lines += ['# Texts in another language: say so first, such as tokenizer.src_lang = "de_DE".']
    cut = f'truncation=True, max_length={provenance["max_tokens"]}, padding=True, padding_side="right"'
    lines += [f"texts = {texts}"]
    given, prefix = "texts", provenance["options"].get("prefix")
    if prefix:
        given = "prefixed"
        lines += [f"prefixed = [[{quoted(prefix)} + each for each in column] for column in texts]"]
    lines += [f'batch = tokenizer(*{given}, {cut}, return_tensors="pt")']
    if use["language"] == "langs":
        tag = provenance["source"].split("-")[0]
        lines += [
            f'batch["langs"] = torch.full_like(batch["input_ids"], model.config.lang2id["{tag}"])  # the texts\' language'
        ]
    lines += ["with torch.inference_mode():"]
    lines += [f"    {line}" for line in (_head(use) if headless else ["logits = model(**batch).logits"])]
    lines += ["print([model.config.id2label[each] for each in logits.argmax(1).tolist()])"]
    return "\n".join(lines) + "\n"


def _head(use: Mapping[str, Any]) -> list[str]:
    """Return the head in lines of Python."""
    pooled = {
        "first": "states[:, 0]",
        "last": "states[torch.arange(len(states)), mask.sum(1) - 1]",
        "mean": "(states * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True)",
    }
    lines = ["states, mask = model(**batch).last_hidden_state, batch['attention_mask']", f"vector = {pooled[use['summary']]}"]
    lines += ['head = load_file(f"{folder}/head.safetensors")']
    lines += ['vector = torch.tanh(vector @ head["dense.weight"].T + head["dense.bias"])'] if use["dense"] else []
    return [*lines, 'logits = vector @ head["last.weight"].T + head["last.bias"]']


def _form(provenance: Mapping[str, Any]) -> str:
    if provenance["use"]["form"] == "classifier":
        return "The folder is a sequence classifier of `transformers`:"
    decoder = (
        " Messages about missing weights of a decoder do not matter: it is not used."
        if provenance["use"]["encoder_decoder"]
        else ""
    )
    return (
        "The sequence classifier that `transformers` has for this architecture has another head than the one trained. So the "
        f"folder holds the model without a head, and the head in `head.safetensors`.{decoder}"
    )


def _line(text: str) -> str:
    """Return a name from a person or an uploaded file, in one line that Markdown leaves as it is."""
    plain = " ".join(text.split())
    return "".join(f"\\{each}" if each in "\\`*_[]<>#|" else each for each in plain)
