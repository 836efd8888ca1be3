"""The paper's hypotheses H1 to H4 over one's own sources: each a few comparisons that hold, do not hold or cannot be told.

What is compared and what decides: `docs/definitions.md`, "XferBench". Source: Boldt & Mortensen 2024, section 4.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise, permutations
from typing import Any, Literal

import numpy as np
import pandas as pd

from isogloss.backend.experiments.sources.groups import Group
from isogloss.backend.experiments.words import count
from isogloss.backend.experiments.xferbench.correlations import LEAST, by_setting, join_translation_scores
from isogloss.backend.experiments.xferbench.frames import of_texts, shared_texts
from isogloss.backend.experiments.xferbench.queries import matrix
from isogloss.backend.metrics import xferbench
from isogloss.backend.recipe_mark import in_recipes

Verdict = Literal["holds", "does not hold", "cannot be told"]
HYPOTHESES = {
    "H1": "Human languages score best, then synthetic and emergent ones, then the random baselines.",
    "H2": "Human languages score alike.",
    "H3": "Emergent languages with more symbols, longer messages and a larger corpus score better.",
    "H4": "Scores go with machine translation: the lower the cross-entropy, the higher chrF.",
}
"""What each says, in few words."""
HUMAN: tuple[Group, ...] = ("human",)
MADE: tuple[Group, ...] = ("synthetic", "emergent")
BASELINES: tuple[Group, ...] = ("random", "none")
WORDS = {HUMAN: "human", MADE: "synthetic or emergent", BASELINES: "random or not pre-trained"}
MOST_PAIRS = 60
"""Of emergent languages, of which each is compared by itself."""
NAMED = 3
"""Sources that a sentence names."""


@dataclass(frozen=True)
class Finding:
    """One comparison: below 0 as the hypothesis has it."""

    hypothesis: str
    part: str
    """What is compared, in words."""
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    """Of a 95% interval."""
    n: int = 0
    """Targets; of a correlation, sources."""
    note: str = ""
    """What else there is to know, or why there is no value."""

    @property
    def verdict(self) -> Verdict:
        """Where the interval lies; one that touches 0 tells nothing."""
        if self.high < 0:
            return "holds"
        return "does not hold" if self.low > 0 else "cannot be told"


@in_recipes
def hypotheses(
    cells: pd.DataFrame,
    names: Mapping[str, str],
    groups: Mapping[str, Group],
    sizes: Mapping[str, Sequence[float]],
    translations: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return a row a comparison: hypothesis, part, value, low, high, n, note, verdict (its own) and decided (the hypothesis').

    `cells` are `xferbench_queries.cross_entropies` of one variant, `names` and `groups` those of the sources; a source without
    a group is left out. `sizes` has symbols, length of the longest message and tokens of emergent languages. `translations`
    are `translation_queries.translations`. Values are nats a token (H4: Pearson's correlation), over the targets that all have.
    """
    of_sources = cells[cells["source"].isin(set(groups))]
    of_sources = of_texts(of_sources, shared_texts(of_sources)) if len(of_sources) else of_sources
    frame = matrix(of_sources)
    parts = [
        *_order(frame, names, groups),
        _alike(frame, names, groups),
        _size(frame, {source: sizes[source] for source in frame.index if groups[source] == "emergent" and source in sizes}),
        *_translation(of_sources, names, groups, translations),
    ]
    decided = {name: decide([part for part in parts if part.hypothesis == name]) for name in HYPOTHESES}
    rows = [asdict(part) | {"verdict": part.verdict, "decided": decided[part.hypothesis]} for part in parts]
    return pd.DataFrame(rows)


def sentence(part: Mapping[str, Any]) -> str:
    """Write a row of `hypotheses` as evidence: what is compared, its value with the interval, over how many, and the note."""
    if np.isnan(part["value"]):
        return f"{part['part']}: {part['note']}"
    of_sources = part["hypothesis"] == "H4"
    value, low, high = (
        f"{part[name]:{'+.2f' if of_sources else '+.3f'}}".replace("-", "−") for name in ("value", "low", "high")
    )
    interval = "" if np.isnan(part["low"]) else f" (95% {low} to {high})"
    unit, over = ("", count(part["n"], "source")) if of_sources else (" nats", count(part["n"], "target"))
    return f"{part['part']}: {value}{unit}{interval}, {over}. {part['note']}".rstrip()


def decide(parts: Sequence[Finding]) -> Verdict:
    """Return what comes of the parts: all must hold, and one that does not is enough."""
    found = {part.verdict for part in parts}
    return "does not hold" if "does not hold" in found else "holds" if found == {"holds"} else "cannot be told"


def _of(frame: pd.DataFrame, groups: Mapping[str, Group], kinds: tuple[Group, ...]) -> list[str]:
    return [source for source in frame.index if groups[source] in kinds]


