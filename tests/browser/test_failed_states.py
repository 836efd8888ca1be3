"""What goes wrong is said in words, in a real browser: a broken checkpoint, a workspace that cannot be written, a full disk."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest
from dashboard_server import serving
from own_inputs import make_model, table
from playwright.sync_api import expect
from safetensors.numpy import load_file, save_file

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def fill(workspace: Path, folder: Path, *, broken: bool = False) -> None:
    """A corpus and a model of two checkpoints in the workspace; with `broken`, the second one's weights are no numbers."""
    (folder / "weather.tsv").write_text(table(), encoding="utf-8")
    corpora.keep(read([InputFile("weather.tsv", folder / "weather.tsv")]), "weather", workspace)
    model = make_model(folder / "my_model")
    if broken:  # a file that is cut off would be refused here, before anything is computed
        weights = model / "checkpoint-500" / "model.safetensors"
        nothing = {name: np.full_like(held, np.nan) for name, held in load_file(weights).items()}
        save_file(nothing, weights, {"format": "pt"})
    models.keep(discover(str(model)), workspace)


def compute(page: Page) -> None:
    expect(page.get_by_text("not computed yet at", exact=False)).to_be_visible()
    page.get_by_role("button", name="Compute").click()


def one_sentence(page: Page, *parts: str, stays: bool = False) -> None:
    """One error box with these parts, and no traceback; `stays`: also after the page has redrawn itself."""
    box = page.get_by_test_id("stAlertContentError")
    expect(box).to_have_count(1)
    if stays:
        page.wait_for_timeout(2000)
        expect(box).to_have_count(1)
    for part in parts:
        expect(box).to_contain_text(part)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert len(box.inner_text()) < 400


def drop(page: Page, url: str) -> None:
    page.goto(f"{url}/library")
    page.get_by_text("Add a corpus", exact=True).click()
    dropped = {"name": "more.tsv", "mimeType": "text/tab-separated-values", "buffer": table().encode() * 3000}
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files([dropped])  # type: ignore[list-item]


def test_broken_checkpoint_is_named_while_the_others_scores_show(page: Page, server, tmp_path: Path) -> None:
    fill(server.workspace, tmp_path, broken=True)
    page.goto(f"{server.url}/abx")
    compute(page)
    for path in (None, "/abx", "/jobs"):  # where it was started, after a reload, and in the list
        if path:
            page.goto(f"{server.url}{path}")
        one_sentence(page, "checkpoint-500", "gives values that are not finite", "leave this checkpoint out")
        if path != "/jobs":
            expect(page.get_by_text("not computed yet at 1 of 2 checkpoints (checkpoint-500)", exact=False)).to_be_visible()
            expect(page.get_by_role("button", name="Try again")).to_be_visible()
            expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.get_by_role("button", name="Details").click()
    expect(page.get_by_text("1 of 2 checkpoints done, 1 failed", exact=False)).to_be_visible()


@pytest.fixture
def as_nobody_special() -> list[str]:
    """A command under which permissions hold for root too."""
    if os.geteuid() != 0:
        return []
    command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
    if not shutil.which("setpriv") or subprocess.run([*command, "true"], check=False).returncode:
        pytest.skip("root may write anywhere, and setpriv cannot take that away here")
    return command


def test_workspace_that_cannot_be_written(page: Page, tmp_path: Path, as_nobody_special: list[str]) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    fill(workspace, tmp_path)
    with serving(workspace, *as_nobody_special) as running:
        for folder in [workspace, *workspace.rglob("*")]:
            folder.chmod(0o555 if folder.is_dir() else 0o444)
        try:
            drop(page, running.url)
            one_sentence(page, "could not be written", "Permission denied", "Check that the workspace is writable")
            page.goto(f"{running.url}/abx")
            compute(page)
            one_sentence(page, "No worker could be started", "Permission denied", "writable", stays=True)
            page.goto(f"{running.url}/jobs")
            page.get_by_role("button", name="Start a worker").click()
            one_sentence(page, "No worker could be started", "Permission denied", stays=True)
        finally:
            for folder in [workspace, *workspace.rglob("*")]:
                folder.chmod(0o755)


@pytest.fixture
def on_a_small_disk(tmp_path: Path) -> list[str]:
    """A command that lays a disk of one megabyte over `tmp_path/workspace`, for what it runs alone, with a copy of `seed/`."""
    script = 'mount -t tmpfs -o size=1m tmpfs "$0" && cp -r "$1/." "$0" && shift && exec "$@"'
    unshare = ["unshare", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"]
    for folder in ("workspace", "seed"):
        (tmp_path / folder).mkdir()
    command = [*unshare, "sh", "-c", script, str(tmp_path / "workspace"), str(tmp_path / "seed")]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a small disk (no user namespaces)")
    return command


def test_full_disk(page: Page, tmp_path: Path, on_a_small_disk: list[str]) -> None:
    fill(tmp_path / "seed", tmp_path)
    (tmp_path / "seed" / "something-else").write_bytes(bytes(900_000))
    with serving(tmp_path / "workspace", *on_a_small_disk) as running:
        drop(page, running.url)
        one_sentence(page, "could not be written", "No space left on device", "disk has space")
        page.goto(f"{running.url}/abx")
        compute(page)
        one_sentence(page, "The worker stopped", "has space", stays=True)
        expect(page.get_by_text("Measuring this machine", exact=False)).to_have_count(0)
