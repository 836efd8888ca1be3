"""Emergent languages: their games in words, the command that plays one, and their page."""

from __future__ import annotations

from backend.experiments import words
from backend.experiments.emergent.game import price, shard
from backend.experiments.family import Experiment, Family, Menu
from backend.experiments.words import Fields, Names


def rules(options: Fields) -> list[str]:
    """What a signalling game is about, in which symbols, how long at most."""
    found = [options["game"], f"{options['values']} values of {words.count(options['attributes'], 'attribute')}"]
    found += [words.count(options["distractors"], "distractor")] if options["game"] == "discrimination" else []
    found += [words.count(options["examples"], "example")] if options.get("examples") else []
    length = f"up to {options['length']}" if options["end_of_sequence"] else str(options["length"])
    kept = " and its end" if options.get("keep_end") else ""
    found += [f"{options['vocabulary']} symbols, {length} a message{kept}", f"up to {words.count(options['epochs'], 'epoch')}"]
    return [*found, f"seed {options['seed']}"]


def title(spec: Fields) -> str:
    """Name the language that is grown."""
    return f"Language from a signalling game · {spec['name']}"


def details(spec: Fields, _names: Names) -> list[str]:
    """List the rules of the game played."""
    return rules(spec["options"])


EMERGENT = Family(
    name="emergent",
    menu=Menu("Emergent", ":material/psychology_alt:", "emergent languages"),
    experiments=(
        Experiment(
            shard.LanguageGameSpec,
            shard.compute,
            title=title,
            details=details,
            price=price.language_game,
            piece=None,
            outcome=shard.outcome,
        ),
    ),
    commands={"game": "backend.experiments.emergent.command:game"},
)
