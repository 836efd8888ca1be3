"""What a run will cost before it starts: from a worker's measured speed, corrected by what earlier shards really took."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from backend.models.entry import Model
    from backend.store.scores import ShardFile

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
COMPARING_DIMS = 400
"""Comparing all triplets takes as long as this many more dimensions in the products."""
SAMPLED_FLOPS = 7000.0
"""A sampled triplet gathers three vectors from memory: as long as this many operations of a product, for each dimension."""
RECENT = 5
"""Earlier shards whose median pace is taken: one alone may have shared the machine."""
RETRIEVAL_DIMS = 300
"""Finding the nearest of a block of cosines takes as long as this many more dimensions in the product."""
RETRIEVAL_SECONDS = 2e-3, 1e-8
"""Of one retrieval, whatever its size; and for each number of one side's vectors, which become unit vectors in float64."""
FIRST_TOKENS = 5.0
"""First tokens lie in so narrow a cone that float32 tells few of them apart: float64 settles the rest, in so much more time."""
PAIRS_A_SENTENCE = 2.0
"""Different word pairs of 2,000 news sentences for each of them: 0.6 (English and Chinese) to 2.4 (English and German)."""
WORDS_OVERHEAD = 1.3
"""Pooling and storing words beside sentences."""
EXTRACTING_SECONDS = 0.3
"""Reading a dictionary and finding a pair of languages' words, once a worker."""


@dataclass(frozen=True)
class Estimate:
    """Seconds of one worker's time, and what the figure rests on."""

    seconds: float
    shards: int
    basis: str

    @property
    def text(self) -> str:
        return f"about {duration(self.seconds)}"


