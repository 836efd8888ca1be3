"""The view of the sources of word pairs: without gold it says what to add; with gold it offers, computes and shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments import links
from isogloss.backend.experiments.alignment.words import pair_precision
from isogloss.backend.experiments.alignment.words.pair_precision import PairPrecisionSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair
from isogloss.backend.experiments.spec import Context
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import settings
from tests.pages.abx.abx_page import CONTRAST, run
from tests.pages.alignment.test_alignment_page import THREE, Query, open_alignment, shown  # noqa: F401 — a fixture

GOLD = [  # of the demo's first sentences in German and English, made by hand
    "0-0 1-1 2-2 3-3 4p4 5p4 6p4 7-4 8p6 9p6 10-5 11-6 12-7",
    "0-0 1-1 2-3 3-4 4-2 5-5 6p6 7-7 8-9 9-13 10-10 10p11 11-12 12p8 13-8",
    "0-0 1-1 2p3 3-4 4-2 5-5 6-6 7-7 7-8 8-9 9-10 10p11 10p13 11-12 12-14",
]
QUERY: Query = {"view": "Sources", "model": CONTRAST, "at_pair": "de → en", "languages": THREE}


def kept(folder: Path, lines: list[str], name: str, *, gold: bool) -> str:
    [entry] = library.entries(settings().workspaces)
    corpus = library.load(entry.id, settings().workspaces)
    path = folder / "links.txt"
    path.write_text("\n".join([*lines, *[""] * (entry.sentences - len(lines))]) + "\n", encoding="utf-8")
    return alignments.keep(replace(links.read(InputFile(path.name, path), corpus, "de", "en"), gold=gold), name, folder).id


def computed(gold: str, *others: str) -> None:
    """As the worker does it."""
    workspaces = settings().workspaces
    model = next(each for each in models.entries(workspaces) if each.name == CONTRAST)
    dictionary = next(each for each in dictionaries.entries(workspaces) if {each.source, each.target} == {"en", "de"})
    [entry] = library.entries(workspaces)
    pair = DictionaryPair(source="de", target="en", dictionary=dictionary.id)
    spec = PairPrecisionSpec(checkpoint=model.checkpoints[-1], corpus=entry.id, pair=pair, gold=gold, others=others)
    for shard in spec.shards():
        pair_precision.compute(spec, shard, Context(settings()))


Shown = list[tuple[str, pd.DataFrame, str]]


def test_without_gold_it_says_what_to_add(shown: Shown, tmp_path: Path) -> None:  # noqa: F811
    kept(tmp_path, ["0-0 1-1"], "An aligner's", gold=False)
    app = open_alignment(**QUERY)
    assert any("Add a gold word alignment of German and English" in each.value for each in app.info)
    assert any(each.proto.label == "Add an alignment" for each in app.get("page_link"))
    assert not any(each.label in ("Gold alignment", "The paper's numbers") for each in [*app.selectbox, *app.toggle])
    assert shown == []


def test_gold_of_another_pair_is_not_offered(shown: Shown, tmp_path: Path) -> None:  # noqa: F811
    kept(tmp_path, GOLD, "By hand", gold=True)
    app = open_alignment(**QUERY | {"at_pair": "zh → en"})
    assert any("Add a gold word alignment of English and Chinese" in each.value for each in app.info)


def test_sources_are_offered_then_shown(shown: Shown, tmp_path: Path) -> None:  # noqa: F811
    gold = kept(tmp_path, GOLD, "By hand", gold=True)
    other = kept(tmp_path, [f"{i}-{i}" for i in range(3)], "First words", gold=False)
    second = kept(tmp_path, GOLD[:1], "One sentence", gold=True)
    app = open_alignment(**QUERY)
    assert any("not judged by this gold alignment" in each.value for each in app.markdown)
    assert shown == []
    box = next(each for each in app.selectbox if each.label == "Gold alignment")
    assert box.options == ["By hand", "One sentence"]  # the aligner's is no gold

    computed(gold, other, second)
    app = open_alignment(**QUERY | {"paper": "true", "at_pair": "en → de"})  # precision has no direction
    assert not app.exception
    assert len(shown) == 2
    for name, data, recipe in shown:
        pd.testing.assert_frame_equal(run(recipe), data, obj=name, check_like=True)
    assert [recipe.chart is None for _, _, recipe in shown] == [True, False]  # a table, and a figure
    rows = shown[0][1]
    assert set(rows.loc[rows["kind"] != "model", "name"]) == {"Demo English–German", "First words", "One sentence"}
    by_name = rows.set_index("name")
    assert by_name.loc["One sentence", "precision"] == 1
    assert by_name.loc["First words", "pairs"] == 3
    assert by_name.loc["First words", "precision"] == pytest.approx(2 / 3)  # `2-2` of the third sentence is no link
    own, paper = (each.value for each in app.dataframe)
    layers = models.entries(settings().workspaces)[0].layers + 1
    assert list(own["Source"][-layers:]) == [f"Model · layer {layer}" for layer in range(layers)]
    assert own.set_index("Source").loc["Alignment · First words", "Precision"] == pytest.approx(200 / 3)
    assert paper.set_index("Source").loc["FastAlign", "en-de"] == 71.3
    [chart] = app.get("plotly_chart")
    assert all(name in chart.proto.spec for name in ("Demo English", "First words: 0.667", "One sentence: 1.000"))
    assert len(open_alignment(**QUERY).dataframe) == 1
