"""Models side by side: every measure of each over the languages that all have, with ranks, and who can be told from whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.relations import rows as of_rows
from isogloss.backend.experiments.relations import side_by_side
from isogloss.backend.experiments.relations.reading import LAST, MEAN, Question, Role
from isogloss.backend.experiments.relations.side_by_side import Drawn
from isogloss.backend.experiments.relations.trainings import by_seed
from isogloss.backend.experiments.words import count
from isogloss.backend.figures import side_by_side as figures
from isogloss.pages.relations import cards
from isogloss.pages.relations.beside import labelled
from isogloss.pages.relations.selection import ROLES, Picked, Selection
from isogloss.pages.relations.views.scatter import within
from isogloss.pages.shared import answers
from isogloss.pages.widgets.choosing import more, spoken
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

SHOWN = ("Ranks", "Differences")
SEEDS = ("Together", "Apart")
DRAWN: dict[Drawn, str] = {"languages": "Languages", "families": "Families"}
OF_FAMILIES: dict[Drawn, str] = {"languages": "", "families": " Intervals and ranks as if families were drawn, six at least."}
DRAWN_HELP = (
    "What is taken as drawn. Languages: each by itself, too narrow where relatives are alike. "
    "Families: all of one together, six at least."
)
FIRST = 2
"""Other measures at first."""
ROW, HEADS, LISTED = 35, 2, 14
"""Pixels of a row of the table, its rows of names, and rows in sight at most."""
ARROWS = {"higher": " ↑", "lower": " ↓"}
OVER = {
    "languages": "Mean over {}",
    "pairs": "Mean over the pairs of {}",
    "others": "Mean over {}, each paired with the same others,",
}
COLUMNS = {
    "95%": "Interval of the mean over other languages like these.",
    "Rank": "1 is the best.",
    "Rank, 95%": "The best and the worst rank that the model may have. All of these hold at once.",
    "Alike": "Models that share a letter cannot be told apart.",
    "Seeds, SD": "How many seeds, and the standard deviation between them, in the measure's unit.",
}
"""What a column says of itself under the pointer."""
INTERVAL = 115
"""Pixels of an interval's column, which a browser makes too narrow under the long name of a measure."""
LAYERS = {"mean": "mean of layers", "last": "last layer"}


@dataclass(frozen=True)
class Asked:
    """What is set side by side: measures by their columns' names, the first of which ranks."""

    picked: Mapping[str, Picked]
    titles: Mapping[str, str]
    languages: tuple[str, ...]
    seeds: Mapping[str, str]
    """By the name of a model what it is a seed of; empty where seeds stand apart."""
    drawn: Drawn
    """What intervals take as drawn."""

    @property
    def first(self) -> str:
        """The measure that models are ranked by."""
        return next(iter(self.picked))

    def recipe(self, function: Callable[..., Any], *steps: partial[Any], **more: Any) -> Recipe:
        """Return the recipe of what a function of `side_by_side` answers."""
        question = Question(unit="model", readings={name: each.reading for name, each in self.picked.items()})
        return answers.recipe(
            function, *steps, question=question, languages=self.languages, seeds=self.seeds, drawn=self.drawn, **more
        )


def draw(selection: Selection) -> None:
    """Draw a table of measures with the ranks by one of them, or every two models' differences in it."""
    of_models = replace(selection, unit="model", along=None)
    named = _measures(of_models)
    if not named:
        st.info("Two models with scores of one measure are set side by side: measure a second.", icon=":material/join_inner:")
        return
    # Two rows from the beginning: what comes last would wrap one, and move all below it.
    above, below = (st.container(horizontal=True, vertical_alignment="bottom") for _ in range(2))
    with above:
        show = segments("Show", SHOWN, "side_by_side", shows_label=False)
        labels = _measured(named, alone=show != SHOWN[0])
    with below:
        asked = _asked(selection, of_models, named, labels)
    better = {name: each.choice.words.better for name, each in asked.picked.items()}
    labelled_rows = partial(of_rows.with_names, labels=_labels([*asked.picked.values()]))
    recipe = asked.recipe(side_by_side.ranked, labelled_rows, better=better)
    data = cooked.rows(recipe)
    st.caption(verbatim(_told(selection, data, asked.picked) + OF_FAMILIES[asked.drawn]))
    first, axis = asked.titles[asked.first], asked.picked[asked.first].axis
    if show == SHOWN[0]:
        _table(data, asked, better)
        figure.beside(name="Models side by side", data=data, card=cards.MODELS, recipe=recipe)
        title = f"Models by {within(first)}"
        drawn = partial(figures.ranks, measure=asked.first, value_title=axis, title=title)
        only = recipe.then(partial(rows_with, measure=[asked.first]))
        figure.draw(only.with_chart(drawn), name=title, card=cards.MODELS, alt=title)
    else:
        title = f"{first}: row less column"
        drawn = partial(figures.differences, value_title=axis, title=title)
        apart = asked.recipe(side_by_side.apart, measure=asked.first)
        figure.draw(apart.with_chart(drawn), name=f"Differences of models in {within(first)}", card=cards.MODELS, alt=title)


