"""Every kind of data that people bring, in the order in which the Library and README have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.covariates import library as covariates
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.emergent import library as emergent
from isogloss.backend.corpora.parallel import library as parallel
from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.word_alignments import library as word_alignments

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.shared.kind import Kind

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
