"""From what probes told to rows of scores: of every layer and mix, the mean over seeds with its interval, and each seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.metrics.probing.controls import majority_tag, word_majority_tags
from isogloss.backend.metrics.probing.entities import entity_f1
from isogloss.backend.metrics.probing.scores import Score, accuracy, correct, selectivity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.experiments.probing.examples import Examples
    from isogloss.backend.training.probe.probes import Place

ENTITY_F1 = "probe_f1"
BY_SEED = "control tags by seed"
"""In the variant of scores of control tasks that have a draw a seed: with those of one draw they are not to be mixed."""


def of_tags(
    told: NDArray[Any], test: Examples, places: Sequence[Place], seeds: Sequence[int], tags: Sequence[str] | None
) -> list[dict[str, Any]]:
    """Accuracy, and entity F1 where `tags` are those of names. `told` is `[places, seeds, rows]`, numbers of tags."""
    rows = list(_rows("probe_accuracy", accuracy(told, test.labels, test.begins), len(test.labels), places, seeds))
    if tags is not None:
        rows += _rows(ENTITY_F1, entity_f1(told, test.labels, tags, test.begins), len(test.labels), places, seeds)
    return rows


def of_controls(
    told: NDArray[Any],
    control_told: NDArray[Any],
    test: Examples,
    control: NDArray[np.int64],
    places: Sequence[Place],
    seeds: Sequence[int],
) -> list[dict[str, Any]]:
    """Accuracy of the control task's random tags, and selectivity. Source: Hewitt & Liang 2019.

    `control` is `[rows]`, or `[seeds, rows]` where each seed has a draw of its own.
    """
    right, n, begins = control_told == control, len(test.labels), test.begins
    rows = list(_rows("control_accuracy", accuracy(right, np.ones(n, bool), begins), n, places, seeds))
    found = selectivity(correct(told, test.labels), right, begins)
    rows += _rows("selectivity", found, n, places, seeds)
    return [row | {"drawn": BY_SEED} for row in rows] if control.ndim > 1 else rows


def of_lines(training: Examples, test: Examples) -> list[dict[str, Any]]:
    """Accuracy of the most frequent tag of all, and of the most frequent one of each word where rows are words."""
    most = np.full(len(test.labels), majority_tag(training.labels))
    told = {"majority_accuracy": most}
    if len(test.words):
        told["word_majority_accuracy"] = word_majority_tags(training.words, training.labels, test.words)
    found = []
    for metric, tags in told.items():
        score = accuracy(tags[None], test.labels, test.begins)
        found.append(_row(metric, score, (), len(test.labels)))
    return found


def of_lengths(metric: str, values: NDArray[np.float64], n: int, places: Sequence[Place], seeds: Sequence[int]) -> list[Any]:
    """Return the mean over seeds of `[places, seeds]`, with Student's interval over them, and each seed's."""
    from isogloss.backend.metrics.intervals import mean_of_runs

    found = mean_of_runs(values)
    return list(_rows(metric, Score(found.value, found.low, found.high, values), n, places, seeds))


def _rows(metric: str, score: Score, n: int, places: Sequence[Place], seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The mean over seeds of each place, and the value of each seed, which has no interval."""
    for i, place in enumerate(places):
        of_place = {"layer": place} if isinstance(place, int) else {"mix": place}
        yield _row(metric, score, i, n) | of_place
        for j, seed in enumerate(seeds):
            yield {"metric": metric, "seed": seed, "value": float(score.seeds[i, j]), "n": n} | of_place


def _row(metric: str, score: Score, at: int | tuple[()], n: int) -> dict[str, Any]:
    numbers = {"value": score.value, "low": score.low, "high": score.high}
    return {"metric": metric, "n": n} | {name: float(values[at]) for name, values in numbers.items()}


def filed(rows: Sequence[dict[str, Any]], source: str, target: str, variant: str) -> list[dict[str, Any]]:
    """Return the rows with their languages; a mix ends the variant, for the layer of such a score is null.

    Before it stands how control tags were drawn, where it is not as in older scores.
    """
    filed_rows = []
    for row in rows:
        said = [variant, *(str(row[part]) for part in ("drawn", "mix") if row.get(part))]
        own = {name: value for name, value in row.items() if name not in ("drawn", "mix")}
        filed_rows.append(own | {"source": source, "target": target, "variant": "/".join(said)})
    return filed_rows
