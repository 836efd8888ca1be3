"""`isogloss relations`: what predicts what, by the functions that the page of that name draws from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from isogloss.backend.cli.measured import Output, listed, model_names, show, variant
from isogloss.backend.cli.side_by_side import models
from isogloss.backend.cli.tables import table
from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.command import split_commas
from isogloss.backend.experiments.named import workspaces
from isogloss.backend.experiments.relations.reading import EACH, Along, Question, Reading, Unit
from isogloss.backend.experiments.words import count

if TYPE_CHECKING:
    import pandas as pd

    from isogloss.backend.experiments.relations.catalogue import Available, OfModel

UNITS: tuple[Unit, ...] = ("pair", "language", "layer", "checkpoint")
CHECKPOINTS = ("last", "mean")
CHOOSE = ("lowest", "highest")

Measured = Annotated[str, typer.Argument(help="A measure as `relations measures` lists it, such as abx_language")]
Model = Annotated[str, typer.Option(help="Whose scores: a model's name")]
OneUnit = Annotated[str, typer.Option("--unit", help=f"What one point is: {', '.join(UNITS)}")]
Layer = Annotated[str, typer.Option(help="Of all but the outcome: mean (of all), last, or a number")]
OutcomeLayer = Annotated[str, typer.Option(help="Of the outcome; as --layer by default")]
At = Annotated[str, typer.Option(help="last, mean (of all), or a label")]

app = typer.Typer(
    no_args_is_help=True, help="What predicts what: correlations, regressions, choices by a measure; models ranked."
)
app.command()(models)


@dataclass(frozen=True)
class _Asked:
    """A measure of a model as it is read."""

    name: str
    available: Available
    own: OfModel
    reading: Reading


@dataclass(frozen=True)
class _How:
    """Whose scores are read, and which part of them."""

    model: str
    unit: Unit
    checkpoint: str
    layer: str
    along: Along | None = None

    def read(self, named: str, layer: str = "") -> _Asked:
        """Return a measure, read as the page reads it. Raises `SpecError` where it has no such scores."""
        name, _, part = named.partition("@")
        able = [each for each in listed() if each.metric == name and each.at(self.unit) and each.of(self.model)]
        if not able:
            there = [each for each in listed() if each.at(self.unit) and each.of(self.model)]
            known = sorted({each.metric for each in there})
            raise SpecError(
                f"'{self.model[:60]}' has no scores of '{name[:60]}' by {self.unit}. {did_you_mean(name, known)} "
                "`relations measures` lists all."
            )
        wanted = [each for each in able if part.casefold() in variant(each).casefold()]
        if not wanted or (len(wanted) > 1 and part):
            options = "; ".join(variant(each) for each in wanted or able)
            raise SpecError(f"'{part[:60]}' names {'none' if not wanted else 'several'} of the variants of {name}: {options}.")
        usual = min(wanted, key=lambda each: each.own_scores - each.scores if self.unit == "pair" else -each.own_scores)
        own = usual.of(self.model)
        assert own is not None
        role = "itself" if usual.own and self.unit == "language" else "both"
        at = {"checkpoint": self._checkpoint(own), "layer": self._layer(usual, layer or self.layer), "role": role}
        return _Asked(named, usual, own, Reading.model_validate({"of": usual.scored(own), **at}))

    def question(self, *asked: _Asked) -> Question:
        """Return the question that these measures are read for. Raises `SpecError` for one that is given twice."""
        if len({each.name for each in asked}) < len(asked):
            raise SpecError("A measure is given twice. Leave it out once, or name another variant of it after an @.")
        return Question(unit=self.unit, along=self.along, readings={each.name: each.reading for each in asked})

    def _checkpoint(self, model: OfModel) -> str:
        if not model.series:
            return "mean"
        if len(model.checkpoints) > 1 and "checkpoint" in (self.unit, self.along):
            return EACH
        if self.checkpoint in CHECKPOINTS:
            return self.checkpoint
        if self.checkpoint not in model.labels:
            raise SpecError(f"There is no checkpoint '{self.checkpoint[:60]}'. Choose last, mean, {', '.join(model.labels)}.")
        return model.checkpoints[model.labels.index(self.checkpoint)]

    def _layer(self, measure: Available, layer: str) -> str | int:
        if len(measure.layers) < 2:
            return "mean"
        if "layer" in (self.unit, self.along):
            return EACH
        if layer in ("mean", "last"):
            return layer
        if not layer.isdecimal() or int(layer) not in measure.layers:
            raise SpecError(
                f"There is no layer '{layer[:20]}'. Choose mean, last, or one of {', '.join(map(str, measure.layers))}."
            )
        return int(layer)


@app.command()
def measures(model: Model, unit: OneUnit = "pair") -> None:
    """List the measures that can be read of a model, with their variants (name one after an @, in part: probe_accuracy@NER)."""
    how = _how(model, unit, "last", "mean")
    rows = [(each.metric, variant(each), each.scores) for each in listed() if each.at(how.unit) and each.of(model)]
    if not rows:
        raise SpecError(f"Nothing of '{model[:60]}' can be read by {unit}. {did_you_mean(model, sorted(model_names()))}")
    typer.echo(table(rows, ["measure", "variant", "scores"]))


@app.command()
def correlation(
    x: Measured,
    y: Measured,
    model: Model,
    unit: OneUnit = "pair",
    along: Annotated[str, typer.Option(help="One correlation at each: checkpoint or layer")] = "",
    checkpoint: At = "last",
    layer: Layer = "mean",
    outcome_layer: OutcomeLayer = "",
    fixed: Annotated[str, typer.Option(help="Measures held fixed, separated by commas: partial correlations beside")] = "",
    output: Output = None,
) -> None:
    """Pearson's and Spearman's correlation of two measures; p from permuting languages, which pairs share.

    Example: relations correlation abx_language abx_meaning --model "Demo MLM" --along checkpoint
    """
    from isogloss.backend.experiments.relations import correlations, partials

    how = _how(model, unit, checkpoint, layer, along)
    first, second = how.read(x), how.read(y, outcome_layer)
    others = [how.read(each) for each in split_commas(fixed)]
    question = how.question(first, second, *others)
    _say(first, second, *others)
    if others:
        if how.along:
            raise SpecError("Measures are held fixed over all points: leave out --along, or --fixed.")
        found = partials.beside(question, workspaces(), x, y)
    else:
        found = (correlations.over if how.along else correlations.overall)(question, workspaces(), x, y)
    show(_labelled(found, first, second), found, output)


@app.command()
def regression(
    outcome: Measured,
    predictors: Annotated[list[str], typer.Argument(help="Measures that it is regressed on")],
    model: Model,
    unit: OneUnit = "pair",
    checkpoint: At = "last",
    layer: Layer = "mean",
    outcome_layer: OutcomeLayer = "",
    output: Output = None,
) -> None:
    """Regress one measure on others (table 1 of de Seyssel et al. 2025): coefficients with p, also from permuting languages.

    Example: relations regression probe_accuracy abx_language abx_meaning --model "Demo MLM + translation contrast"
    """
    from isogloss.backend.experiments.relations import regressions

    how = _how(model, unit, checkpoint, layer)
    asked = [how.read(outcome, outcome_layer), *(how.read(each) for each in predictors)]
    _say(*asked)
    fitted = regressions.fit(how.question(*asked), workspaces(), outcome)
    own = fitted.regression
    left = f", {regressions.dropped(own.n, own.left_out, 'row')}" if own.left_out else ""
    typer.echo(f"{outcome}: R² = {own.r2:.3f} (adjusted {own.adjusted_r2:.3f}), {count(own.n, 'row')}{left}")
    show(fitted.frame(), fitted.frame(), output)


@app.command()
def selection(
    guide: Measured,
    outcome: Measured,
    model: Model,
    what: Annotated[str, typer.Option(help="What is chosen: source (a pair's) or checkpoint")] = "source",
    choose: Annotated[str, typer.Option(help=f"By the guide's value that is {' or '.join(CHOOSE)}")] = "lowest",
    checkpoint: At = "last",
    layer: Layer = "mean",
    outcome_layer: OutcomeLayer = "",
    output: Output = None,
) -> None:
    """Choose each target's source language, or each language's checkpoint, by a measure: how good is it by the outcome?

    Appendices K and H of de Seyssel et al. 2025. Example: relations selection abx_language probe_accuracy --model "Demo MLM"
    """
    from isogloss.backend.experiments.registry import MEASURES
    from isogloss.backend.experiments.relations import selections

    if what not in ("source", "checkpoint") or choose not in CHOOSE:
        raise SpecError(f"'{what[:20]}' by '{choose[:20]}' cannot be chosen: source or checkpoint, by lowest or highest.")
    how = _how(model, "pair" if what == "source" else "language", checkpoint, layer)
    by, value = how.read(guide), how.read(outcome, outcome_layer)
    _say(by, value)
    words = MEASURES.get(value.available.metric)
    asked: Any = (by.reading, value.reading, workspaces(), choose, "lower" if words and words.better == "lower" else "higher")
    if what == "source":
        rows, sources = selections.source_table(*asked), selections.by_source(*asked)
        typer.echo(
            f"The best for {sources.is_best} of {sources.targets} targets, among the three best for {sources.among_best}; "
            f"beats {sources.mean:.3f} ± {sources.deviation:.3f} of the others, {sources.random_mean:.3f} ± "
            f"{sources.random_deviation:.3f} of 100 random ones."
        )
    else:
        rows, chosen = selections.checkpoint_table(*asked), selections.by_checkpoint(*asked)
        typer.echo(
            f"Nearer to the best than the last for {chosen.nearer} of {count(chosen.languages, 'language')} ({chosen.same} the "
            f"same); mean difference {chosen.mean:+.3f} ± {chosen.deviation:.3f}, Wilcoxon p = {chosen.p:.3g}."
        )
    show(_labelled(rows, by, value), rows, output)


def _how(model: str, unit: str, checkpoint: str, layer: str, along: str = "") -> _How:
    """Return how measures are read. Raises `SpecError` for a word that is none."""
    units = [each for each in UNITS if each == unit]
    places = [each for each in get_args(Along) if each == along]
    if not units or (along and not places) or (along and unit not in ("pair", "language")):
        raise SpecError(
            f"'{(unit if not units else along)[:20]}' is no unit here. Choose {', '.join(UNITS)}; along checkpoint or layer, "
            "pairs and languages."
        )
    if model not in model_names():
        raise SpecError(f"There are no scores of '{model[:60]}'. {did_you_mean(model, sorted(model_names()))}")
    return _How(model, units[0], checkpoint, layer, places[0] if places else None)


def _say(*asked: _Asked) -> None:
    """Print which of a measure's variants is read, and where."""
    for each in asked:
        checkpoint = dict(zip(each.own.checkpoints, each.own.labels, strict=True)).get(each.reading.checkpoint)
        at = f"checkpoint {checkpoint or each.reading.checkpoint}, layer {each.reading.layer}"
        typer.echo(f"{each.available.metric}: {variant(each.available)}; {at}")


def _labelled(rows: pd.DataFrame, *asked: _Asked) -> pd.DataFrame:
    """Return rows whose checkpoints are called by their labels."""
    labels = {key: label for each in asked for key, label in zip(each.own.checkpoints, each.own.labels, strict=True)}
    columns = [name for name in ("checkpoint", "chosen", "best") if name in rows]
    return rows.assign(**{name: [labels.get(str(each), each) for each in rows[name]] for name in columns})
