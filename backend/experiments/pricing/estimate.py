"""How long a run will take before it starts: what earlier shards took on such a machine, times what is missing.

A worker notes every shard that it computes from beginning to end (`backend.jobs.timing`): its seconds, how much work it was and
what that was like. An experiment declares just that, the `Work` of a missing shard. The rest is here, for all families alike:

- The amount is in a unit of the experiment's own (characters × size of the model, passes of examples, updates of a game …), the
  first word of `like` naming what is done. It tells a shard of another corpus or model in proportion; no constant turns it into
  seconds. Nothing is known of a kind of work that was never done here.
- Of the shards of that kind those count whose `like` agrees furthest (model, then data, then options), of these the nearest in
  amount, to a doubling (of little work the pace is slower: what never fills a batch), of these those of a quiet machine, since
  what the others took alone is reckoned, and of these the newest. Medians are the pace, and the start (loading, which takes as
  long for little work as for much): one odd shard spoils nothing.
- Only shards of an equal machine count: the same model of GPU, or of processor with as many threads (`Machine.alike`).
- Where there is none, no price is made up. The run itself tells: seconds after it began its card says what is left, by the pace
  of its progress (`backend.jobs.pace`), and a run that is cancelled keeps the shards it has.

`benchmarks/prices.py` compares promise and truth.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import log2
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any, TypeVar

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.models.library import library as models
from isogloss.backend.models.untrained import is_of
from isogloss.backend.store import times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from isogloss.backend.corpora.parallel.library import CorpusEntry
    from isogloss.backend.corpora.shared.kept import Entry
    from isogloss.backend.experiments.pricing.machine import Machine
    from isogloss.backend.models.entry import Checkpoint, Model
    from isogloss.backend.store.times import Taken

T = TypeVar("T")
AnyEntry = TypeVar("AnyEntry", bound="Entry")

SMALLEST = 100_000
"""Of a model's size, what a token costs however small the model is: tokenising, batching, starting operations (a model of 1.2
million took 9 times as long on a CPU as one of 37,000)."""
COMPARING_DIMS = 300
"""Finding the nearest, or comparing triplets, takes as long as so many more dimensions in the products."""
COMPARING_SENTENCES = 70
"""Comparing two languages takes as long as so many more sentences in each: exact ABX of 100, 200, 400 and 997 took what 184,
274, 469 and 1,044 would in proportion."""
SAMPLED = 128
"""Shards that a price looks at, at most: of more as many at random, so that it takes milliseconds whatever is asked for."""
RECENT = 5
"""Earlier shards whose median pace is taken: one alone may have shared the machine."""


@dataclass(frozen=True)
class Work:
    """What computing one shard is, for a price: how much, and what earlier shards tell of it."""

    amount: float
    """In the unit of its kind; nothing where all of it is there already."""
    like: tuple[str, ...]
    """What is done, the only one that has to agree; then model, data, options: the more agree, the better a shard tells."""
    kept: int = 0
    """Of how many languages (or parts of them) the vectors are kept,"""
    needed: int = 0
    """and of how many they are needed."""
    beside: Work | None = None
    """What the shard takes besides, of another kind, and what a worker's clock tells from it (`backend.jobs.timing`): scoring
    beside encoding. Nothing is added where nothing tells how long that takes."""
    may_end: bool = False
    """Whether the amount is a bound, since it may end early: how early, tell those alone whose first two of `like` agree."""


@dataclass(frozen=True)
class Estimate:
    """Seconds of one worker's time, and what the figure rests on."""

    seconds: float
    shards: int
    earlier: int = RECENT
    """The fewest shards that a pace in it is the median of."""
    kept: str = ""
    """What needs not be encoded, since its vectors are kept, and is not in `seconds`; empty where all is encoded."""
    at_most: bool = False
    """Whether it may end early, and nothing here tells how early."""
    busy: float = 1.0
    """How many times as long it may take because others use the machine, too, by the processes that share its cores."""

    @property
    def text(self) -> str:
        """Say the seconds as people do, as an estimate: on a busy machine those that it takes there, and alone."""
        here, alone = duration(self.seconds * self.busy), duration(self.seconds)
        about = "at most" if self.at_most else "about"
        return f"{about} {here}" if here == alone else f"{about} {here}, alone {alone}"

    @property
    def why(self) -> str:
        """What the estimate rests on, as a sentence without its end."""
        earlier = f"from the last {self.earlier} such computations" if self.earlier > 1 else "from the last such computation"
        return "; ".join(filter(None, (f"Estimated {earlier} on this machine", self.kept)))


