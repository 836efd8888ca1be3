"""What a probing experiment is: which checkpoints, which languages trained on and tested in, which probe. Imports no torch.

One shard is a checkpoint and the language that its probes are trained on. Source: de Seyssel et al. 2025, section 5, after
Blevins et al. 2022; what they do not print is an option here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from isogloss.backend.corpora.tasks.three_parts import BY_PREMISE
from isogloss.backend.experiments.checkpoint_scores import same
from isogloss.backend.experiments.spec import Spec, kept
from isogloss.backend.files import ContentId, digests
from isogloss.backend.models.entry import SENTENCE_VECTOR, Checkpoint, Pooling, Prefix, said_prefix
from isogloss.backend.option import Option
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.training.probe.options import ProbeOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from isogloss.backend.corpora.tasks.library import TaskEntry
    from isogloss.backend.store.scores import ShardFile

FAMILY = "probing"
"""What its scores are filed under: their `experiment`, and the folder of their files."""
VERSION = 1
"""Raised when the formulas change: older files then no longer serve."""
MEAN, LEARNED = "mean of layers", "learned mix"
"""What the variant of a score without a layer ends in, where it is of all layers together."""

CONTROLS, CONTROLS_BY_SEED = "controls", "controls by seed"
"""What is computed besides: control tasks with one draw of tags for all seeds, as before, or with one a seed."""

ELSEWHERE = ("pooling", "training_words", "seeds", "control")
"""Options that a variant says in its own words, or that change no score of a tag."""

Features = Literal["both", "second"]
FEATURES: dict[Features, str] = {"both": "Both sentences", "second": "Second sentence alone"}
"""Of a pair of sentences: [u; v; |u − v|; u ⊙ v], or v alone, which tells how much the labels give away without u."""


@dataclass(frozen=True)
class ProbingShard:
    """A checkpoint and the language that its probes are trained on."""

    checkpoint: Checkpoint
    source: str
    """BCP-47 tag."""

    @property
    def label(self) -> str:
        """The shard in few words."""
        return f"{self.checkpoint.label}, {self.source}"


class ProbingSpec(Spec):
    """Probes of some checkpoints of one model, whatever they tell."""

    model: str
    """What scores and figures call it."""
    checkpoints: tuple[Checkpoint, ...] = Field(min_length=1)
    corpus: ContentId
    """Content id of the data trained on."""
    sources: tuple[str, ...] = Field(min_length=1)
    """BCP-47 tags of the languages trained on, one a probe."""
    targets: tuple[str, ...] = ()
    """Those that every source is tested in (cross-lingual); none: each in its own language (monolingual)."""
    tested: ContentId | None = None
    """Content id of other data whose test part is taken; None for that of `corpus`."""
    description_length: Annotated[
        bool,
        Option(
            "Also the bits in which the labels can be sent online (Voita & Titov 2020): trains about twice as long again",
            "Description length",
            told="description length",
            key="length",
        ),
    ] = False
    probe: ProbeOptions = ProbeOptions()
    """What a probe is and how it is trained, with how much, and with which seeds."""
    prefix: Prefix = ""

    @field_validator("sources", "targets")
    @classmethod
    def _distinct(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(sorted(set(values)))

    @model_validator(mode="after")
    def _other_data(self) -> ProbingSpec:
        if self.tested == self.corpus:
            object.__setattr__(self, "tested", None)
        return self

    def targets_of(self, source: str) -> tuple[str, ...]:
        """Return the languages that probes of `source` are tested in."""
        return self.targets or (source,)

    @property
    def variant(self) -> str:
        """The `variant` of the scores: what makes two values of one metric not comparable. Says all that is no default."""
        tested = [f"tested on {self.tested[:6]}"] if self.tested else []
        return "/".join([*self._kind(), *tested, *option_texts(self.probe), *said_prefix(self.prefix)])

    def provenance(self, shard: ProbingShard) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        own = {"fingerprint": shard.checkpoint.fingerprint, "source": shard.source}
        return self._same() | own | ({} if self.targets else {"targets": [shard.source]})

    @kept
    def _same(self) -> dict[str, Any]:
        """Return what is the same of all shards; also `targets`, where all sources have the same."""
        return {
            "experiment": FAMILY,
            "version": VERSION,
            "corpus": self.corpus,
            "tested": self.tested,
            "targets": list(self.targets),
            "variant": self.variant,
            "options": self.options.model_dump(mode="json", exclude={"control"}),
            "extras": self._extras(),
        } | (self._data() | ({"prefix": self.prefix} if self.prefix else {}))

    @property
    def options(self) -> ProbeOptions:
        """The options with the seeds in order: the same probes whichever is named first."""
        return self.probe.model_copy(update={"seeds": tuple(sorted(self.probe.seeds))})

    @kept
    def shards(self) -> dict[str, ProbingShard]:
        """Return the shards by their key, checkpoint by checkpoint."""
        every = self.every_shard()
        return dict(zip(digests(map(self.provenance, every)), every, strict=True))

    def every_shard(self) -> list[ProbingShard]:
        """Return the shards, checkpoint by checkpoint, without their keys: to hash what each depends on takes longer."""
        return [ProbingShard(checkpoint, source) for checkpoint in self.checkpoints for source in self.sources]

    def _kind(self) -> list[str]:
        """Say what is told from what, as the variant begins."""
        raise NotImplementedError

    def _data(self) -> dict[str, Any]:
        """Return what else the data are known by."""
        return {}

    def _extras(self) -> list[str]:
        """Return what is computed beside the probes, and changes nothing of their scores."""
        return ["description length"] if self.description_length else []


@in_recipes
class ProbingWordsSpec(ProbingSpec):
    """The tag of a word told from its vector: parts of speech, or names (NER), of a tagged corpus."""

    experiment: Literal["probing_words"] = "probing_words"

    def _kind(self) -> list[str]:
        return ["words", self.probe.pooling]

    def _extras(self) -> list[str]:
        # Of seed 0 alone the one draw and that of the seed are the same.
        by_seed = self.probe.control == "by seed" and self.probe.seeds != (0,)
        return [*([CONTROLS_BY_SEED if by_seed else CONTROLS] if self.probe.control else []), *super()._extras()]


@in_recipes
class ProbingSentencesSpec(ProbingSpec):
    """The label of a sentence, or of a pair of them, told from their vectors: natural language inference (NLI)."""

    experiment: Literal["probing_sentences"] = "probing_sentences"
    pooling: Annotated[Pooling, replace(SENTENCE_VECTOR, key="sentence_vector")] = "mean"
    features: Annotated[
        Features,
        Option(
            "Of a pair: both sentences, or the second alone, which tells how much the labels give away",
            "Reads",
            FEATURES,
            key="reads",
        ),
    ] = "both"
    corpus_test: str | None = None
    """`parts_id` of the task trained on: its test part, which its id does not tell, and that parts are split by premise
    (`of_tasks` fills in both)."""
    tested_test: str | None = None
    """The same of the task that is tested on."""

    @field_validator("probe")
    @classmethod
    def _no_words(cls, probe: ProbeOptions) -> ProbeOptions:
        if probe.pooling != "mean":
            raise ValueError("probe.pooling is of words: give pooling, which is of sentences")
        return probe

    def _kind(self) -> list[str]:
        alone = ["second alone"] if self.features == "second" else []
        test = self.tested_test if self.tested else self.corpus_test
        own = (test or "").removesuffix(BY_PREMISE).strip()
        parts = [*([f"test part {own[:6]}"] if own else []), *([f"parts {BY_PREMISE}"] if own != (test or "") else [])]
        return ["sentences", self.pooling, *alone, *parts]

    def _data(self) -> dict[str, Any]:
        return {"corpus_test": self.corpus_test, "tested_test": self.tested_test if self.tested else None}


def of_tasks(trained: TaskEntry, tested: TaskEntry | None = None) -> dict[str, Any]:
    """Return the fields of a spec of sentences that say what is trained and tested on."""
    other = {} if tested is None else {"tested": tested.id, "tested_test": tested.parts_id}
    return {"corpus": trained.id, "corpus_test": trained.parts_id} | other


def sizes_of(options: ProbeOptions) -> list[str]:
    """Return how much a probe was trained on, and how many there are."""
    words = options.training_words
    return ["all" if words is None else f"{words} examples", f"{len(options.seeds)} seeds"]


@lru_cache(maxsize=256)
def option_texts(options: ProbeOptions) -> tuple[str, ...]:
    """How much a probe was trained on, how many there are, and every other option that is not its default, as `name value`."""
    texts, default = sizes_of(options), ProbeOptions()
    for name in ProbeOptions.model_fields:
        value = getattr(options, name)
        if name not in ELSEWHERE and value != getattr(default, name):
            texts.append(f"{name.replace('_', ' ')} {f'{value:g}' if isinstance(value, float) else value}")
    return tuple(texts)


def control_of(extras: Sequence[str]) -> bool | Literal["by seed"]:
    """Return the option `control` of a file that was computed with these extras."""
    return "by seed" if CONTROLS_BY_SEED in extras else CONTROLS in extras


def targets_by_file(provenance: Mapping[str, Any], have: Iterable[ShardFile]) -> dict[ShardFile, frozenset[str]]:
    """Return the targets of `provenance` by the newest file that was computed from it (but for its targets).

    Extras are of the source's own language: there the file must have them all.
    """
    wanted = {name: value for name, value in provenance.items() if name != "extras"}
    left, extras = frozenset(provenance["targets"]), set(provenance["extras"])
    found: dict[ShardFile, frozenset[str]] = {}
    for file in reversed(list(have)):
        if left and same(file, wanted, "targets"):
            there = left.intersection(file.provenance.get("targets", ()))
            lacks_some = not extras <= set(file.provenance.get("extras", ()))
            if own := there - {provenance["source"]} if lacks_some else there:
                found[file] = own
                left -= own
    return found


def serving(provenance: Mapping[str, Any], have: Iterable[ShardFile]) -> dict[str, ShardFile]:
    """Return the file of each target that has one, by `targets_by_file`."""
    return {target: file for file, targets in targets_by_file(provenance, have).items() for target in targets}
