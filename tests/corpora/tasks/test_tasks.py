"""Labelled tasks: labels of the source, splits by rows, random labels and corruption."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.parallel import corpus as parallel
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.corpora.tasks.random_labels import corrupt, random_task
from isogloss.backend.corpora.tasks.task import SCHEMA, LabelledTask, draws, split
from isogloss.backend.errors import CorpusError


def task(count: int = 60, labels: tuple[str, ...] = ("a", "b", "c"), *, pair: bool = True) -> LabelledTask:
    """Rows r0, r1 …; in German row 4 has another label than elsewhere."""
    rows = []
    for tag in ("de", "en", "fi"):
        for i in range(count):
            label = labels[(i + (tag == "de" and i == 4)) % len(labels)]
            rows.append((f"r{i}", tag, f"{tag} {i}", f"{tag} second {i}" if pair else None, label, "train"))
    return LabelledTask(pa.table([list(column) for column in zip(*rows, strict=True)], schema=SCHEMA))


def corpus(sizes: dict[str, int]) -> ParallelCorpus:
    rows = [(f"s{i}", tag, f"{tag} {i}", None) for tag, size in sorted(sizes.items()) for i in range(size)]
    return ParallelCorpus(pa.table([list(column) for column in zip(*rows, strict=True)], schema=parallel.SCHEMA))


def label_by_row(table: LabelledTask, language: str) -> dict[str, str]:
    rows = table.part(language).to_pylist()
    return {row["row_id"]: row["label"] for row in rows}


def test_properties() -> None:
    whole = task()
    assert (whole.languages, whole.labels, whole.is_pair) == (["de", "en", "fi"], ["a", "b", "c"], True)
    assert whole.rows() == [f"r{i}" for i in range(60)]
    assert whole.rows("validation") == []
    assert not task(pair=False).is_pair
    assert task(pair=False).examples("en").pairs is None
    assert whole.only(["fi", "de"]).languages == ["de", "fi"]
    with pytest.raises(CorpusError, match="no language 'dee'"):
        whole.only(["dee"])


def test_a_translation_has_the_label_of_its_source_where_that_is_asked_for() -> None:
    whole = task()
    own, sources = whole.examples("de"), whole.examples("de", labels_of="en")
    assert own.texts == sources.texts == [f"de {i}" for i in range(60)]
    assert own.pairs == [f"de second {i}" for i in range(60)]
    assert [i for i in range(60) if own.labels[i] != sources.labels[i]] == [4]
    assert sources.labels.tolist() == [i % 3 for i in range(60)]
    assert sources.labels.dtype == np.int64
    assert len(own) == 60
    assert (whole.label_differs("de", "en"), whole.label_differs("en", "fi")) == (1, 0)


@given(share=st.floats(0.05, 0.5), seed=st.integers(0, 2**63))
@settings(max_examples=30)
def test_a_split_has_the_same_rows_in_every_language(share: float, seed: int) -> None:
    whole = task(labels=("a", "b"))
    parts = split(whole, share, seed)
    assert len(parts.rows("validation")) == round(share * 60)
    for language in parts.languages:
        for part in ("train", "validation"):
            assert parts.part(language, part)["row_id"].to_pylist() == parts.rows(part)  # type: ignore[arg-type]
        assert label_by_row(parts, language) == label_by_row(whole, language)
    assert sorted(parts.rows()) == sorted(whole.rows())
    assert parts.rows("train") == [row for row in whole.rows() if row in set(parts.rows("train"))]
    assert parts.table.equals(split(whole, share, seed).table)
    assert parts.table.schema == SCHEMA


def test_splits_are_nested_and_keep_to_their_rows_when_languages_go() -> None:
    whole = task(labels=("a", "b"))
    small, large = (set(split(whole, share, 7).rows("validation")) for share in (0.1, 0.3))
    assert small < large
    assert set(split(whole.only(["en"]), 0.3, 7).rows("validation")) == large
    assert set(split(whole, 0.3, 8).rows("validation")) != large


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, 0.001])
def test_a_split_without_rows_on_one_side(share: float) -> None:
    with pytest.raises(CorpusError, match="leaves a part without rows"):
        split(task(), share, 1)


def test_a_split_is_refused_where_there_is_one_or_a_label_would_not_be_trained() -> None:
    with pytest.raises(CorpusError, match="validation part of its own"):
        split(split(task(), 0.2, 1), 0.2, 1)
    rare = task(count=4, labels=("a", "b", "c", "d"))
    with pytest.raises(CorpusError, match="validation rows in de but no training rows"):
        split(rare, 0.5, 1)


def test_draws_are_uniform_independent_and_belong_to_their_id() -> None:
    ids = [str(i) for i in range(20_000)]
    values, others = draws(1, "a", ids), draws(1, "b", ids)
    assert values.min() >= 0
    assert values.max() < 1
    # Each of ten equal bins holds 2,000 with a standard deviation of 42; 5 of them are 210.
    assert np.abs(np.bincount((values * 10).astype(int), minlength=10) - 2000).max() < 210
    for other in (others, draws(2, "a", ids), np.roll(values, 1)):
        assert abs(np.corrcoef(values, other)[0, 1]) < 5 / np.sqrt(len(ids))
    assert draws(1, "a", ids[5:7]).tolist() == values[5:7].tolist()


def test_random_labels_are_fair_shared_and_stay_with_their_sentence() -> None:
    parallel_text = corpus({"de": 1000, "en": 900, "fi": 1000})
    drawn = random_task(parallel_text, ["fi", "en"], 3)
    assert (drawn.languages, drawn.labels, drawn.is_pair, len(drawn.rows())) == (["en", "fi"], ["0", "1"], False, 900)
    assert label_by_row(drawn, "en") == label_by_row(drawn, "fi")
    ones = sum(label == "1" for label in label_by_row(drawn, "en").values())
    assert abs(ones - 450) < 5 * 15  # five standard deviations
    more = label_by_row(random_task(parallel_text, ["de", "fi"], 3), "fi")
    assert len(more) == 1000
    assert more.items() > label_by_row(drawn, "fi").items()
    assert label_by_row(random_task(parallel_text, ["de", "fi"], 4), "fi") != more
    assert random_task(parallel_text, ["de", "fi"], 3, limit=10).rows() == [f"s{i}" for i in range(10)]
    assert drawn.table.schema == SCHEMA
    assert drawn.examples("en").texts[:2] == ["en 0", "en 1"]


def test_random_labels_that_cannot_be() -> None:
    with pytest.raises(CorpusError, match="same random label"):
        random_task(corpus({"de": 1, "en": 1}), ["de", "en"], 0)
    with pytest.raises(CorpusError, match="No language"):
        random_task(corpus({"de": 1, "en": 1}), [], 0)
    with pytest.raises(CorpusError, match="no language 'xx'"):
        random_task(corpus({"de": 9, "en": 9}), ["xx"], 0)


def test_a_text_with_both_labels_is_said() -> None:
    rows = [(f"s{i}", tag, "the same", None) for tag in ("de", "en") for i in range(20)]
    same = ParallelCorpus(pa.table([list(column) for column in zip(*rows, strict=True)], schema=parallel.SCHEMA))
    assert "recur with the other label" in random_task(same, ["de", "en"], 1).report.warnings[0]
    assert random_task(corpus({"de": 20}), ["de"], 1).report.warnings == ()


@given(seed=st.integers(0, 2**32), ratios=st.tuples(st.integers(0, 10), st.integers(0, 10)))
@settings(max_examples=40)
def test_corruption_is_nested_and_alike(seed: int, ratios: tuple[int, int]) -> None:
    """Every label of a lower ratio is the old one or, where it was replaced, the same as at the higher ratio."""
    low, high = sorted(ratios)
    whole = task()
    old, some, more = (label_by_row(t, "de") for t in (whole, corrupt(whole, low / 10, seed), corrupt(whole, high / 10, seed)))
    changed = {row for row in old if some[row] != old[row]}
    assert changed <= {row for row in old if more[row] != old[row]}
    assert all(more[row] == some[row] for row in changed)
    assert len(changed) <= Fraction(low, 10) * 60


def test_corruption_is_of_training_rows_alike_in_every_language() -> None:
    whole = split(task(count=600), 0.5, 2)
    whole_de = label_by_row(whole, "de")
    changed = corrupt(whole, 1, 5)
    assert changed.labels == whole.labels
    for row in whole.rows("validation"):
        assert label_by_row(changed, "de")[row] == whole_de[row]
    # At ratio 1 even row 4, whose labels differed, has one label in all languages, if it is trained on.
    assert "r4" in whole.rows("train")
    assert label_by_row(changed.only(["de"]), "de")["r4"] == label_by_row(changed, "en")["r4"]
    trained = whole.rows("train")
    same = sum(label_by_row(changed, "en")[row] == label_by_row(whole, "en")[row] for row in trained)
    assert abs(same - 100) < 5 * 8.2  # a third keep their label by chance: sd = sqrt(300 · 1/3 · 2/3)
    assert corrupt(whole, 0, 5).table.equals(whole.table)
    assert corrupt(whole, 1, 6).table != changed.table
    assert changed.table.schema == SCHEMA
    with pytest.raises(CorpusError, match="not between 0 and 1"):
        corrupt(whole, 1.1, 5)
