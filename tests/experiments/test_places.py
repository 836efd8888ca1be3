"""No two numbers that mean different things share a place: every field of every spec is changed, one at a time.

Where a change makes another shard, what the shard's scores are found by in the table of scores must be another too. The fields
are read from the specs themselves: one that is added is covered without being named, and fails here until it is in a shard's
key and in the place of its scores, or in one of the lists below with its reason.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.registry import EXPERIMENTS, parse
from isogloss.backend.experiments.sources.source import SourcesSpec, Tuning
from isogloss.backend.experiments.transfer import spec as transfer
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.store import told_apart
from tests.experiments.test_keys_are_stable import OTHER, SPECS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.experiments.spec import Spec

Place = tuple[Any, ...]
EACH = "each has a place of its own; what two runs both ask for is the same number"
SAME_NUMBER = {
    "checkpoints": EACH,
    "listed": EACH,
    "pairs": EACH,
    "seeds": EACH,
    "settings": EACH,
    "sources": EACH,
    "targets": EACH,
    "runs": "run r is drawn by the seed and r alone, and has a row of its own",
    "baseline": "adds scores of other metrics",
    "per_sentence": "adds what each sentence contributes, in a file of its own",
    "description_length": "adds scores of other metrics",
    "probe.control": "adds scores of other metrics",
}
"""Paths of fields that say how much is asked for."""
WHERE_COMPLETE = {
    "languages": "a pair's scores rest on the sentences that all languages have: there the same ones",
}
BY_PAIR = ("sentence_alignment", "static_sentences", "language_similarity")
"""Experiments that score a pair on the sentences that both have, whatever other languages there are."""
OF_NO_EFFECT = {
    "checkpoints.label": "what people call it",
    "checkpoints.location": "weights are known by their fingerprint",
    "checkpoints.commit": "weights are known by their fingerprint",
    "checkpoints.part": "weights are known by their fingerprint",
    "checkpoints.untrained": "weights are known by their fingerprint",
    "checkpoints.revision": "weights are known by their fingerprint",
    "checkpoints.source": "weights are known by their fingerprint",
    "checkpoints.step": "what people call it",
    "checkpoints.stage": "read from what people call it",
    "checkpoints.tokens": "read from what people call it",
    "custom": "its own fields are changed, one at a time",
    "custom.protocol": "refused but where it is the spec's own",
    "custom.seed": "refused: swept over by seeds",
    "experiment": "says which spec it is",
    "model": "what people call it",
    "name": "what people call it",
    "probe.pooling": "refused for sentences, which have a pooling of their own",
    "sources.name": "what people call it",
    "targets.name": "what people call it",
    "task": "refused alone: a word that is repeated has no source, one that is translated has",
    "text.name": "what people call it",
    "training.algorithm": "refused: swept over by algorithms",
    "training.learning_rate": "refused: swept over by learning_rates",
    "training.seed": "refused: swept over by seeds",
}
"""Paths of fields that change no number: their change makes no other shard."""
NO_SCORES = ("confusions", "word_errors", "word_distributions", "pair_precision", "pair_counts", "transfer_weights")
NO_SCORES += ("language_game", "wikipedia")
"""Experiments whose results lie in a file of their own, named by the whole spec."""


THREE = [{"language": tag, "dictionary": 24 * digit} for tag, digit in (("de", "7"), ("fr", "8"), ("sv", "9"))]
"""Dictionaries, of which one can be left out or be another's without any language that is asked for."""


def bases() -> dict[str, dict[str, Any]]:
    """Every spec that stands for a kind of run, whole: with all its fields."""
    more = {
        "probing elsewhere": SPECS["probing sentences"] | {"tested": OTHER, "corpus_test": "1" * 24, "tested_test": "2" * 24},
        "abx baseline": SPECS["abx"] | {"baseline": True},
        "abx subsamples": SPECS["abx sampled"] | {"subsamples": 3, "baseline": True, "pairs": [["de", "en"]]},
        "static by csls": SPECS["static"] | {"similarity": "csls"},
        "sentences by a seed": SPECS["sentences drawn"] | {"seed": 4},
        "latent of three": SPECS["latent"] | {"dictionaries": THREE, "source": "sv", "targets": ["fr"]},
        "latent from another": SPECS["latent"] | {"dictionaries": THREE, "source": "de", "targets": ["fr"]},
    }
    return {
        name: parse(own).model_dump(mode="json") | {"experiment": own["experiment"]} for name, own in (SPECS | more).items()
    }


