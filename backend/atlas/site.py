"""What is in the folder of an atlas: its pages, the data that they draw, the scores themselves, and what says what they are.

Every file's name is made here, never of what people wrote. `workspace/` within it is one that Isogloss reads (`imported`).
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
from plotly.offline import get_plotlyjs

from isogloss.backend.atlas import compared, described, inside, mapped, named, pages, private, summed, texts, walk
from isogloss.backend.atlas.folder import Folder
from isogloss.backend.atlas.parts import parts_of, survey
from isogloss.backend.atlas.quantised import deflated
from isogloss.backend.boards import export
from isogloss.backend.boards.card import bibtex_of
from isogloss.backend.boards.origins import provenance
from isogloss.backend.boards.provenance import Provenance
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.boards.report import references
from isogloss.backend.charts.parts.export import without_webgl
from isogloss.backend.charts.parts.theme import config
from isogloss.backend.experiments.frames import files_of, label_checkpoints
from isogloss.backend.experiments.on_a_map import on_a_map
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from isogloss.backend.atlas.grids import PairGrid
    from isogloss.backend.atlas.parts import Survey
    from isogloss.backend.boards.report import Entry
    from isogloss.backend.experiments.family import Family

    Progress = Callable[[float, str], object]
    """Is told the share done, 0 to 1, and what is in hand."""

ASSETS = Path(__file__).with_name("assets")
SUMS = "SHA256SUMS"
"""Lists every other file but `HINT`, as `sha256sum --check` reads it."""
HINT = ".nojekyll"
"""Has GitHub Pages take the files as they are; others need it not, and some leave such names out."""
MARK = "atlas.json"
"""Says that a folder is an atlas."""
SCRIPTS = ("atlas.js", "cells.js", "scores.js", "matrices.js", "isogloss.js", "map.js", "sentences.js", "walk.js")


@dataclass(frozen=True)
class Content:
    """What is published."""

    title: str
    said: str
    """A line under the title."""
    parts: tuple[Entry, ...]
    """Of a board, without the names of who wrote what."""
    grids: tuple[PairGrid, ...]
    licence: str = ""
    """Of the numbers, as people said it: `CC-BY-4.0`."""
    authors: tuple[str, ...] = ()
    """As people said them."""
    exact: bool = False
    """Whether the scores to download keep all their digits."""
    sentences: bool = False
    """Whether sentences of data whose licence allows it come along."""


def write(content: Content, workspaces: Sequence[Path], path: Path, progress: Progress) -> None:
    """Write an atlas into an empty folder.

    Raises `StoreError` where a score cannot be read, or where something would leave that must not; OSError where it cannot be
    written.
    """
    folder = Folder(path, private.refused(workspaces))
    steps = sum(len(grid.checkpoints) for grid in content.grids) + len(content.parts) + compared.steps(content.grids) + 2
    done = 0

    def step(what: str) -> None:
        nonlocal done
        progress(done / steps, what)
        done += 1

    step("pages")
    parts, rests_on = [], []
    given: list[Mapping[str, Any]] = []  # data of which texts come along
    for number, each in enumerate(content.parts):
        step(each.title or "text")
        name, why, part = f"f{number + 1:02d}", private.left_out(each, workspaces), each
        if why == private.SHOWS_TEXTS and content.sentences and texts.allowed(part.rests_on.corpora):
            part, why = texts.credited(part), ""
            given += part.rests_on.corpora
        parts.append((part, "" if part.is_text else name, why))
        if not part.is_text and not why:
            _figure(folder, name, part)
            rests_on.append(part.rests_on)
    of_grids = []
    kept = details.every(workspaces)
    for number, grid in enumerate(content.grids):
        for place in _grid(folder, number, grid, content.exact):
            step(f"{grid.model.name}, {grid.checkpoints[place].label}")
        of_grids.append(_provenance(grid, workspaces))
        summed.write(folder, grid, kept, workspaces)
        if content.sentences and (found := texts.of_grid(grid, kept, workspaces)):
            _texts(folder, number, grid, found)
            given += texts.said_of([grid.corpus])
    step("what it is")
    for name, entry in inside.entries(content.grids).items():
        folder.text(name, _json(entry))
    names = _names(content, compared.write(folder, content.grids, workspaces, step))
    _index(folder, content, parts, workspaces, names)
    bibtex = references([*(part.bibtex for part in content.parts), *_cited(content.grids)])
    _say(folder, content, [*of_grids, *rests_on], bibtex, names, texts.credits_of(given))
    _sum(folder)
    progress(1.0, "written")


def page_of(family: Family) -> str:
    """Return the file of the page that walks through a family's scores."""
    return f"{re.sub('[^a-z0-9]+', '-', family.name)}.html"


