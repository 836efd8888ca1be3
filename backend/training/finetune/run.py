"""One fine-tuning run in memory: what goes in, the classifier and its optimiser, and one step of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from isogloss.backend.models.device import choose_dtype
from isogloss.backend.models.encoding.batch_loop import to_device
from isogloss.backend.training.finetune.classifier import Classifier, classifier_of, decayed
from isogloss.backend.training.finetune.evaluate import EvaluatedPart, Stream, computing_in, on_device, stream_of
from isogloss.backend.training.finetune.examples import Examples, concatenate, prefixed, tokenize_examples
from isogloss.backend.training.finetune.losses import loss_of
from isogloss.backend.training.finetune.options import learning_rate_at
from isogloss.backend.training.resumable.folder import content_digest
from isogloss.backend.training.resumable.reproducible import seed_from
from isogloss.backend.training.resumable.state import adamw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.training.finetune.data import ClassificationData
    from isogloss.backend.training.finetune.examples import Texts
    from isogloss.backend.training.finetune.options import FinetuneOptions


@dataclass(frozen=True, eq=False)
class Inputs:
    """The data as the model takes it."""

    train: Examples
    """What is trained on: the source's training examples, then the additional ones."""
    labels: NDArray[np.int64]
    """Theirs."""
    source: EvaluatedPart
    """The source's training examples."""
    others: tuple[EvaluatedPart, ...]
    """Their translations, then the validation examples of every language."""

    @property
    def truncated(self) -> int:
        """Texts that lost their end, of all parts."""
        return self.train.truncated + sum(part.examples.truncated for part in self.others)

    def digest(self) -> str:
        """Equal for equal examples and labels of equal languages."""
        names = "\n".join(f"{part.split} {part.language}" for part in (self.source, *self.others))
        arrays: list[NDArray[Any]] = [np.frombuffer(names.encode(), np.uint8), self.labels, self.train.ids, self.train.starts]
        for part in self.others:
            arrays += [part.labels, part.examples.ids, part.examples.starts]
        return content_digest(arrays)


@dataclass(frozen=True, eq=False)
class Run:
    """All that training and evaluating take."""

    options: FinetuneOptions
    inputs: Inputs
    classifier: Classifier
    optimizer: torch.optim.AdamW
    source: Stream
    others: Stream
    labels: torch.Tensor
    """Of the training examples, on the device."""
    device: torch.device
    precision: torch.dtype
    """What products are computed in; weights are float32."""
    steps: int

    def epoch(self, step: int) -> int:
        """Return the pass over the training examples that `step` belongs to, both counted from 1."""
        return (step - 1) // (self.steps // self.options.epochs) + 1


def inputs_of(loaded: Loaded, data: ClassificationData, options: FinetuneOptions) -> Inputs:
    """Tokenise everything, each text once."""

    def tokenized(texts: Texts, language: str) -> Examples:
        return tokenize_examples(loaded, prefixed(texts, options.prefix), options.max_tokens, language=language)

    def part(split: str, language: str) -> EvaluatedPart:
        texts, labels = (
            (data.train[language], data.labels)
            if split == "train"
            else (data.validation[language], data.validation_labels[language])
        )
        examples = tokenized(texts, language)
        return EvaluatedPart("train" if split == "train" else "validation", language, examples, np.asarray(labels, np.int64))

    source = part("train", data.source)
    others = [part("train", language) for language in data.train if language != data.source]
    others += [part("validation", language) for language in data.validation]
    train, labels = source.examples, source.labels
    if len(data.extra):
        extra = tokenized(data.extra, data.source)
        train, labels = concatenate([train, extra]), np.concatenate([labels, data.extra_labels])
    return Inputs(train, labels, source, tuple(others))


def begin(loaded: Loaded, inputs: Inputs, options: FinetuneOptions, classes: int) -> Run:
    """Return a classifier that has learnt nothing yet."""
    device = loaded.device
    torch.manual_seed(seed_from(options.seed, 0))  # the head
    # Weight decay moves rows without a gradient too.
    met = None if options.weight_decay else torch.from_numpy(np.union1d(inputs.train.ids, [inputs.train.padding])).long()
    classifier = classifier_of(loaded, classes, met, options.recipe)
    if options.compile:
        classifier.compile(dynamic=True)
    return Run(
        options=options,
        inputs=inputs,
        classifier=classifier,
        optimizer=_optimizer(classifier, options, device),
        source=stream_of([inputs.source], loaded),
        others=stream_of(inputs.others, loaded),
        labels=torch.from_numpy(inputs.labels).to(device),
        device=device,
        precision=choose_dtype(device)[0],
        steps=options.steps(len(inputs.train)),
    )


def _optimizer(classifier: Classifier, options: FinetuneOptions, device: torch.device) -> torch.optim.AdamW:
    rate, decay = options.learning_rate, options.weight_decay
    if options.recipe == "first":
        return adamw(classifier.parameters(), learning_rate=rate, weight_decay=decay, device=device)
    with_decay, without = decayed(classifier)
    groups: list[dict[str, Any]] = [{"params": with_decay}, {"params": without, "weight_decay": 0.0}]
    return adamw(groups, learning_rate=rate, weight_decay=decay, device=device)


def train_step(run: Run, step: int) -> None:
    """One update of the weights; the first step is 1. Its batch and its randomness depend on the seed and the step alone."""
    options = run.options
    rows = batch_rows(len(run.inputs.train), step, options)
    torch.manual_seed(seed_from(options.seed, 1, step))  # dropout and noise
    for group in run.optimizer.param_groups:
        group["lr"] = learning_rate_at(step, run.steps, options)
    batch = on_device(run.inputs.train.pad(rows), run.device)
    labels = run.labels[to_device(torch.from_numpy(rows), run.device)]
    with computing_in(run.precision, run.device):
        loss = loss_of(run.classifier, batch, labels, options)
    run.optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(run.classifier.parameters(), options.largest_gradient)
    run.optimizer.step()


def batch_rows(examples: int, step: int, options: FinetuneOptions) -> NDArray[np.int64]:
    """Return the training examples of a step: each epoch goes through all of them in an order of its own."""
    per_epoch = options.steps(examples) // options.epochs
    epoch, place = divmod(step - 1, per_epoch)
    order = np.random.default_rng([options.seed, 2, epoch]).permutation(examples)
    return order[place * options.batch : (place + 1) * options.batch]
