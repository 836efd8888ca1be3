"""An atlas beside one's own workspace: its scores as they were published, and nothing of one that is otherwise than it says."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from isogloss.backend import parquet
from isogloss.backend.atlas import imported, publish
from isogloss.backend.atlas.grids import pair_grids
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.abx import queries
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.absent import is_absent
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from tests.atlas.atlas_workspace import fill, published

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The workspace of those who publish."""
    fill(tmp_path / "theirs", plain=True)
    return tmp_path / "theirs"


@pytest.fixture
def site(tmp_path: Path, theirs: Path) -> Path:
    """An atlas whose names can be shown."""
    content = publish.with_said(publish.of_models([theirs]), "Their atlas", "", [], exact=True)
    return published(content, theirs, tmp_path / "site")


def test_scores_are_read_beside_ones_own_and_leave_no_trace_when_removed(site: Path, workspace: Path, theirs: Path) -> None:
    kept = imported.take(site, workspace)
    assert (kept.title, kept.files) == ("Their atlas", 3)
    assert settings().workspaces == [workspace, kept.folder]
    (model,), (grid,), (of,) = models.entries(settings().workspaces), pair_grids(settings().workspaces), pair_grids([theirs])
    assert (model.name, model.note, model.by, is_absent(model)) == ("Theirs", "", "", True)
    (corpus,) = corpora.entries(settings().workspaces)
    assert (corpus.name, corpus.names_only, corpus.by) == ("Their corpus", True, "")
    asked = partial(
        queries.pairs, languages=grid.languages, checkpoints=[each.fingerprint for each in grid.checkpoints], layers=[1]
    )
    pd.testing.assert_frame_equal(*(asked([file.path for file in each.files]) for each in (grid, of)))
    assert imported.take(site, workspace) == kept  # once
    assert imported.kept(workspace) == [kept]
    imported.remove("Their atlas", workspace)
    assert settings().workspaces == [workspace]
    with pytest.raises(StoreError, match="There is no imported atlas 'Their atlas'"):
        imported.remove("Their atlas", workspace)


def test_a_model_whose_name_is_taken_is_called_after_the_atlas_too(site: Path, workspace: Path) -> None:
    fill(workspace)
    (own,) = models.entries([workspace])
    models.remove(own.name, workspace)
    models.keep(own.model_copy(update={"name": "theirs"}), workspace)
    imported.take(site, workspace)
    assert [each.name for each in models.entries(settings().workspaces)] == ["theirs", "Theirs (Their atlas)"]


def test_no_entry_leads_to_a_place_of_this_machine(site: Path, workspace: Path) -> None:
    (path,) = site.glob("workspace/models/*.json")
    entry = json.loads(path.read_text())
    entry["checkpoints"][0] |= {"source": "hub", "location": "http://example.org/x"}
    entry["checkpoints"][1] |= {"location": "/etc"}
    entry["checkpoints"][2] |= {"source": "hub", "location": "group/model"}
    path.write_text(json.dumps(entry | {"published": "../../x", "note": "<b>"}))
    listed_again(site, path)
    imported.take(site, workspace)
    (model,) = models.entries(settings().workspaces)
    places = [(each.source, each.location.startswith(str(settings().workspaces[1] / "absent"))) for each in model.checkpoints]
    assert places == [("folder", True), ("folder", True), ("hub", False)]
    assert (model.checkpoints[2].location, model.published, model.note) == ("group/model", "Theirs", "")


def listed_again(site: Path, path: Path, name: str = "") -> None:
    """Give a file that was changed its hash in the list."""
    name = name or path.relative_to(site).as_posix()
    lines = [line for line in (site / "SHA256SUMS").read_text().splitlines() if not line.endswith(f"  {name}")]
    lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}")
    (site / "SHA256SUMS").write_text("\n".join(lines) + "\n")


def rewritten(site: Path, **columns: str) -> None:
    """Write a file of scores anew, with checksums that hold, and other values in some columns."""
    path = sorted(site.glob("workspace/scores/abx/*"))[0]
    table, said = parquet.read(path), parquet.metadata(path)
    for name, value in columns.items():
        at = table.schema.get_field_index(name)
        table = table.set_column(at, table.schema.field(at), pa.array([value] * len(table)))
    parquet.write(path, table, said)
    listed_again(site, path)