def _measured(named: Mapping[str, Picked], *, alone: bool) -> list[str]:
    """Draw the choice of measures, and return their labels; `alone`: of the one that ranks."""
    usual = _usual(named)
    first = select("Ranked by", [*usual, *(label for label in named if label not in usual)], "ranked_by", width=280)
    return [first] if alone else [first, *_others(usual, named, first)]


def _asked(selection: Selection, of_models: Selection, named: Mapping[str, Picked], labels: Sequence[str]) -> Asked:
    """Draw what measures of these labels are read of."""
    role = _role([named[label] for label in labels])
    with more.view_options():
        seeds = _seeds([named[label] for label in labels])
        drawn: Drawn = segments("Intervals over", DRAWN, "drawn", help_=DRAWN_HELP)
    picked = [_read(selection, named[label], role, apart=bool(seeds)) for label in labels]
    names = of_models.names(*picked)
    asked = Asked(dict(zip(names, picked, strict=True)), dict(zip(names, labels, strict=True)), (), seeds, drawn)
    return replace(asked, languages=_languages(asked))


def _measures(of_models: Selection) -> dict[str, Picked]:
    """Return what several models have, by its label: outcome and predictor first."""
    axes = [of_models.y.choice, of_models.x.choice]
    choices = [*(each for each in axes if each in of_models.choices), *(each for each in of_models.choices if each not in axes)]
    return {label: each for choice in choices if not choice.given for label, each in labelled(of_models, choice)}


def _usual(named: Mapping[str, Picked]) -> list[str]:
    """Return one variant of each measure: that of most models, of those the first."""
    first: dict[str, str] = {}
    for label, each in named.items():
        before = first.get(each.choice.label)
        if before is None or len(each.reading.models) > len(named[before].reading.models):
            first[each.choice.label] = label
    return list(first.values())


def _others(usual: Sequence[str], named: Mapping[str, Picked], first: str) -> list[str]:
    """Draw the choice of measures beside the first."""
    others = [label for label in named if label != first]
    at_first = [label for label in usual if label != first][:FIRST]
    with st.popover("Beside it", icon=":material/checklist:"):
        chosen = st.multiselect("Measures", others, at_first, key="beside_it", bind="query-params")
    return list(chosen)


def _role(chosen: Sequence[Picked]) -> Role | None:
    """Draw the choice of a language by itself or its pairs, where a measure has both."""
    if not any(each.choice.variants[0].own and each.choice.variants[0].others for each in chosen):
        return None
    roles: tuple[Role, ...] = ("itself", "both")
    return select("Mean over", roles, "models_role", width=190, named=ROLES.__getitem__)


def _seeds(chosen: Sequence[Picked]) -> dict[str, str]:
    """Draw the choice of seeds together or apart, where there are several of a model: by name what each is a seed of."""
    found = {name: model for each in chosen for name, model in by_seed(each.choice.variants[0].models)[1].items()}
    shown = bool(found) and segments("Seeds of a model", SEEDS, "seeds") == SEEDS[0]
    return found if shown else {}


def _read(selection: Selection, picked: Picked, role: Role | None, *, apart: bool) -> Picked:
    """Return a measure at the checkpoint and layer that the predictor is read at, where these are general.

    `apart`: seeds among a model's checkpoints are models.
    """
    variant = picked.choice.variants[0]
    checkpoint = MEAN if selection.x.reading.checkpoint == MEAN or picked.reading.checkpoint == MEAN else LAST
    layer = picked.reading.layer if picked.reading.layer != "each" else MEAN
    role = role if role and variant.own and variant.others else picked.reading.role
    models = by_seed(variant.models)[0] if apart else variant.models
    read = {each.model: variant.scored(each) for each in models}
    return picked.read(checkpoint=checkpoint, layer=layer, role=role, models=read)


