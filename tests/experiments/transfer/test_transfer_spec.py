"""Transfer specs: which runs they are of, what they refuse, and which kept records serve which run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import first_problem
from isogloss.backend.experiments.transfer.spec import TransferRun, TransferSpec, covering, variant
from isogloss.backend.store.records import RecordFile
from tests.experiments.transfer.small_transfer import checkpoint, spec_of


def provenance(spec: TransferSpec, **changes: Any) -> dict[str, Any]:
    """What the file of a spec's only run says about itself: as it comes back from JSON."""
    (run,) = spec.runs()
    return json.loads(json.dumps(spec.provenance(run) | {"complete": True} | changes))  # type: ignore[no-any-return]


def serves(kept: TransferSpec, asked: TransferSpec, *, complete: bool = True) -> bool:
    """Whether the file of the one run serves the other."""
    file = RecordFile(Path("kept.parquet"), provenance(kept, complete=complete), 0.0)
    (run,) = asked.runs()
    found = covering(asked.provenance(run), [file])
    assert found in (file, None)
    return found is not None


def refusal(**changes: Any) -> str:
    with pytest.raises(ValidationError) as error:
        spec_of(**changes)
    return str(first_problem(error.value))


def test_equal_requests_are_one_whatever_their_order() -> None:
    one = spec_of(sources=("en", "de"), languages=("ru",), seeds=(2, 0), learning_rates=(2e-3, 1e-3), corruptions=(0.5, 0))
    other = spec_of(
        sources=("de", "en", "de"), languages=("en", "ru"), seeds=(0, 2), learning_rates=(1e-3, 2e-3), corruptions=(-0.0, 0.5)
    )
    assert one.id == other.id
    assert list(one.shards()) == list(other.shards())
    assert one.languages == ("de", "en", "ru")
    assert registry.parse(json.loads(one.model_dump_json())) == one


def test_where_the_weights_lie_and_what_the_model_is_called_make_no_other_run() -> None:
    here = spec_of()
    moved = checkpoint().model_copy(update={"location": "/elsewhere", "label": "renamed"})
    there = spec_of(checkpoints=(moved,))
    assert here.id == there.id
    assert list(here.shards()) == list(there.shards()) == list(spec_of(model="by another name").shards())
    assert list(here.shards()) != list(spec_of(checkpoints=(checkpoint("b"),)).shards())


TRAINED_OTHERWISE: list[dict[str, Any]] = [
    {"data": "parallel"},
    {"corpus": "d" * 24},
    {"sources": ("de",)},
    {"algorithms": ("xtune",)},
    {"learning_rates": (1e-3,)},
    {"seeds": (4,)},
    {"corruptions": (0.1,)},
    {"validation_share": 0.3},
    {"extra": "e" * 24},
    {"draw": 1},
    {"rows": 50},
    {"checkpoints": (checkpoint("b"),)},
    {"training": {"epochs": 9}},
    {"training": {"batch": 4}},
    {"training": {"patience": None}},
    {"training": {"record_every": 1}},
    {"training": {"noise": 0.1}},
    {"training": {"recipe": "trainer"}},
]
POOLED = ("corpus", "sources", "seeds", "checkpoints")
"""What a variant leaves to other columns of the scores."""


@pytest.mark.parametrize("change", TRAINED_OTHERWISE, ids=str)
def test_a_run_trained_otherwise_is_another_and_never_serves(change: dict[str, Any]) -> None:
    assert set(spec_of().shards()).isdisjoint(spec_of(**change).shards())
    assert not serves(spec_of(), spec_of(**change))
    assert not serves(spec_of(**change), spec_of())


@pytest.mark.parametrize("change", [{"languages": ("en", "ru")}, {"training": {"windows": ((0.0, 0.001),)}}])
def test_what_is_evaluated_changes_the_key(change: dict[str, Any]) -> None:
    assert set(spec_of().shards()).isdisjoint(spec_of(**change).shards())