def duration(seconds: float) -> str:
    """Seconds as people say them: `8 s`, `3 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{round(hours / 24)} days"


def abx(
    model: Model,
    shards: int,
    languages: int,
    sentences: int,
    characters: int,
    worker: dict[str, Any],
    earlier: Sequence[ShardFile],
    *,
    n_triplets: int | None = None,
    kept: bool = False,
) -> Estimate | None:
    """Seconds for `shards` checkpoints of `model` on `languages × sentences` texts of `characters` altogether.

    `worker` is what a living worker said of itself; None where none has measured its speed yet. `earlier` are ABX files:
    the pace at which the newest of this model were encoded on such a device replaces the guess. `n_triplets` is for the
    sampled protocol; None counts all. `kept` says that the vectors are there already.
    """
    if "encoding_flops" not in worker:
        return None
    scoring = _scoring_operations(model, languages, sentences, n_triplets) / worker["scoring_flops"]
    return _priced(model, shards, languages * sentences, characters, scoring, worker, earlier, kept=kept)


def words(
    model: Model,
    shards: int,
    pairs: int,
    languages: int,
    sentences: int,
    characters: int,
    n_pairs: int,
    runs: int,
    worker: dict[str, Any],
    earlier: Sequence[ShardFile],
    *,
    masked: bool = False,
    kept: bool = False,
) -> Estimate | None:
    """Seconds for word alignment of `shards` checkpoints on `pairs` pairs of `languages`, `n_pairs` word pairs and `runs` each.

    `sentences` is of one language, `characters` of all. `earlier` are ABX or alignment files. `masked` encodes a sentence for
    each word; `kept` says that the words' vectors are there already (those of masked words are never kept). The rest as in
    `abx`.
    """
    if "encoding_flops" not in worker:
        return None
    there = max(2, round(PAIRS_A_SENTENCE * sentences))  # how many word pairs there are is known only once they are found
    n, distinct = (n_pairs, runs) if n_pairs < there else (there, 1)
    scoring = pairs * distinct * _retrieval_seconds(model, n, worker)
    texts, length = languages * sentences, characters
    if masked:
        texts = 2 * pairs * min(n * distinct, there)
        length = round(characters / max(1, languages * sentences) * texts)
    found = _priced(model, shards, texts, length, scoring, worker, earlier, kept=kept and not masked, dearer=WORDS_OVERHEAD)
    return Estimate(found.seconds + EXTRACTING_SECONDS * pairs, shards, found.basis)


def sentences(
    model: Model,
    shards: int,
    languages: int,
    sentences: int,
    characters: int,
    worker: dict[str, Any],
    earlier: Sequence[ShardFile],
    *,
    kept: bool = False,
    first: bool = True,
) -> Estimate | None:
    """Seconds for sentence alignment of `shards` checkpoints, every pair of `languages`; arguments as in `abx` and `words`.

    Without `first` tokens it is the price of the similarity of languages, which has means of tokens alone.
    """
    if "encoding_flops" not in worker:
        return None
    pairs = languages * (languages - 1) // 2
    scoring = pairs * (1 + FIRST_TOKENS * first) * _retrieval_seconds(model, sentences, worker)
    return _priced(model, shards, languages * sentences, characters, scoring, worker, earlier, kept=kept, dearer=1.0)


def _retrieval_seconds(model: Model, n: int, worker: dict[str, Any]) -> float:
    """Seconds to score n pairs at every layer, in both directions."""
    operations = (
        2.0 * 2.0 * n**2 * (model.dims + RETRIEVAL_DIMS)
    )  # two products: candidates of the other language, and of one's own
    once, for_a_number = RETRIEVAL_SECONDS
    return (model.layers + 1) * 2 * float(operations / worker["scoring_flops"] + once + for_a_number * n * model.dims)


def _priced(
    model: Model,
    shards: int,
    texts: int,
    characters: int,
    scoring: float,
    worker: dict[str, Any],
    earlier: Sequence[ShardFile],
    *,
    kept: bool,
    dearer: float = 1.0,
) -> Estimate:
    """`shards` times encoding `texts`, `dearer` than sentences alone, and `scoring` seconds."""
    if kept:
        return Estimate(shards * (LOADING_SECONDS + scoring), shards, f"from a one-second measurement on {worker['device']}")
    if seen := _encoding_seen(model, texts, characters, worker, earlier):
        return Estimate(shards * (seen * dearer + scoring), shards, "from this model's last computations")
    tokens = characters / CHARACTERS_A_TOKEN
    block = 2.0 * 12 * model.layers * model.dims**2  # not `parameters`: those of the vocabulary are looked up, not multiplied
    encoding = tokens * (block / worker["encoding_flops"] * OVERHEAD + SECONDS_A_TOKEN)
    loading = LOADING_SECONDS + 4.0 * (model.parameters or block / 2) / LOADING_BYTES
    seconds = STARTING_SECONDS + shards * (loading + encoding * dearer + scoring)
    return Estimate(seconds, shards, f"from a one-second measurement on {worker['device']}")


def _scoring_operations(model: Model, languages: int, sentences: int, n_triplets: int | None) -> float:
    """Operations to score every layer and pair of languages."""
    if n_triplets is not None:
        pairs = languages * (languages - 1) / 2
        return (model.layers + 1) * pairs * n_triplets * model.dims * SAMPLED_FLOPS
    blocks = languages * (languages + 1) / 2  # each serves both directions
    return (model.layers + 1) * blocks * sentences**2 * 2.0 * 2.0 * (model.dims + COMPARING_DIMS)  # twice: in float64


def _encoding_seen(model: Model, texts: int, characters: int, worker: dict[str, Any], earlier: Sequence[ShardFile]) -> float:
    """Seconds to load and to encode `texts`, from what earlier shards of `model` took on such a device; 0 where none did."""
    on_cpu = str(worker["device"]).startswith("CPU")
    paces, tokens_a_text = [], 0.0
    for about in (shard.about for shard in earlier):
        same = about.get("model") == model.name and str(about.get("device", "")).startswith("cpu") == on_cpu
        if same and about.get("tokens") and about.get("seconds_encoding") and _texts(about):
            paces.append(float(about["seconds_encoding"]) / int(about["tokens"]))
            # Where some languages' vectors were kept already, ABX's `tokens` are those of the others alone: most is truest.
            tokens_a_text = max(tokens_a_text, int(about["tokens"]) / _texts(about))
    return median(paces[-RECENT:]) * max(tokens_a_text * texts, characters / LONGEST_TOKEN) if paces else 0.0


def _texts(about: Mapping[str, Any]) -> int:
    """How many texts a shard encoded, or (ABX) would have without any kept; 0 where it does not say."""
    return int(about.get("texts") or len(about.get("languages", ())) * int(about.get("sentences", 0)))
