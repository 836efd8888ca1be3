"""What the tests of emergent-language files share: what was read, what was left out, and rows that are broken."""

from __future__ import annotations

from collections.abc import Callable

from isogloss.backend.corpora.emergent.corpus import EmergentCorpus

Read = Callable[..., EmergentCorpus]
"""What the fixture `reading` is: text or bytes, a file's name and options to the corpus that was read."""


def words(corpus: EmergentCorpus) -> list[list[str]]:
    """Every utterance's symbols."""
    return [corpus.utterance(i) for i in range(corpus.utterances)]


def left(corpus: EmergentCorpus) -> list[tuple[int, str]]:
    """Line and reason of every row left out."""
    return [(row.line, row.reason) for row in corpus.report.skipped]


HUGE = "an id above 2,147,483,647"
BROKEN: list[tuple[str, str]] = [
    ("[1, -7]", "a negative id: -7"),
    ("[2147483648]", f"{HUGE}: 2147483648"),
    (f"[{'9' * 30}]", f"{HUGE}: {'9' * 30}"),
    (f"[{'9' * 5000}]", HUGE),
    ("[]", "an empty utterance"),
    ("[true]", "not an integer: true"),
    ("[1, [2]]", "a nested array"),
    ("[" * 100_000, "nested too deeply"),
    ('[{"a": 1}]', "an object within an array"),
    ("[1.0]", "not an integer: 1.0"),
    ("[1e3]", "not an integer: 1000.0"),
    ("[NaN]", "not an integer: NaN"),
    ("[null]", "not an integer: null"),
    ('["a"]', 'not an integer: "a"'),
    ('"1 2"', "a string, not an array"),
    ('{"a": [1]}', "an object, not an array"),
    ("null", "null, not an array"),
    ("12", "a number, not an array"),
    ("[1, 2", "not JSON: expecting ',' delimiter at character 6"),
    ("[1], [2]", "not JSON: extra data at character 4"),
    ('[1],"ids":[2]', "not JSON: extra data at character 4"),
    ('[1],"other":[2]', "not JSON: extra data at character 4"),
    ('[1]} {"ids":[2]', "not JSON: extra data at character 4"),
    ("[007]", "not JSON: expecting ',' delimiter at character 3"),
    ("1 2 3", "not JSON: extra data at character 3"),
]
"""Rows beside rows of integer arrays, and why each is left out."""
