"""What is in the folder of an atlas: its pages, the data that they draw, the scores themselves, and what says what they are.

Every file's name is made here, never of what people wrote. `workspace/` within it is one that Isogloss reads (`imported`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pyarrow.parquet as pq
from plotly.offline import get_plotlyjs

from isogloss.backend import parquet
from isogloss.backend.atlas import described, mapped, pages, private, walk
from isogloss.backend.atlas.grids import FAMILY, PairGrid
from isogloss.backend.boards import export
from isogloss.backend.boards.cards import BOTH
from isogloss.backend.boards.origins import provenance
from isogloss.backend.boards.provenance import Provenance
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.boards.report import references
from isogloss.backend.charts.parts.theme import config
from isogloss.backend.experiments.abx import queries
from isogloss.backend.experiments.frames import files_of, label_checkpoints
from isogloss.backend.files import digest
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from isogloss.backend.boards.report import Entry

    Progress = Callable[[float, str], object]
    """Is told the share done, 0 to 1, and what is in hand."""

ASSETS = Path(__file__).with_name("assets")
SUMS = "SHA256SUMS"
"""Lists every other file but `HINT`, as `sha256sum --check` reads it."""
HINT = ".nojekyll"
"""Has GitHub Pages take the files as they are; others need it not, and some leave such names out."""
MARK = "atlas.json"
"""Says that a folder is an atlas."""
SCRIPTS = ("atlas.js", "cells.js", "scores.js", "map.js", "abx.js")
INSIDE = "workspace"
"""The folder in it that Isogloss reads."""


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


@dataclass(frozen=True)
class Folder:
    """Where an atlas is written. A text that says what must not leave is refused before it is there."""

    path: Path
    pattern: Any
    """`private.refused`."""

    def text(self, name: str, text: str) -> None:
        """Write a text in UTF-8. Raises `StoreError` where it says what must not leave."""
        private.check(text, self.pattern, name)
        self.binary(name, text.encode("utf-8", "replace"))

    def script(self, name: str, value: Any) -> None:
        """Write data as a script of letters of ASCII alone, none of which ends a script's element."""
        said = json.dumps(value, ensure_ascii=False)
        private.check(said, self.pattern, f"data/{name}.js")
        text = json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
        self.binary(f"data/{name}.js", f'atlas.bring("{name}",{text});\n'.encode("ascii"))

    def binary(self, name: str, content: bytes) -> None:
        """Write a file, and the folders that it lies in."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def write(content: Content, workspaces: Sequence[Path], path: Path, progress: Progress) -> None:
    """Write an atlas into an empty folder.

    Raises `StoreError` where a score cannot be read, or where something would leave that must not; OSError where it cannot be
    written.
    """
    folder = Folder(path, private.refused(workspaces))
    titles = _walks(content.grids)
    steps = sum(len(grid.checkpoints) for grid in content.grids) + len(content.parts) + 2
    done = 0

    def step(what: str) -> None:
        nonlocal done
        progress(done / steps, what)
        done += 1

    step("pages")
    parts, rests_on = [], []
    for number, part in enumerate(content.parts):
        step(part.title or "text")
        name, why = f"f{number + 1:02d}", private.left_out(part, workspaces)
        parts.append((part, "" if part.is_text else name, why))
        if not part.is_text and not why:
            _figure(folder, name, part)
            rests_on.append(part.rests_on)
    of_grids, figures = [], []
    for number, grid in enumerate(content.grids):
        drawn = walk.drawn_of(grid)
        figures.append(walk.figures_of(grid, drawn))
        for place in _grid(folder, number, grid, drawn):
            step(f"{grid.model.name}, {grid.checkpoints[place].label}")
        of_grids.append(_provenance(grid, workspaces))
    step("what it is")
    _entries(folder, content.grids)
    if content.grids:
        folder.script("grids", figures)
        folder.script("land", mapped.land())
    _pages(folder, content, parts, titles)
    bibtex = references([*(part.bibtex for part in content.parts), *([BOTH.bibtex] if content.grids else [])])
    _say(folder, content, [*of_grids, *rests_on], bibtex)
    _sum(folder)
    progress(1.0, "written")


def _pages(folder: Folder, content: Content, parts: Sequence[tuple[Entry, str, str]], titles: dict[str, str]) -> None:
    for name in ("atlas.css", *SCRIPTS):
        folder.binary(f"assets/{name}", (ASSETS / name).read_bytes())
    folder.binary("assets/plotly.min.js", get_plotlyjs().encode("utf-8"))
    folder.binary(HINT, b"")
    files = ["index.html", *(["abx.html"] if content.grids else []), "about.html"]
    make = partial(pages.page, title=content.title, files=files)
    scripts = ["atlas.js"]
    folder.text(
        "index.html", make("index.html", body=pages.figures(content.title, content.said, parts, titles), scripts=scripts)
    )
    if content.grids:
        body = pages.abx(content.title, walk.ORDERS)
        folder.text("abx.html", make("abx.html", body=body, scripts=SCRIPTS))


def _walks(grids: Sequence[PairGrid]) -> dict[str, str]:
    """Return the link to each grid by what it is called: the address has the names of the dashboard's."""
    return {
        f"{grid.model.name} · {grid.corpus.name} · {grid.protocol}": "abx.html#"
        + urlencode({"model": grid.model.name, "corpus": grid.corpus.name, "protocol": grid.protocol})
        for grid in grids
    }


