"""What a link calls models and data: the name, to be read, and the beginning of the content's id, to be found by.

`Demo sentences~1f2e3d4c` is the corpus of that content, whatever it is called where the link is opened. A name alone, as older
links have it, means what is called so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from pathlib import Path

from isogloss.backend.corpora.covariates import library as covariates
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.emergent import library as emergent
from isogloss.backend.corpora.parallel import library as parallel
from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.word_alignments import library as word_alignments
from isogloss.backend.files import digest
from isogloss.backend.models.entry import Model
from isogloss.backend.models.library import library as models
from isogloss.backend.store import told_apart
from isogloss.pages.widgets.choosing.selecting import unique_names

SHOWN = 8
"""Hex digits of an id that a link writes."""
REFERENCE = re.compile(rf"(?s)(.*)~([0-9a-f]{{{SHOWN}}})")
LONGEST = 80
"""Characters of a name that a sentence repeats."""


@dataclass(frozen=True)
class Named:
    """One thing that a control can choose."""

    label: str
    """What the control calls it."""
    id: str
    formerly: tuple[str, ...] = ()
    """What it called it before it was renamed."""

    def called(self, words: str) -> Named:
        """Return the same where the control says it in these words: `{}, random labels`."""
        return Named(words.format(self.label), self.id, tuple(map(words.format, self.formerly)))


@dataclass(frozen=True)
class Lacking:
    """What a link asks for and the workspace lacks."""

    kind: str
    name: str
    id: str | None
    """As far as the link says it; None where it has a name alone."""


@dataclass(frozen=True)
class Unknown:
    """What a link asks of a control that the control does not know, and what it stands at instead."""

    key: str
    text: str
    taken: tuple[str, ...]


Shelf = Callable[[Sequence[Path]], list[Named]]
EMPTIABLE = ("model", "languages", "corpora", "dictionaries", "corruption", "mt_settings", "train_algorithm")
EMPTIABLE_BEGIN = ("bench_from_", "bench_to_", "mt_human_", "train_rate_")
"""Multiple choices of which something is chosen at first: a link in which they are empty says that nothing was."""


def _models(workspaces: Sequence[Path]) -> list[Named]:
    return [Named(model.name, model_id(model), model.formerly) for model in models.entries(workspaces)]


def _checkpoints(workspaces: Sequence[Path]) -> list[Named]:
    every = models.entries(workspaces)
    return [Named(each.label, each.fingerprint) for model in every for each in model.checkpoints]


def _of_models(workspaces: Sequence[Path]) -> list[Named]:
    every = models.entries(workspaces)
    return [Named(f"{model.name} · {each.label}", each.fingerprint) for model in every for each in model.checkpoints]


def _kept(*shelves: object) -> Shelf:
    def entries(workspaces: Sequence[Path]) -> list[Named]:
        found = [unique_names(shelf.entries(workspaces)) for shelf in shelves]  # type: ignore[attr-defined]
        return [Named(name, entry.id, entry.formerly) for each in found for name, entry in each.items()]

    return entries


def _data(workspaces: Sequence[Path]) -> list[Named]:
    """What is trained on: labelled and tagged text, and parallel corpora with labels drawn at random."""
    drawn = [each.called("{}, random labels") for each in _kept(parallel.KIND)(workspaces)]
    return _kept(tasks.KIND, tagged.KIND)(workspaces) + drawn


def _word_sources(workspaces: Sequence[Path]) -> list[Named]:
    aligned = _kept(word_alignments.KIND)(workspaces)
    return _kept(dictionaries.KIND)(workspaces) + [each.called("{} (alignment)") for each in aligned]


def _measures(workspaces: Sequence[Path]) -> list[Named]:
    """The measures of Relations that people brought: columns of tables, by the table's content and the column."""
    from isogloss.pages.shared.relation_measures import column_choices

    return [
        Named(label, digest([entry.id, column, end]))
        for entry in covariates.entries(workspaces)
        for label, column, end in column_choices(entry)
    ]


