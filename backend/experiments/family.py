"""What a family of measurements tells the queue, the pages and the command line of itself.

A family is a published way of measuring; an experiment is one kind of run of it, named by its spec's `experiment`; a measure is
what the `metric` of a score names. Each family has one `Family` in its `family.py`, and `registry` has the list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from backend.experiments import words
from backend.experiments.spec import OneCheckpoint
from backend.experiments.words import Fields, Names

if TYPE_CHECKING:
    from pathlib import Path

    from backend.experiments.estimate import Estimate
    from backend.experiments.spec import Context, Spec
    from backend.experiments.speed import Speed

Command = Callable[..., "Spec"]
"""From typed options (typer's) to a spec. The command line adds `--print-spec` and `--wait`, and queues what it returns."""


@dataclass(frozen=True)
class Experiment:
    """One kind of run: its spec, how one shard of it is computed, and what people read of it."""

    spec: type[Spec]
    compute: Callable[[Any, str, Context], None]
    """Computes one shard of a spec and publishes it; returns at once where it is there. Imports torch inside, never above."""
    title: Callable[[Fields], str]
    """The run in a few words, for the jobs page."""
    details: Callable[[Fields, Names], list[str]]
    """The rest of what was asked for: corpus, languages, options."""
    price: Callable[[Any, Speed | None, Sequence[Path]], Estimate | None] | None = None
    """What the missing pieces of a spec will cost by a worker's speed and by what the workspaces keep; None where it cannot
    be said."""
    piece: str | None = "checkpoint"
    """What one shard is called where there may be several; None for an experiment of one shard, which has nothing to count."""
    result: Callable[[Any, Path], Path] | None = None
    """Where in a workspace the result is, for one that is used outside of it."""
    outcome: Callable[[Any, Sequence[Path]], str] | None = None
    """A sentence on what a run that is over left out; empty where there is nothing to say."""

    @property
    def name(self) -> str:
        """What the spec's field `experiment` holds."""
        return str(self.spec.model_fields["experiment"].default)


def of_model(
    spec: type[Spec],
    compute: Callable[[Any, str, Context], None],
    kind: str,
    details: Callable[[Fields, Names], list[str]],
    price: Callable[[Any, Speed | None, Sequence[Path]], Estimate | None],
    piece: str = "checkpoint",
) -> Experiment:
    """A `kind` of measurement of a model: of one checkpoint, or of several, in shards of a `piece` each."""
    one = issubclass(spec, OneCheckpoint)
    of = words.checkpoint_of if one else words.model_of
    return Experiment(spec, compute, lambda fields: f"{kind} · {of(fields)}", details, price, piece=None if one else piece)


@dataclass(frozen=True)
class Menu:
    """A page's place in the menu, and the words of links to it."""

    title: str
    icon: str
    """A Material symbol, as `:material/grid_on:`."""
    link: str
    """What there is to look at, within a sentence."""


@dataclass(frozen=True)
class Measure:
    """What the `metric` of a score is called where measures of all families meet."""

    title: str
    unit: str
    """Such as `share of triplets`."""
    better: Literal["higher", "lower", "neither"]
    task: bool = False
    """It says what a model can do once it has learned a task: something to predict from measures of the model itself."""
    directed: bool = False
    """From a language to another is not the same as back, even where one of the two alone is computed."""

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
    """For a family with a page of its own: `pages/<name>/page.py`, at the URL `/<name>`."""
    measures: Mapping[str, Measure] = field(default_factory=dict)
    """By the `metric` of its scores. One that is not named here is called by its metric."""
    commands: Mapping[str, str] = field(default_factory=dict)
    """Name in `python -m backend run` → the module and function of the command, `backend.experiments.abx.command:abx`: the
    pages read this too, and have no use for typer."""


def commands_of(family: Family) -> dict[str, Command]:
    """Import a family's commands, by their names. Raises ImportError or AttributeError for one that is not there."""
    places = {name: place.split(":") for name, place in family.commands.items()}
    return {name: getattr(import_module(module), function) for name, (module, function) in places.items()}