def _less(better: Sequence[str], worse: Sequence[str], share: float = 1.0) -> dict[str, float]:
    """Return the weights of the mean of some sources less that of others."""
    return dict.fromkeys(better, share / len(better)) | dict.fromkeys(worse, -share / len(worse))


def _compared(frame: pd.DataFrame, hypothesis: str, part: str, weights: Mapping[str, float], note: str = "") -> Finding:
    found = xferbench.contrast(frame, weights)
    if found.n < 2:
        note = f"{count(found.n, 'target')} that all these sources have: an interval needs two. {note}".rstrip()
    return Finding(hypothesis, part, *found, note)


def _order(frame: pd.DataFrame, names: Mapping[str, str], groups: Mapping[str, Group]) -> list[Finding]:
    """H1: each group against the next, each the mean of its sources."""
    parts, scores = [], frame.mean(axis=1)
    for first, second in ((HUMAN, MADE), (MADE, BASELINES)):
        better, worse = _of(frame, groups, first), _of(frame, groups, second)
        part = f"{WORDS[first].capitalize()} − {WORDS[second]}"
        if not better or not worse:
            parts.append(Finding("H1", part, note=f"No source is {WORDS[second if better else first]}."))
            continue
        odd = [names[a] for a in worse if scores[a] <= max(scores[b] for b in better)]
        odd_words = f"{', '.join(odd[:NAMED])}{f' and {len(odd) - NAMED} more' if len(odd) > NAMED else ''}"
        note = f"Not behind every {WORDS[first]} source: {odd_words}." if odd else "No single source is out of this order."
        parts.append(_compared(frame, "H1", part, _less(better, worse), note))
    return parts


def _alike(frame: pd.DataFrame, names: Mapping[str, str], groups: Mapping[str, Group]) -> Finding:
    """H2: from the best human source to the worst is less than from human sources to the next group."""
    human = _of(frame, groups, HUMAN)
    part = "Best to worst human − human to the next group"
    others = next((own for kinds in (MADE, BASELINES) if (own := _of(frame, groups, kinds))), [])
    if len(human) < 2 or not others:
        return Finding(
            "H2", part, note="It takes two human sources." if len(human) < 2 else "It takes a source that is not human."
        )
    ranked = [str(source) for source in frame.loc[human].mean(axis=1).sort_values(kind="stable").index]
    apart = sum(xferbench.contrast(frame, _less([a], [b])).high < 0 for a, b in pairwise(ranked))
    note = (
        f"Best {names[ranked[0]]}, worst {names[ranked[-1]]}; of {len(ranked) - 1} neighbours in rank {apart} are told apart."
    )
    weights = _less(human, others)
    for source, sign in ((ranked[-1], 1), (ranked[0], -1)):
        weights[source] += sign
    return _compared(frame, "H2", part, weights, note)


def _size(frame: pd.DataFrame, sizes: Mapping[str, Sequence[float]]) -> Finding:
    """H3: over the pairs of emergent languages of which one is larger in all three."""
    part = "Larger − smaller language"
    pairs = [(a, b) for a, b in permutations(sizes, 2) if all(x > y for x, y in zip(sizes[a], sizes[b], strict=True))]
    if not pairs:
        return Finding("H3", part, note="No emergent language exceeds another in symbols, length of messages and tokens alike.")
    weights: dict[str, float] = {}
    for larger, smaller in pairs:
        weights[larger] = weights.get(larger, 0.0) + 1 / len(pairs)
        weights[smaller] = weights.get(smaller, 0.0) - 1 / len(pairs)
    scores = frame.mean(axis=1)
    better = sum(scores[larger] < scores[smaller] for larger, smaller in pairs)
    told = ""
    if len(pairs) <= MOST_PAIRS:
        apart = sum(xferbench.contrast(frame, _less([larger], [smaller])).high < 0 for larger, smaller in pairs)
        told = f", which in {apart} an interval tells"
    return _compared(frame, "H3", part, weights, f"In {better} of {count(len(pairs), 'pair')} the larger scores better{told}.")


def _translation(
    cells: pd.DataFrame, names: Mapping[str, str], groups: Mapping[str, Group], translations: pd.DataFrame | None
) -> list[Finding]:
    """H4: the correlation of score and chrF, setting by setting."""
    part = "Correlation of score and chrF"
    if translations is None or cells.empty:
        return [Finding("H4", part, note="No translation scores of these sources.")]
    own = translations[translations["source"].isin(set(cells["source"]))]
    own = own.assign(metric=own["metric"].str.lower())  # which the paper's tables write chrF
    found = by_setting(join_translation_scores(own, cells, names, groups, "chrf"))
    parts = [Finding("H4", f"{part}, {setting}", each.value, each.low, each.high, each.n) for setting, each in found.items()]
    lacking = f"Fewer than {LEAST} sources have both."
    return [each if each.n >= LEAST else Finding("H4", each.part, n=each.n, note=lacking) for each in parts] or [
        Finding("H4", part, note=lacking)
    ]