def duration(seconds: float) -> str:
    """Seconds as people say them: `8 s`, `3 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{round(hours / 24)} days"


def sampled(shards: Iterable[T]) -> tuple[list[T], int]:
    """Return which shards a price looks at, all or `SAMPLED` of them, the same each time, and how many there are."""
    every = list(shards)
    return (every if len(every) <= SAMPLED else Random(0).sample(every, SAMPLED)), len(every)


def estimate(works: Iterable[Work], earlier: Sequence[Taken], machine: Machine, shards: int | None = None) -> Estimate | None:
    """Seconds for some shards, by those that such a machine computed before; None where it computed none of some kind.

    Nothing to do takes no time. Where `works` are of a sample, `shards` is how many there are.
    """
    here = [taken for taken in earlier if taken.machine == machine.alike]
    works = list(works)
    total = len(works) if shards is None else shards
    seconds, fewest, at_most = 0.0, RECENT, False
    for work, number in Counter(works).items():
        if not work.amount:
            continue
        nearest, agreeing = _nearest(work, here)
        if not nearest:
            return None
        start = median(taken.start for taken in nearest)
        seconds += number * (start + _without_start(work, nearest))
        if work.beside:
            seconds += number * _without_start(work.beside, _nearest(work.beside, here)[0])
        fewest, at_most = min(fewest, len(nearest)), at_most or (work.may_end and agreeing < 2)
    kept = kept_in_words([(work.kept, work.needed) for work in works], sample=total > len(works))
    return Estimate(seconds * total / max(1, len(works)), total, fewest, kept, at_most)


def _without_start(work: Work, nearest: Sequence[Taken]) -> float:
    """Return the seconds of some work but for its start, by the shards that tell most of it; 0 where none does."""
    paces = [max(0.0, taken.seconds - taken.start) / taken.amount for taken in nearest]
    return work.amount * median(paces) if paces else 0.0


def _nearest(work: Work, here: Sequence[Taken]) -> tuple[list[Taken], int]:
    """Return the shards that tell most of some work, alike, of its size, of a quiet machine, new; and how far they agree."""
    ranked = sorted(
        (
            (-_agreeing(work.like, taken.like), round(abs(log2(taken.amount / work.amount))), _busy(taken), -place, taken)
            for place, taken in enumerate(here)
            if taken.like[:1] == work.like[:1]
        ),
        key=lambda row: row[:4],
    )
    best = [taken for *alike, _, _, taken in ranked[:RECENT] if alike == list(ranked[0][:2])]
    return best, -ranked[0][0] if ranked else 0


def _busy(taken: Taken) -> int:
    """Return in how many doublings the machine was busy: 0 of a quiet one."""
    return round(log2(taken.slowdown))


def _agreeing(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the entries at the beginning in which two agree."""
    differing = (place for place, (ours, theirs) in enumerate(zip(one, other, strict=False)) if ours != theirs)
    return next(differing, min(len(one), len(other)))


def kept_in_words(counts: Sequence[tuple[int, int]], *, sample: bool = False) -> str:
    """Say how many vectors are kept, of each shard how many languages' of how many; empty where none is."""
    kept, needed = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    if not kept:
        return ""
    if sample:
        return f"about {kept / needed:.0%} of the vectors are kept: the others are encoded"
    if kept == needed:
        return "all vectors are kept: nothing is encoded"
    if len(set(counts)) == 1:
        return f"vectors of {counts[0][0]} of {counts[0][1]} languages are kept: the others are encoded"
    if all(there in (0, of) for there, of in counts):
        whole = sum(there > 0 for there, _ in counts)
        return f"vectors of {whole} of {len(counts)} checkpoints are kept: the others are encoded"
    return f"vectors of {kept:,} of {needed:,} languages × checkpoints are kept: the others are encoded"


def size_of(model: Model) -> float:
    """Return how large a model is as its forward pass feels it: parameters of the vocabulary are looked up, not multiplied."""
    return float(model.layers * model.dims**2 + SMALLEST)


def scored(model: Model) -> float:
    """Return what comparing two vectors at every layer takes, in dimensions."""
    return float((model.layers + 1) * (model.dims + COMPARING_DIMS))


def compared(sentences: float) -> float:
    """Return what comparing every sentence of one language with every one of another takes, in pairs of sentences."""
    return (sentences + COMPARING_SENTENCES) ** 2


def model_of(checkpoint: Checkpoint, name: str | None, workspaces: Sequence[Path]) -> Model | None:
    """Return the kept model called `name`, or without one the first that has the checkpoint; None where none is kept.

    Of random weights it is the model whose shape they have, whatever the name.
    """
    for model in read_cached("models", workspaces, models.entries):
        if model.name == name or (name is None and checkpoint in model.checkpoints) or is_of(checkpoint, model):
            return model
    return None


def corpus_of(corpus: str, workspaces: Sequence[Path]) -> CorpusEntry | None:
    """Return the entry of a saved parallel corpus; None where it is not kept."""
    return entry_of("corpora/*", corpora.entries, corpus, workspaces)


def entry_of(
    folders: str, entries: Callable[[Sequence[Path]], Sequence[AnyEntry]], wanted: str | None, workspaces: Sequence[Path]
) -> AnyEntry | None:
    """Return the entry of a kind, kept in `folders`, that has this id; None where it is not kept."""
    return next((each for each in read_cached(folders, workspaces, entries) if each.id == wanted), None)


def earlier_shards(experiment: str, workspace: Path) -> Sequence[Taken]:
    """Return how long shards of an experiment took here, the oldest first."""
    return read_cached(f"jobs/times/{experiment}.json", [workspace], _taken, experiment)


def _taken(workspaces: Sequence[Path], experiment: str) -> list[Taken]:
    return [taken for workspace in workspaces for taken in times.load(workspace, experiment)]


def read_cached(
    folders: str, workspaces: Sequence[Path], read: Callable[[Sequence[Path], *tuple[Any, ...]], Sequence[T]], *more: Any
) -> Sequence[T]:
    """Return what `read` finds in the workspaces, read again where one of these folders (a glob) has changed since.

    A page that is drawn many times a second asks for prices each time, and a workspace may have thousands of files.
    """
    found = [folder for workspace in workspaces for folder in workspace.glob(folders)]
    changed = tuple((folder, folder.stat().st_mtime_ns) for folder in found)
    rows: Sequence[T] = _unchanged(read, tuple(workspaces), more, changed)
    return rows


@lru_cache(maxsize=64)
def _unchanged(read: Any, workspaces: tuple[Path, ...], more: tuple[Any, ...], _changed: tuple[tuple[Path, int], ...]) -> Any:
    return read(workspaces, *more)
