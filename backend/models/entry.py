"""Models as the workspace knows them: a name and an ordered list of checkpoints. Imports neither torch nor transformers."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from isogloss.backend.files import ContentId, added
from isogloss.backend.option import Option

Pooling = Literal["mean", "mean_special", "first", "last", "without_first", "weighted"]
"""`mean` over sub-word tokens without the special ones; `mean_special` with them; `first` token; `last` token (not padding);
`without_first`, the mean but for the first token, special or not; `weighted`, of all tokens by their place, 1 to n."""
POOLINGS: dict[Pooling, str] = {
    "mean": "Mean of tokens",
    "mean_special": "Mean with special tokens",
    "first": "First token",
    "last": "Last token",
    "without_first": "Mean without the first token",
    "weighted": "Position-weighted mean",
}
SENTENCE_VECTOR = Option(
    "A sentence's vector, of its tokens'. Of a decoder take without_first: its first token's vector can be a hundred times "
    "longer than the others, and a mean that counts it is that token",
    "Sentence vector",
    POOLINGS,
    always=True,
    variant="{}",
    key="pooling",
)
"""Of every spec's field that chooses one."""

WordVector = Literal["mean", "without_first"]
"""`mean` of the sub-word tokens that a word has; `without_first`, of those that are not its sentence's first token: a word that
has no other has no vector."""
WORD_VECTORS: dict[WordVector, str] = {"mean": "Mean of pieces", "without_first": "Mean without the sentence's first token"}
WORD_VECTOR = Option(
    "A word's vector, of its pieces'. Of a decoder take without_first: where its tokeniser sets no special token before a "
    "text, the first word holds the attention sink",
    "Word vector",
    WORD_VECTORS,
    variant={"without_first": "without first"},
    key="word_vector",
)

LONGEST_PREFIX = 500


def _none(prefix: str) -> bool:
    return not prefix


Prefix = Annotated[str, Field(max_length=LONGEST_PREFIX, exclude_if=_none)]
"""What is set before every text, as models trained with one need it (`query: `, an instruction); its tokens count like the
text's. Left out of what is stored where there is none: what was asked for before there were any keeps its keys."""


def quoted(prefix: str) -> str:
    """Return a prefix between quotes, which show its spaces; its line ends escaped."""
    return json.dumps(prefix, ensure_ascii=False)


def said_prefix(prefix: str) -> list[str]:
    """Return the part of a variant that says which prefix was set; none without one."""
    return [f"prefix {quoted(prefix)}"] if prefix else []


Source = Literal["hub", "folder", "fairseq"]


class Checkpoint(BaseModel, frozen=True):
    """One set of weights."""

    source: Source
    location: str
    """A Hub id (`xlm-roberta-base`), the absolute path of a `transformers` folder, or of a fairseq `.pt` file."""
    revision: str | None = None
    """Hub only: the branch or tag the user asked for."""
    commit: str | None = None
    """Hub only: the commit that `revision` pointed to when the model was added; what is loaded."""
    label: str
    """What the user calls it: `step1000`, `checkpoint-500`, `main`."""
    step: int | None = None
    """Training step, where the name tells it; stages may begin again at 0."""
    stage: str = added("")
    """Stage of the training, as the name spells it: `stage2-ingredient1`, `lc-4k-to-32k`. Older entries lack it."""
    tokens: int | None = added(None)
    """Tokens seen in training, where the name tells them. Older entries lack them."""
    part: Literal["decoder", "tokeniser"] | None = added(None)
    """What is taken of a model where that is not all: an encoder-decoder's decoder in place of its encoder, or the tokeniser
    alone, without weights. Not in JSON where it is None: older entries lack it."""
    untrained: int | None = added(None)
    """Seed of random weights that are drawn in place of those of the files, of the same shape (`backend.models.untrained`)."""
    fingerprint: ContentId
    """24 hex digits: the hash of the weights' content (folder, fairseq) or of id and commit (Hub). Keys every cached thing."""


class Model(BaseModel, frozen=True):
    """A model: checkpoints in the training's order, by stage, step and tokens (those without after the others, as given)."""

    name: str
    """Shown to people, unique in a workspace; never used as a path."""
    architecture: str
    """The config's `model_type`: `xlm-roberta`, `bloom`, `mt5` …"""
    layers: int
    """Number of hidden layers; embeddings have `layers + 1` (layer 0 is the input embedding). 0, as `dims`, of a tokeniser."""
    dims: int
    parameters: int | None = None
    """Number of parameters of what is run (the encoder alone where there is a decoder), for cost estimates."""
    checkpoints: tuple[Checkpoint, ...] = Field(min_length=1)
    published: str | None = added(None)
    """Hub id of the published model to take in place of weights that did not come with the entry."""
    note: str = added("")
    """What the weights are and how to get the model, where the entry came without them; Markdown, a sentence or three."""
    by: str = added("")
    """Who added it; empty where nobody logs in."""
    formerly: tuple[str, ...] = added(())
    """Names that it had before: links that say them mean it still."""

    @property
    def tokeniser_alone(self) -> bool:
        """Return whether it has no weights, only a tokeniser."""
        return self.checkpoints[0].part == "tokeniser"

    def titled(self, checkpoint: Checkpoint) -> str:
        """Return what a figure of one checkpoint says above it: the model's name alone where it has no other."""
        return self.name if len(self.checkpoints) == 1 else f"{self.name}, {checkpoint.label}"
