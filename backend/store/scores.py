"""The table of scores that every family writes: one Parquet file a shard, and DuckDB over them.

No shared database file: every process opens its own in-memory DuckDB and reads the published files. A file is verified
once (page checksums) before it is queried; a damaged one is set aside and its shard counts as not computed.
"""

from __future__ import annotations

import datetime as dt
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import pyarrow as pa
from pyarrow import dataset

from isogloss.backend import parquet
from isogloss.backend.errors import StoreError
from isogloss.backend.files import NAME, named
from isogloss.backend.store import older, shard_files, sums, told_apart
from isogloss.backend.store.cube import LARGE
from isogloss.backend.store.shard_files import ShardFile as ShardFile
from isogloss.backend.store.short_bounds import with_short_bounds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SCORES = pa.schema(
    [
        ("run", pa.string()),  # hash of the shard that computed the row (also its file's name)
        ("experiment", pa.string()),  # the family: abx, alignment, transfer, similarity (of languages), emergent
        ("metric", pa.string()),  # the measure: abx_language, abx_meaning, retrieval_top1 …
        ("model", pa.string()),  # the model's name
        ("checkpoint", pa.string()),  # the checkpoint's fingerprint
        ("step", pa.int64()),  # training step, null where unknown
        ("layer", pa.int16()),  # 0 is the input embedding, null where it does not apply
        ("source", pa.string()),  # BCP-47 language (corpus id for XferBench)
        ("target", pa.string()),  # for symmetric scores source < target
        ("corpus", pa.string()),  # content id of the corpus
        ("variant", pa.string()),  # protocol and options, such as exact/mean/all
        ("seed", pa.int64()),  # null where nothing is random
        ("value", pa.float64()),
        ("low", pa.float64()),  # 95% interval; its method is documented beside the metric
        ("high", pa.float64()),
        ("n", pa.int64()),  # sentences (or examples) the value rests on
        ("created_at", pa.timestamp("us", tz="UTC")),
    ]
)


NUMBERS = ("value", "low", "high")
GROUP = 1 << 15
"""Rows of a row group at most, unless one layer of a measure has more."""
LISTED = """
SELECT experiment, metric, corpus, variant, model, checkpoint, {together} AS together, max(step) AS step,
  coalesce(list(DISTINCT layer) FILTER (layer IS NOT NULL), []) AS layers,
  count(*) AS scores, count(*) FILTER (source = target) AS own, coalesce(bool_or(source <> target), false) AS others,
  coalesce(bool_or(source > target), false) AS directed, list_distinct(list(DISTINCT source) || list(DISTINCT target)) AS names
FROM {rows} GROUP BY ALL ORDER BY ALL
"""
"""What there is of each measure among some rows. A file's footer says it of its own, so that nobody reads them all."""
FOOTER = "measures"
"""What a footer calls that; older files lack it."""


def table(
    rows: Iterable[Mapping[str, Any]],
    *,
    run: str,
    family: str,
    model: str,
    corpus: str,
    checkpoint: str | None,
    step: int | None = None,
    variant: str | None = None,
    seed: int | None = None,
) -> pa.Table:
    """Build the rows (`SCORES`) of one shard, written now: its own columns, and those that are the same in all of them.

    A column that `rows` have themselves is theirs; one that neither gives is null.
    """
    common = {
        "run": run,
        "experiment": family,
        "model": model,
        "corpus": corpus,
        "checkpoint": checkpoint,
        "step": step,
        "variant": variant,
        "seed": seed,
        "created_at": dt.datetime.now(dt.UTC),
    }
    return pa.Table.from_pylist([{**common, **row} for row in rows], schema=SCORES)


def shard_path(workspace: Path, family: str, shard: str) -> Path:
    """Return the shard's file, whether it is there or not."""
    return workspace / "scores" / named(family) / f"{named(shard)}.parquet"


