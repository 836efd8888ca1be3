"""A user's own SQL reads the scores, and no file: each way out is tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import StoreError
from isogloss.backend.store import scores
from tests.footers import footer

if TYPE_CHECKING:
    from pathlib import Path

ROW = {"metric": "m", "layer": 1, "source": "de", "target": "fi", "value": 0.5}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for shard in ("a" * 24, "b" * 24):
        rows = scores.table([ROW], run=shard, family="abx", model="mini", corpus="c", checkpoint="f")
        scores.write(tmp_path, "abx", shard, rows, footer("abx"))
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "token.txt").write_text("secret")
    return tmp_path


ESCAPES = [
    "SELECT * FROM read_text('{w}/jobs/token.txt')",
    "SELECT * FROM read_blob('{w}/jobs/token.txt')",
    "SELECT * FROM read_csv('{w}/jobs/token.txt')",
    "SELECT * FROM '{w}/scores/abx/{a}.parquet'",
    "SELECT * FROM read_parquet('{w}/scores/*/*.parquet')",
    "SELECT * FROM parquet_metadata('{w}/scores/abx/{a}.parquet')",
    "SELECT * FROM glob('{w}/**')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM query('COPY scores TO ''{w}/out.csv''')",
    "WITH x AS (SELECT * FROM read_text('/etc/hostname')) SELECT * FROM x",
    "SELECT (SELECT content FROM read_text('/etc/hostname'))",
    "COPY scores TO '{w}/out.csv'",
    "COPY scores TO '{w}/scores/abx/{a}.parquet' (USE_TMP_FILE false)",
    "COPY (PIVOT scores ON layer USING count(*)) TO '{w}/out.parquet'",
    "COPY scores TO '{w}/out' (FORMAT parquet, PARTITION_BY (layer))",
    "EXPLAIN ANALYZE COPY scores TO '{w}/out.csv'",
    "PREPARE v AS COPY scores TO '{w}/out.csv'; EXECUTE v",
    "SELECT 1; COPY scores TO '{w}/out.csv'",
    "EXPORT DATABASE '{w}/out'",
    "IMPORT DATABASE '{w}/out'",
    "ATTACH '{w}/out.duckdb'",
    "ATTACH '{w}/jobs/queue.sqlite' (TYPE sqlite)",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "PRAGMA enable_external_access = true",
    "CREATE PERSISTENT SECRET s (TYPE S3)",
    "CREATE TABLE t AS SELECT 1",
    "DROP VIEW scores",
    "CALL pragma_version()",
    "SELECT * FROM files",
    "SELECT * FROM workspaces",
    "SELECT * FROM 'https://127.0.0.1/x.parquet'",
    "",
    ";",
]


@pytest.mark.parametrize("statement", ESCAPES)
def test_it_opens_no_file(workspace: Path, statement: str) -> None:
    before = {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
    with pytest.raises(StoreError) as refused:
        scores.sql(statement.format(w=workspace, a="a" * 24), [workspace])
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)
    assert {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT count(*) FROM scores",
        "FROM scores SELECT count(*)",
        "WITH own AS (SELECT * FROM scores WHERE layer = 1) SELECT count(*) FROM own",
        "SELECT 1 FROM (PIVOT scores ON layer IN (1) USING count(*))",
        "PIVOT (SELECT layer, 0 AS none FROM scores) ON layer USING count(*) GROUP BY none",
        "SELECT count(*) FROM (DESCRIBE scores) HAVING count(*) > 9",
    ],
)
def test_it_reads_the_scores(workspace: Path, statement: str) -> None:
    assert len(scores.sql(statement, [workspace])) == 1


def test_each_score_is_there_once(workspace: Path) -> None:
    assert scores.sql("SELECT * FROM scores", [workspace])["value"].tolist() == [0.5]


def test_without_scores_there_are_no_rows(tmp_path: Path) -> None:
    assert scores.sql("SELECT count(*) AS n FROM scores", [tmp_path])["n"].tolist() == [0]
