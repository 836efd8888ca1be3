"""What a run will cost before it starts: from a worker's measured speed, corrected by what earlier shards really took."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, Any, TypeVar

from backend.corpora.parallel import library as corpora
from backend.models.library import library as models
from backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from backend.corpora.parallel.library import CorpusEntry
    from backend.experiments.speed import Speed
    from backend.models.entry import Checkpoint, Model
    from backend.store.scores import ShardFile

T = TypeVar("T")

CHARACTERS_A_TOKEN = 2.5
"""From 1.8 (an English vocabulary of 30,000 on Arabic, German, English and Russian news) to 4 (a large one on English)."""
LONGEST_TOKEN = 5.0
"""No vocabulary has more characters a token, on whole texts in several languages."""
OVERHEAD = 1.25
"""Encoding against bare matrix products at the same precision: attention, norms and padding."""
SECONDS_A_TOKEN = 5e-6
"""What a token costs however small the model is: tokenising, batching, starting operations."""
STARTING_SECONDS = 3.0
"""A worker's first shard imports transformers."""
LOADING_SECONDS = 0.3
LOADING_BYTES = 1e9
"""A second, reading weights of four bytes a parameter."""
RECENT = 5
"""Earlier shards whose median pace is taken: one alone may have shared the machine."""
RETRIEVAL_DIMS = 300
"""Finding the nearest of a block of cosines takes as long as this many more dimensions in the product."""
RETRIEVAL_SECONDS = 2e-3, 1e-8
"""Of one retrieval, whatever its size; and for each number of one side's vectors, which become unit vectors in float64."""
FIRST_TOKENS = 5.0
"""First tokens lie in so narrow a cone that float32 tells few of them apart: float64 settles the rest, in so much more time."""


@dataclass(frozen=True)
class Estimate:
    """Seconds of one worker's time, and what the figure rests on."""

    seconds: float
    shards: int
    basis: str
    computes: bool = True
    """Whether a processor decides how long it takes, not the network."""
    busy: float = 1.0
    """How many times as long it takes because others use the machine, too, by the processes that share its cores."""
    raised: bool = False
    """Whether `seconds` has that factor; what was computed here before has the load of then in it already."""
    kept: str = ""
    """What needs not be encoded, since its vectors are kept, and is not in `seconds`; empty where all is encoded."""

    @property
    def text(self) -> str:
        """Say the seconds as people do, as an estimate."""
        return f"about {duration(self.seconds)}"

    @property
    def why(self) -> str:
        """What the estimate rests on, as a sentence without its end."""
        return "; ".join(filter(None, (f"Estimated {self.basis}", self.kept, self.slowed)))

    @property
    def slowed(self) -> str:
        """`the machine is busy: 4 times as long as alone`; nothing where it is not."""
        if self.busy == 1.0:
            return ""
        times = f"{self.busy:.2g} times as long"
        return f"the machine is busy: {times} as alone" if self.raised else f"the machine is busy: it may take up to {times}"


@dataclass(frozen=True)
class Lacking:
    """What some shards must still encode."""

    shares: tuple[float, ...]
    """Of each shard's characters, 0 to 1."""
    kept: str
    """What they need not encode, in words."""


@dataclass(frozen=True)
class Encoding:
    """What one shard encodes, and what is known of how long that takes here."""

    model: Model
    languages: int
    sentences: int
    """Of each language."""
    characters: int
    """Of all languages together."""
    speed: Speed
    earlier: Sequence[ShardFile] = ()
    """The pace at which the newest files of this model were encoded on such a device replaces the guess."""
    lacking: Lacking | None = None
    """Where some vectors are kept, what is left to encode; None where all is."""

    @property
    def texts(self) -> int:
        """Count the sentences of all languages together."""
        return self.languages * self.sentences


def duration(seconds: float) -> str:
    """Seconds as people say them: `8 s`, `3 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{round(hours / 24)} days"


def encoding_of(
    checkpoint: Checkpoint,
    corpus: str,
    languages: Collection[str],
    speed: Speed | None,
    workspaces: Sequence[Path],
    *,
    model: str | None = None,
    family: str | None = None,
    sentences: int | None = None,
) -> Encoding | None:
    """Look up what a shard encodes; None where no worker has measured its speed, or model or corpus are not kept.

    `model` is its name, where the spec has it; `family` (None for all) has the earlier files; of each language the first
    so many `sentences` are encoded, or all.
    """
    if speed is None:
        return None
    found, entry = model_of(checkpoint, model, workspaces), corpus_of(corpus, workspaces)
    if found is None or entry is None:
        return None
    characters = sum(each.characters for each in entry.languages if each.tag in languages)
    n = min(entry.sentences, sentences or entry.sentences)
    characters = round(characters * n / max(1, entry.sentences))
    return Encoding(found, len(languages), n, characters, speed, earlier_scores(workspaces, family))


def model_of(checkpoint: Checkpoint, name: str | None, workspaces: Sequence[Path]) -> Model | None:
    """Return the kept model called `name`, or without one the first that has the checkpoint; None where none is kept."""
    for model in read_cached("models", workspaces, models.entries):
        if model.name == name or (name is None and checkpoint in model.checkpoints):
            return model
    return None


def is_of_model(provenance: Mapping[str, Any], model: Model) -> bool:
    """Whether a file's scores are of a checkpoint of `model`, whatever that was called when they were computed."""
    return provenance.get("model") == model.name or provenance.get("fingerprint") in _fingerprints(model)


