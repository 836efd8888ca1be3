"""What a run will cost before it starts: from a worker's measured speed, corrected by what earlier shards really took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.models.entry import Model
    from backend.store.scores import ShardFile

CHARACTERS_A_TOKEN = 3.2
"""Multilingual sub-word vocabularies, mean over NTREX-128's languages; only a first guess (real counts replace it)."""
OVERHEAD = 3.0
"""Real encoding against bare matrix products at the same precision, measured on short sentences; likewise a first guess."""
LOADING_SECONDS = 3.0


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
) -> Estimate | None:
    """Seconds for `shards` checkpoints of `model` on `languages × sentences` texts of `characters` altogether.

    `worker` is what a living worker said of itself; None where none has measured its speed yet. `earlier` are ABX files:
    the newest one of the same model and device replaces the guess by its own pace.
    """
    if "encoding_flops" not in worker:
        return None
    tokens = characters / CHARACTERS_A_TOKEN
    encoding = 2.0 * float(model.parameters or 12 * model.layers * model.dims**2) * tokens / worker["encoding_flops"] * OVERHEAD
    gram = languages * (languages + 1) * sentences**2 * model.dims  # multiply and add of every block, each counted once
    scoring = 2.0 * (model.layers + 1) * gram / worker["scoring_flops"]
    guess = LOADING_SECONDS + encoding + scoring
    for shard in reversed(earlier):
        about = shard.about
        if about.get("model") == model.name and about.get("tokens") and about.get("seconds"):
            size = len(about["languages"]) * int(about["sentences"])
            pace = float(about["seconds"]) / max(size, 1)
            return Estimate(shards * pace * languages * sentences, shards, "from this model's last computation")
    return Estimate(shards * guess, shards, f"from a one-second measurement on {worker['device']}")
