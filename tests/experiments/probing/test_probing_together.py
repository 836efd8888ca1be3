"""Several specs' scores as one: nothing twice, nothing lost, in order."""

from __future__ import annotations

from pathlib import Path

from backend.experiments.probing.queries import Served
from backend.experiments.probing.together import together


def test_what_two_specs_share_is_there_once() -> None:
    one = Served((Path("a"), Path("b")), (("a", "de"), ("b", "de")), ())
    two = Served((Path("b"), Path("c")), (("b", "de"), ("b", "en"), ("c", "en")), ())
    both = together(one, two)
    assert both.files == (Path("a"), Path("b"), Path("c"))
    assert both.wanted == (("a", "de"), ("b", "de"), ("b", "en"), ("c", "en"))
    assert together(one) == one
    assert together() == Served((), (), ())
