"""Confused sentences as a list: one task and direction, with categories of the user's and glosses of the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments import categories
from isogloss.backend.experiments.abx import confusions
from isogloss.backend.experiments.abx.confusions import ConfusionsSpec
from isogloss.backend.experiments.gloss import with_gloss
from isogloss.backend.models.library import library as models
from isogloss.backend.store import details
from tests.pages.abx.abx_page import DEMO, MLM

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = ("de", "en", "zh")
GLOSSES = {"anchor_id": "anchor_gloss", "other_id": "other_gloss"}


def spec(source: str, target: str) -> ConfusionsSpec:
    checkpoint = models.load_entry(MLM, [DEMO]).checkpoints[0]
    corpus = corpora.entries([DEMO])[0].id
    return ConfusionsSpec(checkpoint=checkpoint, corpus=corpus, languages=LANGUAGES, layer=1, source=source, target=target)


def keep(workspace: Path, of: ConfusionsSpec) -> None:
    """Triplets as `compute` publishes them, of real sentences and made-up margins."""
    ids, texts = corpora.load(of.corpus, [DEMO]).align(LANGUAGES)
    random, rows = np.random.default_rng(3), []
    for source, target in ((of.source, of.target), (of.target, of.source)):
        for task in ("language", "meaning"):
            for p in range(8):
                q = int(random.integers(8, 20))
                right = texts[source][q] if task == "language" else texts[target][p]
                row = {"task": task, "source": source, "target": target, "anchor_id": ids[p], "other_id": ids[q]}
                row |= {"anchor": texts[source][p], "right": right, "wrong": texts[target][q]}
                rows.append(row | {"margin": float(random.normal())})
    details.write(workspace, of.id, pa.Table.from_pylist(rows), {})


def test_a_pair_is_found_either_way_and_listed_by_its_margin(tmp_path: Path) -> None:
    keep(tmp_path, spec("de", "en"))
    there, turned = (confusions.load_either_way(spec(*ends), [tmp_path]) for ends in (("de", "en"), ("en", "de")))
    assert there is not None
    assert turned is not None
    assert turned.equals(there)
    assert confusions.load_either_way(spec("de", "zh"), [tmp_path]) is None
    for task in ("language", "meaning"):
        listed = confusions.of_task(there, task=task, source="en")
        plain = [row for row in there.to_dict("records") if row["task"] == task and row["source"] == "en"]
        assert listed.to_dict("records") == sorted(plain, key=lambda row: row["margin"])


@pytest.mark.parametrize("task", ["language", "meaning"])
def test_a_category_is_of_the_three_sentences_alone(tmp_path: Path, task: confusions.Task) -> None:
    keep(tmp_path, of := spec("de", "en"))
    found = confusions.load(of, [tmp_path])
    assert found is not None
    rows = confusions.of_task(found, task=task, source="de")
    corpus = corpora.load(of.corpus, [DEMO])
    _, texts = corpus.align(LANGUAGES)
    ids, _ = corpus.align(LANGUAGES)
    keys = confusions.keys(of.corpus, rows)
    assert len(set(keys)) == len(rows)
    for key, row in zip(keys, rows.to_dict("records"), strict=True):
        for place, text in zip(key[1:], (row["anchor"], row["right"], row["wrong"]), strict=True):
            assert texts[place.language][ids.index(place.sentence_id)][place.start : place.end] == text
    categories.set(tmp_path, keys[2], "names")
    other = "meaning" if task == "language" else "language"
    again = {each: confusions.of_task(found, task=each, source="de") for each in (task, other)}
    named = {
        name: confusions.with_categories(each, corpus=of.corpus, workspaces=[tmp_path])["category"].tolist()
        for name, each in again.items()
    }
    assert named[task] == ["names" if place == 2 else "" for place in range(len(rows))]
    assert set(named[other]) == {""}


def test_a_gloss_is_the_same_sentence_in_a_third_language(tmp_path: Path) -> None:
    keep(tmp_path, of := spec("de", "en"))
    found = confusions.load(of, [tmp_path])
    assert found is not None
    glossed = with_gloss(found, corpus=of.corpus, language="zh", of=GLOSSES, workspaces=[DEMO])
    ids, texts = corpora.load(of.corpus, [DEMO]).align(["zh"])
    for row in glossed.to_dict("records"):
        assert row["anchor_gloss"] == texts["zh"][ids.index(row["anchor_id"])]
        assert row["other_gloss"] == texts["zh"][ids.index(row["other_id"])]
    gone = with_gloss(found.assign(anchor_id="none"), corpus=of.corpus, language="zh", of=GLOSSES, workspaces=[DEMO])
    assert set(gone["anchor_gloss"]) == {""}
    assert with_gloss(found, corpus=of.corpus, language=None, of=GLOSSES, workspaces=[]).equals(found)
    with pytest.raises(CorpusError, match="no language 'xx'"):
        with_gloss(found, corpus=of.corpus, language="xx", of=GLOSSES, workspaces=[DEMO])
