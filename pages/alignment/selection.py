"""What is looked at on the alignment page: words or sentences, which pairs, and how they are compared; all of it in the URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import streamlit as st

from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments.library import AlignmentEntry
from isogloss.backend.experiments.alignment import rows as alignment
from isogloss.backend.experiments.alignment.queries import Among, Wanted, Ways
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.experiments.checkpoint_scores import same, serving
from isogloss.backend.figures.alignment import UNITS, Unit
from isogloss.backend.metrics.retrieval.options import Task
from isogloss.backend.models.entry import SENTENCE_VECTOR, WORD_VECTOR, Checkpoint, Model
from isogloss.backend.store import scores
from isogloss.pages.alignment import options as option_controls
from isogloss.pages.alignment import pairing
from isogloss.pages.alignment.options import Vectors
from isogloss.pages.alignment.pairing import Source
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import language_pairs, poolings, prefixes, results, selecting
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.choosing.prefixes import Prefixes
from isogloss.pages.widgets.choosing.selecting import WHOLE, Chosen, files_by_checkpoint
from isogloss.pages.widgets.workspace import guard, workspaces

MOST = 1000
"""Directed pairs of languages, those of 32, that are columns of a table or lines of a figure: more cannot be read."""


@dataclass(frozen=True)
class Selection(Chosen):
    """What is chosen, how it is compared, and the files that hold the scores."""

    unit: Unit
    pairs: tuple[tuple[str, str], ...]
    """Pairs of languages, each in alphabetical order."""
    dictionaries: dict[tuple[str, str], Source]
    """What pairs the words of each pair; empty for sentences."""
    options: dict[str, Any]
    """Fields of the spec that are not models, corpus or languages."""
    vectors: Vectors
    """Of sentences or words."""
    strong: Task
    direction: Ways
    have: tuple[scores.ShardFile, ...]
    prefixes: Prefixes = field(default_factory=dict)
    listed: bool = False
    """Of sentences: whether `pairs` are a choice among those of the languages."""

    def spec(
        self, model: Model, checkpoints: Sequence[Checkpoint], pairs: Sequence[tuple[str, str]] | None = None
    ) -> WordAlignmentSpec | SentenceAlignmentSpec:
        """What computes `pairs` (all chosen ones by default) for `checkpoints` of `model`."""
        wanted = self.pairs if pairs is None else pairs
        common = {"model": model.name, "checkpoints": tuple(checkpoints), "corpus": self.corpus.id} | self.options
        common |= {"prefix": prefixes.at(self.prefixes, checkpoints)}
        if self.unit == "sentence":
            tags = self._tags if pairs is None else tuple(sorted({tag for pair in pairs for tag in pair}))
            few = tuple(wanted) if self.listed else None
            return SentenceAlignmentSpec(languages=tags, pooling=self.vector(checkpoints), listed=few, **common)
        common["vector"] = self.vector(checkpoints)
        return WordAlignmentSpec(pairs=tuple(self.dictionary_pair(pair) for pair in wanted), **common)

    def vector(self, checkpoints: Sequence[Checkpoint]) -> Any:
        """Return what makes the vectors of the checkpoints of one model: its pooling, or `WordVector`."""
        return self.vectors.of_each.get(checkpoints[0].fingerprint, self.vectors.common) if checkpoints else self.vectors.common

    def with_options(self, **options: Any) -> Selection:
        """Return the same choice with other options of the spec: what is laid beside it in one figure."""
        return replace(self, options=self.options | options)

    def dictionary_pair(self, pair: tuple[str, str]) -> DictionaryPair:
        """Join a pair of languages with what pairs their words."""
        return DictionaryPair(source=pair[0], target=pair[1], dictionary=self.dictionaries[pair].id)

    @cached_property
    def _tags(self) -> tuple[str, ...]:
        """The languages of the pairs, in order."""
        return tuple(sorted({tag for pair in self.pairs for tag in pair}))

    @property
    def pieces(self) -> Sequence[Any]:
        """The pairs of languages: each has scores by itself. One piece where no checkpoint has some of them alone."""
        return self.pairs if self._whole is None else (WHOLE,)

    @cached_property
    def _whole(self) -> dict[str, scores.ShardFile] | None:
        """The one file of each checkpoint (by fingerprint) that has all pairs of the languages; None where one has fewer."""
        if self.unit == "word" or self.listed:
            return None
        found: dict[str, scores.ShardFile] = {}
        for fingerprint, files in self._computed_as_asked.items():
            there = [file for file in files if file.languages is None or len(file.languages & {*self.languages}) > 1]
            if there and not (there[0].languages or frozenset()).issuperset(self.languages):
                return None
            found.update((fingerprint, file) for file in there[:1])
        return found

    @cached_property
    def _computed_as_asked(self) -> dict[str, list[scores.ShardFile]]:
        """The files of each checkpoint (by fingerprint) whose pairs, whichever they are, were computed as asked for."""
        have = files_by_checkpoint(self.have)
        found: dict[str, list[scores.ShardFile]] = {}
        for model in self.models:
            there = [each for each in self.checkpoints(model) if each.fingerprint in have]
            if not there or not self.pairs:
                continue
            spec = self.spec(model, there, self.pairs[:1])  # which pairs there are is no part of what theirs depend on
            for checkpoint in there:
                said = spec.provenance(checkpoint)
                found[checkpoint.fingerprint] = [file for file in have[checkpoint.fingerprint] if same(file, said, "pairs")]
        return found

    @cached_property
    def served(self) -> dict[tuple[str, Any], scores.ShardFile]:
        """The file that serves each checkpoint (by fingerprint) and piece that is computed."""
        if self._whole is not None:
            return {(fingerprint, WHOLE): file for fingerprint, file in self._whole.items()}
        words = self.unit == "word"
        keys = {tuple(self.dictionary_pair(pair).key) if words else pair: pair for pair in self.pairs}
        return {
            (fingerprint, keys[key]): file
            for fingerprint, files in self._computed_as_asked.items()
            for key, file in serving({}, keys, files).items()
        }

    def existing(self) -> Selection:
        """Return the same choice of the pairs that can be drawn: those of the checkpoint that has most."""
        if self._whole is not None:
            return self
        there: dict[str, set[tuple[str, str]]] = {}
        for fingerprint, pair in self.served:
            there.setdefault(fingerprint, set()).add(pair)
        most = max(there.values(), key=len, default=set())
        return replace(self, pairs=tuple(pair for pair in self.pairs if pair in most)) if most else self

    @property
    def variants(self) -> list[str]:
        """Of the scores shown."""
        return list(dict.fromkeys(self.variant(model) for model in self.models))

    def variant(self, model: Model) -> str:
        """Return that of one model's scores: each may have its own vectors."""
        own = model.checkpoints[:1]
        spec = self.spec(model, own)
        return spec.variant if isinstance(spec, WordAlignmentSpec) else spec.variant(self.vector(own))

    @property
    def runs(self) -> int:
        """Random draws of word pairs that a score is the mean of; 1 for sentences."""
        return int(self.options.get("runs", 1))

    def metric(self, measure: str) -> str:
        """Name the metric as the scores do: `word_weak`, `sentence_strong`."""
        return f"{self.unit}_{self.strong if measure == 'strong' else measure}"

    def wanted(self, checkpoints: Sequence[Checkpoint]) -> Wanted:
        """Return the rows that serve these in the directions chosen: as languages, where no pair of them is left out."""
        fingerprints = [checkpoint.fingerprint for checkpoint in checkpoints]
        if self._whole is not None:
            runs = sorted({self._whole[each].run for each in fingerprints if each in self._whole})
            return Among(runs, list(self.languages), self.direction)
        found = ((pair, self.served.get((each, pair))) for each in fingerprints for pair in self.pairs)
        return sorted({(file.run, *ends) for pair, file in found if file is not None for ends in self.directed(pair)})

    @property
    def directions(self) -> int:
        """How many directed pairs of languages are looked at."""
        return len(self.pairs) * (2 if self.direction == "both" else 1)

    def directed(self, pair: tuple[str, str]) -> list[tuple[str, str]]:
        """The directions of a pair that are looked at."""
        match self.direction:
            case "forward":
                return [pair]
            case "backward":
                return [pair[::-1]]
            case _:
                return [pair, pair[::-1]]


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    chosen = selecting.choose("Alignment", alignment.FAMILY)
    if chosen is None:
        return None
    with guard():
        have = tuple(scores.shards(workspaces(), alignment.FAMILY))
    newest = results.first_options(alignment.FAMILY)
    unit = segments("Units", UNITS, "unit", _unit_of(newest), shows_label=False)
    usual = newest if _unit_of(newest) == unit else _first_of(unit, chosen.corpus.id, have)
    with st.sidebar:
        pairs = list(combinations(chosen.languages, 2))
        dictionaries: dict[tuple[str, str], Source] = {}
        if unit == "word":
            dictionaries = pairing.choose(chosen.corpus.id, pairs, chosen.models, have)
            pairs = [pair for pair in pairs if pair in dictionaries]
    if not pairs:
        st.info(
            "No dictionary pairs two of these languages. Add one in the Library, choose one under Sources of word pairs, or "
            "look at sentences.",
            icon=":material/dictionary:",
        )
        navigation.to_library("Add a dictionary", "Dictionaries")
        return None
    with st.sidebar, st.expander("Options", icon=":material/tune:"):
        options, vectors, strong, direction = option_controls.choose(unit, usual, chosen.models)
        listed = language_pairs.choose(chosen.languages) if unit == "sentence" else None
        before = prefixes.choose(chosen.models, usual.get("prefix", ""))
    prefixes.tell(chosen.models, before)
    poolings.tell(chosen.models, vectors.of_each, SENTENCE_VECTOR if unit == "sentence" else WORD_VECTOR)
    pairing.tell(dictionaries)
    if listed == ():
        st.info("Choose a pair of languages in the side bar, under Options.", icon=":material/left_panel_open:")
        return None
    return Selection(
        **vars(chosen),
        unit=unit,
        pairs=tuple(pairs) if listed is None else listed,
        listed=listed is not None,
        dictionaries=dictionaries,
        options=options,
        vectors=vectors,
        strong=strong,
        direction=direction,
        have=have,
        prefixes=before,
    )


