"""The files of a data set folder, dropped on the Library's shelf of emergent languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.corpora.emergent import library as emergent_library
from tests.corpora.emergent.test_data_set_folder import ROWS, id_of, saved
from tests.pages.library.shelves import press, shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest


def test_the_files_of_a_folder_are_dropped_together_with_others(
    open_page: Callable[..., AppTest], workspace: Path, tmp_path: Path
) -> None:
    folder = saved(tmp_path / "made", num_shards=2)
    app = open_page("library", shelf="Emergent")
    for path in sorted(folder.iterdir(), reverse=True):
        app.file_uploader[0].upload(path.name, path.read_bytes())
    app.file_uploader[0].upload("other.jsonl", b"[1, 2]\n[2, 1]\n")
    press(app.run(), "read-emergent")
    assert "data-00000-of-00002.arrow: Arrow, column 'input_ids' · 140 tokens · 40 utterances" in shown(app)
    press(app, "keep-emergent")
    kept = {entry.id: entry.utterances for entry in emergent_library.entries([workspace])}
    assert kept == {id_of(ROWS, tmp_path): 40, id_of([[1, 2], [2, 1]], tmp_path): 2}
