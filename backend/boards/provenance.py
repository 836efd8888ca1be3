"""What a figure rests on, in few words for tables and pictures, in sentences for a methods section, and in full as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import isogloss

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn", "duckdb", "pyarrow", "plotly")
FEW = 4
"""So many fingerprints or seeds are named; more are counted, and are in the JSON."""
POOLED = {
    "mean": "mean over sub-word tokens",
    "mean_special": "mean over sub-word and special tokens",
    "first": "first token",
    "last": "last token",
    "without_first": "mean over sub-word tokens but the first token of all",
    "weighted": "position-weighted mean over sub-word and special tokens",
}


@dataclass(frozen=True)
class Provenance:
    """What a figure rests on, in few words and in full. What is not known is empty."""

    models: dict[str, dict[str, str]] = field(default_factory=dict)
    """Of each model its checkpoints: fingerprint by label."""
    corpora: tuple[dict[str, Any], ...] = ()
    """What the library knows of each corpus, dictionary, task …: id, kind, name, languages, sentences, licence, source."""
    languages: tuple[str, ...] = ()
    sentences: str = ""
    """How many sentences, examples or words the values rest on: a number or a range."""
    pooling: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()
    protocol: tuple[str, ...] = ()
    """Variants: protocol and options, as the scores name them."""
    seeds: tuple[int, ...] = ()
    computed: str = ""
    """The day, or the first and the last."""
    machine: str = ""
    """Device and precision."""
    printed: bool = False
    """Whether numbers are a paper's own."""
    credits: str = ""
    """Who says the facts of languages that the figure orders or groups by, and under which licences."""
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What each file says of itself, by its place in the workspace."""
    versions: dict[str, str] = field(default_factory=dict)
    """Of Isogloss and its libraries, when this was asked for."""

    @property
    def words(self) -> dict[str, str]:
        """Everything in few words, by name: what an exported table has in columns and a picture in its metadata."""
        return {
            "model": "; ".join(self.models),
            "checkpoint": _few(
                [f"{label} ({key})" for each in self.models.values() for label, key in each.items()], "checkpoints"
            ),
            "corpus": "; ".join(str(each["name"]) for each in self.corpora),
            "corpus_id": " ".join(str(each["id"]) for each in self.corpora),
            "languages": " ".join(self.languages),
            "sentences": self.sentences,
            "pooling": "; ".join(POOLED.get(each, each) for each in self.pooling),
            "prefix": "; ".join(self.prefix),
            "protocol": "; ".join(self.protocol) or ("as printed" if self.printed else ""),
            "seed": _few([str(each) for each in self.seeds], "seeds"),
            "computed": self.computed,
            "precision": self.machine,
            "credits": self.credits,
            "isogloss": self.versions.get("isogloss", ""),
        }

    @property
    def short(self) -> str:
        """One line for people: `2 models, 16 checkpoints; Demo sentences; 10 languages; exact/mean`."""
        checkpoints = sum(len(each) for each in self.models.values())
        parts = [
            _counted(self.models, "models", checkpoints),
            ", ".join(str(each["name"]) for each in self.corpora[:3]) + (" …" if len(self.corpora) > 3 else ""),
            f"{len(self.languages)} languages" if len(self.languages) > 2 else " and ".join(self.languages),
            _few(self.protocol, "protocols"),
            "numbers as printed" if self.printed else "",
        ]
        return "; ".join(part for part in parts if part)

    @property
    def methods(self) -> str:
        """Return plain English for a methods section: corpus, languages, n, pooling, protocol, seeds and versions."""
        facts, sentences = self.words, []
        if self.models:
            found = [f"{name} ({_labels(checkpoints)})" for name, checkpoints in self.models.items()]
            sentences.append(f"Models: {'; '.join(found)}.")
        if self.corpora:
            named = [f"{each['name']} ({each['kind']}, content id {each['id']}{_of(each)})" for each in self.corpora]
            sentences.append(f"Data: {'; '.join(named)}.")
        if self.languages:
            sentences.append(f"Languages ({len(self.languages)}): {', '.join(self.languages)}.")
        if self.sentences:
            sentences.append(f"Each value rests on n = {self.sentences}.")
        for name in ("pooling", "prefix", "protocol"):
            if facts[name]:
                sentences.append(f"{name.capitalize()}: {facts[name]}.")
        if self.files:
            sentences.append(f"Seeds: {', '.join(map(str, self.seeds))}." if self.seeds else "Nothing in it is random.")
        if self.computed:
            sentences.append(f"Computed {self.computed}{f' ({self.machine})' if self.machine else ''}.")
        if self.printed:
            sentences.append("Numbers said to be printed are the paper's own, copied from it.")
        if self.credits:
            sentences.append(self.credits)
        kept = ", ".join(f"{name} {number}" for name, number in self.versions.items() if name != "isogloss")
        return " ".join([*sentences, f"Written by Isogloss {self.versions.get('isogloss', '')} ({kept})."])

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        names = (
            "models",
            "languages",
            "sentences",
            "pooling",
            "prefix",
            "protocol",
            "seeds",
            "computed",
            "machine",
            "printed",
            "credits",
        )
        plain = {name: getattr(self, name) for name in names} | {"corpora": self.corpora, "files": self.files}
        found: dict[str, Any] = json.loads(json.dumps(plain | {"versions": self.versions}, default=str))
        return found


@cache
def versions() -> dict[str, str]:
    """Return the versions of Isogloss and of the libraries that compute and draw, as they are installed here."""
    version_of = {"isogloss": isogloss.__version__}
    for name in PACKAGES:
        try:
            version_of[name] = version(name)
        except PackageNotFoundError:
            continue
    return version_of


def _few(values: Sequence[str], what: str) -> str:
    return "; ".join(values) if len(values) <= FEW else f"{len(values)} {what}"


def _counted(models: Mapping[str, Any], what: str, checkpoints: int) -> str:
    if not models:
        return ""
    named = next(iter(models)) if len(models) == 1 else f"{len(models)} {what}"
    return named + (f", {checkpoints} checkpoints" if checkpoints > len(models) else "")


def _labels(checkpoints: Mapping[str, str]) -> str:
    found = [f"{label}, fingerprint {key}" for label, key in checkpoints.items()]
    labels = list(checkpoints)
    return "; ".join(found) if len(found) <= FEW else f"{len(found)} checkpoints, {labels[0]} to {labels[-1]}"


def _of(entry: Mapping[str, Any]) -> str:
    return (f", {entry['sentences']:,} sentences" if isinstance(entry.get("sentences"), int) else "") + (
        f", licence {entry['licence']}" if entry.get("licence") else ""
    )