def _languages(asked: Asked) -> tuple[str, ...]:
    """Draw the choice of languages; none means all."""
    question = Question(unit="model", readings={name: each.reading for name, each in asked.picked.items()})
    tags = [tag for tag in answers.asked(side_by_side.languages_of, question=question) if _is_language(tag)]
    if len(tags) < 2:
        return ()
    chosen = spoken.some("Languages", tags, key="models_languages", of=",".join(tags), place="Relations")
    return () if len(chosen) == len(tags) else chosen


def _is_language(tag: str) -> bool:
    try:
        language(tag)
    except CorpusError:
        return False
    return True


def _labels(picked: list[Picked]) -> dict[str, str]:
    return {
        key: label
        for each in picked
        for own in each.choice.variants[0].models
        for key, label in zip(own.checkpoints, own.labels, strict=True)
    }


def _told(selection: Selection, data: pd.DataFrame, picked: Mapping[str, Picked]) -> str:
    """Say what values are means of, and where they are read."""
    over: dict[str, list[str]] = {}
    for name, each in picked.items():
        own = data[(data["measure"] == name) & (data["n"] > 0)]
        of = OVER[own["over"].iloc[0]].format(count(int(own["n"].iloc[0]), "language")) if len(own) else "No language"
        over.setdefault(of, []).append(each.axis)
    checkpoint = "mean of checkpoints" if selection.x.reading.checkpoint == MEAN else "last checkpoint"
    layers = {str(each.reading.layer) for each in picked.values() if each.has_layers}
    layer = "".join(f", {LAYERS[each]}" if each in LAYERS else f", layer {each}" for each in sorted(layers))
    means = " ".join(f"{of} that all models have: {'; '.join(axes)}." for of, axes in over.items())
    return f"{means} Each model's {checkpoint}{layer}."


def _table(data: pd.DataFrame, asked: Asked, better: Mapping[str, str]) -> None:
    """Draw a row a model, and for each measure its value, rank and group; a click on a column's name sorts.

    Where models have several checkpoints it says which one is read.
    """
    order = list(dict.fromkeys(data["model"]))
    columns: dict[tuple[str, str], Any] = {}
    if any(len(own.checkpoints) > 1 for each in asked.picked.values() for own in each.choice.variants[0].models):
        columns["", "Checkpoint"] = [" / ".join(dict.fromkeys(filter(None, labels))) for labels in _by_model(data, order)]
    for name, title in asked.titles.items():
        own = data[data["measure"] == name].set_index("model").reindex(order)
        head = f"{title}{ARROWS.get(better[name], '')}"
        columns[head, "Mean"] = own["value"].to_numpy()
        columns[head, "95%"] = [_ends(low, high, ".3f") for low, high in zip(own["low"], own["high"], strict=True)]
        columns[head, "Rank"] = own["rank"].to_numpy()
        columns[head, "Rank, 95%"] = [
            _ends(low, high, ".0f") for low, high in zip(own["rank_low"], own["rank_high"], strict=True)
        ]
        columns[head, "Alike"] = own["group"].fillna("").to_numpy()
        if (own["seeds"] > 1).any():
            columns[head, "Seeds, SD"] = [
                f"{seeds:.0f}, {spread:.3f}" if seeds > 1 else ""
                for seeds, spread in zip(own["seeds"], own["seed_deviation"], strict=True)
            ]
    form: dict[Any, Any] = {
        place: st.column_config.NumberColumn(format="%.3f")
        if what == "Mean"
        else st.column_config.Column(help=COLUMNS.get(what), width=INTERVAL if what == "95%" else None)
        for place, (_, what) in enumerate(columns, 1)  # 0 is the model's
    }
    frame = pd.DataFrame(columns, index=pd.Index(order, name="Model"))
    tall = ROW * min(HEADS + len(frame), LISTED) + 3
    with st.container(height=tall, border=False, key="models-room"):  # there before the table, as a figure's
        st.dataframe(frame, height=tall, column_config=form, placeholder="–", key="models", alt="Models side by side")


def _by_model(data: pd.DataFrame, order: Sequence[str]) -> list[list[str]]:
    names = data.groupby("model")["checkpoint_name"].agg(list)
    return [names[model] for model in order]


def _ends(low: float, high: float, form: str) -> str:
    return f"{low:{form}} – {high:{form}}".replace("-", "−") if low == low and high == high else ""
