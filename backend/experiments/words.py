"""Specs in words, for the jobs page: languages, pairs and corpora by name, long lists counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.models.entry import POOLINGS, said_prefix
from isogloss.backend.option import within_sentence

Fields = Mapping[str, Any]
"""A spec as JSON, of this version or an older one."""
Names = Mapping[str, str]
"""Content id → name of every corpus, tagged or not, and labelled task that is kept."""

NAMED = 6
"""Languages listed by name before the others are counted."""
PAIRS_NAMED = 3
"""Pairs of languages listed by name before the others are counted."""


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 language`, `36 languages`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def model_of(spec: Fields) -> str:
    """Return the model and how many of its checkpoints: `mini (12 checkpoints)`."""
    return f"{spec['model']} ({count(len(spec['checkpoints']), 'checkpoint')})"


def checkpoint_of(spec: Fields) -> str:
    """Return the one checkpoint, and its layer where the spec has one: `step 1000, layer 8`."""
    return str(spec["checkpoint"]["label"]) + (f", layer {spec['layer']}" if "layer" in spec else "")


def counts(spec: Fields, *fields: str) -> str:
    """Return how many values each of some fields has: `3 sources, 1 target`."""
    return ", ".join(count(len(spec[f"{field}s"]), field) for field in fields)


def corpus_of(spec: Fields, names: Names) -> str:
    """Return the corpus by name, and how much of it."""
    corpus = names.get(str(spec.get("corpus")), f"a corpus no longer saved ({str(spec.get('corpus'))[:6]})")
    limit = spec.get("sentences")
    return f"on {corpus}" + (f", first {limit:,} sentences" if limit else "")


def pooling_of(spec: Fields) -> list[str]:
    """Return how a sentence's vector is made of its tokens', where the spec says."""
    return [within_sentence(POOLINGS.get(spec["pooling"], str(spec["pooling"])))] if spec.get("pooling") else []


def listed_pairs(chosen: Sequence[Sequence[str]] | None) -> list[str]:
    """Return the pairs of languages, where a run has a choice of them: `pairs English–French and 34 more`."""
    return ["pairs " + pairs([{"source": one, "target": other} for one, other in chosen])] if chosen else []


def prefix_of(spec: Fields) -> list[str]:
    """Return what is set before every text, where anything is."""
    return said_prefix(spec.get("prefix", ""))


def pairs(found: Sequence[Mapping[str, Any]]) -> str:
    """Pairs of languages by name, those beyond `PAIRS_NAMED` counted."""
    return several([f"{name_of(pair['source'])}–{name_of(pair['target'])}" for pair in found], PAIRS_NAMED)


def languages(tags: Sequence[str]) -> str:
    """Languages by name, those beyond `NAMED` counted."""
    return several([name_of(tag) for tag in tags])


def several(names: Sequence[str], most: int = NAMED) -> str:
    """Names, where they are more than `most` the last ones counted: `a, b and 4 more`."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Names as within a sentence: `a, b and c`, where they are more than `most` the last ones counted."""
    if len(names) < 2 or (most is not None and len(names) > most):
        return several(names, most or 1)
    return f"{', '.join(names[:-1])} and {names[-1]}"
