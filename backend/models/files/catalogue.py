"""Well-known multilingual models, by the Hub ids people use: `catalogue.csv`. Any other Hub id or folder works as well.

Parameters are counted from each architecture built with the published configuration. They and `layers` are for display and
cost estimates before a model is added; what is loaded is always read from its own configuration.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from isogloss.backend.models.entry import Pooling

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Model

Kind = Literal["encoder", "encoder-decoder", "decoder"]
KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
POOLINGS: dict[str, Pooling] = {pooling: pooling for pooling in get_args(Pooling)}


@dataclass(frozen=True)
class Known:
    """One line of the catalogue."""

    name: str
    hub_id: str
    kind: Kind
    layers: int
    dims: int
    parameters: int
    """Of what is run: the encoder alone of an encoder-decoder, without a language-modelling head."""
    note: str
    checkpoints: str | None = None
    """A Hub repository with checkpoints of its training as branches or tags; with braces, one each: `m-step_{1,2}k`."""
    prefix: str = ""
    """What stood before every text in its training, by its card; of several, the one for tasks other than retrieval."""
    pooling: Pooling | None = None
    """What makes a sentence's vector by its card; None for a model that was not trained to give any."""
    licence: str = ""
    """Of the weights; empty where nobody looked."""
    checked: str = ""
    """What the sizes and the licence rest on; empty: the published configuration."""

    @property
    def is_on_hub(self) -> bool:
        """Whether `hub_id` is a Hub id, not the address of another place."""
        return "://" not in self.hub_id

    @property
    def link(self) -> str:
        """Address of the model's page on the Hub, or of where its files are."""
        return f"https://huggingface.co/{self.hub_id}" if self.is_on_hub else self.hub_id

    @property
    def repositories(self) -> tuple[str, ...]:
        """The Hub repositories of its checkpoints: none, one with a revision each, or one each."""
        if self.checkpoints is None:
            return ()
        head, brace, rest = self.checkpoints.partition("{")
        each, _, tail = rest.partition("}")
        return tuple(f"{head}{one}{tail}" for one in each.split(",")) if brace else (self.checkpoints,)


def _known(line: dict[str, str]) -> Known:
    """One line of the file; raises ValueError or KeyError where a number is none or a column is absent."""
    layers, dims, parameters = (int(line[name]) for name in ("layers", "dims", "parameters"))
    kind, checkpoints = KINDS[line["kind"]], line["checkpoints"] or None
    pooling = POOLINGS[line["pooling"]] if line["pooling"] else None
    sizes = layers, dims, parameters
    told = line["licence"], line["checked"]
    return Known(line["name"], line["hub_id"], kind, *sizes, line["note"], checkpoints, line["prefix"], pooling, *told)


with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _file:
    CATALOGUE: tuple[Known, ...] = tuple(map(_known, csv.DictReader(_file)))


def find_entry(hub_id: str) -> Known | None:
    """Return the catalogue's line for a Hub id (or for the repository of its checkpoints), or None."""
    return next((line for line in CATALOGUE if hub_id in (line.hub_id, *line.repositories)), None)


def known_as(model: Model) -> Known | None:
    """Return the catalogue's line for a model of the workspace, or None.

    By the Hub id of its checkpoints, else by the part of one after the slash where that stands in the model's name or folder
    (`multilingual-e5-small` in `/models/multilingual-e5-small-4bit`), of several the longest.
    """
    checkpoint = model.checkpoints[0]
    if checkpoint.source == "hub":
        return find_entry(checkpoint.location)
    names = (model.name.casefold().replace(" ", "-"), Path(checkpoint.location).name.casefold())
    on_hub = [line for line in CATALOGUE if line.is_on_hub]
    found = [line for line in on_hub if any(line.hub_id.split("/")[-1].casefold() in name for name in names)]
    return max(found, key=lambda line: len(line.hub_id.split("/")[-1]), default=None)


def nearest(typed: str) -> str | None:
    """The Hub id of the catalogue nearest to what was typed, by id, by its part after the slash or by name; None if far."""
    spellings: dict[str, str] = {}
    for line in CATALOGUE:
        if not line.is_on_hub:
            continue
        for spelling in (line.hub_id, line.hub_id.split("/")[-1], line.name):
            spellings[spelling.casefold()] = line.hub_id
        spellings |= {repository.casefold(): repository for repository in line.repositories}
    near = get_close_matches(typed.casefold(), spellings, n=1, cutoff=0.7)
    return spellings[near[0]] if near else None