def _variants(_workspaces: Sequence[Path]) -> list[Named]:
    """The variants of Relations' measures, whose names hold those of corpora: of the workspaces in force.

    Of what paired words first, and of what says more than variants once did, links know the variant that it was then.
    """
    from isogloss.pages.shared.relation_measures import collect

    workshop = collect()
    every = [each for choice in workshop.choices for each in choice.variants]
    now = [(each, [each.variant, each.corpus, *((each.dictionaries or ()) if each.later else ())]) for each in every]
    then = [(each, [told_apart.without_more(each.variant or ""), each.corpus]) for each in every if not each.later]
    return list({Named(workshop.variant_name(each), digest(of)): None for each, of in now + then})


KINDS: dict[str, tuple[str, Shelf]] = {
    **dict.fromkeys(("model", "pair_model", "at_model", "compare_model", "x_model", "y_model"), ("model", _models)),
    **dict.fromkeys(("checkpoints", "pair_checkpoint", "at_checkpoint"), ("checkpoint", _checkpoints)),
    **dict.fromkeys((f"{each}_checkpoint" for each in ("x", "y", "x_each", "y_each")), ("checkpoint", _checkpoints)),
    **dict.fromkeys(("first", "second"), ("checkpoint", _of_models)),
    **dict.fromkeys(("corpus", "other_corpus"), ("corpus", _kept(parallel.KIND))),
    **dict.fromkeys(("bench_text", "bench_target_text", "mt_text", "mt_human_text"), ("corpus", _kept(parallel.KIND))),
    "make_text": ("corpus", _kept(parallel.KIND)),
    **dict.fromkeys(("data", "on"), ("data set", _data)),
    "train_extra": ("data set", _kept(tasks.KIND)),
    **dict.fromkeys(("corpora", "make_of"), ("emergent corpus", _kept(emergent.KIND))),
    **dict.fromkeys(("x", "y", "predictors"), ("measure", _measures)),
    **dict.fromkeys(("x_variant", "y_variant"), ("variant", _variants)),
    **dict.fromkeys(("lens_model", "trend_model", "word_model"), ("model", _models)),
    **dict.fromkeys(("lens_checkpoint", "word_checkpoint"), ("checkpoint", _checkpoints)),
    "dictionaries": ("dictionary", _kept(dictionaries.KIND)),
    "gold": ("word alignment", _kept(word_alignments.KIND)),
    "beside": ("word alignment", _kept(word_alignments.KIND)),
}
"""The kind of what a control chooses, by the control's key, and where such things are kept."""
UNNAMED = ("checkpoint", "measure", "variant")
"""Kinds of what nobody renames."""
DICTIONARY = ("dictionary", _word_sources)
"""Of every control of a pair's dictionary."""


def kind_of(key: str) -> tuple[str, Shelf] | None:
    """Return the kind of what the control `key` chooses, and where it is kept; None where that is no model or data."""
    return DICTIONARY if key.startswith("dictionary_") else KINDS.get(key)


def model_id(model: Model) -> str:
    """Return the id of a model's content: of its checkpoints' weights and what they are called."""
    return digest([[each.fingerprint, each.label] for each in model.checkpoints])


def written(shown: Mapping[str, Sequence[str]], workspaces: Sequence[Path]) -> dict[str, list[str]]:
    """Return the parameters of a view with every model and data set named with its id, where the workspace knows it."""
    parameters: dict[str, list[str]] = {}
    for key, texts in shown.items():
        kind = kind_of(key) if texts else None
        ids = _ids(kind[1](workspaces), _chosen(shown, key, workspaces)) if kind else {}
        parameters[key] = [f"{text}~{ids[text][:SHOWN]}" if text in ids else text for text in texts]
    return parameters


def resolved(asked: Mapping[str, Sequence[str]], workspaces: Sequence[Path]) -> tuple[dict[str, list[str]], list[Lacking]]:
    """Return the parameters by the names that this workspace has for what a link means, and what of it has no name here.

    A name that a thing had before it was renamed means it, where nothing else has the name now.
    What is empty is left out, but for multiple choices that were emptied: Streamlit lets it empty even those controls that
    always have a choice. A name without an id is
    left to its control, which may know it: scores outlive the data that they are of (`not_taken` tells).
    """
    parameters: dict[str, list[str]] = {}
    lacking: list[Lacking] = []
    for key, texts in asked.items():
        if not any(texts) or any(map(_is_infinite, texts)):
            if not any(texts) and (key in EMPTIABLE or key.startswith(EMPTIABLE_BEGIN)):
                parameters[key] = [""]
            continue  # any other control starts as it does without a link
        kind = kind_of(key)
        if kind is None or (kind[0] in UNNAMED and not any(map(REFERENCE.fullmatch, texts))):
            parameters[key] = list(texts)
            continue
        named = kind[1](workspaces)
        read = [(text, _label(text, named)) for text in texts]
        lacking += [_lacks(kind[0], text) for text, label in read if label is None]
        if labels := [label for _, label in read if label is not None]:
            parameters[key] = labels
    return parameters, list(dict.fromkeys(lacking))


