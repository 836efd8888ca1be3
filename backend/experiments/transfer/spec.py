"""What a transfer experiment is: which models are fine-tuned on which language of what, and how often. Imports no torch.

One shard is one fine-tuning run: a checkpoint, a source language, an algorithm, a learning rate, a seed and a corruption.
Source: Chi, Huang & Mao 2023, "Measuring Cross-Lingual Transferability of Multilingual Transformers on Sentence
Classification".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from isogloss.backend.experiments.spec import Spec, kept
from isogloss.backend.experiments.transfer.windows import covered
from isogloss.backend.files import ContentId, added, digest
from isogloss.backend.models.entry import Checkpoint, said_prefix
from isogloss.backend.option import Option
from isogloss.backend.training.finetune.options import ALGORITHMS, Algorithm, FinetuneOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from isogloss.backend.store.records import RecordFile

EXPERIMENT = FAMILY = "transfer"
"""The experiment, and what its scores are filed under."""
VERSION = 1
"""Raised when training or recording changes: older files then no longer serve."""
MOST_RUNS = 100_000
SWEPT = ("algorithm", "learning_rate", "seed")
"""The options of a run that its spec sweeps over."""

Data = Literal["task", "parallel"]
"""`task`: a labelled task. `parallel`: random labels on a parallel corpus, the setting without task data."""


@dataclass(frozen=True)
class TransferRun:
    """One fine-tuning run of a spec."""

    checkpoint: Checkpoint
    source: str
    """BCP-47 tag of the language trained on."""
    corruption: float
    """The share of training labels that are replaced at random."""
    options: FinetuneOptions

    @property
    def label(self) -> str:
        """The run in few words."""
        parts = [self.checkpoint.label, self.source, self.options.algorithm, f"learning rate {self.options.learning_rate:g}"]
        parts += [f"corruption {self.corruption:g}"] if self.corruption else []
        return ", ".join([*parts, f"seed {self.options.seed}"])


class TransferSpec(Spec):
    """Fine-tuning runs of some checkpoints of one model, and their errors in every language."""

    experiment: Literal["transfer"] = "transfer"
    model: str
    checkpoints: tuple[Checkpoint, ...] = Field(min_length=1)
    data: Data
    corpus: ContentId
    """Content id of the labelled task, or of the parallel corpus."""
    sources: tuple[str, ...] = Field(min_length=1)
    """BCP-47 tags of the languages trained on, one a run."""
    languages: tuple[str, ...] = ()
    """Those evaluated; the sources always are."""
    algorithms: Annotated[
        tuple[Algorithm, ...],
        Option(
            "Any of vanilla, gaussian, xtune, separated by commas", "Algorithms", ALGORITHMS, always=True, key="train_algorithm"
        ),
    ] = Field(default=("vanilla",), min_length=1)
    learning_rates: Annotated[tuple[float, ...], Option("Separated by commas", told="learning rate {}", always=True)] = Field(
        default=(5e-6, 1e-5, 2e-5), min_length=1
    )
    seeds: tuple[int, ...] = Field(default=(0, 1, 2), min_length=1)
    corruptions: Annotated[
        tuple[float, ...],
        Option("Shares of training labels replaced at random (section 5.4), such as 0,0.5,1", told="corruption {}"),
    ] = Field(default=(0.0,), min_length=1)
    validation_share: Annotated[
        float,
        Option(
            "Share of rows set aside for testing, the same in every language, where the task has no validation part",
            "Validation share",
            told="validation {:.0%}",
            key="train_validation",
            step=0.05,
        ),
    ] = Field(default=0.2, gt=0, lt=1)
    extra: ContentId | None = None
    """Content id of a task whose rows in the source language are trained on too (appendix B)."""
    sentences: Annotated[
        int | None, Option("Of a corpus: the first so many", "Sentences", key="train_sentences", empty="All")
    ] = Field(default=None, ge=2)
    draw: Annotated[int, Option("Seed of random labels, corruption, the validation part and --rows", told="draw {}")] = Field(
        default=0, ge=0, lt=2**31
    )
    """Runs of every seed share it."""
    training: FinetuneOptions = FinetuneOptions()
    """The options of every run, but for those that are swept over, which stand here at their defaults. Left out, or a field of
    it left out, it is not as published (`FinetuneOptions.published`): runs stop early, as in specs from before there was a
    choice."""
    rows: Annotated[
        int | None,
        Option(
            "Of a task: at most so many training rows, and so many for testing, drawn at random, the same in every language. A "
            "share of 128 rows is known to 9 points or better (95%)",
            "Training rows",
            told="{} training rows at most",
            key="train_rows",
            empty="All",
        ),
    ] = added(None, ge=2)
    """Drawn by `draw`."""

    @field_validator("sources", "languages", "algorithms", "learning_rates", "seeds", "corruptions")
    @classmethod
    def _distinct(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        # A negative zero is the same number under another name.
        return tuple(sorted({value + 0.0 if isinstance(value, float) else value for value in values}))

    @field_validator("corruptions")
    @classmethod
    def _shares(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not all(0 <= value <= 1 for value in values):
            raise ValueError("a corruption is a share of labels, from 0 to 1")
        return values

    @model_validator(mode="after")
    def _whole(self) -> TransferSpec:
        defaults = FinetuneOptions()
        if moved := [name for name in SWEPT if getattr(self.training, name) != getattr(defaults, name)]:
            raise ValueError(f"{moved[0]} is swept over: give it in {moved[0]}s, not in training")
        if self.data == "parallel" and self.extra is not None:
            raise ValueError("random labels have no further training examples: leave extra out")
        if self.data == "parallel" and self.rows is not None:
            raise ValueError("rows are those of a task: of a parallel corpus, give sentences")
        swept = (self.checkpoints, self.sources, self.algorithms, self.learning_rates, self.seeds, self.corruptions)
        if (runs := prod(map(len, swept))) > MOST_RUNS:
            raise ValueError(f"these are {runs:,} runs of fine-tuning, more than {MOST_RUNS:,}: ask for a part of them")
        for rate, seed in product(self.learning_rates, self.seeds):
            FinetuneOptions(learning_rate=rate, seed=seed)
        object.__setattr__(self, "languages", tuple(sorted({*self.languages, *self.sources})))
        if len(self.languages) < 2:
            raise ValueError("transfer needs a second language: choose at least two")
        return self

    def runs(self) -> list[TransferRun]:
        """Return every run: seed by seed, so that a figure of all directions is there after the first."""
        swept = product(self.seeds, self.learning_rates, self.algorithms, self.corruptions, self.checkpoints, self.sources)
        return [
            TransferRun(
                checkpoint,
                source,
                corruption,
                self.training.model_copy(update={"algorithm": algorithm, "learning_rate": rate, "seed": seed}),
            )
            for seed, rate, algorithm, corruption, checkpoint, source in swept
        ]

    def provenance(self, run: TransferRun) -> dict[str, Any]:
        """Return what one run's records depend on, and nothing else."""
        task = self.data == "task"
        return {
            "experiment": EXPERIMENT,
            "version": VERSION,
            "fingerprint": run.checkpoint.fingerprint,
            "data": self.data,
            "corpus": self.corpus,
            "extra": self.extra,
            "sentences": None if task else self.sentences,
            "validation_share": self.validation_share if task else None,
            "draw": self.draw,
            "languages": list(self.languages),
            "source": run.source,
            "corruption": run.corruption,
            "options": run.options.model_dump(mode="json"),
            **({} if self.rows is None else {"rows": self.rows}),
        }

    @kept
    def shards(self) -> dict[str, TransferRun]:
        """Return the runs by their key, in the order of `runs`."""
        return {digest(self.provenance(run)): run for run in self.runs()}


