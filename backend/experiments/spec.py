"""What every experiment's spec has in common."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.errors import SpecError
from isogloss.backend.files import CONTENT_ID, ContentId, digest, digests
from isogloss.backend.models.entry import Checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from isogloss.backend.settings import Settings


class Labelled(Protocol):
    """Anything that people know by a label: a checkpoint, a fine-tuning run, a training."""

    @property
    def label(self) -> str:
        """What people call it."""


class Spec(BaseModel, frozen=True, extra="forbid"):
    """A frozen, self-validating request. Equal specs have equal ids, on every machine."""

    if TYPE_CHECKING:  # each spec's own, with a default; here it would be every spec's first field, and change what is stored
        experiment: str

    @property
    def id(self) -> str:
        """Hash the fields, with each checkpoint by its fingerprint."""
        return digest(by_content(self.model_dump(mode="json")))

    def shards(self) -> Mapping[str, Labelled]:
        """Key → what is computed, a piece a worker; the key is the hash of all that goes into the piece's result."""
        raise NotImplementedError


AnySpec = TypeVar("AnySpec", bound=Spec)
Shards = TypeVar("Shards")


def kept(shards: Callable[[AnySpec], Shards]) -> Callable[[AnySpec], Shards]:
    """Hash what each shard of a spec depends on once for all that ask: a page at every change, a run of thousands at each.

    The spec asked for last is known as the object that it is: to hash one of thousands of checkpoints takes milliseconds. What
    is returned is not to be changed.
    """
    of_equal: Callable[[AnySpec], Shards] = lru_cache(maxsize=128)(shards)
    last: tuple[AnySpec, Shards] | None = None

    @wraps(shards)
    def of_spec(spec: AnySpec) -> Shards:
        nonlocal last
        known = last
        if known is None or known[0] is not spec:
            last = known = (spec, of_equal(spec))
        return known[1]

    return of_spec


class PerCheckpoint(Spec):
    """A spec with a shard a checkpoint."""

    if TYPE_CHECKING:  # fields of each spec's own, at their places among the others
        checkpoints: tuple[Checkpoint, ...]

    def provenance(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        raise NotImplementedError

    @kept
    def shards(self) -> dict[str, Checkpoint]:
        """Return the shards by their key, in the checkpoints' order."""
        keys = digests(self.provenance(checkpoint) for checkpoint in self.checkpoints)
        return dict(zip(keys, self.checkpoints, strict=True))


class OnCorpus(PerCheckpoint):
    """Some checkpoints of one model on one corpus."""

    experiment: str
    model: str
    checkpoints: tuple[Checkpoint, ...] = Field(min_length=1)
    corpus: ContentId
    """Content id of the corpus."""


class OneCheckpoint(Spec):
    """One checkpoint on one corpus: a single shard, whose key is the spec's id."""

    experiment: str
    checkpoint: Checkpoint
    corpus: ContentId
    """Content id of the corpus."""

    def shards(self) -> dict[str, Checkpoint]:
        """Map the only key, the spec's id, to the checkpoint."""
        return {self.id: self.checkpoint}


def by_content(value: Any) -> Any:
    """`value` with each checkpoint replaced by its fingerprint: the same weights elsewhere are the same request."""
    match value:
        case {"fingerprint": fingerprint}:
            return fingerprint
        case dict():
            return {key: by_content(each) for key, each in value.items()}
        case list():
            return [by_content(each) for each in value]
        case _:
            return value


def several(what: str) -> AfterValidator:
    """Validate the languages that `what` compares: in alphabetical order, each once, at least two."""

    def distinct(languages: tuple[str, ...]) -> tuple[str, ...]:
        found = tuple(sorted(set(languages)))
        if len(found) < 2:
            raise ValueError(f"{what} compares languages: choose at least two of them")
        return found

    return AfterValidator(distinct)


class Cancelled(Exception):  # noqa: N818 — a request, not an error
    """Raised inside a shard when its run was cancelled."""


@contextmanager
def cancelling() -> Iterator[None]:
    """Make what was stopped in the midst (an encoding, a training, a comparison of blocks) a shard that was cancelled."""
    from isogloss.backend.metrics.blocks import Stopped
    from isogloss.backend.models.encoding.batch_loop import StoppedError

    try:
        yield
    except (Stopped, StoppedError) as error:
        raise Cancelled from error


@dataclass(frozen=True)
class Context:
    """What a shard may use while it computes."""

    settings: Settings
    progress: Callable[[str, float], None] = lambda _what, _share: None
    """Tell what is being done and how much of the shard is done (0 to 1)."""
    should_stop: Callable[[], bool] = lambda: False
    upcoming: Checkpoint | None = None
    """What this worker will probably compute next: its files are read while this shard computes."""
    since: float = math.inf
    """When the run began, in seconds since 1970: vectors used since then are not removed to make room for more of it."""

    @property
    def workspace(self) -> Path:
        """The user's workspace, which results are written to."""
        return self.settings.workspace

    @property
    def workspaces(self) -> list[Path]:
        """The user's workspace first, then the demo's."""
        return self.settings.workspaces

    def step(self, what: str, share: float) -> None:
        """Report progress, and stop here if the run was cancelled."""
        if self.should_stop():
            raise Cancelled
        self.progress(what, share)


Kind = TypeVar("Kind", bound=BaseModel)
BOUNDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
BOUND_OF = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}
"""Pydantic's kinds of complaint, by the bound that they name."""
TYPES = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "bool": "true or false",
    "string_type": "text",
    "tuple": "a list",
    "list": "a list",
    "dict": "an object",
}
"""What a field must be, by the beginning of pydantic's kind of complaint."""


def validate(kind: type[Kind], fields: Mapping[str, Any]) -> Kind:
    """Return a spec (or its options) of this kind from its fields. Raises `SpecError` naming the first field that is wrong."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise first_problem(error) from error


def first_problem(error: ValidationError) -> SpecError:
    """Say pydantic's first complaint as one sentence for people: which field, what it has, what it may have."""
    problem = error.errors()[0]
    field = ".".join(part for part in problem["loc"] if isinstance(part, str))
    value, more = problem.get("input"), problem.get("ctx", {})
    value_text = f"'{str(value)[:60]}'" if isinstance(value, str) else f"{value!r:.60}"
    match problem["type"]:
        case "value_error":
            message = str(problem["msg"]).removeprefix("Value error, ")
            return SpecError(f"{field}: {message}." if field and not message.endswith(".") else message)
        case "literal_error":
            return SpecError(f"Unknown {field} {value_text}; choose {more['expected']}.")
        case "missing":
            return SpecError(f"{field} is missing.")
        case "extra_forbidden":
            return SpecError(f"There is no option '{field}'.")
        case "too_short" | "too_long":
            bound = "at least" if problem["type"] == "too_short" else "at most"
            limit = more.get("min_length", more.get("max_length"))
            return SpecError(f"{field} has {more['actual_length']} entries; it needs {bound} {limit}.")
        case "string_pattern_mismatch" if CONTENT_ID.pattern in more["pattern"]:
            return SpecError(f"{field} is '{printable(value)}'; it must be an id of 24 hexadecimal digits.")
        case kind if kind in BOUND_OF:
            bound = BOUND_OF[kind]
            return SpecError(f"{field} is {value_text}; it must be {BOUNDS[bound]} {more[bound]:g}.")
        case kind:
            expected = next((what for prefix, what in TYPES.items() if kind.startswith(prefix)), "")
            message = str(problem["msg"]).removeprefix("Input should be ")
            return SpecError(f"{field} is {value_text}; it must be {expected or message}.")
