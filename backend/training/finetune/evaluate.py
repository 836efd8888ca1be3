"""A classifier's predictions on many languages at once: one stream of batches, sorted by length, ready on the device."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.batch_loop import StoppedError, to_device
from isogloss.backend.models.encoding.batches import batches, default_budget, padded_on
from isogloss.backend.training.finetune.examples import Examples, concatenate
from isogloss.backend.training.finetune.records import Record, pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.corpora.tasks.task import Split
    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.training.finetune.classifier import Classifier


@dataclass(frozen=True, eq=False)
class EvaluatedPart:
    """One part of one language."""

    split: Split
    language: str
    examples: Examples
    labels: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Stream:
    """Parts to be evaluated together, padded once: an evaluation copies nothing to the device."""

    parts: tuple[EvaluatedPart, ...]
    batches: list[dict[str, Tensor]]
    order: NDArray[np.int64]
    """`[examples]`: where each example of the batches belongs in the parts laid one after the other."""


def stream_of(parts: Sequence[EvaluatedPart], loaded: Loaded) -> Stream:
    """Group the examples of all parts by length, whatever their language."""
    if not parts:
        return Stream((), [], np.zeros(0, np.int64))
    together = concatenate([part.examples for part in parts])
    budget = default_budget(loaded.device, loaded.layers, loaded.dims)
    groups = batches(together.lengths.tolist(), budget, padded=padded_on(loaded.device))
    padded = [on_device(together.pad(group), loaded.device) for group in groups]
    return Stream(tuple(parts), padded, np.concatenate([np.array(group, np.int64) for group in groups]))


def on_device(arrays: dict[str, NDArray[np.int64]], device: torch.device) -> dict[str, Tensor]:
    """Return the arrays as tensors on `device`, copied without waiting where it is a GPU."""
    return {name: to_device(torch.from_numpy(values), device) for name, values in arrays.items()}


def record_stream(
    classifier: Classifier,
    stream: Stream,
    *,
    precision: torch.dtype,
    step: int,
    epoch: int,
    should_stop: Callable[[], bool] | None = None,
) -> list[Record]:
    """Return a record for each part of `stream`, in their order. Raises as `predict`."""
    made = predict(classifier, stream, precision, should_stop)
    return [
        Record(
            step=step,
            epoch=epoch,
            split=part.split,
            language=part.language,
            errors=int(np.count_nonzero(predictions != part.labels)),
            n=len(part.labels),
            predictions=pack(predictions, classifier.classes),
        )
        for part, predictions in zip(stream.parts, made, strict=True)
    ]


def predict(
    classifier: Classifier, stream: Stream, precision: torch.dtype, should_stop: Callable[[], bool] | None = None
) -> list[NDArray[np.uint8]]:
    """Return the predicted classes of each part of `stream`; of classes that score the same, the first.

    Which examples share a batch depends on the stream alone, so equal weights give equal predictions, whenever asked.

    Raises:
        ModelError: A score is not a number: training diverged.
        StoppedError: `should_stop`, asked before every batch, said so.
    """
    chosen, finite = [], []
    with evaluating(classifier), computing_in(precision, stream):
        for batch in stream.batches:
            if should_stop is not None and should_stop():
                raise StoppedError("Stopped during an evaluation. Start it again to go on.")
            logits = classifier(**batch)
            chosen.append(logits.argmax(dim=1))
            finite.append(logits.isfinite().all())
    if not chosen:
        return []
    if not bool(torch.stack(finite).all()):
        raise ModelError("The fine-tuned model's scores are no longer numbers. Choose a lower learning rate.")
    predictions = np.empty(len(stream.order), np.uint8)
    predictions[stream.order] = torch.cat(chosen).cpu().numpy()
    return np.split(predictions, np.cumsum([len(part.labels) for part in stream.parts])[:-1])


@contextmanager
def evaluating(classifier: Classifier) -> Iterator[None]:
    """Evaluate without gradients, with the trained word embeddings in their places; go back to training mode afterwards."""
    classifier.words.settle()
    classifier.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        classifier.train()


@contextmanager
def computing_in(precision: torch.dtype, stream: Stream | torch.device) -> Iterator[None]:
    """Products in `precision`: bfloat16 by autocast, float32 as it is."""
    if isinstance(stream, Stream):
        kind = stream.batches[0]["input_ids"].device.type if stream.batches else "cpu"
    else:
        kind = stream.type
    with torch.autocast(kind, dtype=torch.bfloat16, enabled=precision == torch.bfloat16):
        yield
