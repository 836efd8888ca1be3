"""What takes space: every folder that a workspace keeps is counted, on the page and on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from backend.boards import board
from backend.corpora.covariates import library as covariates
from backend.corpora.dictionaries import library as dictionaries
from backend.corpora.emergent import library as emergent
from backend.corpora.parallel import library as corpora
from backend.corpora.tagged import library as tagged
from backend.corpora.tasks import library as tasks
from backend.corpora.word_alignments import library as alignments
from backend.experiments import categories, sentence_notes, training
from backend.models.static import library as static_vectors
from backend.store import bases, cache, details, embeddings, records, weights
from pages.jobs.storage import MEANING
from pages.library.shared import upload
from tests.cli.typed import output

if TYPE_CHECKING:
    from pathlib import Path

SHELVES = [each.SHELF.folder for each in (alignments, corpora, covariates, dictionaries, emergent, tagged, tasks)]
STORES = (bases, board, categories, details, embeddings, records, sentence_notes, static_vectors, training, upload, weights)
FOLDERS = [each.FOLDER for each in STORES]


def test_every_folder_of_a_workspace_is_counted(workspace: Path) -> None:
    for size, folder in enumerate([*SHELVES, *FOLDERS], start=1):
        (workspace / folder / "a").mkdir(parents=True)
        (workspace / folder / "a" / "file").write_bytes(b"x" * size)
    counted = {use.kind: use.size for use in cache.usage(workspace) if use.files}
    assert counted == {folder: size for size, folder in enumerate([*SHELVES, *FOLDERS], start=1)}
    assert set(MEANING) == set(get_args(cache.Kind))
    printed = {line.split()[0]: line.split()[1] for line in output("cache").splitlines()[2:]}
    assert {kind for kind, files in printed.items() if files == "1"} == {*SHELVES, *FOLDERS}
