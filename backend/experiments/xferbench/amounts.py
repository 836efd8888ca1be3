"""Whether sources and targets have enough text to rank by: said before a run, and beside its scores. Imports no torch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.parallel import library
from isogloss.backend.experiments.sources.rows import FAMILY
from isogloss.backend.experiments.sources.same_texts import same_texts
from isogloss.backend.experiments.sources.source import EmergentSource, TextSource
from isogloss.backend.experiments.sources.work import CHARACTERS_A_TOKEN
from isogloss.backend.experiments.xferbench.spec import EXPERIMENT
from isogloss.backend.store import scores
from isogloss.backend.training.language_model.options import is_released

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.xferbench.spec import XferBenchSpec

REPEATS = 6
"""A source that is repeated more often is learnt by heart: repeated 25 times, even noise falls below its own entropy."""
UPDATES = 400
"""With fewer, tuning ends near the frequencies of single tokens, whatever the source was."""


@dataclass(frozen=True)
class Short:
    """A target whose text has fewer tokens than tuning asks for."""

    tuned: int
    """Tokens of its text."""
    asked: int
    updates: int
    repeated: bool = False
    """Whether it was repeated to fill the budget."""

    @property
    def ranks(self) -> bool:
        """Whether tuning was long enough for scores to tell sources apart, and not by repeating a text until memorised."""
        return self.updates >= UPDATES and not (self.repeated and self.asked > REPEATS * self.tuned)


def cautions(spec: XferBenchSpec, workspaces: Sequence[Path]) -> list[str]:
    """Return a sentence for each reason why the scores of `spec` would not rank its sources; those of texts are estimates."""
    texts = {(entry.id, known.tag): known.characters for entry in library.entries(workspaces) for known in entry.languages}
    return [*_repeated(spec, texts, workspaces), *_short(spec, texts)]


def _repeated(spec: XferBenchSpec, texts: dict[tuple[str, str], int], workspaces: Sequence[Path]) -> list[str]:
    tokens = {entry.id: float(entry.tokens) for entry in emergent_library.entries(workspaces)}
    budget = spec.options(0).pretraining.tokens
    memorised = []
    for source in spec.sources:
        match source:
            case EmergentSource():
                known = tokens.get(source.corpus)
            case TextSource():
                known = texts.get((source.corpus, source.language), 0) / CHARACTERS_A_TOKEN
            case _:
                known = None
        memorised.append((source.label, known or 0.0))
    return _memorised(memorised, budget, "source")


def _memorised(known: Sequence[tuple[str, float]], budget: int, what: str) -> list[str]:
    """Return a sentence on the texts that have so few tokens that they would be learnt by heart."""
    often = [f"{label} ({budget / tokens:,.0f} times)" for label, tokens in known if tokens and budget > REPEATS * tokens]
    if not often:
        return []
    return [
        f"Repeated until memorised, to reach {budget:,} tokens: {', '.join(often)}. Such a score says little; "
        f"take {budget // REPEATS:,} tokens of a {what} or more."
    ]


def _short(spec: XferBenchSpec, texts: dict[tuple[str, str], int]) -> list[str]:
    options = spec.options(0)
    stage, few, refused, repeated = options.tuning, [], [], list[tuple[str, float]]()
    repeats = options.protocol == "printed"
    for target in spec.targets:
        characters = texts.get((target.corpus, target.language))
        if characters is None:
            continue
        seen = 1.0 if is_released(options.protocol) else 1 - options.held_out
        tokens = min(stage.tokens, characters / CHARACTERS_A_TOKEN * seen)
        repeated.append((target.label, tokens))
        updates = stage.steps(math.ceil((stage.tokens if repeats else tokens) / options.architecture.context))
        if is_released(options.text) and tokens < stage.tokens:
            refused.append(f"{target.label} (some {tokens:,.0f})")
        elif updates < UPDATES:
            few.append(f"{target.label} ({updates:,})")
    warnings = _memorised(repeated, stage.tokens, "target") if repeats else []
    if refused:
        warnings.append(f"Refused by the released code, which needs {stage.tokens:,} tokens to tune on: {', '.join(refused)}.")
    if few:
        warnings.append(f"Too short to rank sources, with fewer than some {UPDATES} updates of tuning: {', '.join(few)}.")
    return warnings


def short_targets(variant: str, workspaces: Sequence[Path]) -> dict[str, Short]:
    """Return the targets of a variant that had less text than was asked for, by `<corpus>/<tag>`."""
    short_by_target, same = {}, same_texts(workspaces)
    for file in scores.shards(workspaces, FAMILY):
        told = file.provenance
        if told.get("experiment") != EXPERIMENT or told.get("variant") != variant:
            continue
        tuned, options = told.get("own_tokens", told.get("tuned_tokens")), told.get("options", {})
        stage, context = options.get("tuning", {}), options.get("architecture", {}).get("context")
        if not (isinstance(tuned, int) and isinstance(context, int) and {"tokens", "epochs", "batch"} <= set(stage)):
            continue  # a file that another version wrote
        if tuned < stage["tokens"]:
            trained = told["tuned_tokens"]
            updates = stage["epochs"] * math.ceil(trained / context / stage["batch"])
            text = str(told.get("target"))
            short_by_target[same.get(text, text)] = Short(tuned, stage["tokens"], updates, repeated=trained > tuned)
    return short_by_target


def note(short: Mapping[str, Short], names: Mapping[str, str]) -> str:
    """Write a sentence on the targets among `names` that were short, after a blank; empty where none was."""
    known = {text: short[text] for text in names if text in short}
    if not known:
        return ""
    listed = ", ".join(f"{names[text]} ({each.tuned:,} tokens)" for text, each in known.items())
    first = next(iter(known.values()))  # of one variant: all are repeated, or none
    unranked = [names[text] for text, each in known.items() if not each.ranks]
    why = f"Repeated more than {REPEATS} times or with" if first.repeated else "With"
    rank = f" {why} fewer than {UPDATES} updates they do not rank sources: {', '.join(unranked)}." if unranked else ""
    if first.repeated:
        return f" Repeated to reach the {first.asked:,} tokens asked for: {listed}.{rank}"
    return f" Tuned on less than the {first.asked:,} tokens asked for, not repeated as in the paper: {listed}.{rank}"
