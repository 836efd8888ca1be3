"""What mkdocs calls while it builds: pages from other sources than docs/, links, the gallery's figures, the demo's atlas."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File, Files
from plotly.offline import get_plotlyjs

from docs.making import commands, drawn, reference, sources
from isogloss.backend.atlas import publish
from isogloss.backend.settings import DEMO

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

log = logging.getLogger("mkdocs.plugins.isogloss")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made, and plotly.js; put what no section names into the last one."""
    made = sources.pages() | {"reference.md": reference.page()}
    made["commands.md"] += "\n" + commands.page()
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    files.append(File.generated(config, "assets/plotly.min.js", content=get_plotlyjs()))
    nav: list[Any] = config.nav or []
    named = str(nav)
    [last] = nav[-1].values()
    last += [file.src_uri for file in files.documentation_pages() if f"'{file.src_uri}'" not in named]
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """Publish the demo beside the pages, as anybody publishes a workspace."""
    content = publish.with_said(publish.of_models([DEMO]), "Demo", "CC0-1.0", ["Isogloss"], sentences=True)
    publish.publish(content, [DEMO], Path(config.site_dir) / "atlas", lambda *_: None)


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Lead links within the repository to their pages, and put each figure of the gallery below its Python."""
    text, lost = sources.linked(markdown, page.file.src_uri)
    for target in lost:
        log.warning("%s links to %s, which is no page of the site.", page.file.src_uri, target)
    return drawn.with_figures(text)
