"""The baselines that a score is read against, none and Random, asked for as the scores beside them were."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent import recipes
from isogloss.backend.corpora.emergent.recipes import MOST, Recipe
from isogloss.backend.corpora.emergent.reference import LENGTH, VOCABULARY
from isogloss.backend.experiments.sources.rows import FAMILY
from isogloss.backend.experiments.sources.source import NONE, EmergentSource, NoPretraining
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.xferbench.queries import each_seed
from isogloss.backend.experiments.xferbench.spec import XferBenchSpec
from isogloss.backend.metrics import xferbench
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.experiments.sources.groups import Group
    from isogloss.backend.training.language_model.options import LanguageModelOptions

BASELINES: tuple[Group, ...] = ("none", "random")


def lacking(
    variant: str, groups: Mapping[str, Group], texts: Mapping[str, str], workspaces: Sequence[Path]
) -> XferBenchSpec | None:
    """Return the run that adds the baselines that are not among `groups`, those of scored sources, in the same target texts.

    `texts` are the names of saved corpora by `<corpus>/<tag>`. None where nothing is lacking, or scores of this version would
    not stand beside those of the variant.
    """
    wanted = [group for group in BASELINES if group not in groups.values()]
    files = (file.provenance for file in scores.shards(workspaces, FAMILY) if file.provenance.get("variant") == variant)
    told: Mapping[str, Any] = next((dict(each["options"]) for each in files if "options" in each), {})
    if not (wanted and texts and told):
        return None
    preset, options = variant.partition("/")[0], {**told, "seed": 0}
    runs = each_seed(workspaces, variant)
    fields = {
        "sources": [NoPretraining()],
        "targets": [
            {"corpus": corpus, "language": tag, "name": name[:120]}
            for (corpus, _, tag), name in ((text.partition("/"), name) for text, name in texts.items())
        ],
        "preset": preset,
        "protocol": options.get("protocol", "correct"),
        "custom": options if preset == "custom" else None,
        "seeds": sorted({int(seed) for seed in runs[runs["source"].isin(list(groups))]["seed"]}),
    }
    spec = validate(XferBenchSpec, fields)
    if spec.variant.name != variant:
        return None
    sources = tuple(NoPretraining() if group == "none" else random_source(spec.options(0)) for group in wanted)
    return spec.model_copy(update={"sources": sources})


def name_of(baseline: str) -> str:
    """Return what people call the baseline of a key in scores."""
    return "No pre-training" if baseline == NONE else "Random"


def against(values: pd.DataFrame, source: str, baseline: str) -> str:
    """Write how far a score lies from a baseline's on the same targets, with its interval; `values` are `queries.matrix`'s."""
    found = xferbench.contrast(values, {source: 1.0, baseline: -1.0})
    interval = f" [{found.low:+.3f}, {found.high:+.3f}]" if isfinite(found.low) else ""
    over = f"95% over {found.n} targets" if interval else "one target: no interval"
    mean = values.loc[baseline].mean()
    return f"Less {name_of(baseline)} ({mean:.3f}): {found.value:+.3f}{interval} nats per token (below 0 = better; {over})."


def keep_random(spec: XferBenchSpec, workspaces: Sequence[Path]) -> None:
    """Make and keep Random, where it is a source of the spec."""
    recipe = _random(spec.options(0))
    if random_source(spec.options(0)) in spec.sources:
        recipes.make_and_keep(recipe, _name(recipe), workspaces)


def random_source(options: LanguageModelOptions) -> EmergentSource:
    """Return Random as a source: as long as the budget of pre-training, in no more symbols than the model has embeddings."""
    recipe = _random(options)
    return EmergentSource(corpus=_content_id(recipe), name=_name(recipe))


def _random(options: LanguageModelOptions) -> Recipe:
    shape, tokens = options.architecture, min(options.pretraining.tokens, MOST)
    if shape.vocabulary > VOCABULARY and shape.context >= LENGTH:
        return Recipe("random", tokens=tokens)  # the paper's
    return Recipe("random", tokens=tokens, vocabulary=shape.vocabulary // 2, length=shape.context // 2)


def _name(recipe: Recipe) -> str:
    return f"Random, {recipe.tokens / 1e6:g} M"


@lru_cache(maxsize=8)
def _content_id(recipe: Recipe) -> str:
    return emergent_library.content_id(recipes.make(recipe, []))