def variant(provenance: Mapping[str, Any]) -> str:
    """Return the `variant` of a run's scores: what makes two values of one metric not comparable, in few words."""
    options = dict(provenance["options"])
    swept = {name: options.pop(name) for name in SWEPT}
    rest = [options, *(provenance[key] for key in ("extra", "sentences", "validation_share", "draw"))]
    rest += [provenance["rows"]] if "rows" in provenance else []
    words = [provenance["data"], swept["algorithm"], f"learning rate {swept['learning_rate']:g}"]
    words += [f"corruption {provenance['corruption']:g}", digest(rest)[:6]]
    return "/".join([*words, *said_prefix(options.get("prefix", ""))])


def covering(provenance: Mapping[str, Any], have: Iterable[RecordFile]) -> RecordFile | None:
    """Return a file of the very run of `provenance`, perhaps with more languages or evaluated at more points; or None.

    In a corpus with gaps other languages leave other sentences: only where all have them may more languages serve fewer.
    """
    wanted = digest(training(provenance))
    for file in have:
        if training_key(file) != wanted:
            continue
        more = set(provenance["languages"]) < set(file.provenance["languages"])
        same = set(provenance["languages"]) == set(file.provenance["languages"])
        if (same or (more and file.provenance["complete"])) and _evaluates(file.provenance["options"], provenance["options"]):
            return file
    return None


def training(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return what decides the weights of every step: all but the languages and the points evaluated."""
    kept = {name: value for name, value in provenance["options"].items() if name != "windows"}
    named = ("experiment", "version", "fingerprint", "data", "corpus", "extra", "sentences", "rows", "validation_share", "draw")
    return {name: provenance.get(name) for name in (*named, "source", "corruption")} | {"options": kept}


@lru_cache(maxsize=100_000)
def training_key(file: RecordFile) -> str:
    """Equal for files of the same weights at every step. A sweep has thousands of files, asked at every change of a page."""
    return digest(training(file.provenance))


def _evaluates(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether every record point that `wanted` evaluates in all languages was: the windows there cover each one asked."""
    have, asked = there["windows"], wanted["windows"]
    if have == "all" or asked == "all":
        return bool(have == "all")
    return all(covered(have, at, epsilon) for at, epsilon in asked)