def not_taken(asked: Mapping[str, Sequence[str]], shown: Mapping[str, Sequence[str]]) -> list[Lacking]:
    """Return the names that a link asks for and that the controls which are shown did not take."""
    kinds = {key: kind[0] for key in asked if key in shown and (kind := kind_of(key))}
    return [Lacking(kind, text, None) for key, kind in kinds.items() for text in asked[key] if text and text not in shown[key]]


def not_known(asked: Mapping[str, Sequence[str]], shown: Mapping[str, Sequence[str]]) -> list[Unknown]:
    """Return what a link asks for of views, choices and numbers, and the controls that are shown did not take."""
    mine = [key for key in asked if key in shown and kind_of(key) is None]
    vain = [(key, text) for key in mine for text in asked[key] if text and not any(_is_same(text, each) for each in shown[key])]
    return [Unknown(key, text, tuple(shown[key])) for key, text in vain]


def _is_same(text: str, taken: str) -> bool:
    """Return whether a control's text is what the link says: of numbers the number, of switches either spelling."""
    try:
        return text.casefold() == taken.casefold() or float(text) == float(taken)
    except ValueError:
        return False


def unknown_sentence(unknown: Sequence[Unknown]) -> str:
    """Say in one sentence what a link asks of controls in vain."""
    listed = [
        f"{each.key.replace('_', ' ')} “{_short(each.text)}” (instead: {_short(', '.join(each.taken)) or 'nothing'})"
        for each in unknown[:3]
    ]
    more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
    return f"The link asks for what is not known here: {', '.join(listed)}{more}."


def sentence(lacking: Sequence[Lacking]) -> str:
    """Say in one sentence what a link asks for that is not here."""
    listed = [f"the {each.kind} “{_short(each.name)}”" + (f" (id {each.id})" if each.id else "") for each in lacking[:3]]
    more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
    them = " and ".join(listed) if len(listed) < 3 else ", ".join(listed)
    return f"The link asks for {them}{more}, which this workspace lacks: add it in the Library; the rest is shown."


def _is_infinite(text: str) -> bool:
    """Return whether a box of whole numbers fails on a text (`1e999`), which Streamlit does not look for."""
    try:
        return isinf(float(text))
    except ValueError:
        return False


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def _lacks(kind: str, text: str) -> Lacking:
    match = REFERENCE.fullmatch(text)
    return Lacking(kind, match[1], match[2]) if match else Lacking(kind, text, None)


def _label(text: str, named: Iterable[Named]) -> str | None:
    """Return what a control calls the thing that a link means; None where nothing has the id that it gives."""
    every = list(named)
    match = REFERENCE.fullmatch(text)
    if any(each.label == text for each in every):
        return text
    if not match:
        return next((each.label for each in every if text in each.formerly), text)
    meant = [each.label for each in every if each.id.startswith(match[2])]
    return match[1] if match[1] in meant else next(iter(meant), None)


def _ids(named: Sequence[Named], first: Sequence[str]) -> dict[str, str]:
    """Label → id. Where two have a label (checkpoints of two models), the one among the ids `first`, else the first."""
    found: dict[str, str] = {}
    for each in sorted(named, key=lambda one: one.id not in first):
        found.setdefault(each.label, each.id)
    return found


def _chosen(shown: Mapping[str, Sequence[str]], key: str, workspaces: Sequence[Path]) -> list[str]:
    """Return the fingerprints of the model that a control of checkpoints stands beside."""
    if not key.endswith(("checkpoint", "checkpoints")):
        return []
    beside = shown.get(key.removesuffix("checkpoint").removesuffix("each_") + "model") or shown.get("model", ())
    return [each.fingerprint for model in models.entries(workspaces) if model.name in beside for each in model.checkpoints]
