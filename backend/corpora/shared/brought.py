"""Everything that users brought to a workspace, read whole: corpora, dictionaries, alignments, tasks and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.covariates import library as covariates
from backend.corpora.dictionaries import library as dictionaries
from backend.corpora.emergent import library as emergent_library
from backend.corpora.parallel import library
from backend.corpora.tagged import library as tagged_library
from backend.corpora.tasks import library as task_library
from backend.corpora.word_alignments import library as alignments

if TYPE_CHECKING:
    from pathlib import Path


def check(workspace: Path) -> tuple[int, list[str]]:
    """Return how many things are kept, and a sentence on each that is damaged. Nothing is moved: there is no other copy."""
    count, problems = 0, []
    for kind in (library, dictionaries, alignments, task_library, tagged_library, emergent_library, covariates):
        count += len(kind.entries([workspace]))
        problems += kind.problems([workspace])
    return count, problems