def altered(site: Path) -> None:
    path = next(site.glob("workspace/scores/abx/*"))
    path.write_bytes(path.read_bytes()[:-9] + bytes(9))


def damaged(site: Path) -> None:
    altered(site)
    for path in site.glob("workspace/scores/abx/*"):
        listed_again(site, path)


def leads_out(site: Path) -> None:
    (site.parent / "secret.parquet").write_bytes(b"x")
    listed_again(site, site.parent / "secret.parquet", "workspace/../../secret.parquet")


def linked(site: Path) -> None:
    path = next(site.glob("workspace/scores/abx/*"))
    path.rename(site.parent / "elsewhere")
    path.symlink_to(site.parent / "elsewhere")


def folder_linked(site: Path) -> None:
    (site / "workspace" / "scores").rename(site.parent / "elsewhere")
    (site / "workspace" / "scores").symlink_to(site.parent / "elsewhere")


def without_model(site: Path) -> None:
    (path,) = site.glob("workspace/models/*")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"checkpoints": json.loads(path.read_text())["checkpoints"][:1]}))
    listed_again(site, path)


def other_corpus(site: Path) -> None:
    (path,) = site.glob("workspace/corpora/*/entry.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"id": "0" * 24}))
    listed_again(site, path)


def invisible_name(site: Path) -> None:
    (path,) = site.glob("workspace/models/*")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"name": "\u202etxt"}))
    listed_again(site, path)


def no_entry(site: Path) -> None:
    (path,) = site.glob("workspace/models/*")
    path.write_text("[" * 100_000)
    listed_again(site, path)


def newer(site: Path) -> None:
    (site / "atlas.json").write_text('{"isogloss_atlas": 2, "title": "x"}')


def no_list(site: Path) -> None:
    (site / "SHA256SUMS").write_text("<html>404</html>\n")


def figures_alone(site: Path) -> None:
    lines = (site / "SHA256SUMS").read_text().splitlines()
    (site / "SHA256SUMS").write_text("\n".join(line for line in lines if "workspace/" not in line) + "\n")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (altered, "is not what its checksum says"),
        (damaged, "(is damaged|cannot be read)"),
        (leads_out, r"it has '\.\./\.\./secret\.parquet', which no atlas has"),
        (linked, "is listed and is no file of it"),
        (folder_linked, "is listed and is no file of it"),
        (partial(rewritten, checkpoint="a" * 24), "has scores of other things than it says"),
        (partial(rewritten, experiment="probing"), "has scores of other things than it says"),
        (without_model, "of a model or corpus that does not come along"),
        (other_corpus, "is not what it says"),
        (invisible_name, "a name that cannot be shown"),
        (no_entry, "is not what it says"),
        (newer, "Update Isogloss"),
        (no_list, "a line that is none"),
        (figures_alone, "figures alone and no scores"),
        (lambda site: (site / "atlas.json").unlink(), "is no atlas of Isogloss"),
        (lambda site: (site / "atlas.json").write_text("[" * 100_000), "is no atlas of Isogloss"),
    ],
)
def test_an_atlas_that_is_otherwise_than_it_says_is_refused(
    site: Path, workspace: Path, change: Callable[[Path], object], why: str
) -> None:
    change(site)
    with pytest.raises(StoreError, match=why) as error:
        imported.take(site, workspace)
    assert "\n" not in str(error.value)
    assert settings().workspaces == [workspace]
    assert list(workspace.rglob("*.parquet")) == []
    assert not list((workspace / "atlases").glob("*"))


def test_more_scores_than_memory_are_refused_before_they_are_decoded(
    site: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imported, "MOST_ROWS", 10)
    with pytest.raises(StoreError, match="more than 10 scores"):
        imported.take(site, workspace)


def test_ones_own_scores_of_a_checkpoint_stand_beside_published_ones(site: Path, workspace: Path, theirs: Path) -> None:
    imported.take(site, workspace)
    files = [file.path for file in scores.shards(settings().workspaces, "abx")]
    assert len(files) == 3
    table = scores.query("SELECT avg(value) AS mean, count(*) AS n FROM {scores}", {}, files)
    own = scores.query("SELECT avg(value) AS mean, count(*) AS n FROM {scores}", {}, [f.path for f in scores.shards([theirs])])
    np.testing.assert_allclose(table.to_numpy(float), own.to_numpy(float))