@lru_cache(maxsize=64)
def _fingerprints(model: Model) -> frozenset[str]:
    return frozenset(each.fingerprint for each in model.checkpoints)


def corpus_of(corpus: str, workspaces: Sequence[Path]) -> CorpusEntry | None:
    """Return the entry of a saved parallel corpus; None where it is not kept."""
    return next((each for each in kept_corpora(workspaces) if each.id == corpus), None)


def kept_corpora(workspaces: Sequence[Path]) -> Sequence[CorpusEntry]:
    """Return the entries of the kept parallel corpora."""
    return read_cached("corpora/*", workspaces, corpora.entries)


def earlier_scores(workspaces: Sequence[Path], family: str | None) -> Sequence[ShardFile]:
    """Return the files of scores of `family` (or of all), oldest first."""
    return read_cached(f"scores/{family or '*'}", workspaces, scores.shards, family)


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


def sentence_retrieval(
    encoding: Encoding, shards: int, *, kept: bool = False, first: bool = True, pairs: int | None = None
) -> Estimate:
    """Seconds to encode sentences and to retrieve those of so many `pairs` of languages (None: all), for `shards` checkpoints.

    `kept` says that the vectors are there already. Without `first` tokens it is the price of the similarity of languages, which
    has means of tokens alone.
    """
    compared = encoding.languages * (encoding.languages - 1) // 2 if pairs is None else pairs
    scoring = compared * (1 + FIRST_TOKENS * first) * retrieval_seconds(encoding, encoding.sentences)
    return estimate_of_shards(encoding, shards, scoring, kept=kept)


def retrieval_seconds(encoding: Encoding, n: int) -> float:
    """Seconds to score n pairs at every layer, in both directions."""
    model = encoding.model
    # Two products: candidates of the other language, and of one's own.
    operations = 2.0 * 2.0 * n**2 * (model.dims + RETRIEVAL_DIMS)
    once, for_a_number = RETRIEVAL_SECONDS
    return (model.layers + 1) * 2 * float(operations / encoding.speed.retrieval_flops + once + for_a_number * n * model.dims)


def estimate_of_shards(encoding: Encoding, shards: int, scoring: float, *, kept: bool, dearer: float = 1.0) -> Estimate:
    """`shards` times the encoding, `dearer` than sentences alone, and `scoring` seconds; `kept` vectors are read instead."""
    model, speed = encoding.model, encoding.speed
    if kept:
        return Estimate(shards * (LOADING_SECONDS + scoring), shards, speed.basis)
    lacking = encoding.lacking
    seen = _encoding_seen(encoding)
    tokens = encoding.characters / CHARACTERS_A_TOKEN
    seconds = tokens * token_seconds(model, speed)
    loading = LOADING_SECONDS + 4.0 * (model.parameters or _block(model) / 2) / LOADING_BYTES
    starting, basis = (0.0, "from this model's last computations") if seen else (STARTING_SECONDS, speed.basis)
    each, beside = (seen * dearer, 0.0) if seen else (seconds * dearer, loading)
    if lacking is None:
        return Estimate(starting + shards * (beside + each + scoring), shards, basis)
    reads = sum(not share for share in lacking.shares)
    reading = min(LOADING_SECONDS, beside + each)
    paid = sum(lacking.shares) * each + (shards - reads) * beside + reads * reading + starting * (reads < shards)
    return Estimate(paid + shards * scoring, shards, basis if reads < shards else speed.basis, kept=lacking.kept)


def token_seconds(model: Model, speed: Speed) -> float:
    """Seconds of a token's forward pass, by the measured speed alone."""
    return _block(model) / speed.encoding_flops * OVERHEAD + SECONDS_A_TOKEN


def _block(model: Model) -> float:
    """Operations of a token: not by `parameters`, since those of the vocabulary are looked up and not multiplied."""
    return 2.0 * 12 * model.layers * model.dims**2


def _encoding_seen(encoding: Encoding) -> float:
    """Seconds to load and to encode, from what earlier shards of the model took on such a device; 0 where none did."""
    paces, tokens_a_text = [], 0.0
    for provenance in (shard.provenance for shard in encoding.earlier):
        same = is_of_model(provenance, encoding.model) and encoding.speed.computed(provenance)
        if same and provenance.get("tokens") and provenance.get("seconds_encoding") and _texts(provenance):
            paces.append(float(provenance["seconds_encoding"]) / int(provenance["tokens"]))
            # Where some languages' vectors were kept already, ABX's `tokens` are those of the others alone: most is truest.
            tokens_a_text = max(tokens_a_text, int(provenance["tokens"]) / _texts(provenance))
    tokens = max(tokens_a_text * encoding.texts, encoding.characters / LONGEST_TOKEN)
    return median(paces[-RECENT:]) * tokens if paces else 0.0


def _texts(provenance: Mapping[str, Any]) -> int:
    """Return how many texts a shard encoded, or (ABX) would have without any kept; 0 where it does not say."""
    return int(provenance.get("texts") or len(provenance.get("languages", ())) * int(provenance.get("sentences", 0)))
