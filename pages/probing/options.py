"""What a probe is and how it is trained: as was computed before, or by the controls in one expander."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import streamlit as st

from backend.experiments.probing.spec import Features, control_of, said
from backend.models.entry import Model, Pooling, said_prefix
from backend.store.scores import ShardFile
from backend.training.probe.options import Optimiser, ProbeOptions, Standardisation
from backend.training.probe.options import Pooling as WordPooling
from pages.probing.data import Data
from pages.widgets.choosing import prefixes
from pages.widgets.choosing.choices import box, start_index

USUAL = ProbeOptions()
OTHER = "Other options …"
ALL = "All"
SIZES = {str(size): f"{size:,}" for size in (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000)} | {ALL: ALL}
WORDS: dict[WordPooling, str] = {"mean": "Mean of sub-words", "first": "First sub-word"}
SENTENCES: dict[Pooling, str] = {
    "mean": "Mean of tokens",
    "mean_special": "Mean with special tokens",
    "first": "First token",
    "last": "Last token",
}
FEATURES: dict[Features, str] = {"both": "Both sentences", "second": "Second sentence alone"}
STANDARDISED: dict[Standardisation, str] = {"per layer": "Per layer and dimension", "none": "None"}
OPTIMISERS: dict[Optimiser, str] = {"adam": "AdamW", "sgd": "Gradient descent, momentum 0.9"}
CONTROL = "Control tasks: each word type gets a random tag, which the same probe learns as well (Hewitt & Liang 2019)."
LENGTH = "The bits in which the labels can be sent (Voita & Titov 2020): trains about twice as long again."
PATIENCE = "Epochs in a row without a lower validation loss after which a probe stops."
SECOND = "The second sentence alone tells how much the labels give away without the first."


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

    def fields(self, data: Data) -> dict[str, Any]:
        """As the spec of such data takes them."""
        common: dict[str, Any] = {"probe": self.probe, "description_length": self.description_length}
        common |= {"prefix": self.prefix}
        return common if data.unit == "words" else common | {"pooling": self.pooling, "features": self.features}

    @property
    def named(self) -> str:
        """In words, for the choice among those computed: what is not as usual, or how many examples and seeds."""
        found = [each for each in said(self.probe) if each not in said(USUAL)]
        found = found or [each.replace("examples", "at most") for each in said(USUAL)]
        found += ["first sub-word"] if self.probe.pooling != USUAL.pooling else []
        found += [SENTENCES[self.pooling].lower()] if self.pooling != "mean" else []
        found += ["second sentence alone"] if self.features == "second" else []
        found += said_prefix(self.prefix)
        found += {True: [], False: ["no control tasks"], "by seed": ["control tags by seed"]}[self.probe.control]
        return ", ".join([*found, *(["description length"] if self.description_length else [])])


def choose(data: Data, files: Iterable[ShardFile], models: Sequence[Model]) -> Options:
    """Return options of what is computed (of `files`), those of most files by default, or others by the controls."""
    if known := computed(files):
        names = {each.named: each for each in known}
        help_ = "What is computed of these data and models. Other options can be chosen, and computed."
        index = start_index("probes", [*names, OTHER])
        name = st.selectbox("Probes", [*names, OTHER], index, key="probes", bind="query-params", help=help_)
        if name in names:
            return names[name]
    with st.expander("Options", icon=":material/tune:"):
        return replace(_asked(data), prefix=prefixes.choose_one(models))


def computed(files: Iterable[ShardFile]) -> list[Options]:
    """Return the options that files were computed with, those of most files first."""
    counts: Counter[str] = Counter()
    found: dict[str, Options] = {}
    for file in files:
        key = json.dumps([file.provenance["options"], file.provenance["extras"], file.provenance["variant"]], sort_keys=True)
        counts[key] += 1
        if key not in found:
            found[key] = of_file(file.provenance)
    return list(dict.fromkeys(found[key] for key, _ in counts.most_common()))


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
    found: dict[str, Any] = {}
    vector, features = "mean", "both"
    if words := data.unit == "words":
        found["pooling"] = box("Word vector", WORDS, "word_vector", USUAL.pooling)
    else:
        vector = box("Sentence vector", SENTENCES, "sentence_vector", "mean")
        features = box("Reads", FEATURES, "reads", "both", SECOND) if data.pairs else features
    size = box(f"Training {data.rows} at most", SIZES, "size", str(USUAL.training_words))
    found["training_words"] = None if size == ALL else int(size)
    found["seeds"] = tuple(range(_number("Seeds", "seeds", len(USUAL.seeds), 1, 50)))
    found["standardisation"] = box("Standardised", STANDARDISED, "standardised", USUAL.standardisation)
    found["optimiser"] = box("Optimiser", OPTIMISERS, "optimiser", USUAL.optimiser)
    found["learning_rate"] = _share("Learning rate", "rate", USUAL.learning_rate, 1e-6)
    found["weight_decay"] = _share("Weight decay", "decay", USUAL.weight_decay, 0.0)
    found["batch"] = _number("Batch", "batch", USUAL.batch, 1, 65_536)
    found["patience"] = _number("Patience, epochs", "patience", USUAL.patience, 1, 1000, PATIENCE)
    found["epochs"] = _number("Epochs at most", "epochs", USUAL.epochs, 1, 10_000)
    if words:
        control = st.toggle("Control tasks", bool(USUAL.control), "control", CONTROL, bind="query-params")
        found["control"] = "by seed" if control else False
    length = st.toggle("Description length", False, "length", LENGTH, bind="query-params")
    return Options(ProbeOptions.model_validate(found), length, vector, features)  # type: ignore[arg-type]


def _number(label: str, key: str, usual: int, least: int, most: int, help_: str | None = None) -> int:
    return int(st.number_input(label, least, most, usual, key=key, bind="query-params", help=help_))


def _share(label: str, key: str, usual: float, least: float) -> float:
    return float(st.number_input(label, least, 10.0, usual, 1e-4, "%g", key, bind="query-params"))
