"""Every kind of data that people bring, in the order in which the Library and README have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backend.corpora.covariates import library as covariates
from backend.corpora.dictionaries import library as dictionaries
from backend.corpora.emergent import library as emergent
from backend.corpora.parallel import library as parallel
from backend.corpora.tagged import library as tagged
from backend.corpora.tasks import library as tasks
from backend.corpora.word_alignments import library as word_alignments

if TYPE_CHECKING:
    from pathlib import Path

    from backend.corpora.shared.kind import Kind

KINDS: tuple[Kind[Any, Any], ...] = (
    parallel.KIND,
    dictionaries.KIND,
    word_alignments.KIND,
    tasks.KIND,
    tagged.KIND,
    emergent.KIND,
    covariates.KIND,
)


def check(workspace: Path) -> tuple[int, list[str]]:
    """Return how many things are kept, and a sentence on each that is damaged. Nothing is moved: there is no other copy."""
    problems = [problem for kind in KINDS for problem in kind.problems([workspace])]
    return sum(len(kind.entries([workspace])) for kind in KINDS), problems
