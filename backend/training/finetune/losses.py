"""Losses of the three fine-tuning algorithms of Chi, Huang & Mao 2023, section 5.2: VANILLA, GAUSSIAN, XTUNE."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

if TYPE_CHECKING:
    from isogloss.backend.training.finetune.classifier import Classifier
    from isogloss.backend.training.finetune.options import FinetuneOptions


def loss_of(classifier: Classifier, batch: dict[str, Tensor], labels: Tensor, options: FinetuneOptions) -> Tensor:
    """Return the loss to minimise on a batch, in nats: a mean over its examples.

    `xtune` runs the clean and the noised inputs as one batch of double size; each example's dropout is its own.
    """
    match options.algorithm:
        case "vanilla":
            return functional.cross_entropy(classifier(**batch), labels)
        case "gaussian":
            with classifier.words.noisy(options.noise):
                return functional.cross_entropy(classifier(**batch), labels)
        case "xtune":
            double = {name: torch.cat([values, values]) for name, values in batch.items()}
            with classifier.words.noisy(options.noise, start=len(labels)):
                clean, noised = classifier(**double).split(len(labels))
            return functional.cross_entropy(clean, labels) + options.consistency * symmetric_kl(clean, noised)


def symmetric_kl(one: Tensor, other: Tensor) -> Tensor:
    """KL(sg(p) ‖ q) + KL(sg(q) ‖ p) of two predictions, logits `[examples, classes]`, a mean over examples.

    `sg` stops the gradient: in each term the first distribution is a fixed target (Zheng et al. 2021, section 3.1). Their
    released code takes the mean over examples and classes instead, which makes the weight that much smaller.
    """
    p, q = functional.log_softmax(one, dim=1), functional.log_softmax(other, dim=1)
    forth = functional.kl_div(q, p.detach(), reduction="batchmean", log_target=True)
    back = functional.kl_div(p, q.detach(), reduction="batchmean", log_target=True)
    return forth + back
