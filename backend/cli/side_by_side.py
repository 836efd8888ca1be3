"""`isogloss relations models`: models by a measure, with ranks, and who can be told from whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from isogloss.backend.cli.measured import Output, better, listed, show, variant
from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.command import split_commas
from isogloss.backend.experiments.named import workspaces
from isogloss.backend.experiments.relations.reading import Question, Reading

if TYPE_CHECKING:
    from isogloss.backend.experiments.relations.catalogue import Available


def models(
    measures: Annotated[list[str], typer.Argument(help="Measures, such as abx_meaning (one of its variants after an @)")],
    languages: Annotated[str, typer.Option(help="Over these alone, separated by commas; of one over its pairs")] = "",
    checkpoint: Annotated[str, typer.Option(help="last (that has scores) or mean")] = "last",
    layer: Annotated[str, typer.Option(help="mean (of all), last, or a number")] = "mean",
    pairs: Annotated[bool, typer.Option(help="Of a measure that has both: pairs, not a language by itself")] = False,
    differences: Annotated[bool, typer.Option(help="Every two models' difference in the (one) measure")] = False,
    seeds: Annotated[bool, typer.Option(help="Models that differ in a seed alone as one")] = True,
    families: Annotated[bool, typer.Option("--families", help="Intervals as if families were drawn, not languages")] = False,
    output: Output = None,
) -> None:
    """Rank models by measures over the languages that all have, with intervals, and letters of those that are alike.

    Example: relations models abx_meaning retrieval_top1 --layer last
    """
    from isogloss.backend.experiments.relations import side_by_side
    from isogloss.backend.experiments.relations.trainings import by_seed

    if checkpoint not in ("last", "mean") or not (layer in ("last", "mean") or layer.isdecimal()):
        raise SpecError(
            f"Models are read at their last or mean checkpoint, at a layer, not at '{checkpoint[:20]}', '{layer[:20]}'."
        )
    if differences and len(measures) > 1:
        raise SpecError("Differences are of one measure: name one.")
    at = {"checkpoint": checkpoint, "layer": int(layer) if layer.isdecimal() else layer}
    readings: dict[str, Reading] = {}
    together: dict[str, str] = {}
    for name in measures:
        of = _measure(name)
        typer.echo(f"{of.metric}: {variant(of)}")
        able, one = by_seed(of.models) if seeds else (of.models, {})
        own = {each.model: of.scored(each) for each in able}
        together |= one
        role = "both" if of.others and (pairs or not of.own) else "itself"
        readings[name] = Reading.model_validate({"of": of.scored(of.models[0]), "models": own, "role": role, **at})
    question, tags = Question(unit="model", readings=readings), split_commas(languages)
    drawn: Literal["languages", "families"] = "families" if families else "languages"
    if differences:
        rows = side_by_side.apart(question, workspaces(), measures[0], tags, together, drawn)
    else:
        good = {name: better(name.partition("@")[0]) for name in readings}
        rows = side_by_side.ranked(question, workspaces(), good, tags, together, drawn)
    show(rows.drop(columns="checkpoint", errors="ignore"), rows, output)


def _measure(named: str) -> Available:
    """Return the variant of a measure that most models have, or the one that is named after an @."""
    name, _, part = named.partition("@")
    able = [each for each in listed() if each.metric == name and each.at("model")]
    if not able:
        known = sorted({each.metric for each in listed() if each.at("model")})
        raise SpecError(f"No two models have scores of '{name[:60]}'. {did_you_mean(name, known)}")
    wanted = [each for each in able if part.casefold() in variant(each).casefold()]
    if not wanted or (len(wanted) > 1 and part):
        options = "; ".join(variant(each) for each in wanted or able)
        raise SpecError(f"'{part[:60]}' names {'none' if not wanted else 'several'} of the variants of {name}: {options}.")
    return max(wanted, key=lambda each: (len(each.models), each.scores))