def test_what_a_run_does_not_depend_on_is_not_in_its_key() -> None:
    assert list(spec_of(sentences=9).shards()) == list(spec_of().shards())  # of a corpus alone
    random = spec_of(data="parallel")
    assert list(spec_of(data="parallel", validation_share=0.4).shards()) == list(random.shards())
    assert list(spec_of(data="parallel", sentences=9).shards()) != list(random.shards())
    more = spec_of(seeds=(3, 4), algorithms=("vanilla", "xtune"), sources=("en", "de"))
    assert next(iter(spec_of().shards())) in more.shards()


def test_runs_come_seed_by_seed_with_every_direction_in_each() -> None:
    spec = spec_of(
        sources=("de", "en"),
        seeds=(1, 0),
        learning_rates=(2e-3, 1e-3),
        algorithms=("xtune", "vanilla"),
        corruptions=(0.5, 0.0),
        checkpoints=(checkpoint("b"), checkpoint("a")),
    )

    def said(run: TransferRun) -> tuple[Any, ...]:
        chosen = run.options
        return chosen.seed, chosen.learning_rate, chosen.algorithm, run.corruption, run.checkpoint.label, run.source

    expected = [
        (seed, rate, algorithm, corruption, label, source)
        for seed in (0, 1)
        for rate in (1e-3, 2e-3)
        for algorithm in ("vanilla", "xtune")
        for corruption in (0.0, 0.5)
        for label in ("b", "a")  # in the order asked
        for source in ("de", "en")
    ]
    assert [said(run) for run in spec.runs()] == expected
    assert [said(run) for run in spec.shards().values()] == expected
    assert len(set(spec.shards())) == 64
    assert all((run.options.epochs, run.options.windows) == (8, "all") for run in spec.runs())
    assert spec.runs()[2].label == "a, de, vanilla, learning rate 0.001, seed 0"
    assert spec.runs()[4].label == "b, de, vanilla, learning rate 0.001, corruption 0.5, seed 0"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"languages": ()}, "second language: choose at least two"),
        ({"sources": ()}, "sources has 0 entries; it needs at least 1"),
        ({"seeds": ()}, "seeds has 0 entries"),
        ({"checkpoints": ()}, "checkpoints has 0 entries"),
        ({"corruptions": (0.5, 1.01)}, "corruptions: a corruption is a share of labels, from 0 to 1."),
        ({"corruptions": (float("nan"),)}, "from 0 to 1"),
        ({"seeds": (-1,)}, "seed is -1; it must be at least 0."),
        ({"learning_rates": (1e-3, 0.0)}, "learning_rate is 0.0; it must be more than 0."),
        ({"learning_rates": (float("inf"),)}, "learning_rate is inf; it must be a finite number."),
        ({"training": {"seed": 4}}, "seed is swept over: give it in seeds, not in training"),
        ({"training": {"algorithm": "xtune"}}, "algorithm is swept over: give it in algorithms"),
        ({"training": {"learning_rate": 1.0}}, "learning_rate is swept over: give it in learning_rates"),
        ({"training": {"windows": ((0.5, 0.0),)}}, "training.windows"),
        ({"training": {"windows": ((0.5, float("inf")),)}}, "finite number"),
        ({"training": {"windows": ((1.5, 0.1),)}}, "training.windows"),
        ({"training": {"epoch": 3}}, "There is no option 'training.epoch'."),
        ({"data": "parallel", "extra": "e" * 24}, "leave extra out"),
        ({"validation_share": 0.0}, "validation_share is 0.0; it must be more than 0."),
        ({"validation_share": 1.0}, "validation_share is 1.0; it must be less than 1."),
        ({"data": "parallel", "rows": 9}, "of a parallel corpus, give sentences"),
        ({"rows": 1}, "rows is 1; it must be at least 2."),
        ({"sentences": 1}, "sentences is 1; it must be at least 2."),
        ({"draw": -1}, "draw is -1; it must be at least 0."),
        ({"algorithms": ("other",)}, "Unknown algorithms 'other'; choose 'vanilla', 'gaussian' or 'xtune'."),
    ],
)
def test_what_is_refused_is_said_in_a_sentence(changes: dict[str, Any], says: str) -> None:
    found = refusal(**changes)
    assert says in found
    assert "\n" not in found


