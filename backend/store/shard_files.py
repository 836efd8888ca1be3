"""Files that shards publish, one each: read whole once, and left out where they are not what is written here.

What the folder's index knows was read whole before: it is listed at once, and read whole again later, once a process. Damaged
ones are set aside where the workspace may be changed. `left_out` names the others, which stay where they are.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from isogloss.backend import listing, parquet
from isogloss.backend.errors import StoreError
from isogloss.backend.files import published_files
from isogloss.backend.store import footers, index, later, quarantine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from isogloss.backend.store.index import Stamp

    Verified = Callable[[Path, Stamp], "ShardFile | StoreError"]


@dataclass(frozen=True, eq=False)
class ShardFile:
    """A verified file and what it says about itself. One object a file and process, so that it can key caches."""

    path: Path
    provenance: Mapping[str, Any]
    modified: float
    """When it was published: with the path, a key for caches."""

    @cached_property
    def run(self) -> str:
        """The shard's key."""
        return self.path.stem

    @cached_property
    def pairs(self) -> frozenset[tuple[str, ...]]:
        """What it says it has scores of, pair by pair; empty where it names none. Found once: it may be 20,706."""
        return frozenset(map(tuple, self.provenance.get("pairs") or ()))

    @cached_property
    def languages(self) -> frozenset[str] | None:
        """The languages whose pairs it says it has scores of, where it has them all, in alphabetical order; None otherwise."""
        pairs = self.provenance.get("pairs") or ()
        found = frozenset(end for pair in pairs for end in pair)
        every = set(combinations(sorted(found), 2))
        return found if len(pairs) == len(every) and all(tuple(pair) in every for pair in pairs) else None


def readable_files(workspaces: Sequence[Path], pattern: str, form: pa.Schema) -> list[ShardFile]:
    """Return every file that matches a glob in a workspace and has the columns of `form`, oldest first."""
    return list(listing.once((*workspaces, pattern), lambda: at(_matching(workspaces, pattern), form)))


def at(places: Iterable[tuple[Path, Path]], form: pa.Schema) -> list[ShardFile]:
    """Return the readable files among these (workspace, file), oldest first."""
    verified = _verified(form)
    found = [_read(workspace, path, verified) for workspace, path in places]
    index.write_noted()
    return sorted((file for file in found if isinstance(file, ShardFile)), key=lambda file: file.modified)


def left_out(workspaces: Sequence[Path], pattern: str, form: pa.Schema) -> list[tuple[Path, str]]:
    """Return the files that `readable_files` leaves out and that stay where they are, each with the reason and what to do."""
    found = ((path, _read(workspace, path, _verified(form))) for workspace, path in _matching(workspaces, pattern))
    return [(path, str(problem)) for path, problem in found if isinstance(problem, StoreError)]


def known(paths: Iterable[Path], form: pa.Schema) -> list[ShardFile]:
    """Return the files at some paths, without those that are left out."""
    verified = _verified(form)
    return [file for path in paths if isinstance(file := _read(path.parents[2], path, verified), ShardFile)]


def exists(places: Iterable[tuple[Path, Path]], form: pa.Schema) -> bool:
    """Return whether one of these (workspace, file) is there and readable; a damaged one does not count."""
    return any(isinstance(_read(workspace, path, _verified(form)), ShardFile) for workspace, path in places)


def _matching(workspaces: Sequence[Path], pattern: str) -> list[tuple[Path, Path]]:
    return [(workspace, path) for workspace in workspaces for path in published_files(workspace, pattern)]


def _read(workspace: Path, path: Path, verified: Verified) -> ShardFile | StoreError | None:
    """Return a file, or why it is left out; None where it is not there (any more)."""
    try:
        seen = index.stamp(path)
        file = _FOUND_LATER.get((path, seen)) or verified(path, seen)
    except FileNotFoundError:
        return None  # not there, or removed by another process between the listing and the reading
    if isinstance(file, StoreError) and quarantine.set_aside(workspace, path, file) is not None:
        return None
    return file


_FOUND_LATER: dict[tuple[Path, Stamp], ShardFile | StoreError] = {}
"""What files turned out to be that the index knew otherwise."""


@cache
def _verified(form: pa.Schema) -> Verified:
    """Return `_as_known` of files with these columns, which remembers: to hash a schema for each file took half a listing."""
    return lru_cache(maxsize=100_000)(partial(_as_known, form))


def _as_known(form: pa.Schema, path: Path, seen: Stamp) -> ShardFile | StoreError:
    """Return a file as the index knows it, else as `_whole` does."""
    said = index.known(path, seen, str(form))
    if said is None or footers.wrong_footer(path.parent.name, said):
        found = _whole(path, form, seen)
        if isinstance(found, ShardFile) and index.stamp(path) == seen:
            index.note(path, seen, found.provenance, str(form))
        return found
    file = _file(path, said, seen)
    later.do((path, seen), partial(_verify_again, file, form, seen))
    return file


def _verify_again(file: ShardFile, form: pa.Schema, seen: Stamp) -> None:
    """Read a file whole that was taken as the index knew it: what it says itself counts from then on."""
    with suppress(FileNotFoundError):
        found = _whole(file.path, form, seen)
        if index.stamp(file.path) == seen and (isinstance(found, StoreError) or found.provenance != file.provenance):
            _FOUND_LATER[file.path, seen] = found


def _whole(path: Path, form: pa.Schema, seen: Stamp) -> ShardFile | StoreError:
    """Read every byte and hold it against what the folder's files are: a tenth of a second for 60 MB, once a process."""
    try:
        footer, metadata = parquet.verified(path), parquet.metadata(path)
        footers.check(path.name, path.parent.name, footer, form, metadata)
    except FileNotFoundError:
        raise
    except StoreError as error:
        return error
    except OSError as error:
        return StoreError(f"The file {path.name} cannot be read: {error.strerror or error}. Check who may read it.")
    return _file(path, metadata, seen)


def announce(path: Path, form: pa.Schema) -> None:
    """Have the index know a file that was just published, once it is found to be as it should."""
    with suppress(FileNotFoundError):
        _verified(form)(path, index.stamp(path))
        index.write_noted()


def _file(path: Path, metadata: Mapping[str, Any], seen: Stamp) -> ShardFile:
    seconds, rest = divmod(seen[1], 10**9)
    return ShardFile(path, metadata, seconds + 1e-9 * rest)  # as `stat` gives it
