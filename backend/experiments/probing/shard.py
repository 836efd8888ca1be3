"""Probes of one checkpoint, trained in one language and tested in some: from a spec to rows of scores."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.probing import lengths, predictions, rows
from isogloss.backend.experiments.probing.features import Encoder
from isogloss.backend.experiments.probing.labelled import LabelledSentences
from isogloss.backend.experiments.probing.predictions import Predictions
from isogloss.backend.experiments.probing.spec import FAMILY, ProbingSentencesSpec, ProbingWordsSpec, control_of, serving
from isogloss.backend.experiments.probing.tagged_words import TaggedWords
from isogloss.backend.experiments.spec import Context, cancelling
from isogloss.backend.files import digest
from isogloss.backend.metrics.probing.controls import control_tags, tag_distribution
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.experiments.probing.examples import Data, Examples
    from isogloss.backend.experiments.probing.features import Share
    from isogloss.backend.training.probe.options import ProbeOptions
    from isogloss.backend.training.probe.probes import Head, Probes

TRAINED, TESTED = 0.3, 0.7
"""Where in a shard training begins and ends, for progress: before it words are encoded, after it probes are tested."""


def compute(spec: ProbingWordsSpec | ProbingSentencesSpec, shard: str, context: Context) -> None:
    """Compute and publish the scores of one shard's targets, but for those that other files have: they would be listed twice.

    Raises `CorpusError` where data are not kept or too few, `Cancelled` where it was asked to stop, and what loading, encoding
    and training raise.
    """
    place = spec.shards()[shard]
    provenance, have = spec.provenance(place), scores.shards(context.workspaces, FAMILY)
    served = serving(provenance, have)
    missing = [target for target in provenance["targets"] if target not in served]
    if not missing:
        return
    provenance |= {"targets": missing}
    started, workspaces = time.perf_counter(), context.workspaces
    data: Data = TaggedWords(spec, workspaces) if isinstance(spec, ProbingWordsSpec) else LabelledSentences(spec, workspaces)
    encoder = Encoder(place.checkpoint, context, len({*spec.sources, *spec.targets}), spec.prefix)
    probing = _Probing(provenance, data, encoder, spec.options, context)
    probing.train()
    for i, target in enumerate(missing):
        probing.test(target, (_between(i / len(missing)), _between((i + 1) / len(missing))))
    provenance |= probing.footer | {"seconds": round(time.perf_counter() - started, 3)}
    checkpoint = place.checkpoint
    name = digest(spec.provenance(place) | {"targets": missing})  # the file is named after the targets in it
    checkpoint_scores.write(
        context, name, probing.rows, provenance, model=spec.model, label=checkpoint.label, step=checkpoint.step
    )


def _between(share: float) -> float:
    return TESTED + (1 - TESTED) * share


@dataclass(frozen=True, eq=False)
class _Trained:
    """Probes, and what they were trained on."""

    training: Examples
    probes: Probes
    distribution: NDArray[np.int64]
    """`[tags]`: how often each occurs in training."""


class _Probing:
    """One shard under way: its probes, and the rows it has so far."""

    def __init__(
        self, provenance: dict[str, Any], data: Data, encoder: Encoder, options: ProbeOptions, context: Context
    ) -> None:
        self.provenance, self.data, self.encoder, self.context = provenance, data, encoder, context
        self.source: str = provenance["source"]
        own = self.source in provenance["targets"]  # extras are of the source's own language alone
        self.lengths = own and "description length" in provenance["extras"]
        self.options = options.model_copy(update={"control": own and control_of(provenance["extras"])})
        self.rows: list[dict[str, Any]] = []
        self._counts: dict[str, dict[str, Any]] = {}
        self._devices: set[str] = set()
        self._precisions: set[str] = set()
        self._seconds = {"encoding": 0.0, "training": 0.0}
        self._more: dict[str, Any] = {}

    @property
    def footer(self) -> dict[str, Any]:
        """What the file says of itself beside what it was computed from."""
        encoded = {"texts": self.encoder.texts, "tokens": self.encoder.tokens, "device": ", ".join(sorted(self._devices))}
        seconds = {f"seconds_{what}": round(value, 3) for what, value in self._seconds.items()}
        precision = {"precision": ", ".join(sorted(self._precisions))}
        return encoded | precision | seconds | self._more | {"tags": list(self.data.tags), "counts": self._counts}

    def train(self) -> None:
        """Encode the training and validation parts of the source, and train every probe on them."""
        from isogloss.backend.training.probe.train import train_probes

        before, share = time.perf_counter(), (0.0, 0.8 * TRAINED, TRAINED)
        training = self.data.training(self.encoder, self.source, share[:2])
        validation = self.data.validation(self.encoder, self.source, share[1:])
        self._note("train", training, before)
        self._note("validation", validation)
        distribution = tag_distribution(training.labels, self.data.known)
        began = time.perf_counter()
        self._trained(0, 1)
        with cancelling():
            probes = train_probes(
                training.part(self._control(training, distribution)),
                validation.part(self._control(validation, distribution)),
                self.data.known,
                self.options,
                device=self._device(),
                progress=self._trained,
                should_stop=self.context.should_stop,
            )
        self._seconds["training"] = time.perf_counter() - began
        self._more = {
            "mix": probes.mix[0].mean(0).round(6).tolist(),
            "epochs": round(float(probes.best[0].mean()) + 1, 2),
            "unfinished": int(probes.at_limit[0].sum()),
        }
        if self.lengths:
            self._measure_lengths(training, validation)
        self.found = _Trained(training, probes, distribution)

    def _measure_lengths(self, training: Examples, validation: Examples) -> None:
        """The description length of the training part's tags, and how far they are compressed."""
        began = time.perf_counter()
        with cancelling():
            codelengths = lengths.measure(
                training, validation, self.data.known, self.options, self._device(), self._coded, self.context.should_stop
            )
        self._seconds["description"] = time.perf_counter() - began
        for metric, values in (("description_length", codelengths.bits), ("compression", codelengths.compression)):
            made = rows.of_lengths(metric, values, len(training.labels), codelengths.places, self.options.seeds)
            self.rows += rows.filed(made, self.source, self.source, self.provenance["variant"])

    def test(self, target: str, share: Share) -> None:
        """Test every probe in one language: its rows, and what was told of every word."""
        before = time.perf_counter()
        test = self.data.test(self.encoder, target, share)
        self._note(f"test {target}", test, before)
        self.context.step(f"testing in {target}", share[1])
        probes, tags = self.found.probes, self.data.tags
        places, seeds = probes.places, probes.seeds
        told = self._predict(test, "tags")
        found = rows.of_tags(told, test, places, seeds, tags if self.data.entities else None)
        found += rows.of_lines(self.found.training, test)
        if target == self.source and (control := self._control(test, self.found.distribution)) is not None:
            found += rows.of_controls(told, self._predict(test, "control"), test, control, places, seeds)
        self.rows += rows.filed(found, self.source, target, self.provenance["variant"])
        of_first = {str(place): told[i, 0].astype(np.int16) for i, place in enumerate(places)}
        kept = Predictions(tags, seeds[0], test.sentences, test.places, test.labels.astype(np.int16), of_first)
        predictions.save(self.context.workspace, self.provenance, target, kept)

    def _control(self, examples: Examples, distribution: NDArray[np.int64]) -> NDArray[np.int64] | None:
        if not self.options.control or not len(examples.words):
            return None
        if self.options.control != "by seed":
            return control_tags(examples.words, distribution)
        return np.stack([control_tags(examples.words, distribution, seed) for seed in self.options.seeds])

    def _predict(self, test: Examples, head: Head) -> NDArray[Any]:
        from isogloss.backend.training.probe.probes import predict

        with cancelling():
            return predict(
                self.found.probes, test.features, head=head, device=self._device(), should_stop=self.context.should_stop
            ).tags

    def _note(self, part: str, found: Examples, began: float | None = None) -> None:
        counts = {"rows": len(found.labels), "sentences": len(found.begins) - 1, "lost": found.lost, "of": found.origin}
        self._counts[part] = counts
        self._devices |= found.devices
        self._precisions |= found.precisions
        self._seconds["encoding"] += time.perf_counter() - began if began is not None else 0.0

    def _trained(self, stopped: int, probes: int) -> None:
        done = stopped / probes
        self.context.step(f"training probes of {self.source}", TRAINED + (TESTED - TRAINED) * done)

    def _coded(self, percent: float) -> None:
        self.context.step(f"training probes on {percent:.2g}% of {self.source}", TESTED)

    def _device(self) -> str:
        from isogloss.backend.models.device import choose_device

        return str(choose_device(self.context.settings.device))
