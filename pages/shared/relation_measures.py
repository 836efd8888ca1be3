"""What can be set against what: every measure of the table of scores, what languages were given, and typological distances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from isogloss.backend.corpora.covariates import library as covariates
from isogloss.backend.corpora.covariates.library import CovariatesEntry
from isogloss.backend.corpora.covariates.outcome import Outcome
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.family import Measure
from isogloss.backend.experiments.frames import Known
from isogloss.backend.experiments.named import corpus_names
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.experiments.relations import cubes, outcomes, told
from isogloss.backend.experiments.relations.catalogue import Available, catalogue
from isogloss.backend.experiments.relations.reading import SPEAKERS, Given, Unit
from isogloss.backend.experiments.relations.typology import KINDS, Kind
from isogloss.backend.models.entry import Model
from isogloss.backend.models.library import library as models
from isogloss.pages.widgets.workspace import workspaces

CONTROL = "control"
"""How the variants of control measurements begin."""
URIEL: Mapping[Kind, str] = {kind: f"{kind.capitalize()} distance" for kind in KINDS}


@dataclass(frozen=True)
class Choice:
    """A measure that can be chosen: what it is called, and what there is of it."""

    label: str
    """As the boxes and the link call it; no two alike."""
    name: str
    """A column's name in exports."""
    words: Measure
    variants: tuple[Available, ...] = ()
    """Its scores by variant and corpus; empty for numbers that are no scores."""
    given: Given | None = None
    units: tuple[Unit, ...] = ()
    """At which numbers that are no scores can be read."""

    def at(self, unit: Unit) -> bool:
        """Return whether it can be read at a unit."""
        return unit in self.units if self.given else any(each.at(unit) for each in self.variants)

    def several(self, unit: Unit) -> bool:
        """Return whether it can be read at a unit in more ways than one, so that it can be set against itself."""
        able = self.variants_at(unit)
        models = [each for variant in able for each in variant.models]
        return (
            len(able) > 1
            or (unit != "model" and len(models) > 1)
            or (unit != "layer" and any(len(each.layers) > 1 for each in able))
            or (unit != "checkpoint" and any(len(each.checkpoints) > 1 and each.series for each in models))
        )

    def variants_at(self, unit: Unit) -> list[Available]:
        """Return what can be read at a unit, the usual first: what has most scores of pairs, or of languages by themselves."""
        able = [each for each in self.variants if each.at(unit)]
        return sorted(able, key=lambda each: each.own_scores - each.scores if unit == "pair" else -each.own_scores)

    def models(self) -> list[str]:
        """Return the models that have scores of it, by name."""
        return sorted({each.model for variant in self.variants for each in variant.models}, key=str.casefold)


@dataclass(frozen=True)
class Workshop:
    """All that the page chooses from."""

    choices: tuple[Choice, ...]
    everything: tuple[Model, ...]
    corpora: Mapping[str, str]
    """Names by content id."""
    paired: Mapping[str, str] = field(default_factory=dict)
    """Names of dictionaries and word alignments by content id."""

    def variant_name(self, variant: Available) -> str:
        """Return a variant and its corpus whole, as links say them."""
        parts = told.said(variant, self.corpora, self.paired)
        return f"{'/'.join(parts) or 'one variant'} · {told.corpus_of(variant, self.corpora)}"

    def told_apart(self, variants: Sequence[Available]) -> list[list[str]]:
        """Return for each variant its corpus, then what not all of them have: what a person chooses by."""
        return told.told_apart(variants, self.corpora, self.paired)


def collect() -> Workshop:
    """List every measure that something is computed of; `choices` is empty where nothing is."""
    everything = tuple(models.entries(workspaces()))
    known: list[Known] = [
        (each.fingerprint, model.name, each.label, each.step, place)
        for model in everything
        for place, each in enumerate(model.checkpoints)
    ]
    measures = catalogue(cubes.files_of(workspaces()), known)
    scored = _scored(measures)
    names = corpus_names()
    if not scored:
        return Workshop((), everything, names)
    tags = _languages(measures)
    brought: list[CovariatesEntry] = covariates.entries(workspaces())
    choices = (*scored, *_outcomes(brought, everything), *_typological(tags), *_speakers(tags), *_brought(brought, tags))
    return Workshop(choices, everything, names, _word_sources())


