"""What a family of measurements tells the queue, the pages and the command line of itself.

A family is a published way of measuring; an experiment is one kind of run of it, named by its spec's `experiment`; a measure is
what the `metric` of a score names. Each family has one `Family` in its `family.py`, and `registry` has the list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.experiments import words
from isogloss.backend.experiments.spec import OneCheckpoint
from isogloss.backend.experiments.words import Fields, Names
from isogloss.backend.metrics.intervals import Bounds
from isogloss.backend.option import words_of_run

if TYPE_CHECKING:
    from isogloss.backend.experiments.pricing.estimate import Work
    from isogloss.backend.experiments.spec import Context, Spec

Command = Callable[..., "Spec"]
"""From typed options (typer's) to a spec. The command line adds `--print-spec` and `--wait`, and queues what it returns."""
Details = Callable[[Fields, Names], list[str]]
"""From a spec as JSON and the names of what is kept to the words of the jobs page."""


@dataclass(frozen=True)
class Place:
    """Where a shard is to be computed: what is kept there, and what of it serves."""

    workspaces: tuple[Path, ...]
    precision: str
    """Vectors in another are computed again."""


@dataclass(frozen=True)
class Experiment:
    """One kind of run: its spec, how one shard of it is computed, and what people read of it."""

    spec: type[Spec]
    compute: Callable[[Any, str, Context], None]
    """Computes one shard of a spec and publishes it; returns at once where it is there. Imports torch inside, never above."""
    title: Callable[[Fields], str]
    """The run in a few words, for the jobs page."""
    details: Details
    """The rest of what was asked for: corpus, languages, options."""
    work: Callable[[Any, str, Place], Work | None] | None = None
    """How much work one shard of a spec is, by what the workspaces keep; None where model or data are not there. An experiment
    without it has no price."""
    missing: Callable[[Any, Sequence[Path]], Iterable[str]] | None = None
    """Which shards of a spec are still to be computed; None where all are taken for missing."""
    piece: str | None = "checkpoint"
    """What one shard is called where there may be several; None for an experiment of one shard, which has nothing to count."""
    result: Callable[[Any, Path], Path] | None = None
    """Where in a workspace the result is, for one that is used outside of it."""
    outcome: Callable[[Any, Sequence[Path]], str] | None = None
    """A sentence on what a run that is over left out; empty where there is nothing to say."""
    paired: Callable[..., tuple[float, float] | None] | None = None
    """The paired 95% interval of a measure's difference between two checkpoints; None where what it needs is not kept.
    Takes the spec, the metric, layers, the first and second checkpoint, the difference (second − first), the workspaces."""

    @property
    def name(self) -> str:
        """What the spec's field `experiment` holds."""
        return str(self.spec.model_fields["experiment"].default)


def details_of(kind: type[Spec], compared: Callable[[Fields], list[str]]) -> Details:
    """Return what lists the corpus of a run of this kind, what is `compared` in it, the options and the prefix."""

    def details(spec: Fields, names: Names) -> list[str]:
        options = [*words_of_run(kind, spec), *words.prefix_of(spec)]
        return [words.corpus_of(spec, names), *compared(spec), *options]

    return details


def of_model(
    spec: type[Spec],
    compute: Callable[[Any, str, Context], None],
    kind: str,
    details: Details,
    work: Callable[[Any, str, Place], Work | None],
    piece: str = "checkpoint",
    missing: Callable[[Any, Sequence[Path]], Iterable[str]] | None = None,
    paired: Callable[..., tuple[float, float] | None] | None = None,
) -> Experiment:
    """A `kind` of measurement of a model: of one checkpoint, or of several, in shards of a `piece` each."""
    one = issubclass(spec, OneCheckpoint)
    of = words.checkpoint_of if one else words.model_of
    title = lambda fields: f"{kind} · {of(fields)}"  # noqa: E731
    return Experiment(spec, compute, title, details, work, missing, None if one else piece, paired=paired)


@dataclass(frozen=True)
class Menu:
    """A page's place in the menu, and the words of links to it."""

    title: str
    icon: str
    """A Material symbol, as `:material/grid_on:`."""
    link: str
    """What there is to look at, within a sentence."""
    page: Path | None = None
    """The page's file; None for a family of the product, whose page is `pages/<name>/page.py`."""


SHARE: Bounds = (0.0, 1.0)
SIGNED: Bounds = (-1.0, 1.0)
POSITIVE: Bounds = (0.0, None)


@dataclass(frozen=True)
class Measure:
    """What the `metric` of a score is called where measures of all families meet."""

    title: str
    unit: str
    """Such as `share of triplets`."""
    better: Literal["higher", "lower", "neither"]
    task: bool = False
    """It says what a model can do once it has learned a task: something to predict from measures of the model itself."""
    of_input: bool = False
    """It is of the text as it is cut, not of what a model makes of it: something to hold fixed, not what is looked at first."""
    directed: bool = False
    """From a language to another is not the same as back, even where one of the two alone is computed."""
    chance: float | None = None
    """The score of guessing, where it is the same whatever is measured."""
    counted: str = "n"
    """What n counts, as hovers call it."""
    bounds: Bounds = (None, None)
    """Where intervals end that know nothing of them (`metrics.intervals.within`)."""

    @property
    def axis(self) -> str:
        """The title with unit and direction."""
        return f"{self.title} ({self.unit}{'' if self.better == 'neither' else f'; {self.better} = better'})"


@dataclass(frozen=True)
class Family:
    """A published way of measuring; or a page of the menu that rests on the scores of all, without experiments of its own."""

    name: str
    experiments: tuple[Experiment, ...]
    menu: Menu | None = None
    """For a family with a page of its own, at the URL `/<name>`."""
    measures: Mapping[str, Measure] = field(default_factory=dict)
    """By the `metric` of its scores. One that is not named here is called by its metric."""
    commands: Mapping[str, str] = field(default_factory=dict)
    """Name in `isogloss run` → the module and function of the command, `backend.experiments.abx.command:abx`: the
    pages read this too, and have no use for typer."""
    cites: tuple[str, ...] = ()
    """Keys of `backend/boards/references.bib`: whom to cite for its measures."""
