"""Tokenisers without weights: kept as models are, measured by the family of tokenisers alone. No torch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files import hub
from isogloss.backend.models.files.fingerprint import hub_tokeniser_fingerprint, tokeniser_fingerprint
from isogloss.backend.models.files.shapes import Shape
from isogloss.backend.models.files.weights import VOCABULARIES, ModelFiles
from isogloss.backend.models.library import checkpoint_of, roots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.models.library.checkpoint_of import Found

SUFFIX = "#tokeniser"
"""What a line ends in that means a model's tokeniser alone: `google/gemma-3-1b-pt#tokeniser`."""
NOTE = "A tokeniser without weights: Tokenisers measures it. For all other measures add its model, too."
SHAPE = Shape("tokeniser", 0, 0, False)


def find(line: str, revisions: Sequence[str] | str | None, cache: Path | None, within: Sequence[Path] | None) -> list[Found]:
    """Return the tokeniser of a folder, or those of the revisions of a Hub id; of the Hub no file is downloaded yet.

    Raises `ModelError` where there is none.
    """
    if (path := roots.folder_below_roots(line, within)) is not None:
        if not path.is_dir():
            raise ModelError(f"'{line}' is a file. Name the folder that the tokeniser was saved in: tokenizer.save_pretrained.")
        return [of_folder(path, cache)]
    hub_id, revision = roots.hub_id_of(line, within)
    return [_of_hub(hub_id, each) for each in hub.chosen_revisions(hub_id, [revision] if revision else revisions)]


def of_folder(folder: Path, cache: Path | None) -> Found:
    """Return the tokeniser of a folder. Raises `ModelError` where there is none, or a half of it is lacking."""
    files = ModelFiles(folder, f"'{folder.name}'", allow_pickle=False)
    files.check_tokenizer()
    return _alone(checkpoint_of.folder(folder, tokeniser_fingerprint(files, cache=cache)))


def _of_hub(hub_id: str, revision: hub.Revision) -> Found:
    if not set(VOCABULARIES) & set(hub.listing(hub_id, revision.commit).names):
        raise ModelError(
            f"'{hub_id}' at '{revision.name}' has no tokeniser: neither tokenizer.json nor another vocabulary. "
            "Choose another repository or revision."
        )
    found = checkpoint_of.hub(hub_id, revision)
    return _alone(found.model_copy(update={"fingerprint": hub_tokeniser_fingerprint(hub_id, revision.commit)}))


def _alone(checkpoint: Checkpoint) -> Found:
    return checkpoint.model_copy(update={"part": "tokeniser"}), SHAPE, 0
