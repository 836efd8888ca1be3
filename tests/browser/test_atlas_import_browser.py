"""A published site in an empty workspace on another machine: imported, and held against a model of one's own by one click."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from playwright.sync_api import expect

from isogloss.backend.atlas import publish
from isogloss.backend.atlas.grids import pair_grids
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.files import digest
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library as models
from tests.atlas.atlas_workspace import fill, published, write

if TYPE_CHECKING:
    from pathlib import Path

    from dashboard_server import Server
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def mine(workspace: Path, corpus: str) -> None:
    """A model of one's own, scored on the corpus that the atlas is of."""
    own = Checkpoint(source="folder", location="/own", label="last", fingerprint=digest("mine"))
    models.keep(Model(name="Mine", checkpoints=(own,), architecture="bert", layers=2, dims=8), workspace)
    (grid,) = pair_grids([workspace.parent / "theirs"])
    write(workspace, own, corpus, 3, grid.pairs, np.random.default_rng(1))


def test_ones_own_model_stands_against_a_published_grid(server: Server, page: Page) -> None:
    theirs = server.workspace.parent / "theirs"
    fill(theirs, plain=True)
    content = publish.with_said(publish.of_models([theirs]), "Their atlas", "", [])
    site = published(content, theirs, server.workspace.parent / "site")
    mine(server.workspace, corpora.entries([theirs])[0].id)
    page.goto(f"{server.url}/library?shelf=Atlases")
    page.get_by_label("Or its folder on the server").fill(str(site))
    page.get_by_label("Or its folder on the server").press("Enter")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("is imported:")).to_be_visible()
    page.goto(f"{server.url}/abx?corpus=Their+corpus&model=Mine")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    page.get_by_role("combobox", name="Model").first.click()
    page.get_by_role("option", name="Theirs").click()
    for curve in ("Mine", "Theirs · checkpoint-200"):
        expect(page.locator(".js-plotly-plot .legendtext").get_by_text(curve, exact=True).first).to_be_visible()