def places(spec: Spec, *, complete: bool) -> dict[str, set[Place]]:
    """What each shard's scores are found by: as `scores.sql` has them, but for the layer, and of metrics ABX's control alone.

    `complete`: every language of the corpus has every sentence.
    """
    if isinstance(spec, SourcesSpec):
        return {key: {_of_cell(piece)} for key, piece in spec.shards().items() if isinstance(piece, Tuning)}
    if isinstance(spec, TransferSpec):
        return {key: set(_of_run(spec, run, complete)) for key, run in spec.shards().items()}
    found = {}
    for key, piece in spec.shards().items():
        said = spec.provenance() if spec.experiment.startswith("static") else spec.provenance(piece)  # type: ignore[attr-defined]
        found[key] = set(_of_footer(said | ({} if complete else {"complete": False})))
    return found


def _of_cell(piece: Any) -> Place:
    target = getattr(piece, "target", None)
    where = (target.corpus, target.language) if target else (piece.text.corpus, piece.text.pair)
    base = None if piece.base is None else piece.base.key
    return base, piece.source.key, *where, piece.variant.name, piece.options.seed


def _of_run(spec: TransferSpec, run: Any, complete: bool) -> Iterator[Place]:
    said = spec.provenance(run)
    of = {"complete": complete} | {name: said[name] for name in ("languages", "corpus", "fingerprint")}
    more = told_apart.more("transfer", of)
    for target in spec.languages:
        yield run.checkpoint.fingerprint, spec.corpus, run.source, target, transfer.variant(said), more, run.options.seed


def _of_footer(said: dict[str, Any]) -> Iterator[Place]:
    family = said["experiment"]
    variants = said["variant"] if isinstance(said["variant"], list) else [said["variant"]]
    of_pairs = {tuple(pair[:2]): pair[2:] for pair in said["pairs"]} if "pairs" in said else {}
    if family in ("abx", "geometry") and not of_pairs:
        of_pairs = {(one, other): [] for one, other in product(said["languages"], repeat=2) if one < other}
    if family == "latent":
        of_pairs = {ends: [] for ends in product(said["languages"], said["targets"])}
    if family == "probing":
        of_pairs = {(said["source"], target): [] for target in said["targets"]}
    more, dictionaries = told_apart.more(family, said), told_apart.dictionaries(said)
    control = told_apart.more_of_baseline(family, said)
    seed = "of the run" if "runs" in said else said.get("seed")  # rows of probes without a seed are the mean over all
    for pair, variant in product(of_pairs, variants):
        yield said["fingerprint"], said["corpus"], *pair, variant, more, dictionaries.get(pair), seed
        if said.get("baseline"):
            yield "baseline", said["fingerprint"], said["corpus"], *pair, variant, control, seed


def changes(value: Any, field: Any) -> list[Any]:
    """Other values that a field may have, most like its own first."""
    annotation = field.annotation
    choices = [each for kind in (annotation, *get_args(annotation)) if get_origin(kind) is Literal for each in get_args(kind)]
    match value:
        case _ if choices and not isinstance(value, list):
            return [each for each in choices if each != value]
        case bool():
            return [not value]
        case int():
            return [value + 1, value + 2, max(value - 1, 0)]
        case float():
            return [value / 2 + 0.125, value + 1.0, 0.5]
        case str() if len(value) == 24:
            return ["5" * 24]
        case str():
            return [value + "x", "query: ", "sv", "5" * 24]
        case list():
            own = get_args(next((kind for kind in get_args(annotation) if get_origin(kind) is Literal), annotation))
            return [
                value[:-1],
                [*value[:-1], 9],
                [*value, "sv"],
                [*value, 9],
                [*value, 0.25],
                [each for each in own if isinstance(each, str)],
            ]
        case None:
            return ["query: ", 7, 0.5, True, "4" * 24, "last", [["de", "en"]], {}]
        case _:
            return []


