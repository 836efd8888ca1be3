"""From the vectors of translated sentences to rows of scores, alike for models and static vectors: both lie in one figure.

Source: Gaschi et al. 2022, table I (5,000 sentences a run, 10 runs) and figure 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from isogloss.backend.experiments.alignment import rows as alignment
from isogloss.backend.option import variant_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
    from isogloss.backend.experiments.alignment.static_sentences import StaticSentencesSpec
    from isogloss.backend.experiments.checkpoint_scores import Pair
    from isogloss.backend.metrics.retrieval.options import Task

    Keep = Callable[[Pair, Mapping[Task, Tensor]], None]


class Drawn(alignment.Compared, Protocol):
    """What a spec says of sentences: how they are compared, and how many a run takes."""

    @property
    def n_sentences(self) -> int | None: ...  # noqa: D102 — a field of each spec's own

    @property
    def runs(self) -> int: ...  # noqa: D102

    @property
    def seed(self) -> int: ...  # noqa: D102


def variant(spec: SentenceAlignmentSpec | StaticSentencesSpec, pooling: str) -> str:
    """Return the `variant` of one pooling's scores: what makes two values of one metric not comparable."""
    more = variant_of(spec, "n_sentences", "centred", "self_neighbour")
    return "/".join(["sentence", pooling, alignment.similarity_part(spec), *more])


def provenance_of_draws(spec: Drawn) -> dict[str, Any]:
    """Return what scores depend on beside the `variant`: the seed, and the runs where they draw anything."""
    return {"seed": spec.seed} | ({"runs": spec.runs} if spec.n_sentences else {})


def draws(spec: Drawn, available: int) -> list[NDArray[np.int64]] | None:
    """Each run's sentences of those that two languages share, ascending; None where a run takes them all.

    Run r depends on the seed, r and the number of sentences alone: it is the same for every model.
    """
    if spec.n_sentences is None or spec.n_sentences >= available:
        return None
    drawn = (
        np.random.default_rng([spec.seed, run]).choice(available, spec.n_sentences, replace=False) for run in range(spec.runs)
    )
    return [np.sort(run).astype(np.int64) for run in drawn]


def rows_of(
    spec: Drawn,
    pair: Pair,
    vectors: tuple[Tensor, Tensor],
    runs: Sequence[NDArray[np.int64]] | None,
    should_stop: Callable[[], bool],
    keep: Keep | None = None,
) -> list[dict[str, Any]]:
    """Return the rows of a pair of languages: accuracies in both directions, cosines of translations and of random pairs.

    `vectors` are `[n, dims]` each; `runs` say which rows each run takes. Where all are taken, None, accuracies have Wilson's
    interval and cosines Student's, over the sentences; otherwise each run has rows of its own and no interval.
    A run of fewer than two sentences has no row. Where all are taken, `keep` is told which are found in each direction.
    """
    if runs is None:
        return _of_run(spec, pair, *vectors, spec.seed, should_stop, keep, interval=True)
    rows_of_pair = []
    for run, chosen in enumerate(runs):
        u, v = (side[chosen.tolist()] for side in vectors)
        rows = _of_run(spec, pair, u, v, spec.seed + run, should_stop, interval=False)
        rows_of_pair += [row | {"seed": run} for row in rows]
    return rows_of_pair


def _of_run(
    spec: Drawn,
    pair: Pair,
    u: Tensor,
    v: Tensor,
    seed: int,
    should_stop: Callable[[], bool],
    keep: Keep | None = None,
    *,
    interval: bool,
) -> list[dict[str, Any]]:
    from isogloss.backend.metrics.intervals import mean_of_runs
    from isogloss.backend.metrics.retrieval.distributions import overlap
    from isogloss.backend.metrics.retrieval.similarity import pair_cosines, random_partners

    if len(u) < 2:
        return []
    rows = []
    for ends, found in zip((pair, pair[::-1]), alignment.found_in_both_directions(u, v, spec, should_stop), strict=True):
        if keep is not None:
            keep(ends, found)
        for measure, each in found.items():
            value = int(each.sum()) / len(each)
            rows.append(_row(f"sentence_{measure}", ends, value, *(alignment.wilson(value, len(u)) if interval else ())))
    translated = pair_cosines(u, v).numpy()
    random = pair_cosines(u, v[random_partners(len(u), seed).tolist()]).numpy()
    for name, cosines in (("cosine_translations", translated), ("cosine_random", random)):
        mean = mean_of_runs(cosines)
        rows.append(_row(name, pair, float(mean.value), *((float(mean.low), float(mean.high)) if interval else ())))
    rows.append(_row("overlap_random", pair, overlap(translated, random)))
    return [row | {"n": len(u)} for row in rows]


def _row(metric: str, ends: Pair, value: float, low: float = np.nan, high: float = np.nan) -> dict[str, Any]:
    return {"metric": metric, "source": ends[0], "target": ends[1], "value": value, "low": low, "high": high}