def write(workspace: Path, family: str, shard: str, rows: pa.Table, provenance: Mapping[str, Any]) -> Path:
    """Publish the rows (`SCORES`) of one shard; `provenance` is what it was computed from, and how (for `shards`).

    Of many rows (`LARGE`) the bounds of intervals are kept to sixteen bits, rounded outwards: two bytes each.
    """
    typed = rows.select(SCORES.names).cast(SCORES)
    typed = typed if len(typed) < LARGE else with_short_bounds(typed)
    by = ("metric", "layer", "source", "target")  # a row group then serves one measure, and of many pairs one layer
    ordered = typed.sort_by([(name, "ascending") for name in by])
    layers = len(typed.group_by(["metric", "layer"]).aggregate([]))
    each = len(typed) // layers if layers and len(typed) % layers == 0 else GROUP
    group = max(each, GROUP // each * each)  # whole layers: one is read without its neighbours
    with _cursor() as cursor:
        listed = cursor.sql(LISTED.format(rows="ordered", together="0")).to_arrow_table().to_pylist()
    path = parquet.write(
        shard_path(workspace, family, shard), ordered, {**provenance, FOOTER: listed}, group=group, numbers=NUMBERS
    )
    sums.keep(path)
    shard_files.announce(path, SCORES)
    return path


def shards(workspaces: Sequence[Path], family: str | None = None) -> list[ShardFile]:
    """Return every readable shard of a family (or of all), oldest first. Damaged files are set aside on the way."""
    return shard_files.readable_files(workspaces, f"scores/{'*' if family is None else named(family)}/*.parquet", SCORES)


def named_shards(workspaces: Sequence[Path], family: str, keys: Iterable[str]) -> list[ShardFile]:
    """Return the readable shards of these keys, oldest first: a look at each file, whatever else lies beside it."""
    known_names = sorted({key for key in keys if NAME.fullmatch(key)})
    return shard_files.at(
        ((workspace, shard_path(workspace, family, key)) for workspace in workspaces for key in known_names), SCORES
    )


def left_out(workspaces: Sequence[Path]) -> list[tuple[Path, str]]:
    """Return the files among the scores that are not read and stay where they are, each with the reason and what to do."""
    return shard_files.left_out(workspaces, "scores/*/*.parquet", SCORES)


def known(paths: Iterable[Path]) -> list[ShardFile]:
    """Return the files at some paths, without those that are left out: read once a process."""
    return shard_files.known(paths, SCORES)


def exists(workspaces: Sequence[Path], family: str, shard: str) -> bool:
    """Return whether a readable file of this shard is there; a damaged one is set aside and does not count."""
    return shard_files.exists(((workspace, shard_path(workspace, family, shard)) for workspace in workspaces), SCORES)


QUERIES = (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI, duckdb.StatementType.EXPLAIN)
"""What may be run of a user's own SQL; `MULTI` is PIVOT."""
CLOSED = (
    "SET temp_directory = ''; SET python_enable_replacements = false; SET autoinstall_known_extensions = false; "
    "SET autoload_known_extensions = false; SET enable_external_access = false; SET lock_configuration = true"
)
"""No file, no network, no extension and no variable of this process, for good."""

_connection: duckdb.DuckDBPyConnection | None = None
_lock = threading.Lock()


def _cursor() -> duckdb.DuckDBPyConnection:
    """Return a cursor of this process's DuckDB: one a thread, since threads must not share a connection."""
    global _connection
    with _lock:
        if _connection is None:
            _connection = duckdb.connect(":memory:")
            with suppress(duckdb.InvalidInputException):  # in a notebook without widgets there is none, nor the setting
                _connection.execute("SET enable_progress_bar = false")
            with suppress(duckdb.Error):  # memory of a large query goes back to the system, where its allocator can
                _connection.execute("SET allocator_background_threads = true")
            _connection.execute("SET autoinstall_known_extensions = false")
            _connection.execute("SET parquet_metadata_cache = true")
            empty = SCORES.empty_table()  # noqa: F841 — DuckDB finds it by its name
            _connection.execute("CREATE TABLE no_scores AS SELECT * FROM empty")
        return _connection.cursor()


def query(sql: str, parameters: Mapping[str, Any], files: Sequence[Path]) -> pd.DataFrame:
    """Run `sql` over the rows of `files`, which it reads as the table `{scores}`, with `$name` parameters.

    As `{variants}` their `variant` also says what their files' footers alone do; `{places}` has a column more, the `dictionary`
    that paired words. Aggregate in the SQL: what comes back is what is drawn. Raises `StoreError` where DuckDB cannot run it;
    TypeError for a file that is no path: a recipe read from a file can hold texts, and reads nothing by them.
    """
    with _ready(sql, parameters, files) as (cursor, statement, values):
        return cursor.execute(statement, values).df()


def query_table(sql: str, parameters: Mapping[str, Any], files: Sequence[Path]) -> pa.Table:
    """Return what `query` does as Arrow has it: of a million rows, texts take a tenth of the time."""
    with _ready(sql, parameters, files) as (cursor, statement, values):
        return cursor.sql(statement, params=values).to_arrow_table()


def query_kept(sql: str, parameters: Mapping[str, Any], **tables: pa.Table) -> pd.DataFrame:
    """Run `sql` over tables that were read before (`query_table`), each by its name, with `$name` parameters."""
    with _cursor() as cursor:
        for name, rows in tables.items():
            cursor.register(name, rows)
        return cursor.execute(sql, dict(parameters) or None).df()


@contextmanager
def _ready(
    sql: str, parameters: Mapping[str, Any], files: Sequence[Path]
) -> Iterator[tuple[duckdb.DuckDBPyConnection, str, dict[str, Any] | None]]:
    """Yield what runs a query, its statement over the rows of the files, and its parameters."""
    if not all(isinstance(file, Path) for file in files):
        raise TypeError("Scores are read from paths alone: give `query` what `shards` found.")
    cursor = _cursor()
    sources, values = [], dict(parameters)
    for name, some in zip(("score_files", "older_files"), older.split(files), strict=True):
        if some:
            kept, values[name] = f"read_parquet(${name})", [str(file) for file in some]
            sources.append(f"SELECT * FROM {kept}" if name == "score_files" else older.AS_TODAY.format(kept=kept))
    source = f"({' UNION ALL '.join(sources)})" if sources else "no_scores"
    apart = told_apart.of(known(files)) if "{variants}" in sql or "{places}" in sql else told_apart.NOTHING
    lists, tables = told_apart.as_tables(apart, dictionaries="{places}" in sql)
    sources_of = {"scores": source, "variants": told_apart.told(source, tables[:1]), "places": told_apart.told(source, tables)}
    try:
        yield cursor, sql.format(**sources_of), (values | lists) or None
    except duckdb.Error as error:
        raise StoreError(f"The query could not be run: {parquet.first_line(error)}") from error
    finally:
        cursor.close()


def sql(statement: str, workspaces: Sequence[Path]) -> pd.DataFrame:
    """Run a user's own SQL over all scores, as the view `scores` (each score once, the newest), with the places of `query`.

    It reads that view and nothing else: Arrow hands the rows over, and DuckDB may open no file, neither to read nor to write.
    Raises `StoreError` for what is not one query, and for what cannot be run.
    """
    found = shards(workspaces)
    lists, made_of = told_apart.as_tables(told_apart.of(found), dictionaries=True)
    with duckdb.connect(":memory:") as connection:
        for name, some in zip(("kept", "before"), older.split([shard.path for shard in found]), strict=True):
            paths = [str(path) for path in some]
            connection.register(name, dataset.dataset(paths, SCORES, format="parquet") if paths else SCORES.empty_table())
        tables = []
        for name, made in zip(("of_runs", "of_words"), made_of, strict=True):
            own = {key: value for key, value in lists.items() if f"${key})" in made}
            if made:
                connection.execute(f"CREATE TABLE {name} AS {made[1:-1]}", own)
            tables.append(name if made else "")
        every = told_apart.told(f"(SELECT * FROM kept UNION ALL {older.AS_TODAY.format(kept='before')})", tables)
        connection.execute(
            f"CREATE VIEW scores AS SELECT * FROM {every} QUALIFY row_number() OVER (PARTITION BY experiment, metric, "
            "checkpoint, layer, source, target, corpus, variant, dictionary, seed ORDER BY created_at DESC) = 1"
        )
        connection.execute(CLOSED)
        try:
            if [one.type in QUERIES for one in connection.extract_statements(statement)] != [True]:
                raise StoreError("This is not one query. Write one SELECT over the view `scores`; nothing else can be run.")
            return connection.execute(statement).df()
        except (duckdb.Error, RuntimeError) as error:
            raise StoreError(f"The query could not be run: {parquet.first_line(error)}") from error
