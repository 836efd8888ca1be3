"""No regular expression that meets a file's text takes more than a multiple of its length: the steps of matching are counted.

Python's own engine counts nothing, so a slow one that goes back as it does counts here.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
import sys
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend import corpora

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Then = Callable[[int], bool]

NAMES_OF_FILES = {"ENDING", "PAIR", "NAME", "TREEBANK", "ALONGSIDE", "OTHER_SUFFIX", "NOT_TEXT", "TEXT"}
"""Meet names of files, at most 120 characters, not text."""
SEARCHED = {"TAG", "ATTRIBUTE", "ENTITY", "UNSTORABLE", "UNSEEN", "STRING"}
"""Begin anywhere in a text, others at its start."""
LONGER, LINEAR, MOST = 20, 2.3, 10_000
"""How often a piece is repeated, and what twice as many may cost at most: 2 and a little, where squares cost 4; and
the most steps, which no linear pattern takes for so little text."""
KINDS = {sre.CATEGORY_DIGIT: str.isdigit, sre.CATEGORY_SPACE: str.isspace, sre.CATEGORY_WORD: lambda c: c.isalnum() or c == "_"}
OTHERS = {
    sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
    sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
    sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
}


class TooManyError(Exception):
    """More steps than squares take."""


class Counting:
    """Matches as `re` does, trying one way after the other, and counts what it tries."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self.text, self.steps = text, 0
        self.tree = list(parser.parse(pattern.pattern, pattern.flags))
        self.folded = bool(pattern.flags & re.IGNORECASE)

    def match(self, start: int, *, whole: bool) -> bool:
        """Return whether the pattern matches from `start`, to the end where `whole`."""
        return self.all(self.tree, 0, start, lambda end: not whole or end == len(self.text))

    def all(self, nodes: list[Any], place: int, at: int, then: Then) -> bool:
        """Match nodes from `place` on at `at`, and what comes `then`."""
        self.steps += 1
        if self.steps > MOST:
            raise TooManyError
        if place == len(nodes):
            return then(at)
        op, value = nodes[place]

        def rest(end: int) -> bool:
            return self.all(nodes, place + 1, end, then)

        match op:
            case sre.BRANCH:
                return any(self.all(list(each), 0, at, rest) for each in value[1])
            case sre.SUBPATTERN:
                return self.all(list(value[-1]), 0, at, rest)
            case sre.MAX_REPEAT | sre.MIN_REPEAT:
                return self.repeat(value, 0, at, rest, greedy=op is sre.MAX_REPEAT)
            case sre.AT:
                return self.is_at(value, at) and rest(at)
        return at < len(self.text) and self.fits(op, value, self.text[at]) and rest(at + 1)

    def repeat(self, value: Any, done: int, at: int, then: Then, *, greedy: bool) -> bool:
        """Match a repeated part that was matched `done` times."""
        least, most, nodes = value

        def again() -> bool:
            more = most is sre.MAXREPEAT or done < most
            return more and self.all(
                list(nodes),
                0,
                at,
                lambda end: (end > at or done < least) and self.repeat(value, done + 1, end, then, greedy=greedy),
            )

        if done < least:
            return again()
        return (again() or then(at)) if greedy else (then(at) or again())

    def fits(self, op: Any, value: Any, c: str) -> bool:
        """Return whether one character is what a node of one character says."""
        match op:
            case sre.LITERAL:
                return chr(value) == c or (self.folded and chr(value).lower() == c.lower())
            case sre.NOT_LITERAL:
                return chr(value) != c
            case sre.ANY:
                return c != "\n"
            case sre.RANGE:
                return value[0] <= ord(c) <= value[1] or (self.folded and value[0] <= ord(c.swapcase()) <= value[1])
            case sre.CATEGORY:
                return not KINDS[OTHERS[value]](c) if value in OTHERS else KINDS[value](c)
            case sre.IN:
                negated = value[0][0] is sre.NEGATE
                return negated != any(self.fits(*each, c) for each in value[negated:])
        raise NotImplementedError(op)

    def is_at(self, where: Any, at: int) -> bool:
        """Return whether a place is a text's beginning or end, or a word's."""
        match where:
            case sre.AT_BEGINNING | sre.AT_BEGINNING_STRING:
                return at == 0
            case sre.AT_END | sre.AT_END_STRING:
                return at == len(self.text)
        sides = [0 <= i < len(self.text) and KINDS[sre.CATEGORY_WORD](self.text[i]) for i in (at - 1, at)]
        return (sides[0] != sides[1]) == (where is sre.AT_BOUNDARY)


