"""What a file of scores or records says of itself, by the folder that it lies in: checked once, where it is read.

A field is required where something reads it without asking whether it is there. What a family adds is its own affair; fields
that came later, or that only prices use, may be missing, but not be of another type.
"""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from isogloss.backend import parquet
from isogloss.backend.files import ContentId
from isogloss.backend.parquet import NotOursError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    import pyarrow.parquet as pq

Count = Annotated[int, Field(ge=0)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Pairs = list[Annotated[list[str], Field(min_length=2, max_length=3)]]
"""Two languages, and for words the id of what pairs them."""


class Said(BaseModel):
    """A part of a footer; what it has besides is not looked at."""

    model_config = ConfigDict(strict=True, protected_namespaces=())


class Listed(Said):
    """What a file has of a measure (`scores.LISTED`)."""

    experiment: str
    metric: str
    corpus: str | None
    variant: str | None
    model: str | None
    checkpoint: str | None
    step: int | None
    layers: list[int]
    scores: Count
    own: Count
    others: bool
    directed: bool
    names: list[str | None]


class Made(Said):
    """How the numbers came about."""

    version: int = 0
    model: str = ""
    label: str = ""
    device: str = ""
    precision: str = ""
    seconds: Number | None = None
    seconds_encoding: Number | None = None
    texts: Count = 0
    tokens: Count = 0
    truncated: Count = 0
    asked: dict[str, Any] = {}
    measures: list[Listed] = []


class OfCheckpoint(Made):
    """Scores of one set of weights on one corpus."""

    fingerprint: str
    corpus: str


class OfPairs(OfCheckpoint):
    """Scores of pairs of languages, which may lie in several files."""

    pairs: Pairs
    variant: str | list[str]
    runs: Count = 0
    seed: int | None = None
    counts: dict[str, dict[str, Count]] = {}


class OfAbx(OfCheckpoint):
    """ABX: pairs of languages on the sentences that all have."""

    languages: list[str]
    variant: str
    complete: bool = False
    pairs: Pairs = []
    sentences: Count = 0
    intervals: str = ""


class OfProbes(OfCheckpoint):
    """Probes trained on one language. Its page looks at data that scores alone are left of: their ids go into specs."""

    corpus: ContentId
    source: str
    targets: list[str]
    variant: str
    options: dict[str, Any]
    extras: list[str]
    tags: list[str] = []
    tested: ContentId | None = None
    counts: dict[str, dict[str, Any]] = {}
    seconds_training: Number = 0
    seconds_description: Number = 0
    mix: list[Number] = []
    epochs: Number = 0
    unfinished: Count = 0


class Stage(Said):
    """What a stage of a training is given."""

    tokens: Count = 0
    epochs: Count = 0
    batch: Annotated[int, Field(ge=1)] = 1


class LanguageModel(Said):
    """Of a language model's options those that are read from a file."""

    architecture: dict[str, Any] = {}
    tuning: Stage = Stage()


class OfTuning(Made):
    """Scores of a model that was tuned after pre-training on a source."""

    experiment: str = ""
    source: str = ""
    target: str = ""
    target_text: str = ""
    variant: str = ""
    preset: str = ""
    mode: str = ""
    digits: str = ""
    setting: str = ""
    options: LanguageModel = LanguageModel()
    flop: Number = 0
    tuned_tokens: Count = 0


class OfLatent(OfCheckpoint):
    """The latent language: which dictionaries' words it was read by goes into what a page reads them with."""

    languages: list[str]
    targets: list[str]
    pivot: str
    variant: str
    dictionaries: dict[str, ContentId]
    counts: dict[str, dict[str, Count]] = {}


class OfFinetuning(OfCheckpoint):
    """Scores of one fine-tuning run: what they were computed from in full is said by its records."""

    languages: list[str] = []
    complete: bool = True


class Finetuned(Said):
    """Of the options of a fine-tuning run those that are read from its records."""

    algorithm: str
    learning_rate: Number
    seed: int
    epochs: int
    batch: int
    patience: int | None
    windows: list[Annotated[list[Number], Field(min_length=2, max_length=2)]] | Literal["all"]
    prefix: str = ""
    recipe: str = ""


class OfRun(OfCheckpoint):
    """Records of one fine-tuning run."""

    version: int
    data: Literal["task", "parallel"]
    source: str
    languages: list[str]
    complete: bool
    corruption: Number
    classes: Annotated[int, Field(ge=2)]
    steps: Count
    options: Finetuned
    extra: str | None
    sentences: Count | None
    draw: int
    validation_share: Number | None
    examples: Count = 0
    validated: Count = 0
    planned: Count = 0
    rows: Count = 0

    @model_validator(mode="after")
    def _of_task(self) -> Self:
        if self.data == "task" and self.validation_share is None:
            raise ValueError("a task has a share of it to validate on")
        return self


SAID: dict[str, type[Said]] = {
    "abx": OfAbx,
    "abx_controls": OfAbx,
    "geometry": OfAbx,
    "alignment": OfPairs,
    "similarity": OfPairs,
    "latent": OfLatent,
    "probing": OfProbes,
    "transfer": OfFinetuning,
    "emergent": OfTuning,
    "records": OfRun,
}
"""By the folder of scores, and of records. A family that is not here asks nothing of its files."""


FILLED = ("metric", "value", "created_at")
"""Columns that every row fills."""
NUMBERS = ("value", "low", "high")


def check(file: str, folder: str, footer: pq.FileMetaData, form: pa.Schema, metadata: Mapping[str, Any]) -> None:
    """Check a file (`file` is its name) against what its `folder` holds: columns (`form`), rows of its own, a footer.

    Its rows are known by what the footer says of each column: to decode 2 million of them takes a second. Raises `NotOursError`
    naming the file, what is wrong with it and what to do.
    """
    wrong = _wrong_columns(footer.schema.to_arrow_schema(), form)
    wrong = wrong or _wrong_rows(file.removesuffix(".parquet"), footer) or wrong_footer(folder, metadata)
    if wrong:
        raise NotOursError(
            f"The file {folder}/{file} is not as this version writes it: {wrong}. "
            "It is left out: move it elsewhere, or compute it again."
        )


def _wrong_columns(schema: pa.Schema, form: pa.Schema) -> str:
    for field in form:
        if field.name not in schema.names:
            return f"the column '{field.name}' is missing"
        if schema.field(field.name).type != field.type:
            return f"the column '{field.name}' holds {schema.field(field.name).type}, not {field.type}"
    if len(schema) > len(form):
        return f"the column '{next(name for name in schema.names if name not in form.names)}' is not one of its columns"
    return ""


def _wrong_rows(run: str, footer: pq.FileMetaData) -> str:
    """Say what is wrong with the rows: each is of the file's own run, and has a measure and a number."""
    if not footer.num_rows:
        return ""
    there = set(footer.schema.names)
    statistics = {name: parquet.statistics(footer, name) for name in there & {*FILLED, *NUMBERS, "run"}}
    if any(one is None for several in statistics.values() for one in several):
        return "its footer does not say what its columns hold"
    if any(one.null_count or not one.min == one.max == run for one in statistics["run"]):
        return "it has rows of another run"
    empty = [name for name in FILLED if any(one.null_count for one in statistics.get(name, ()))]
    if empty:
        return f"a row has no {empty[0]}"
    for name in NUMBERS:
        if any(one.has_min_max and (isinf(one.min) or isinf(one.max)) for one in statistics.get(name, ())):
            return f"a {name} is infinite"
    return ""


def wrong_footer(folder: str, said: Mapping[str, Any]) -> str:
    """Say what is wrong with what a file of a folder says of itself; empty where nothing is."""
    if folder not in SAID:
        return ""
    try:
        SAID[folder].model_validate(dict(said))
    except ValidationError as error:
        found = error.errors()[0]
        field = ".".join(part for part in found["loc"] if isinstance(part, str) and "[" not in part)
        if found["type"] == "missing":
            return f"its footer has no '{field}'"
        return f"'{field}' in its footer is {found['input']!r:.60}" if field else str(found["msg"])
    return ""
