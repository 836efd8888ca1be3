"""Runs that bring data into the Library rather than measure: the text of Wikipedia."""

from __future__ import annotations

from isogloss.backend.experiments import words
from isogloss.backend.experiments.family import Experiment, Family
from isogloss.backend.experiments.library import wikipedia
from isogloss.backend.experiments.words import Fields, Names


def title(spec: Fields) -> str:
    """Name the languages whose text is fetched."""
    return f"Text of Wikipedia · {words.languages(spec['languages'])}"


def details(spec: Fields, _names: Names) -> list[str]:
    """List characters a language, dump and revision of a fetch from Wikipedia."""
    return [f"up to {spec['characters']:,} characters each", f"dump {spec['dump']}", f"revision {spec['revision'][:12]}"]


LIBRARY = Family(
    name="library",
    experiments=(
        Experiment(
            wikipedia.WikipediaSpec,
            wikipedia.compute,
            title=title,
            details=details,
            work=wikipedia.work,
            missing=wikipedia.missing,
            piece="language",
        ),
    ),
)
