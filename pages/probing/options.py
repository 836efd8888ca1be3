"""What a probe is and how it is trained: as was computed before, or by the controls in one expander."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import streamlit as st
from pydantic import ValidationError

from isogloss.backend.experiments.probing.spec import (
    FEATURES,
    Features,
    ProbingSentencesSpec,
    ProbingWordsSpec,
    control_of,
    option_texts,
)
from isogloss.backend.models.entry import POOLINGS, Model, Pooling, said_prefix
from isogloss.backend.option import within_sentence
from isogloss.backend.store.scores import ShardFile
from isogloss.backend.training.probe.options import QUICK as QUICK_PROBES
from isogloss.backend.training.probe.options import ProbeOptions
from isogloss.pages.probing.data import Data
from isogloss.pages.widgets.choosing import prefixes
from isogloss.pages.widgets.choosing.choices import box, has_value, start_index, whole
from isogloss.pages.widgets.choosing.form import form
from isogloss.pages.widgets.links import address

USUAL = ProbeOptions()
OTHER = "Other options …"
ALL = "All"
PUBLISHED, QUICK = "As published", "Quick"
HELP = """
What is computed of these data and models, then what can be: *Quick* takes minutes, for a first look; *As published* follows the
paper.
"""
SIZES = {str(size): f"{size:,}" for size in (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000)} | {ALL: ALL}
CONTROL = "Control tasks: each word type gets a random tag, which the same probe learns as well (Hewitt & Liang 2019)."


@dataclass(frozen=True)
class Options:
    """Fields of a spec that are not model, data or languages."""

    probe: ProbeOptions = USUAL
    description_length: bool = False
    pooling: Pooling = "mean"
    """Of sentences; that of words is the probe's."""
    features: Features = "both"
    prefix: str = ""
    """Of every model alike."""

    @property
    def is_quick(self) -> bool:
        """Whether these are the quick preset's, whatever stands before the texts."""
        return replace(self, prefix="") == PRESETS[QUICK]

    def fields(self, data: Data) -> dict[str, Any]:
        """As the spec of such data takes them."""
        common: dict[str, Any] = {"probe": self.probe, "description_length": self.description_length}
        common |= {"prefix": self.prefix}
        return common if data.unit == "words" else common | {"pooling": self.pooling, "features": self.features}

    @property
    def named(self) -> str:
        """In words, for the choice among those computed: what is not as usual, or how many examples and seeds."""
        parts = [each for each in option_texts(self.probe) if each not in option_texts(USUAL)]
        parts = parts or [each.replace("examples", "at most") for each in option_texts(USUAL)]
        parts += ["first sub-word"] if self.probe.pooling != USUAL.pooling else []
        parts += [within_sentence(POOLINGS[self.pooling])] if self.pooling != "mean" else []
        parts += [within_sentence(FEATURES[self.features])] if self.features != "both" else []
        parts += said_prefix(self.prefix)
        parts += {True: [], False: ["no control tasks"], "by seed": ["control tags by seed"]}[self.probe.control]
        return ", ".join([*parts, *(["description length"] if self.description_length else [])])


PRESETS = {PUBLISHED: Options(), QUICK: Options(QUICK_PROBES)}


def choose(
    data: Data, files: Iterable[ShardFile], models: Sequence[Model], newest: Mapping[str, Any], takes_long: Callable[[], bool]
) -> Options:
    """Return options of what is computed (of `files`), a preset, or others by the controls.

    By default those of the `newest` of one's own results, where it says any, else those of most files; where nothing is
    computed the published preset, or the quick one where that `takes_long`.
    """
    known = computed(files, newest)
    names = {each.named: each for each in known}
    presets = {name: each for name, each in PRESETS.items() if each not in known}
    listed = [*names, *presets, OTHER]
    first = 0 if known else listed.index(QUICK if not _is_chosen() and takes_long() else PUBLISHED)
    name = st.selectbox("Probes", listed, start_index("probes", listed, first), key="probes", bind="query-params", help=HELP)
    if name in names:
        return names[name]
    with st.expander("Options", icon=":material/tune:"):
        if name in presets:
            st.caption(f"{presets[name].named.capitalize()}{', last checkpoint unless others are chosen' * (name == QUICK)}.")
        chosen = presets[name] if name in presets else _asked(data)
        return replace(chosen, prefix=prefixes.choose_one(models))


def _is_chosen() -> bool:
    """Return whether the box stands at something already, so that no default counts."""
    return has_value("probes") or address.asked("probes") is not None


def computed(files: Iterable[ShardFile], newest: Mapping[str, Any]) -> list[Options]:
    """Return the options that files were computed with: the `newest`, then those of most files; without those no spec can have.

    A file of another program may say such: no selection could show it.
    """
    counts: Counter[str] = Counter()
    by_key: dict[str, Options | None] = {}
    for file in files:
        key = _key(file.provenance)
        counts[key] += 1
        if key not in by_key:
            try:
                by_key[key] = of_file(file.provenance)
            except (ValidationError, ValueError, TypeError, StopIteration):
                by_key[key] = None
    keys = [key for key, _ in counts.most_common()]
    if newest:
        keys.sort(key=lambda key: key != _key(newest))
    return [options for options in dict.fromkeys(by_key[key] for key in keys) if options is not None]


def _key(provenance: Mapping[str, Any]) -> str:
    return json.dumps([provenance["options"], provenance["extras"], provenance["variant"]], sort_keys=True)


def of_file(provenance: Mapping[str, Any]) -> Options:
    """Return the options that a file of scores was computed with, by what it says of itself."""
    kind, pooling, *more = str(provenance["variant"]).split("/prefix ", 1)[0].split("/")
    extras = provenance["extras"]
    probe = provenance["options"] | ({"control": control_of(extras)} if kind == "words" else {})
    prefix = str(provenance.get("prefix", ""))
    found = Options(ProbeOptions.model_validate(probe), "description length" in extras, prefix=prefix)
    if kind == "words":
        return found
    vector = next(each for each in get_args(Pooling) if each == pooling)
    return replace(found, pooling=vector, features="second" if "second alone" in more else "both")


def _asked(data: Data) -> Options:
    """Draw the controls, and return what they say."""
    words = data.unit == "words"
    kind = ProbingWordsSpec if words else ProbingSentencesSpec
    last = ("description_length",)
    fields = form(kind, {}, leave=last if words or data.pairs else ("features", *last))
    # By hand: "all" or one of some sizes, how many seeds from 0, and control tasks as they are trained today.
    size = box(f"Training {data.rows} at most", SIZES, "size", str(USUAL.training_words))
    seeds = whole("Seeds", "seeds", 1, 50, len(USUAL.seeds))
    probe: dict[str, Any] = {"training_words": None if size == ALL else int(size), "seeds": tuple(range(seeds))}
    probe |= form(ProbeOptions, {}, leave=() if words else ("pooling",))
    if words:
        control = st.toggle("Control tasks", bool(USUAL.control), "control", CONTROL, bind="query-params")
        probe["control"] = "by seed" if control else False
    fields |= form(kind, {}, fields, leave=("features",))
    return Options(ProbeOptions.model_validate(probe), **fields)