def _figure(folder: Folder, name: str, part: Entry) -> None:
    facts = export.words(part.rests_on)
    folder.binary(f"tables/{name}.csv", _checked(folder, export.to_csv(part.rows, facts), f"tables/{name}.csv"))
    full = _published(part.rests_on)
    folder.binary(f"tables/{name}.parquet", export.to_parquet(part.rows, facts, full))
    if part.figure is not None:
        drawn = json.loads(part.figure.to_json())
        folder.script(name, {"data": drawn["data"], "layout": drawn["layout"], "config": config(part.title)})


def _checked(folder: Folder, content: bytes, where: str) -> bytes:
    private.check(content.decode("utf-8", "replace"), folder.pattern, where)
    return content


def _grid(folder: Folder, number: int, grid: PairGrid, drawn: Mapping[str, walk.Drawn]) -> Iterator[int]:
    """Write the scores of a grid, checkpoint by checkpoint, each of which is given before it is in hand."""
    for place in range(len(grid.checkpoints)):
        yield place
        for layer, part in enumerate(found := walk.numbers_of(grid, place, drawn)):
            folder.script(f"g{number}-c{place}" + (f"-l{layer}" if len(found) > 1 or walk.is_split(grid) else ""), part)
        _shard(folder, grid, place)
    folder.binary(f"tables/g{number}-layers.csv", export.to_csv(_labelled(grid), {}))


def _labelled(grid: PairGrid) -> Any:
    """Return the means over the pairs, each checkpoint by its label."""
    means = grid.means()
    labels = {each.fingerprint: each.label for each in grid.checkpoints}
    steps = {each.fingerprint: each.step for each in grid.checkpoints}
    keys = means["checkpoint"]
    return means.assign(
        model=grid.model.name,
        corpus=grid.corpus.name,
        protocol=grid.protocol,
        label=keys.map(labels),
        step=keys.map(steps).astype("Int64"),
    )


def _shard(folder: Folder, grid: PairGrid, place: int) -> None:
    """Write the scores of a checkpoint as a workspace has them, under the names that they have now."""
    file, checkpoint = grid.files[place], grid.checkpoints[place]
    path = scores.shard_path(folder.path / INSIDE, FAMILY, file.run)
    if path.exists():
        return  # of a model that has this checkpoint, too
    path.parent.mkdir(parents=True, exist_ok=True)
    table = parquet.read(file.path)
    at = table.schema.get_field_index("model")
    renamed = table.set_column(at, table.schema.field(at), [[grid.model.name] * len(table)])
    listed = [each | {"model": grid.model.name} for each in file.provenance.get(scores.FOOTER, ())]
    said = {**file.provenance, "model": grid.model.name, "label": checkpoint.label, scores.FOOTER: listed}
    private.check(json.dumps(said, ensure_ascii=False), folder.pattern, "a file of scores")
    group = pq.read_metadata(file.path).row_group(0).num_rows
    parquet.write_stamped(path, renamed, said, group=group, numbers=scores.NUMBERS)


def _entries(folder: Folder, grids: Sequence[PairGrid]) -> None:
    """Write what a workspace knows of the models and corpora: neither weights nor texts, and nobody's name.

    A checkpoint from the Hub says where it is there; any other has no place.
    """
    for name, of in {grid.corpus.id: grid.corpus for grid in grids}.items():
        entry = of.model_copy(update={"by": "", "formerly": (), "names_only": True, "warnings": (), "skipped_rows": ()})
        folder.text(f"{INSIDE}/corpora/{name}/entry.json", _json(entry.model_dump(mode="json")))
    for name in dict.fromkeys(grid.model.name for grid in grids):
        of_model = [grid for grid in grids if grid.model.name == name]
        measured = {each.fingerprint for grid in of_model for each in grid.checkpoints}
        own = tuple(
            each if each.source == "hub" else each.model_copy(update={"location": f"absent/{each.fingerprint}"})
            for each in of_model[0].model.checkpoints
            if each.fingerprint in measured
        )
        kept = of_model[0].model.model_copy(update={"checkpoints": own, "by": "", "formerly": ()})
        folder.text(f"{INSIDE}/models/{digest(name)}.json", _json(kept.model_dump(mode="json")))


def _provenance(grid: PairGrid, workspaces: Sequence[Path]) -> Provenance:
    """Return what a grid rests on, as the dashboard says it of the figure of its means."""
    keys = [each.fingerprint for each in grid.checkpoints]
    known = [(each.fingerprint, grid.model.name, each.label, each.step, at) for at, each in enumerate(grid.checkpoints)]
    recipe = Recipe(
        (
            partial(files_of, workspaces=workspaces, family=FAMILY, shards=sorted(file.run for file in grid.files)),
            partial(queries.grid, languages=grid.languages, checkpoints=sorted(keys)),
            partial(label_checkpoints, checkpoints=known),
        )
    )
    return provenance(recipe, workspaces)


def _published(rests_on: Provenance) -> dict[str, Any]:
    return replace(rests_on, files={}).to_json()


def _say(folder: Folder, content: Content, rests_on: Sequence[Provenance], bibtex: str) -> None:
    """Write what says what the atlas is: for people, for machines, and for who cites it."""
    facts = described.Facts(content.title, content.licence, content.authors, tuple(rests_on), bibtex)
    folder.text("methods.txt", described.methods(facts))
    folder.text("references.bib", bibtex)
    folder.text("CITATION.cff", described.citation(facts))
    folder.text("provenance.json", _json([_published(each) for each in rests_on]))
    folder.text("README.md", described.card(facts, _files(folder)))
    files = _files(folder)
    folder.text("croissant.json", _json(described.croissant(facts, files)))
    blocks, listed = described.blocks(facts), {name: what for name, (what, *_) in files.items()}
    names = ["index.html", *(["abx.html"] if content.grids else []), "about.html"]
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
