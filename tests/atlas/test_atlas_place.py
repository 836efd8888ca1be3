"""Where an atlas is written: it is the old one or the new, whatever is killed, and nothing else is ever replaced."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from isogloss.backend.atlas import private, publish, resumed, site
from isogloss.backend.atlas.grids import pair_grids
from isogloss.backend.errors import StoreError
from isogloss.backend.locks import try_lock
from tests.atlas.atlas_workspace import published, write


def test_only_an_atlas_without_anything_else_is_replaced(filled: Path, tmp_path: Path) -> None:
    content, place = publish.of_models([filled]), tmp_path / "site"
    place.mkdir()
    published(content, filled, place)  # an empty folder is taken
    before = (place / "SHA256SUMS").read_text()
    published(publish.with_said(content, "Other", "", []), filled, place)
    assert (place / "SHA256SUMS").read_text() != before
    (place / "CNAME").write_text("example.org")
    with pytest.raises(StoreError, match="also holds 'CNAME'"):
        published(content, filled, place)
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("x")
    with pytest.raises(StoreError, match="is no atlas of Isogloss"):
        published(content, filled, other)
    (tmp_path / "link").symlink_to(other)
    for wrong in (other / "thesis.tex", tmp_path / "link"):
        with pytest.raises(StoreError, match="is no folder"):
            published(content, filled, wrong)
    assert (other / "thesis.tex").read_text() == "x"
    assert (place / "CNAME").exists()


KILLED = """
import sys, time
from pathlib import Path
from isogloss.backend.atlas import publish
workspace, folder = Path(sys.argv[1]), Path(sys.argv[2])
def slow(share, what):
    print(share, flush=True)
    time.sleep(0.5)
publish.publish(publish.with_said(publish.of_models([workspace]), "New", "", []), [workspace], folder, slow)
"""


def test_a_killed_build_leaves_the_old_atlas_whole(filled: Path, tmp_path: Path) -> None:
    place = published(publish.of_models([filled]), filled, tmp_path / "site")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    with subprocess.Popen([sys.executable, "-c", KILLED, str(filled), str(place)], stdout=subprocess.PIPE) as build:
        assert build.stdout is not None
        while float(build.stdout.readline()) < 0.28:
            pass
        build.send_signal(signal.SIGKILL)
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before
    (left,) = tmp_path.glob(".isogloss-atlas-*")
    done = {path.relative_to(left): path.stat().st_mtime_ns for path in left.glob("data/g0-c*.js")}
    assert len(done) == 1
    torn = left / "data" / ".tmp-g0-c2.js"
    torn.write_text("half a fi")
    with open(left / ".lock", "a") as handle:
        assert try_lock(handle)  # as a build that is at it
        published(publish.of_models([filled]), filled, place)
        assert left.exists()
    published(publish.with_said(publish.of_models([filled]), "New", "", []), filled, place)
    assert not left.exists()
    assert {name: (place / name).stat().st_mtime_ns for name in done} == done  # gone on with, not written again
    whole = published(publish.with_said(publish.of_models([filled]), "New", "", []), filled, tmp_path / "other")
    one, other = (
        {path.relative_to(of): path.read_bytes() for path in of.rglob("*") if path.is_file()} for of in (place, whole)
    )
    assert one == other


def test_what_other_builds_left_is_not_gone_on_with_and_goes_after_a_day(filled: Path, tmp_path: Path) -> None:
    left, place = tmp_path / ".isogloss-atlas-0123", tmp_path / "site"
    (left / "data").mkdir(parents=True)
    (left / "data" / "g0-c0.js").write_text("of other scores")
    before = resumed.key_of(publish.of_models([filled]), private.refused([filled]))
    (grid,) = pair_grids([filled])
    write(filled, grid.checkpoints[0], grid.corpus.id, 3, [("de", "en")], np.random.default_rng(9), run="a" * 24)
    assert resumed.key_of(publish.of_models([filled]), private.refused([filled])) != before
    published(publish.of_models([filled]), filled, place)
    assert left.exists()
    os.utime(left, (time.time() - 2 * publish.STALE,) * 2)
    published(publish.of_models([filled]), filled, place)
    assert not left.exists()


@pytest.mark.parametrize("exchanged", [True, False])
def test_what_fails_leaves_nothing_behind(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanged: bool
) -> None:
    if not exchanged:
        monkeypatch.setattr(publish, "_exchange", lambda *_: False)
    place = published(publish.of_models([filled]), filled, tmp_path / "site")
    published(publish.with_said(publish.of_models([filled]), "Second", "", []), filled, place)
    assert "Second" in (place / "index.html").read_text(encoding="utf-8")
    monkeypatch.setattr(site, "_sum", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(StoreError, match="No space left on device"):
        published(publish.of_models([filled]), filled, place)
    assert "Second" in (place / "index.html").read_text(encoding="utf-8")
    assert list(tmp_path.glob(".isogloss-atlas-*")) == []