def _names(content: Content, more: Mapping[str, str]) -> dict[str, str]:
    """Return the pages, by their files: what each is called."""
    families = {page_of(grid.family): pages.title_of(grid.family) for grid in content.grids}
    return {"index.html": "Figures", **families, **more, "about.html": "Data and methods"}


def _index(
    folder: Folder,
    content: Content,
    parts: Sequence[tuple[Entry, str, str]],
    workspaces: Sequence[Path],
    names: Mapping[str, str],
) -> None:
    """Write the pages, and what each family's has to choose from."""
    for name in ("atlas.css", *dict.fromkeys([*SCRIPTS, *(each for own in compared.SCRIPTS.values() for each in own)])):
        folder.binary(f"assets/{name}", (ASSETS / name).read_bytes())
    script = get_plotlyjs()
    notice = script[: script.index("*/") + 2]  # its licence asks that it stay readable
    folder.script("plotly", {"notice": notice, "script": deflated(script.encode("utf-8"))})
    folder.binary(HINT, b"")
    told = named.told(content.grids, workspaces)
    links: dict[str, dict[str, str]] = {}
    for family in dict.fromkeys(grid.family.name for grid in content.grids):
        own = [(number, grid) for number, grid in enumerate(content.grids) if grid.family.name == family]
        file = page_of(own[0][1].family)
        listed = [
            {"number": number, "model": grid.model.name, "corpus": grid.corpus.name, "protocol": grid.protocol}
            | {"label": told[number].label, "said": told[number].said, "metrics": grid.metrics}
            | {"sentences": texts.credit(grid) if folder.has(f"g{number}-sentences") else ""}
            for number, grid in own
        ]
        folder.script(f"grids-{file.removesuffix('.html')}", listed)
        links[names[file]] = {
            grid.model.name: f"{file}#{urlencode({'model': grid.model.name, 'corpus': grid.corpus.name})}"
            for _, grid in reversed(own)
        }
        body = pages.walk(content.title, names[file], walk.ORDERS)
        folder.text(file, pages.page(file, content.title, names, body, SCRIPTS))
    if content.grids:
        folder.script("land", mapped.land())
    for file, body in compared.pages_of(content.title, names).items():
        folder.text(file, pages.page(file, content.title, names, body, compared.SCRIPTS[file]))
    body = pages.figures(content.title, content.said, parts, links)
    folder.text("index.html", pages.page("index.html", content.title, names, body, SCRIPTS[:1]))


def _cited(grids: Sequence[PairGrid]) -> list[str]:
    """Return the BibTeX of what the families of some grids measure by."""
    keys = dict.fromkeys(key for grid in grids for key in grid.family.cites)
    return [bibtex_of(key) for key in keys]


def _figure(folder: Folder, name: str, part: Entry) -> None:
    facts = export.words(part.rests_on)
    folder.checked(f"tables/{name}.csv", export.to_csv(part.rows, facts))
    full = _published(part.rests_on)
    folder.binary(f"tables/{name}.parquet", export.to_parquet(part.rows, facts, full))
    if part.figure is not None:
        drawn = without_webgl(json.loads(part.figure.to_json()))
        folder.script(name, {"data": drawn["data"], "layout": drawn["layout"], "config": config(part.title)})


def _grid(folder: Folder, number: int, grid: PairGrid, exact: bool) -> Iterator[int]:
    """Write the scores of a grid, checkpoint by checkpoint, each of which is given before it is in hand."""
    surveyed = survey(grid)
    folder.script(f"g{number}", walk.figures_of(grid, surveyed))
    for place in range(len(grid.checkpoints)):
        yield place
        name = f"g{number}-c{place}"
        names = [f"{name}-l{layer}" for layer in range(len(grid.layers))] if grid.is_split else [name]
        if not all(map(folder.has, names)):
            for each, part in zip(names, parts_of(grid, place, surveyed.drawn), strict=True):
                folder.script(each, part)
        inside.shards(folder.path, grid, place, folder.pattern, exact)
    folder.checked(f"tables/g{number}-layers.csv", export.to_csv(_means(grid, surveyed), {}))