def _unit_of(asked: Mapping[str, Any]) -> Unit:
    return "sentence" if asked.get("experiment") == "sentence_alignment" else "word"


def _first_of(unit: Unit, corpus: str, have: Sequence[scores.ShardFile]) -> Mapping[str, Any]:
    """Return, once a session, how the newest of one's own scores of a unit were asked for."""
    key = f"asked-{alignment.FAMILY}-{unit}-{corpus}"
    if key not in st.session_state:
        own = (file.provenance for file in results.results_of_user(have))
        asked = (each.get("asked", {}) for each in own if each.get("corpus") == corpus)
        st.session_state[key] = next((each for each in asked if _unit_of(each) == unit), {})
    found: Mapping[str, Any] = st.session_state[key]
    return found


def pair_of(selection: Selection) -> tuple[str, str]:
    """A pair of languages, by a select box, in the direction to look at: from the first to the second."""
    ways = {f"{a} → {b}": (a, b) for pair in selection.pairs for a, b in (pair, pair[::-1])}
    return ways[select("From → to", list(ways), "at_pair", width=160)]


def kept_alignments(selection: Selection, pair: tuple[str, str]) -> list[AlignmentEntry]:
    """Return the kept alignments of the corpus and of these two languages, in either direction."""
    with guard():
        kept = alignments.entries(workspaces())
    return [each for each in kept if each.corpus == selection.corpus.id and {each.source, each.target} == set(pair)]
