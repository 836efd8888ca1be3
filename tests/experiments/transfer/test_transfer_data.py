"""What a run is trained and evaluated on: whose label an example has, which rows, which classes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend.corpora.parallel import corpus as parallel
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks.readers import read as read_task
from isogloss.backend.corpora.tasks.task import LabelledTask
from isogloss.backend.errors import CorpusError, SpecError
from isogloss.backend.experiments.transfer.data import TransferData, data_of, part_of
from tests.experiments.transfer.small_transfer import LANGUAGES, small_corpus, small_task, spec_of, task_of, words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def made(workspace: Path, kept: LabelledTask | ParallelCorpus, **changes: Any) -> TransferData:
    """The data of the one run of a spec on `kept`."""
    if isinstance(kept, LabelledTask):
        kind, entry = "task", tasks.keep(kept, f"task {len(list(workspace.rglob('entry.json')))}", workspace)
    else:
        kind, entry = "parallel", corpora.keep(kept, f"corpus {len(list(workspace.rglob('entry.json')))}", workspace)  # type: ignore[assignment]
    spec = spec_of(**{"data": kind, "corpus": entry.id} | changes)
    (run,) = spec.runs()
    return data_of(spec.provenance(run), [workspace])


def single(validation: Sequence[str] = (), train: Sequence[str] = "abcabcabc", odd: str | None = None) -> LabelledTask:
    """Single sentences with these labels; `odd` stands in German for the label of the first row of each part."""
    labels = [*((label, "train") for label in train), *((label, "validation") for label in validation)]
    first = {0, len(train)}
    return task_of(
        {
            tag: [
                (f"r{i}", words(tag, i), odd if odd and tag == "de" and i in first else label, part)
                for i, (label, part) in enumerate(labels)
            ]
            for tag in LANGUAGES
        }
    )


def labels_by_row(task: LabelledTask, language: str) -> dict[str, str]:
    return {row["row_id"]: row["label"] for row in task.part(language).to_pylist()}


@pytest.mark.parametrize("source", LANGUAGES)
def test_a_translation_has_the_label_of_its_source_and_a_validation_example_its_own(workspace: Path, source: str) -> None:
    """As in PAWS-X: in Russian train row 2 and the first validation row have another label than elsewhere."""
    task = small_task()
    found = made(workspace, task, sources=(source,), languages=LANGUAGES)
    assert found.row_ids == task.rows("train") == [f"r{i}" for i in range(24)]
    assert (found.labels, found.data.classes, found.data.source, found.complete) == (["a", "b", "c"], 3, source, True)
    own = labels_by_row(task, source)
    assert [found.labels[label] for label in found.data.labels] == [own[row] for row in found.row_ids]
    differing = 0
    for tag in LANGUAGES:
        rows = {row["row_id"]: row for row in task.part(tag).to_pylist()}
        assert part_of(found.data, tag, "train") == [(rows[i]["text"], rows[i]["text_pair"]) for i in found.row_ids]
        validation = task.rows("validation")
        assert part_of(found.data, tag, "validation") == [(rows[i]["text"], rows[i]["text_pair"]) for i in validation]
        named = [found.labels[label] for label in found.data.validation_labels[tag]]
        assert named == [rows[i]["label"] for i in validation]
        differing += named != [own[i] for i in validation]
    assert differing == (2 if source == "ru" else 1)


def test_a_validation_part_of_its_own_is_taken_as_it_is(workspace: Path) -> None:
    task = single(validation="cba")
    one, other = (made(workspace, task, validation_share=share, draw=draw) for share, draw in ((0.2, 0), (0.6, 5)))
    for found in (one, other):
        assert found.row_ids == [f"r{i}" for i in range(9)]
        assert found.data.validation["ru"] == [words("ru", i) for i in (9, 10, 11)]
        assert [found.labels[label] for label in found.data.validation_labels["de"]] == ["c", "b", "a"]


def test_without_one_rows_are_set_aside_alike_in_every_language(workspace: Path) -> None:
    task = single(train="ab" * 20)
    found = made(workspace, task, validation_share=0.25)
    assert len(found.row_ids) == 30
    assert {tag: len(texts) for tag, texts in found.data.validation.items()} == dict.fromkeys(LANGUAGES, 10)
    aside = [i for i in range(40) if f"r{i}" not in found.row_ids]
    for tag in LANGUAGES:
        assert found.data.validation[tag] == [words(tag, i) for i in aside]
        assert found.data.train[tag] == [words(tag, int(row[1:])) for row in found.row_ids]
    again = made(workspace, task, validation_share=0.25, draw=1)
    assert set(again.row_ids) != set(found.row_ids)
    seeded = made(workspace, task, validation_share=0.25, seeds=(9,), sources=("ru",))
    assert seeded.row_ids == found.row_ids  # runs of every seed and source share the parts
    with pytest.raises(CorpusError, match="leaves a part without rows"):
        made(workspace, task, validation_share=0.001)


def test_fewer_languages_have_the_same_rows_labels_and_classes(workspace: Path) -> None:
    """Even where one language alone has a class: more languages then serve fewer."""
    task = single(train="ab" * 20, validation="abab", odd="c")
    assert (labels_by_row(task, "de")["r0"], labels_by_row(task, "en")["r0"]) == ("c", "a")
    every = made(workspace, task)
    fewer = made(workspace, task, languages=("en", "ru"))
    assert every.complete
    assert (every.labels, every.data.classes) == (fewer.labels, fewer.data.classes) == (["a", "b", "c"], 3)
    assert every.row_ids == fewer.row_ids
    assert every.data.labels.tolist() == fewer.data.labels.tolist() == [0, 1] * 20
    assert every.data.validation_labels["ru"].tolist() == fewer.data.validation_labels["ru"].tolist()
    assert list(fewer.data.train) == list(fewer.data.validation) == ["en", "ru"]


def test_corrupted_labels_are_of_training_examples_alone(workspace: Path) -> None:
    task = small_task(200, 50)
    clean = made(workspace, task)
    found = {ratio: made(workspace, task, corruptions=(ratio,)) for ratio in (0.3, 0.6, 1.0)}
    for ratio, each in found.items():
        assert each.row_ids == clean.row_ids
        for tag in LANGUAGES:
            assert each.data.validation_labels[tag].tolist() == clean.data.validation_labels[tag].tolist()
        changed = np.mean(each.data.labels != clean.data.labels)
        assert abs(changed - ratio * 2 / 3) < 5 * np.sqrt(ratio / 200)  # two labels of three are others
    again = made(workspace, task, corruptions=(0.3,), sources=("de",), seeds=(7,))
    assert again.data.labels.tolist() == found[0.3].data.labels.tolist()  # German has English's labels
    assert made(workspace, task, corruptions=(0.3,), draw=1).data.labels.tolist() != again.data.labels.tolist()
    moved = np.flatnonzero(found[0.3].data.labels != clean.data.labels)
    assert np.array_equal(found[0.6].data.labels[moved], found[0.3].data.labels[moved])  # nested


def test_a_class_that_corruption_removes_keeps_its_place(workspace: Path) -> None:
    """The only `b` is relabelled: `c` is still class 2, and additional examples may still be `b`."""
    task = single(train="abcac", validation="ac")
    draw = next(d for d in range(100) if set(made(workspace, task, corruptions=(1.0,), draw=d).data.labels) == {0, 2})
    extra = tasks.keep(task_of({"en": [("x0", "A further text.", "b", "train")]}), "extra", workspace)
    found = made(workspace, task, corruptions=(1.0,), draw=draw, extra=extra.id)
    assert (found.labels, found.data.classes) == (["a", "b", "c"], 3)
    assert found.data.validation_labels["en"].tolist() == [0, 2]
    assert found.data.extra_labels.tolist() == [1]


def test_one_class_only_still_has_something_to_be_wrong_about(workspace: Path) -> None:
    found = made(workspace, single(train="aaaa", validation="aa"))
    assert (found.labels, found.data.classes) == (["a"], 2)
    assert found.data.labels.tolist() == [0, 0, 0, 0]


def test_additional_examples_are_the_sources_alone_and_their_labels_are_the_tasks(workspace: Path) -> None:
    task = single(validation="abc")
    rows = {
        "en": [("x0", "One more.", "c", "train"), ("x1", "And another.", "b", "train"), ("x2", "The last.", "c", "validation")],
        "de": [("x0", "Noch einer.", "b", "train"), ("x1", "Und einer.", "b", "train"), ("x2", "Das Ende.", "b", "validation")],
    }
    extra = tasks.keep(task_of(rows), "extra", workspace)
    found = made(workspace, task, extra=extra.id)
    assert found.data.extra == ["One more.", "And another.", "The last."]
    assert found.data.extra_labels.tolist() == [2, 1, 2]  # not places among b and c
    assert found.row_ids == [f"r{i}" for i in range(9)]
    assert all(len(texts) == 9 for texts in found.data.train.values())
    german = made(workspace, task, extra=extra.id, sources=("de",))
    assert german.data.extra_labels.tolist() == [1, 1, 1]
    none = made(workspace, task)
    assert (list(none.data.extra), none.data.extra_labels.tolist()) == ([], [])
    with pytest.raises(SpecError, match=r"additional task has no ru, the language trained on: it has de, en\. Train on"):
        made(workspace, task, extra=extra.id, sources=("ru",))


def test_additional_pairs(workspace: Path) -> None:
    extra = tasks.keep(task_of({"en": [("x0", "One more.", "b", "train")]}, pair=True), "extra", workspace)
    assert made(workspace, small_task(), extra=extra.id).data.extra == [("One more.", "more. again")]
    with pytest.raises(SpecError, match="additional task has pairs of texts, the task single texts"):
        made(workspace, single(), extra=extra.id)
    texts = tasks.keep(task_of({"en": [("x0", "One more.", "b", "train")]}), "texts", workspace)
    with pytest.raises(SpecError, match="additional task has single texts, the task pairs of texts"):
        made(workspace, small_task(), extra=texts.id)


def test_an_additional_label_that_the_task_lacks_is_named(workspace: Path) -> None:
    rows = [("x0", "One more.", "b", "train"), ("x1", "And another.", "bb", "train")]
    extra = tasks.keep(
        task_of({"en": rows, "ru": [(i, text.upper(), "b", part) for i, text, _, part in rows]}), "extra", workspace
    )
    with pytest.raises(SpecError, match="label 'bb', which the task lacks"):
        made(workspace, single(), extra=extra.id)
    russian = made(workspace, single(), extra=extra.id, sources=("ru",))
    assert russian.data.extra_labels.tolist() == [1, 1]  # what other languages have does not matter


def test_a_language_or_a_task_that_is_not_there(workspace: Path) -> None:
    with pytest.raises(CorpusError, match="no language 'fi'"):
        made(workspace, single(validation="abc"), languages=("fi",))
    with pytest.raises(CorpusError, match="no language 'fi'"):
        made(workspace, single(validation="abc"), sources=("fi",))
    with pytest.raises(CorpusError):
        made(workspace, single(), corpus="0" * 24)
    with pytest.raises(CorpusError):
        made(workspace, single(), extra="0" * 24)


def test_random_labels_are_one_for_a_sentence_in_all_languages_and_all_trained_on(workspace: Path) -> None:
    corpus = small_corpus()
    one, other = (made(workspace, corpus, sources=(source,), seeds=(seed,)) for source, seed in (("en", 0), ("ru", 5)))
    assert one.data.labels.tolist() == other.data.labels.tolist()
    assert set(one.data.labels.tolist()) == {0, 1}
    assert (one.row_ids, one.data.validation, one.labels, one.complete) == (
        [f"s{i:02d}" for i in range(20)],
        {},
        ["0", "1"],
        True,
    )
    assert one.data.train["ru"] == [words("ru", i) for i in range(20)]
    assert made(workspace, corpus, draw=1).data.labels.tolist() != one.data.labels.tolist()
    limited = made(workspace, corpus, sentences=7)
    assert (limited.row_ids, limited.data.labels.tolist()) == (one.row_ids[:7], one.data.labels[:7].tolist())


def test_a_corpus_with_gaps_has_other_sentences_with_other_languages(workspace: Path) -> None:
    corpus = small_corpus(lacking={"ru": {3, 4}, "de": {0}})
    every, fewer = made(workspace, corpus), made(workspace, corpus, languages=("de",))
    assert (every.complete, fewer.complete) == (False, False)
    assert [len(found.row_ids) for found in (every, fewer)] == [17, 19]
    # Of a sentence that both have the label is the same.
    labels = dict(zip(fewer.row_ids, fewer.data.labels.tolist(), strict=True))
    assert [labels[row] for row in every.row_ids] == every.data.labels.tolist()


def test_a_corpus_in_another_order_in_one_language_is_not_served_by_more_languages(workspace: Path) -> None:
    """Rows come in the order of one of the languages asked: the first sentences, and the batches, would be others."""
    corpus = small_corpus()
    german = corpus.table.slice(0, 20).take(pa.array(range(19, -1, -1)))
    turned = replace(corpus, table=pa.concat_tables([german, corpus.table.slice(20)]).cast(parallel.SCHEMA))
    every, fewer = made(workspace, turned, sentences=10), made(workspace, turned, sentences=10, languages=("ru",))
    assert every.row_ids != fewer.row_ids
    assert (every.complete, fewer.complete) == (False, False)


def test_paws_x_as_published(real_data: Path, workspace: Path) -> None:
    """Rows of 2,000 whose labels differ: a translated training example has its source's, a validation one its own."""
    files = sorted((real_data / "pawsx").glob("dev-*.tsv"))
    task = read_task([InputFile(path.name, path) for path in files])
    plain = {
        path.stem.removeprefix("dev-"): [
            row.split("\t") for row in path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        ]
        for path in files
    }
    assert sorted(plain) == task.languages
    for source in ("en", "ko"):
        found = made(workspace, task, sources=(source,), languages=tuple(plain))
        # Rows are named by their line, so that the files themselves say what each example must be.
        places = [int(row.removeprefix("dev.")) - 1 for row in found.row_ids]
        aside = sorted(set(range(2000)) - set(places))
        assert (len(places), len(aside), found.data.classes) == (1600, 400, 2)
        assert [found.labels[label] for label in found.data.labels] == [plain[source][i][2] for i in places]
        others = 0
        for tag, rows in plain.items():
            assert list(found.data.train[tag]) == [(rows[i][0], rows[i][1]) for i in places]
            named = [found.labels[label] for label in found.data.validation_labels[tag]]
            assert named == [rows[i][2] for i in aside]
            others += sum(rows[i][2] != plain[source][i][2] for i in places)
        assert others > 0  # so that it matters whose label a translation has