def _texts(folder: Folder, number: int, grid: PairGrid, found: Mapping[texts.View, pd.DataFrame]) -> None:
    """Write confused sentences: what there are of, those of each, and all of them to download."""
    folder.script(f"g{number}-sentences", list(found))
    for place, rows in enumerate(found.values()):
        folder.script(f"g{number}-s{place}", rows.to_numpy(object).tolist())
    folder.checked(f"tables/g{number}-sentences.csv", export.to_csv(texts.table(grid, found), {}))


def _means(grid: PairGrid, surveyed: Survey) -> pd.DataFrame:
    """Return the means over all pairs of languages, a row a measure, layer and checkpoint."""
    metric, layer, checkpoint = np.nonzero(surveyed.overall["n"] > 0)
    rows = pd.DataFrame({"metric": np.array(grid.metrics, object)[metric]})
    keys = [grid.checkpoints[place] for place in checkpoint.tolist()]
    rows["checkpoint"] = [each.fingerprint for each in keys]
    layers = pd.Series(np.array(grid.layers)[layer], dtype="Int64")
    rows["layer"] = layers.where(layers >= 0)
    for name, column in (("value", "value"), ("low", "low"), ("high", "high"), ("pairs", "n"), ("n", "sentences")):
        rows[name] = surveyed.overall[column][metric, layer, checkpoint]
    return rows.astype({"pairs": "Int64", "n": "Int64"}).assign(
        model=grid.model.name,
        corpus=grid.corpus.name,
        protocol=grid.protocol,
        label=[each.label for each in keys],
        step=pd.Series([each.step for each in keys], dtype="Int64"),
    )


def _provenance(grid: PairGrid, workspaces: Sequence[Path]) -> Provenance:
    """Return what a grid rests on, as the dashboard says it of a figure of its scores, its orders and its map."""
    known = [(each.fingerprint, grid.model.name, each.label, each.step, at) for at, each in enumerate(grid.checkpoints)]
    shards = sorted(file.run for file in grid.files)
    recipe = Recipe(
        (
            partial(files_of, workspaces=workspaces, family=grid.measures[0].experiment, shards=shards),
            partial(on_a_map, languages=grid.languages),
            partial(label_checkpoints, checkpoints=known),
        )
    )
    return replace(provenance(recipe, workspaces), credits=walk.CREDITS)


def _published(rests_on: Provenance) -> dict[str, Any]:
    return replace(rests_on, files={}).to_json()


def _say(
    folder: Folder,
    content: Content,
    rests_on: Sequence[Provenance],
    bibtex: str,
    names: Mapping[str, str],
    credited: Sequence[str],
) -> None:
    """Write what says what the atlas is: for people, for machines, and for who cites it."""
    own = content.title, content.licence, content.authors
    facts = described.Facts(*own, tuple(rests_on), bibtex, content.exact, tuple(credited))
    folder.text("methods.txt", described.methods(facts))
    folder.text("references.bib", bibtex)
    folder.text("CITATION.cff", described.citation(facts))
    folder.text("provenance.json", _json([_published(each) for each in rests_on]))
    folder.text("README.md", described.card(facts, _files(folder)))
    files = _files(folder)
    folder.text("croissant.json", _json(described.croissant(facts, files)))
    blocks, listed = described.blocks(facts), {name: what for name, (what, *_) in files.items()}
    body = pages.about(content.title, blocks, listed)
    folder.text("about.html", pages.page("about.html", content.title, names, body))
    folder.text(MARK, _json({"isogloss_atlas": 1, "title": content.title, "isogloss": described.version()}))


def _files(folder: Folder) -> dict[str, tuple[str, int, str]]:
    """Return the files to download: what each is, its size in bytes and its SHA-256."""
    found = {}
    for path in sorted(folder.path.rglob("*")):
        name = path.relative_to(folder.path).as_posix()
        if path.is_file() and (what := described.what_is(name)):
            found[name] = (what, path.stat().st_size, _hash(path))
    return found


def _sum(folder: Folder) -> None:
    names = sorted(path.relative_to(folder.path).as_posix() for path in folder.path.rglob("[!.]*") if path.is_file())
    folder.text(SUMS, "".join(f"{_hash(folder.path / name)}  {name}\n" for name in names))


def _hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