def _word_sources() -> dict[str, str]:
    kept = {each.id: each.name for each in dictionaries.entries(workspaces())}
    return kept | {each.id: f"{each.name} (alignment)" for each in alignments.entries(workspaces())}


def words_of(metric: str) -> Measure:
    """Return what a metric is called; one that no family names by itself is called by its metric."""
    return MEASURES.get(metric) or Measure(metric.replace("_", " ").capitalize(), "as stored", "neither")


def _scored(measures: Sequence[Available]) -> list[Choice]:
    """Return a choice a metric, in the order of the families' menu."""
    order = {metric: place for place, metric in enumerate(MEASURES)}
    metrics = sorted({each.metric for each in measures}, key=lambda metric: (order.get(metric, len(order)), metric))
    titles = Counter(words_of(metric).title for metric in metrics)
    return [
        Choice(
            label=words.title if titles[words.title] == 1 else f"{words.title} ({metric})",
            name=metric,
            words=words,
            variants=tuple(sorted((each for each in measures if each.metric == metric), key=_usual)),
        )
        for metric in metrics
        for words in (words_of(metric),)
    ]


def _usual(each: Available) -> tuple[int, bool, str]:
    """Return the variant of most scores comes first; one that measures chance comes after what it is held against."""
    variant = each.variant or ""
    return -each.scores, variant.startswith(CONTROL), variant


def _typological(tags: tuple[str, ...]) -> list[Choice]:
    return [
        Choice(
            title,
            f"{kind}_distance",
            Measure(title, "URIEL+, 0 to 1", "neither"),
            given=Given(column=kind, languages=tags),
            units=("pair", "language"),
        )
        for kind, title in URIEL.items()
        if len(tags) > 1
    ]


def _speakers(tags: tuple[str, ...]) -> list[Choice]:
    given, unit = Given(column=SPEAKERS, languages=tags), "log₁₀ of people, CLDR"
    own = Choice("Speakers", SPEAKERS, Measure("Speakers", unit, "neither"), given=given, units=("language",))
    ends = [
        Choice(
            f"Speakers ({end})",
            f"{SPEAKERS}_{end}",
            Measure(f"Speakers of the {end}", unit, "neither"),
            given=given.model_copy(update={"end": end}),
            units=("pair",),
        )
        for end in ("source", "target")
    ]
    return [own, *ends]


def _outcomes(entries: Sequence[CovariatesEntry], everything: Sequence[Model]) -> list[Choice]:
    """Return a choice a task and metric of the outcomes of elsewhere that people brought."""
    together: dict[tuple[str, str], list[tuple[Outcome, Available]]] = {}
    for outcome, each in outcomes.available(entries, everything):
        together.setdefault((outcome.title, outcome.unit), []).append((outcome, each))
    several = Counter(title for title, _ in together)
    return [
        Choice(
            label=f"{title} ({unit})" if several[title] > 1 else title,
            name=own[0][0].key,
            words=Measure(title, unit, own[0][0].better, task=True),
            variants=tuple(each for _, each in own),
        )
        for (title, unit), own in together.items()
    ]


def _brought(entries: Sequence[CovariatesEntry], tags: tuple[str, ...]) -> list[Choice]:
    """Return the columns that people brought: of a language, and of the source and of the target of a pair."""
    choices = []
    for entry in entries:
        for label, column, end in column_choices(entry):
            column_given = Given(covariate=entry.id, column=column, languages=tags)
            words = Measure(f"{column} of the {end}" if end else column, f"table {entry.name}", "neither")
            if end is None:
                choices.append(Choice(label, column, words, given=column_given, units=("language",)))
            else:
                of = column_given.model_copy(update={"end": end})
                choices.append(Choice(label, f"{column}_{end}", words, given=of, units=("pair",)))
    return choices


def column_choices(entry: CovariatesEntry) -> list[tuple[str, str, str | None]]:
    """Return the measures that a table gives: the label, the column, and the end of a pair that it is of (None: a language)."""
    return [
        (f"{entry.name}: {column}" + (f" ({end})" if end else ""), column, end)
        for column in entry.columns
        if column not in entry.outcomes
        for end in (None, "source", "target")
    ]


def _languages(found: Sequence[Available]) -> tuple[str, ...]:
    """Return all languages that any score is of; the corpora that take a language's place elsewhere are none."""
    tags = set()
    for tag in {tag for each in found for tag in each.names}:
        try:
            tags.add(language(tag).tag)
        except CorpusError:
            continue
    return tuple(sorted(tags))