def mutants(fields: dict[str, Any], kind: type[BaseModel], at: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """Field (its path) by field, the spec's fields with another value there."""
    for name, field in kind.model_fields.items():
        value = fields.get(name)
        inner = next((each for each in (field.annotation, *get_args(field.annotation)) if is_model(each)), None)
        if name not in fields:
            value = field.get_default(call_default_factory=True)
            value = (
                value.model_dump(mode="json")
                if isinstance(value, BaseModel)
                else list(value)
                if isinstance(value, tuple)
                else value
            )
        if inner is not None and isinstance(value, dict):
            for path, own in mutants(value, inner, (*at, name)):
                yield path, fields | {name: own}
        elif value and isinstance(value, list) and isinstance(value[0], dict):
            yield ".".join((*at, name)), fields | {name: value[1:]}
            for path, own in mutants(value[0], _model_of(value[0], field), (*at, name)):
                yield path, fields | {name: [own, *value[1:]]}
        else:
            for other in changes(value, field):
                yield ".".join((*at, name)), fields | {name: other}


def is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _model_of(value: dict[str, Any], field: Any) -> type[BaseModel]:
    """The model that an element of a list is of: the one whose fields it has."""

    def models(kind: Any) -> Iterator[type[BaseModel]]:
        if is_model(kind):
            yield kind
        for each in get_args(kind):
            yield from models(each)

    found = [each for each in models(field.annotation) if set(value) <= set(each.model_fields)]
    return found[0]


def changed(experiment: str, complete: bool) -> Iterator[tuple[str, str, dict[str, set[Place]], dict[str, set[Place]]]]:
    """Of every spec of an experiment and every field: their names, the places of all shards, and those with another value."""
    for name, fields in bases().items():
        if fields["experiment"] == experiment:
            own = places(parse(fields), complete=complete)
            for path, other in mutants(fields, EXPERIMENTS[experiment].spec):
                try:
                    yield name, path, own, places(parse(other), complete=complete)
                except SpecError:
                    yield name, path, own, own


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("experiment", [name for name in EXPERIMENTS if name not in NO_SCORES])
def test_a_change_of_what_is_measured_is_another_shard_and_another_place(experiment: str, complete: bool) -> None:
    told, collisions = {}, set()
    allowed = SAME_NUMBER | (WHERE_COMPLETE if complete or experiment in BY_PAIR else {})
    for name, path, own, other in changed(experiment, complete):
        added = {key: found for key, found in other.items() if key not in own}
        told[path] = told.get(path, False) or bool(added)
        taken = set().union(*own.values())
        for found in added.values():
            of_one = path.split(".")[0] in SAME_NUMBER and not found <= taken  # one of several was changed, and the others not
            if path not in allowed and not of_one:
                collisions |= {f"{name}: {path}: {place}" for place in found & taken}
    assert not collisions, "\n".join(sorted(collisions))
    assert {path for path, makes in told.items() if not makes} <= OF_NO_EFFECT.keys() | SAME_NUMBER.keys()


@pytest.mark.parametrize("experiment", NO_SCORES)
def test_a_result_in_a_file_of_its_own_is_named_by_every_field(experiment: str) -> None:
    told: dict[str, bool] = {}
    for fields in bases().values():
        if fields["experiment"] == experiment:
            own = set(parse(fields).shards())
            for path, other in mutants(fields, EXPERIMENTS[experiment].spec):
                with suppress(SpecError):
                    told[path] = told.get(path, False) or bool(set(parse(other).shards()) - own)
    assert told
    silent = {path.removeprefix("run.").replace("checkpoint.", "checkpoints.") for path, makes in told.items() if not makes}
    assert silent <= OF_NO_EFFECT.keys()
