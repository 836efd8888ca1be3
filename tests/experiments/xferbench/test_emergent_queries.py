"""XferBench's scores as frames: means over seeds, one variant at a time, one text a column."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend.corpora.parallel import corpus as parallel
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.experiments.sources.queries import score_files
from isogloss.backend.experiments.sources.same_texts import same_texts
from isogloss.backend.experiments.sources.text import text_digest
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.experiments.xferbench.frames import cells_of
from isogloss.backend.listing import listed_once
from isogloss.backend.store import scores, shard_files
from isogloss.backend.store.scores import SCORES

if TYPE_CHECKING:
    from pathlib import Path

ONE, OTHER = "quick/correct/aaaaaa", "quick/released/bbbbbb"
A, B = "a" * 24, "b" * 24


def keep(workspace: Path, name: str, provenance: dict[str, str] | None = None, **changes: Any) -> None:
    """One score in a file of its own; `provenance` is what its footer says."""
    row = {
        "run": name,
        "experiment": "emergent",
        "metric": "cross_entropy",
        "model": "quick",
        "checkpoint": "base",
        "source": "none",
        "target": "fi",
        "corpus": A,
        "variant": ONE,
        "seed": 0,
        "value": 4.0,
        "low": np.nan,
        "high": np.nan,
        "n": 999,
        "created_at": dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
    } | changes
    scores.write(workspace, "emergent", name, pa.Table.from_pylist([row], schema=SCORES), provenance or {})


def test_nothing_yet(tmp_path: Path) -> None:
    assert tuple(xferbench_queries.variants([tmp_path]).columns) == xferbench_queries.VARIANTS
    cells = xferbench_queries.cross_entropies([tmp_path], ONE)
    assert tuple(cells.columns) == xferbench_queries.CELLS
    assert xferbench_queries.matrix(cells).empty
    assert tuple(xferbench_queries.each_seed([tmp_path], ONE).columns) == xferbench_queries.SEEDS


def test_seeds_are_averaged_and_nothing_else(tmp_path: Path) -> None:
    for seed, value in enumerate((4.0, 4.5, 5.3)):
        keep(tmp_path, f"none{seed}", seed=seed, value=value, n=999 - seed)
    keep(tmp_path, "random", source=B, value=6.0)
    keep(tmp_path, "other-text", corpus=B, value=3.0)  # the same language in another text
    keep(tmp_path, "danish", target="da", value=2.0)
    keep(tmp_path, "other-variant", variant=OTHER, value=99.0)
    keep(tmp_path, "other-metric", metric="chrf", value=50.0)
    cells = xferbench_queries.cross_entropies([tmp_path], ONE).set_index(["source", "corpus", "target"])
    assert cells["value"].to_dict() == {
        (B, A, "fi"): 6.0,
        ("none", A, "da"): 2.0,
        ("none", A, "fi"): pytest.approx(4.6),
        ("none", B, "fi"): 3.0,
    }
    found = cells.loc["none", A, "fi"]
    assert (found["deviation"], found["seeds"], found["n"]) == (pytest.approx(np.std([4.0, 4.5, 5.3], ddof=1)), 3, 997)
    assert np.isnan(cells.loc[(B, A, "fi"), "deviation"])
    frame = xferbench_queries.matrix(cells.reset_index())
    assert list(frame.columns) == [f"{A}/da", f"{A}/fi", f"{B}/fi"]
    assert frame.loc[B].isna().tolist() == [True, False, True]


def test_variants_are_listed_the_newest_first(tmp_path: Path) -> None:
    keep(tmp_path, "one", seed=3)
    keep(tmp_path, "two", source=A)
    keep(tmp_path, "three", corpus=B)
    keep(tmp_path, "four", variant=OTHER, created_at=dt.datetime(2025, 1, 1, tzinfo=dt.UTC))
    keep(tmp_path, "five", metric="chrf", variant="paper/correct/cccccc")
    found = xferbench_queries.variants([tmp_path])
    assert found["variant"].tolist() == [OTHER, ONE]
    assert found[["preset", "protocol", "sources", "targets", "seeds"]].to_numpy().tolist() == [
        ["quick", "released", 1, 1, 1],
        ["quick", "correct", 2, 2, 2],
    ]


def test_what_two_workspaces_have_counts_once_and_the_newest_of_a_cell(tmp_path: Path) -> None:
    for workspace in ("mine", "demo"):
        keep(tmp_path / workspace, "same", value=4.0)
    keep(tmp_path / "demo", "again", value=5.0, created_at=dt.datetime(2025, 1, 1, tzinfo=dt.UTC))
    both = [tmp_path / "mine", tmp_path / "demo"]
    (row,) = xferbench_queries.cross_entropies(both, ONE).itertuples()
    assert (row.value, row.seeds) == (5.0, 1)
    (each,) = xferbench_queries.each_seed(both, ONE).itertuples()
    assert (each.run, each.base, each.seed, each.value) == ("again", "base", 0, 5.0)


def test_the_parts_of_a_variant_are_those_of_the_footer_and_of_older_files_those_in_its_name(tmp_path: Path) -> None:
    keep(tmp_path, "old")
    keep(tmp_path, "new", {"preset": "custom", "mode": "released", "digits": "cccccc"}, variant="any")
    found = xferbench_queries.variants([tmp_path])[["variant", "preset", "protocol", "digits"]]
    assert {tuple(row) for row in found.itertuples(index=False)} == {
        (ONE, "quick", "correct", "aaaaaa"),
        ("any", "custom", "released", "cccccc"),
    }


def test_the_same_text_in_two_corpora_is_one_target_and_another_text_of_the_language_is_another(tmp_path: Path) -> None:
    """Of scores from before there were digests too, while their corpus is saved; what nothing is known of stands alone."""
    first, second = (library.keep(_news(danish), name, tmp_path).id for name, danish in (("One", "Hej"), ("Two", "Farvel")))
    gone, lost = "c" * 24, "d" * 24
    finnish = text_digest(["Moi 0", "Moi 1", "Moi 2"])
    scored = {"one": (first, ""), "two": (second, ""), "gone": (gone, finnish), "lost": (lost, "")}
    for name, (corpus, digest) in scored.items():
        said = {"target": f"{corpus}/fi"} | ({"target_text": digest} if digest else {})
        keep(tmp_path, name, said, corpus=corpus, source=name)
    for corpus in (first, second):
        keep(tmp_path, f"{corpus}-da", {"target": f"{corpus}/da"}, corpus=corpus, target="da")
    cells = xferbench_queries.cross_entropies([tmp_path], ONE)
    assert cells.set_index("source")["corpus"].loc[["one", "two", "gone", "lost"]].tolist() == [first, first, first, lost]
    assert set(cells[cells["target"] == "da"]["corpus"]) == {first, second}
    same = {f"{second}/fi": f"{first}/fi", f"{gone}/fi": f"{first}/fi"}
    assert same_texts([tmp_path]) == same
    for text in (f"{first}/fi", *same):  # a figure that was pinned names the text as it was called then
        assert cells_of([tmp_path], ONE, ["two"], [text])["value"].tolist() == [4.0]
    library.remove(first, tmp_path)
    library.remove(second, tmp_path)
    assert set(xferbench_queries.cross_entropies([tmp_path], ONE)["corpus"]) == {first, second, gone, lost}


def test_the_files_are_listed_once_a_draw_and_their_rows_read_once_until_one_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page asks some thirty times; a file a source, target and seed are thousands."""
    keep(tmp_path, "one", {"target": f"{'c' * 24}/fi"})
    done: list[str] = []
    for of, name in ((shard_files, "at"), (scores, "query_table")):
        before = getattr(of, name)
        monkeypatch.setattr(of, name, lambda *given, name=name, before=before: (done.append(name), before(*given))[1])
    with listed_once():
        assert len(score_files([tmp_path])) == 1
        for _ in range(3):
            assert len(xferbench_queries.cross_entropies([tmp_path], ONE)) == 1
            assert len(xferbench_queries.each_seed([tmp_path], ONE)) == 1
        assert sorted(done) == ["at", "query_table"]
        keep(tmp_path, "two", {"target": f"{'c' * 24}/fi"}, source="d" * 24)
        assert len(xferbench_queries.cross_entropies([tmp_path], ONE)) == 2
    assert sorted(done) == ["at", "at", "query_table", "query_table"]
    assert len(xferbench_queries.cross_entropies([tmp_path], ONE)) == 2
    assert done.count("query_table") == 2


def _news(danish: str) -> ParallelCorpus:
    """Three lines in two languages, the Finnish ones always the same."""
    rows = [(str(line), tag, f"{text} {line}", None) for tag, text in (("da", danish), ("fi", "Moi")) for line in range(3)]
    return ParallelCorpus(pa.table([list(column) for column in zip(*rows, strict=True)], schema=parallel.SCHEMA))
