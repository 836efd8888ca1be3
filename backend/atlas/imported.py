"""An atlas that others published, beside one's own workspace: its scores, and what they are of, to read and never to change.

It is a stranger's: of its folder only what is listed with its hash is read, only files of the names that an atlas has, and
they are kept only where they are scores of the models and corpora that come along. What an entry could have the dashboard do
(load weights from a path, show somebody's Markdown) is taken off it.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
from pydantic import ValidationError

from isogloss.backend import listing, parquet, people
from isogloss.backend.atlas import summed
from isogloss.backend.atlas.grids import KINDS
from isogloss.backend.atlas.inside import INSIDE
from isogloss.backend.atlas.site import MARK, SUMS
from isogloss.backend.errors import StoreError, did_you_mean
from isogloss.backend.files import TEMPORARY, digest, parse_json, publish_json
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.files.hub import is_hub_id
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import ATLASES, atlases
from isogloss.backend.store import details, scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LISTED = re.compile(r"([0-9a-f]{64})  ([\w./-]{1,200})")
TAKEN = re.compile(
    r"(scores/[a-z0-9_]{1,40}/[0-9a-f]{24}\.parquet|details/[0-9a-f]{24}\.parquet|models/[0-9a-f]{24}\.json|"
    rf"({'|'.join(kind.folder for kind in KINDS)})/[0-9a-f]{{24}}/entry\.json)"
)
"""What is read of an atlas, within `INSIDE`."""
MOST_FILES, MOST_ROWS, MOST_BYTES = 10_000, 5_000_000, 1 << 30
"""Of an atlas; of a file of scores when it is decoded (204 languages × 33 layers have 2 million rows); of any file."""
MARK_HERE = "imported.json"


@dataclass(frozen=True)
class Imported:
    """An atlas that is kept."""

    id: str
    title: str
    folder: Path
    files: int
    """Of scores."""


def take(site: Path, workspace: Path) -> Imported:
    """Keep the scores of an atlas beside a workspace. One that is there already is not read again.

    Raises `StoreError` where the folder is no atlas, where a file is not what its hash says, or where anything in it is not
    what an atlas has; nothing is kept then. `RefusedError` where whoever asks may not.
    """
    people.require("import")
    title, listed = _listed(site)
    id_ = digest([title, sorted(listed.items())])
    if there := next((each for each in kept(workspace) if each.id == id_), None):
        return there
    folder, building = workspace / ATLASES / id_, workspace / ATLASES / f"{TEMPORARY}{uuid.uuid4().hex}"
    try:
        for name, sha256 in listed.items():
            _copy(site / INSIDE, name, building / name, sha256)
        own = _checked_models(building, title, [workspace, *atlases(workspace)])
        corpora = _checked_corpora(building)
        files = _check_scores(building, own, corpora)
        _check_sums(building, own, corpora)
        publish_json(building / MARK_HERE, {"title": title, "files": files})
        building.rename(folder)
        listing.look_again()
    except OSError as error:
        raise StoreError(
            f"The atlas could not be read or kept ({error.strerror or error}). Get it again, all of it."
        ) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return Imported(id_, title, folder, files)


def kept(workspace: Path) -> list[Imported]:
    """Return the atlases that lie beside a workspace, by title."""
    found = []
    for folder in atlases(workspace):
        try:
            said = parse_json((folder / MARK_HERE).read_bytes())
            found.append(Imported(folder.name, str(said["title"]), folder, int(said["files"])))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return sorted(found, key=lambda each: (each.title.casefold(), each.id))


def remove(name: str, workspace: Path) -> Imported:
    """Remove an atlas by its title or the beginning of its id. Raises `StoreError` where there is none, or several."""
    people.require("remove")
    known = kept(workspace)
    fitting = [each for each in known if each.title == name] or [each for each in known if name and each.id.startswith(name)]
    if len(fitting) > 1:
        raise StoreError(
            f"Several atlases are called '{name}'. Use the beginning of an id: {', '.join(each.id for each in fitting)}."
        )
    if not fitting:
        raise StoreError(f"There is no imported atlas '{name}'. {did_you_mean(name, [each.title for each in known])}")
    shutil.rmtree(fitting[0].folder)
    return fitting[0]


def _listed(site: Path) -> tuple[str, dict[str, str]]:
    """Return an atlas's title, and the SHA-256 of each file to take, by its name within `INSIDE`."""
    try:
        if any((site / name).stat().st_size > MOST_BYTES >> 6 for name in (MARK, SUMS)):
            raise _refused("its list of files is too large")
        said = parse_json((site / MARK).read_bytes())
        lines = (site / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise StoreError(f"{site} is no atlas of Isogloss. Give the folder that holds its index.html.") from error
    if not isinstance(said, dict) or not isinstance(said.get("title"), str) or said.get("isogloss_atlas") != 1:
        raise StoreError(
            f"{site} is no atlas that this Isogloss can read. Update Isogloss, or ask for one of an older version."
        )
    found = [LISTED.fullmatch(line) for line in lines]
    if None in found:
        raise _refused("its list of files has a line that is none")
    inside = {line[2]: line[1] for line in found if line is not None and line[2].startswith(f"{INSIDE}/")}
    taken = {name.removeprefix(f"{INSIDE}/"): sha256 for name, sha256 in inside.items()}
    if wrong := [name for name in taken if not TAKEN.fullmatch(name)]:
        raise _refused(f"it has '{wrong[0]}', which no atlas has")
    if not any(name.startswith("scores/") for name in taken):
        raise StoreError(f"The atlas {site} has figures alone and no scores to import. Open its index.html.")
    if len(taken) > MOST_FILES:
        raise _refused(f"it has more than {MOST_FILES:,} files of scores")
    return " ".join(said["title"].split())[: models.MAX_NAME] or "Atlas", taken


def _copy(inside: Path, name: str, target: Path, sha256: str) -> None:
    """Copy a file that is what its hash says, and that no link leads to."""
    source = inside / name
    if any(path.is_symlink() for path in (source, *source.parents) if path.is_relative_to(inside)) or not source.is_file():
        raise _refused(f"{source.name} is listed and is no file of it")
    most = MOST_BYTES if source.suffix == ".parquet" else MOST_BYTES >> 6
    if source.stat().st_size > most:
        raise _refused(f"{source.name} is larger than {most >> 20} MB")
    content = source.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise _refused(f"{source.name} is not what its checksum says")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def _checked_models(folder: Path, title: str, others: Sequence[Path]) -> dict[str, Model]:
    """Return the models that come along, by fingerprint, and keep each as an entry that leads nowhere.

    One whose name another model here has is called after the atlas, too.
    """
    taken = {each.name.casefold() for each in models.entries(others)}
    found: dict[str, Model] = {}
    for path in sorted((folder / "models").glob("*.json")):
        model = _parsed(Model, path)
        path.unlink()
        name = model.name if model.name.casefold() not in taken else f"{model.name} ({title})"
        harmless = model.model_copy(
            update={
                "name": _name(name, path),
                "checkpoints": tuple(_nowhere(each) for each in model.checkpoints),
                "published": model.published if model.published and is_hub_id(model.published) else model.name,
                "note": "",
                "by": "",
                "formerly": (),
            }
        )
        taken.add(harmless.name.casefold())
        found |= {each.fingerprint: harmless for each in harmless.checkpoints}
        publish_json(models.entry_path(harmless.name, folder), harmless.model_dump())
    return found


def _nowhere(checkpoint: Checkpoint) -> Checkpoint:
    """Return a checkpoint whose place is one of the Hub, or nowhere."""
    if checkpoint.source == "hub" and is_hub_id(checkpoint.location):
        return checkpoint
    return checkpoint.model_copy(update={"source": "folder", "location": f"absent/{checkpoint.fingerprint}"})


def _checked_corpora(folder: Path) -> set[str]:
    """Return the ids of the data that come along, each an entry of names alone."""
    found = set()
    paths = [(kind, path) for kind in KINDS for path in sorted((folder / kind.folder).glob("*/entry.json"))]
    for kind, path in paths:
        entry = _parsed(kind.entry, path)
        if entry.id != path.parent.name:
            raise _refused(f"the {kind.name} {path.parent.name} is not what it says")
        bare = {
            "names_only": True,
            "warnings": (),
            "skipped_rows": (),
            "by": "",
            "formerly": (),
            "name": _name(entry.name, path),
        }
        publish_json(path, entry.model_copy(update=bare).model_dump(mode="json"))
        found.add(entry.id)
    return found


def _check_scores(folder: Path, own: Mapping[str, Model], corpora: set[str]) -> int:
    """Return how many files of scores there are: each whole, of a model and data that come along, and of nothing else."""
    files = sorted((folder / "scores").glob("*/*.parquet"))
    for path in files:
        try:
            footer = parquet.verified(path)
        except StoreError as error:
            raise _refused(f"{path.name} is damaged") from error
        if footer.num_rows > MOST_ROWS:
            raise _refused(f"{path.name} has more than {MOST_ROWS:,} scores")
    known = scores.shards([folder])
    if len(known) != len(files):
        raise _refused("a file of scores cannot be read")
    for file in known:
        said, family = file.provenance, file.path.parent.name
        same = {"experiment": family, "checkpoint": said.get("fingerprint"), "corpus": said.get("corpus"), "run": file.run}
        rows = pq.read_table(file.path, columns=list(same), read_dictionary=list(same))
        if any(rows[name].unique().to_pylist() != [value] for name, value in same.items()):
            raise _refused(f"{file.path.name} has scores of other things than it says")
        if said.get("fingerprint") not in own or said.get("corpus") not in corpora:
            raise _refused(f"{file.path.name} has scores of a model or corpus that does not come along")
    return len(files)


def _check_sums(folder: Path, own: Mapping[str, Model], corpora: set[str]) -> None:
    """Refuse files of what sentences contribute that are of anything else, or not what such a file is."""
    for path in sorted((folder / details.FOLDER).glob("*.parquet")):
        try:
            few = parquet.verified(path).num_rows <= MOST_ROWS
            said, table = parquet.metadata(path), parquet.read(path) if few else None
        except StoreError as error:
            raise _refused(f"{path.name} is damaged") from error
        if table is None or table.schema.remove_metadata() != summed.SCHEMA or said.get(summed.MARK) != 1:
            raise _refused(f"{path.name} is not what it says")
        n = said.get("sentences")
        if not isinstance(n, int) or any(len(each) != 4 * n for each in table["sums"].to_pylist()):
            raise _refused(f"{path.name} has other sentences than it says")
        if said.get("fingerprint") not in own or said.get("corpus") not in corpora:
            raise _refused(f"{path.name} is of a model or corpus that does not come along")


def _parsed(kind: Any, path: Path) -> Any:
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise StoreError(f"The atlas was not imported: {path.name} is not what it says. Get it again.") from error


def _name(name: str, path: Path) -> str:
    if not 1 <= len(name) <= 2 * models.MAX_NAME or not name.isprintable():
        raise StoreError(f"The atlas was not imported: {path.name} has a name that cannot be shown. Ask who published it.")
    return name


def _refused(why: str) -> StoreError:
    return StoreError(f"The atlas was not imported: {why}. Get it again from who published it.")