def test_few_rows_are_the_same_in_every_language_drawn_and_nested(workspace: Path) -> None:
    """Of a task sorted by label, too: the first rows would have one class."""
    task = single(train="a" * 30 + "b" * 30)
    whole = made(workspace, task, validation_share=0.5)
    few, fewer = (made(workspace, task, validation_share=0.5, rows=rows) for rows in (20, 10))
    assert set(fewer.row_ids) < set(few.row_ids) < set(whole.row_ids)
    assert (len(fewer.row_ids), len(few.row_ids), len(whole.row_ids)) == (10, 20, 30)
    assert few.row_ids == [row for row in whole.row_ids if row in set(few.row_ids)]
    assert few.labels == whole.labels
    assert set(few.data.labels.tolist()) == {0, 1}
    for tag in LANGUAGES:
        assert few.data.train[tag] == [words(tag, int(row[1:])) for row in few.row_ids]
        assert len(few.data.validation[tag]) == 20
        assert set(fewer.data.validation[tag]) < set(few.data.validation[tag]) < set(whole.data.validation[tag])
    assert set(made(workspace, task, validation_share=0.5, rows=20, draw=1).row_ids) != set(few.row_ids)
    assert made(workspace, task, validation_share=0.5, rows=30).row_ids == whole.row_ids
