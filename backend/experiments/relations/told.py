"""What a measure's variant and corpus are called where people choose by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.models.entry import POOLINGS
from isogloss.backend.option import within_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.experiments.relations.catalogue import Available

VECTORS: Mapping[str, str] = {pooling: within_sentence(text) for pooling, text in POOLINGS.items()}


def said(variant: Available, corpora: Mapping[str, str], paired: Mapping[str, str]) -> list[str]:
    """Return the parts of a variant, with the name of the corpus tested on where it is known.

    `corpora` and `paired` are the names of corpora, and of dictionaries and word alignments, by content id.
    """
    names = {f"tested on {known[:6]}": f"tested on {name}" for known, name in corpora.items()}
    parts = [names.get(part, part) for part in (variant.variant or "").split("/") if part]
    return parts + ([f"paired by {_listed(paired, variant.dictionaries)}"] if variant.dictionaries else [])


def told_apart(variants: Sequence[Available], corpora: Mapping[str, str], paired: Mapping[str, str]) -> list[list[str]]:
    """Return for each variant its corpus, then what not all of them have: what a person chooses by."""
    parts = [said(each, corpora, paired) for each in variants]
    own = [[part for part in each if not all(part in other for other in parts)] for each in parts]
    told = zip((corpus_of(each, corpora) for each in variants), own, strict=True)
    return [[corpus, *map(in_words, parts)] for corpus, parts in told]


def in_words(part: str) -> str:
    """Return a part of a variant in words."""
    return VECTORS.get(part, part)


def corpus_of(variant: Available, corpora: Mapping[str, str]) -> str:
    """Return what a variant's corpus is called."""
    if any(each.table for each in variant.models):
        return "outcome of elsewhere"
    return corpora.get(variant.corpus or "", (variant.corpus or "no corpus")[:6])


def _listed(names: Mapping[str, str], ids: Sequence[str]) -> str:
    """Name some of what paired the words: which, without the rest, tells one set from another."""
    shown = [names.get(each, each[:6]) for each in ids[:2]]
    return ", ".join(shown) + (f" and {len(ids) - len(shown)} more" if len(ids) > len(shown) else "")