@pytest.fixture(autouse=True)
def _deep() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


def example(nodes: Any, rng: random.Random) -> str:
    """Return a text that the nodes match, more or less."""
    found = ""
    for op, value in nodes:
        match op:
            case sre.LITERAL:
                found += chr(value)
            case sre.BRANCH:
                found += example(rng.choice(value[1]), rng)
            case sre.SUBPATTERN:
                found += example(value[-1], rng)
            case sre.MAX_REPEAT | sre.MIN_REPEAT:
                found += "".join(example(value[2], rng) for _ in range(min(value[1], value[0] + rng.randrange(3))))
            case sre.IN if value[0][0] is not sre.NEGATE:
                kind, of = rng.choice(value)
                found += chr(of) if kind is sre.LITERAL else chr(rng.choice(of)) if kind is sre.RANGE else rng.choice(" 1a")
            case sre.IN | sre.NOT_LITERAL | sre.ANY:
                found += rng.choice("x <")
    return found


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Return every pattern that a module of the readers has."""
    seen = set()
    for module in pkgutil.walk_packages(corpora.__path__, "isogloss.backend.corpora."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern) and name not in NAMES_OF_FILES and value not in seen:
                seen.add(value)
                yield f"{module.name.removeprefix('isogloss.backend.corpora.')}.{name}", value


def work(pattern: re.Pattern[str], text: str, *, anywhere: bool) -> float:
    """Count the steps of a match that is asked for at the start, or at every place in turn."""
    try:
        counting = Counting(pattern, text)
        for start in range(len(text) if anywhere else 1):
            if counting.match(start, whole=not anywhere) and anywhere:
                break
        return counting.steps
    except TooManyError:
        return float("inf")


def worst(pattern: re.Pattern[str], *, anywhere: bool) -> tuple[float, str]:
    """Return how much more the worst text costs with a piece of it repeated twice as often, and its beginning."""
    rng, found = random.Random(7), (0.0, "")
    for _ in range(4):
        text = example(list(parser.parse(pattern.pattern, pattern.flags)), rng)[:16]
        for start in range(len(text)):
            for size in (1, 2, 5):
                some, more = (
                    work(pattern, text[:start] + text[start : start + size] * times + "\x01", anywhere=anywhere)
                    for times in (LONGER, 2 * LONGER)
                )
                if found[0] > 2 * LINEAR:
                    return found
                found = max(
                    found, (more / some if some < float("inf") else some, text[:start] + text[start : start + size] * 2)
                )
    return found


@pytest.mark.parametrize(("name", "pattern"), patterns(), ids=lambda each: each if isinstance(each, str) else "")
def test_twice_the_text_is_twice_the_work(name: str, pattern: re.Pattern[str]) -> None:
    ratio, text = worst(pattern, anywhere=name.split(".")[-1] in SEARCHED)
    assert ratio < LINEAR, text


@pytest.mark.parametrize(
    ("pattern", "anywhere"),
    [
        (r'"(?:[^"]|"")*""(?:[^"]|"")*"', False),
        (r"#\s*(sent_id|parallel_id)\s*=\s*(\S.*?)\s*", False),
        (r"<(doc|seg|/seg)\b([^>]*)>", True),
        (r"(a+)+b", False),
    ],
)
def test_what_goes_back_is_found(pattern: str, anywhere: bool) -> None:
    assert worst(re.compile(pattern), anywhere=anywhere)[0] > LINEAR


@pytest.mark.parametrize("pattern", ["a*b", "(?:ab|c)+d?", r"\s*x(.*?)y", "[^<>]*>"])
def test_counting_matches_as_python_does(pattern: str) -> None:
    rng = random.Random(3)
    for _ in range(200):
        text = "".join(rng.choices("abcdxy <>", k=rng.randrange(7)))
        assert Counting(re.compile(pattern), text).match(0, whole=True) == bool(re.fullmatch(pattern, text))
