"""Titles and captions as people say them: `Language discrimination by layer · My e5 · My NTREX, 6 languages`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.experiments.words import count, languages, listed

if TYPE_CHECKING:
    from isogloss.backend.boards.provenance import Provenance
    from isogloss.backend.boards.records import Pin

FEW = 2
"""So many models, corpora or languages are named; more are counted."""
SAID = (
    (r"\blayers by checkpoints\b", "by layer and checkpoint"),
    (r"\b(source|model) (by|and) target\b", r"\1 and target"),
    (r"\b(?<!by )(source|model) and target\b", r"by \1 and target"),
    (r"\bover (layer|checkpoint|epoch)s\b", r"by \1"),
    (r"\blanguage pairs\b", "by language pair"),
    (r"\bfirst best last\b", "at the first, best and last layer"),
    (r"\b(of|for|in|from|beside)( [·−])*\s*(?=(by|at|over|beside|−|and|,|:)\b|[,:−]|$)", ""),
    (r" of run [0-9a-f]{8}$", ""),
    (r"^ABX\b(?! discrimination)", "ABX discrimination"),
    (r"^(.*)\blayer (\d+)\b(.*)$", r"\1\3, layer \2"),
    (r"\s*·\s*(?=·|$|,)|^\W+|[\s:,·−]+$|(?<=[:−])\s*·|(?<=\bbeside) ·", ""),
    (r"\s+(?=[,:])|(?<=\s)\s+|,(?=\s*[,:])", ""),
)
"""What is written another way in a figure's name, in this order."""


def title_of(pin: Pin, rests_on: Provenance) -> str:
    """Return a pin's title: as people wrote it, else measure, by what, model, and what of."""
    return pin.title or made(pin.name, rests_on)


def made(name: str, rests_on: Provenance) -> str:
    """Return the title of what its page calls `name`."""
    return " · ".join(filter(None, [_subject(name, rests_on), _models(rests_on), _data(rests_on)]))


def caption_of(rests_on: Provenance) -> str:
    """Return a sentence for below a figure: model, corpus, languages, n."""
    models = listed([f"{name}{_checkpoints(name, list(labels))}" for name, labels in rests_on.models.items()])
    dictionaries = [str(each["name"]) for each in rests_on.corpora if each.get("kind") == "dictionary"]
    others = [str(each["name"]) for each in rests_on.corpora if each.get("kind") != "dictionary"]
    counted = dictionaries if len(dictionaries) <= FEW else [count(len(dictionaries), "dictionary", "dictionaries")]
    corpora = ", ".join([*others, *counted])
    n = f"n = {rests_on.sentences}" if rests_on.sentences else ""
    printed = "numbers as printed" if rests_on.printed else ""
    return " · ".join(filter(None, [models, corpora, _languages(rests_on), n, printed]))


def _checkpoints(name: str, labels: list[str]) -> str:
    if len(labels) > 1:
        return f" ({len(labels)} checkpoints)"
    same = {label.removeprefix("checkpoint-") in name or label.startswith(name) for label in labels}
    return "" if same <= {True} else f" ({labels[0]})"


def _subject(name: str, rests_on: Provenance) -> str:
    """Return a figure's name without what the rest of its title says, metrics by their names."""
    labels = [label for checkpoints in rests_on.models.values() if len(checkpoints) == 1 for label in checkpoints]
    known = [*rests_on.models, *labels, *(str(each["name"]) for each in rests_on.corpora)]
    text = f" {name} "
    for each in sorted(filter(None, known), key=len, reverse=True):
        text = re.sub(rf"(?<=[\s,:−]){re.escape(each)}(?=[\s,:−])", "", text)
    if len(rests_on.languages) <= FEW:
        text = re.sub(rf"(?<=\s)({'|'.join(map(re.escape, rests_on.languages)) or '$'})(?=\s)", "", text)
    text = re.sub(r"\b[a-z0-9]+_[a-z0-9_]+\b", lambda metric: _measure(metric[0]), " ".join(text.split()))
    for pattern, said in SAID:
        text = re.sub(pattern, said, text).strip()
    return text[:1].upper() + text[1:]


def _measure(metric: str) -> str:
    return MEASURES[metric].title.lower() if metric in MEASURES else metric


def _models(rests_on: Provenance) -> str:
    names = list(rests_on.models)
    if len(names) != 1:
        return listed(names) if len(names) <= FEW else count(len(names), "model")
    labels = list(rests_on.models[names[0]])
    told = len(labels) == 1 and re.search(r"(?:^|[^A-Za-z])\d+[KkMB]?$", labels[0])  # a step: others of the model are elsewhere
    return f"{names[0]}, {labels[0]}" if told else names[0]


def _data(rests_on: Provenance) -> str:
    names = [str(each["name"]) for each in rests_on.corpora if each.get("kind") not in ("dictionary", "word alignment")]
    corpora = listed(names) if len(names) <= FEW else f"{names[0]} and {len(names) - 1} more"
    return ", ".join(filter(None, [corpora, _languages(rests_on)])) or ("as printed" if rests_on.printed else "")


def _languages(rests_on: Provenance) -> str:
    tags = rests_on.languages
    return count(len(tags), "language") if len(tags) > FEW else languages(tags).replace(", ", " and ")
