"""Of every family: the whole output is searched for people's names, paths, host names and sentences, footers too."""

from __future__ import annotations

import json
import shutil
import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from isogloss.backend import parquet
from isogloss.backend.atlas import publish
from isogloss.backend.settings import DEMO
from tests.atlas.test_atlas_folder import texts

if TYPE_CHECKING:
    from pathlib import Path

PERSON, FORMERLY, PLACE, HOST = "Ada Lovelace", "ada-draft-7", "/srv/secret-project/weights", "difference-engine-3"
FAMILIES = {"abx", "alignment", "geometry", "probing", "transfer", "tokenisers"}
FOOTERS = {
    *("asked", "complete", "corpus", "counts", "device", "epochs", "experiment", "extras", "fingerprint", "label"),
    *("languages", "learning_rate", "max_tokens", "measures", "mix", "model", "options", "pairs", "pooling", "precision"),
    *("products", "rounded", "runs", "seconds", "seconds_encoding", "seconds_training", "seed", "sentences", "source"),
    *("tags", "targets", "tested", "texts", "tokens", "truncated", "unfinished", "variant", "version"),
}
"""What the footers of published scores may say: another name is somebody's to look at before it leaves."""


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """The demo as a person's workspace: everything in it was added by somebody, had another name, and lies somewhere."""
    workspace = tmp_path / "secret-lab" / "workspace"
    shutil.copytree(DEMO, workspace, ignore=shutil.ignore_patterns("details", "static", "*.safetensors", "*.vec"))
    for path in [*workspace.glob("models/*.json"), *workspace.glob("*/*/entry.json")]:
        said = json.loads(path.read_text(encoding="utf-8")) | {"by": PERSON, "formerly": [FORMERLY]}
        for number, each in enumerate(said.get("checkpoints", ())):
            each["location"] = f"{PLACE}/{number}"
        path.write_text(json.dumps(said), encoding="utf-8")
    return workspace


def sentences(workspace: Path) -> set[str]:
    """A few longer sentences of each corpus, tagged text and task."""
    found: set[str] = set()
    for path in workspace.glob("*/*/*.parquet"):
        if path.parts[-3] not in ("corpora", "tasks", "tagged"):
            continue
        for column in pq.read_table(path).slice(0, 400).itercolumns():
            found |= {each for each in column.to_pylist()[::8] if isinstance(each, str) and len(each) > 30}
    return found


def test_nothing_private_leaves_with_any_family(signed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: HOST)
    content = publish.of_models([signed])
    few = {(grid.family.name, grid.of): grid for grid in reversed(content.grids)}
    assert {name for name, _ in few} == FAMILIES
    folder = tmp_path / "site"
    publish.publish(replace(content, grids=tuple(few.values())), [signed], folder, lambda *_: None)
    private = {PERSON, "Lovelace", FORMERLY, PLACE, "secret-project", "secret-lab", HOST, str(tmp_path), *sentences(signed)}
    assert len(private) > 40
    found = texts(folder)
    assert sum("/scores/" in where for where in found) >= len(FAMILIES)
    for where, text in found.items():
        assert [each for each in private if each in text] == [], where
    for path in folder.rglob("*.parquet"):
        assert set(parquet.metadata(path)) <= FOOTERS, path


@pytest.mark.parametrize("secret", [HOST, "{workspace}"])
def test_a_host_or_path_in_any_familys_words_stops_the_whole(
    signed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: HOST)
    path = next(signed.glob("tagged/*/entry.json"))
    said = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(said | {"name": f"Tags of {secret.format(workspace=signed)}"}), encoding="utf-8")
    content = publish.of_models([signed], "Demo MLM")
    grids = tuple(grid for grid in content.grids if grid.family.name == "probing")[:1]
    with pytest.raises(publish.StoreError, match=r"is of this machine\. Take it out"):
        publish.publish(replace(content, grids=grids), [signed], tmp_path / "site", lambda *_: None)
    assert not (tmp_path / "site").exists()
