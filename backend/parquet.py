"""Parquet files that carry a checksum of themselves: a file that was cut off or altered is never trusted."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from isogloss.backend.errors import StoreError
from isogloss.backend.files import parse_json, publish

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

METADATA, DIGEST, WRITTEN_AS = b"isogloss", b"isogloss-digest", b"isogloss-format"
FORMAT = 1
"""Of what this version writes, in each file's footer; raised when an older version would misread it. Files that name none are
of the first."""
PLACE = b"blake2b:" + b"0" * 32
"""Stands in the footer while the rest of the file is hashed, and is then overwritten by the hash."""


class NotOursError(StoreError):
    """A file that is not damaged, but that this version cannot read: it stays where it is, and is left out."""


def write(
    path: Path,
    table: pa.Table,
    metadata: Mapping[str, Any],
    compression: str = "zstd",
    group: int = 1 << 20,
    numbers: Collection[str] = (),
) -> Path:
    """Publish `table` at `path` with `metadata` (JSON) and the file's own checksum in its footer.

    `group` rows at a time can be read apart (`read_groups`). `numbers` are columns of numbers that seldom come twice: without a
    dictionary, and byte by byte, they take three quarters of the space and a fifth of the time to read. The checksum covers
    every byte: Parquet's page checksums leave the headers and the footer out. Arrow's own schema is not written: it would say
    `metadata` a second time, in base64.
    Raises `StoreError` on a full disk or a read-only workspace, and where a newer version wrote what stands there.
    """
    _check_older(path)
    with publish(path) as temporary:
        write_stamped(temporary, table, metadata, compression, group, numbers)
    return path


def write_stamped(
    path: Path,
    table: pa.Table,
    metadata: Mapping[str, Any],
    compression: str = "zstd",
    group: int = 1 << 20,
    numbers: Collection[str] = (),
    level: int | None = None,
) -> None:
    """Write what `write` publishes, where nobody reads meanwhile and no workspace is: what is taken away.

    `level` is that of the compression, the usual one where None.
    """
    text = json.dumps(dict(metadata), ensure_ascii=False, sort_keys=True)
    bare, stamp = table.replace_schema_metadata(), {METADATA: text, DIGEST: PLACE, WRITTEN_AS: str(FORMAT)}
    dictionary = [name for name in bare.schema.names if name not in numbers]
    with pq.ParquetWriter(
        path,
        bare.schema,
        compression=compression,
        compression_level=level,
        use_dictionary=dictionary if numbers else compression != "none",
        column_encoding=dict.fromkeys(numbers, "BYTE_STREAM_SPLIT") or None,
        store_schema=False,
    ) as file:
        file.write_table(bare, row_group_size=group)
        file.add_key_value_metadata(stamp)
    whole = path.read_bytes()
    place = whole.rindex(PLACE)
    with open(path, "r+b") as file:
        file.seek(place)
        file.write(_digest(whole, place))


def read(path: Path, columns: list[str] | None = None, *, batch: int | None = None) -> pa.Table:
    """Return the table at `path`, every byte verified.

    `batch` reads so many rows at a time: decoded at once, a column of lists takes several times its size.
    Raises `StoreError` naming the file where it is truncated or altered, `NotOursError` where another program or a newer
    version wrote it.
    """
    whole = path.read_bytes()
    _verify(whole, path.name)
    if batch is not None:
        with pq.ParquetFile(pa.BufferReader(whole)) as file:
            return pa.Table.from_batches(file.iter_batches(batch, columns=columns), file.schema_arrow)
    return pq.read_table(pa.BufferReader(whole), columns=columns)


def verified(path: Path) -> pq.FileMetaData:
    """Return the footer of the file at `path`, every byte verified and none decoded. Raises as `read` does."""
    whole = path.read_bytes()
    _verify(whole, path.name)
    return pq.read_metadata(pa.BufferReader(whole))


def statistics(footer: pq.FileMetaData, column: str) -> list[Any]:
    """Return what a footer says of a column in each row group (`pq.Statistics`: least, greatest, nulls); None where nothing."""
    place = footer.schema.names.index(column)
    return [footer.row_group(group).column(place).statistics for group in range(footer.num_row_groups)]


def read_groups(path: Path, columns: list[str], texts: Sequence[str], groups: Sequence[int] | None = None) -> pa.Table:
    """Return the table at `path` with the columns `texts` as dictionaries, every byte verified.

    With `groups` (`groups_with`) these row groups alone, of a file that was verified when it was listed. Raises as `read` does.
    """
    if groups is None:
        whole = path.read_bytes()
        _verify(whole, path.name)
        with pq.ParquetFile(pa.BufferReader(whole), read_dictionary=list(texts)) as file:  # half the time of `read_table`
            return file.read(columns=columns)
    try:
        with pq.ParquetFile(path, read_dictionary=list(texts)) as file:
            return file.read_row_groups(list(groups), columns=columns)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path.name, first_line(error)) from error


def groups_with(
    path: Path, modified: int, among: Mapping[str, Collection[Any] | None], large: int = 0
) -> tuple[int, ...] | None:
    """Return the row groups that can hold one of the values of each column in `among` (None: any).

    None for all of them, and where some can but the file has fewer than `large` rows: it is then best read whole. Raises as
    `read` does where the footer cannot be read.
    """
    rows, ranges = _ranges(path, modified, tuple(among))
    asked = [(place, wanted) for place, wanted in enumerate(among.values()) if wanted is not None]
    some = tuple(group for group, ends in enumerate(ranges) if all(_can_hold(ends[place], wanted) for place, wanted in asked))
    return None if len(some) == len(ranges) or (some and rows < large) else some


def _can_hold(ends: tuple[Any, Any] | None, wanted: Collection[Any]) -> bool:
    return ends is None or any(ends[0] <= one <= ends[1] for one in wanted)


@lru_cache(maxsize=100_000)
def _ranges(path: Path, _modified: int, columns: tuple[str, ...]) -> tuple[int, list[tuple[tuple[Any, Any] | None, ...]]]:
    """Return the rows of a file, and the least and greatest value of these columns in each row group, None where unknown."""
    try:
        footer = pq.read_metadata(path)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path.name, first_line(error)) from error
    said = [statistics(footer, column) for column in columns]
    ends = [[(one.min, one.max) if one is not None and one.has_min_max else None for one in each] for each in said]
    return footer.num_rows, list(zip(*ends, strict=True))


def metadata(path: Path) -> dict[str, Any]:
    """Return the JSON that `write` put into the footer. Raises as `read` does where the footer cannot be read."""
    try:
        footer = pq.read_schema(path).metadata or {}
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path.name, first_line(error)) from error
    _check_format(footer, path.name)
    try:
        return dict(parse_json(footer[METADATA]))
    except (ValueError, TypeError, KeyError) as error:
        raise _damaged(path.name, first_line(error)) from error


def _verify(whole: bytes, name: str) -> None:
    label = PLACE[: PLACE.index(b":") + 1]
    place = whole.rfind(label)
    if len(whole) < 12 or not whole.endswith(b"PAR1"):
        raise _damaged(name, "it is cut off")
    if place < 0 or _digest(whole, place) != whole[place : place + len(PLACE)]:
        try:
            footer = pq.read_schema(pa.BufferReader(whole)).metadata or {}
        except (pa.ArrowException, OSError):
            footer = {DIGEST: PLACE}
        _check_format(footer, name)
        raise _damaged(name, "its checksum does not match")
    _check_format(pq.read_schema(pa.BufferReader(whole)).metadata or {}, name)


def _check_format(footer: Mapping[bytes, bytes], name: str) -> None:
    """Raise `NotOursError` where a footer is another program's, or a newer version's."""
    if DIGEST not in footer:
        raise NotOursError(f"The file {name} was not written by Isogloss. It is left out: move it elsewhere.")
    written = footer.get(WRITTEN_AS, b"1")
    if not written.isdigit() or int(written) > FORMAT:
        said = written.decode("utf-8", "replace")[:9]
        raise NotOursError(
            f"The file {name} was written by a newer Isogloss (format {said}; this reads {FORMAT}). "
            "It is left out: update Isogloss."
        )


def _check_older(path: Path) -> None:
    """Raise `NotOursError` where a newer version wrote what stands at `path`: it is not to be lost."""
    try:
        footer = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError):
        return
    if WRITTEN_AS in footer:
        _check_format({DIGEST: b"", **footer}, path.name)


def _digest(whole: bytes, place: int) -> bytes:
    """Return the hash of `whole` as it was when `PLACE` still stood at `place`."""
    view, hashed = memoryview(whole), hashlib.blake2b(digest_size=16)
    for part in (view[:place], PLACE, view[place + len(PLACE) :]):
        hashed.update(part)
    return b"blake2b:" + hashed.hexdigest().encode("ascii")


def _damaged(name: str, why: str) -> StoreError:
    return StoreError(f"The file {name} is damaged ({why}). It will be computed again.")


def first_line(error: Exception) -> str:
    """Cut an error's message to its first line, at most 160 characters; its type where it has none."""
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