def test_a_refusal_reaches_who_asks_by_json() -> None:
    value = json.loads(spec_of().model_dump_json())
    with pytest.raises(SpecError, match="second language"):
        registry.parse(value | {"languages": ["en"]})


def test_the_very_run_serves() -> None:
    assert serves(spec_of(), spec_of())
    assert serves(spec_of(), spec_of(), complete=False)
    assert covering(provenance(spec_of()), []) is None


def test_more_languages_serve_fewer_where_they_leave_the_same_rows() -> None:
    more, fewer = spec_of(languages=("de", "ru")), spec_of(languages=("ru",))
    assert serves(more, fewer)
    assert not serves(more, fewer, complete=False)
    assert not serves(fewer, more)
    assert not serves(spec_of(languages=("de",)), fewer)  # as many, but others


W = tuple[tuple[float, float], ...]


@pytest.mark.parametrize(
    ("kept", "asked", "enough"),
    [
        ("all", "all", True),
        ("all", ((0.0, 0.001),), True),
        (((0.0, 0.001),), "all", False),
        (((0.0, 1.1),), "all", False),  # all has what lies beyond the windows too
        (((0.0, 0.001), (0.3, 0.1)), ((0.3, 0.1),), True),
        (((0.3, 0.1), (0.0, 0.001)), ((0.0, 0.001), (0.3, 0.1)), True),
        (((0.3, 0.1),), ((0.3, 0.1), (0.0, 0.001)), False),
        (((0.0, 0.1),), ((0.0, 0.001),), True),  # within
        (((0.0, 0.1),), ((0.05, 0.05),), True),
        (((0.0, 0.3),), ((0.1, 0.2),), True),  # 0.1 + 0.2 > 0.3 in float64: the edges have a tolerance
        (((0.0, 0.1),), ((0.05, 0.051),), False),
        (((0.1, 0.1),), ((0.05, 0.1),), False),
        (((0.1, 0.1), (0.0, 0.1)), ((0.05, 0.1),), True),  # two that touch are one
        (((0.0, 0.09), (0.1, 0.1)), ((0.05, 0.1),), False),
        (((0.0, 0.1),), ((0.0, 0.101),), False),
        (((0.0, 0.1),), (), True),
        ((), ((0.0, 0.1),), False),
    ],
)
def test_more_windows_serve_fewer(kept: W | str, asked: W | str, enough: bool) -> None:
    assert serves(spec_of(training={"windows": kept}), spec_of(training={"windows": asked})) == enough
    assert not serves(spec_of(training={"windows": kept}), spec_of(training={"windows": asked, "epochs": 9}))


def test_records_of_an_older_version_never_serve() -> None:
    (run,) = spec_of().runs()
    old = RecordFile(Path("kept.parquet"), provenance(spec_of()) | {"version": 0}, 0.0)
    new = RecordFile(Path("other.parquet"), provenance(spec_of()), 1.0)
    assert covering(spec_of().provenance(run), [old]) is None
    assert covering(spec_of().provenance(run), [old, new]) is new


def test_variants_tell_apart_what_cannot_be_compared_and_pool_seeds() -> None:
    plain = variant(provenance(spec_of()))
    assert plain.startswith("task/vanilla/learning rate 0.002/corruption 0/")
    assert variant(provenance(spec_of(seeds=(4,)))) == plain
    assert variant(provenance(spec_of(sources=("de",), languages=("en", "ru")))) == plain
    others = [change for change in TRAINED_OTHERWISE if not change.keys() & set(POOLED)]
    assert len({plain, *(variant(provenance(spec_of(**change))) for change in others)}) == len(others) + 1
