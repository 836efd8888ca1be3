"""The alignment page on the demo: every view draws, and the Python beside every figure gives the figure's very rows."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import sentence_notes
from isogloss.backend.models.library import library as models
from isogloss.pages.alignment import table
from tests.pages.abx.abx_page import CONTRAST, DEMO, run
from tests.pages.beside import Beside, beside, on_the_demo
from tests.pages.opened import opened

Query = dict[str, str | list[str]]
SENTENCES = {"unit": "Sentences"}
THREE = ["German · de", "English · en", "Chinese · zh"]
VIEWS: list[tuple[str, int, Query]] = [
    ("Curves", 2, {}),
    ("Curves", 2, {"lines": "Pairs", "languages": THREE, "over": "Checkpoints"}),
    ("Curves", 2, {"over": "Checkpoints", "axis": "Log", "layers": ["1", "3"]}),
    ("Curves", 2, SENTENCES | {"pooling": "First token", "strong": "Both languages (2023)"}),
    ("Curves", 2, {"direction": "First to second", "languages": THREE, "lines": "Pairs"}),
    ("Layers × checkpoints", 2, {}),
    ("Layers × checkpoints", 1, SENTENCES | {"model": CONTRAST, "languages": THREE, "shared_scale": "false"}),
    ("Layers × checkpoints", 4, {"abx": "true"}),
    ("Table", 1, {"paper": "true"}),
    ("Table", 1, SENTENCES | {"measure": "Strong alignment", "paper": "true"}),
    ("Matrix", 1, SENTENCES | {"at_layer": "3", "measure": "Strong alignment"}),
    ("Matrix", 1, SENTENCES | {"pairs": "Of one language", "centre": "Turkish · tr"}),
    ("Similarity", 2, SENTENCES | {"at_checkpoint": "checkpoint-0"}),
]


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Name, data and recipe of every figure and table from now on; the demo beside an empty workspace."""
    on_the_demo(monkeypatch, tmp_path)
    return beside(monkeypatch)


def language_tags() -> list[str]:
    return corpora.entries([DEMO])[0].tags


def open_alignment(**query: str | list[str]) -> AppTest:
    return opened("alignment", query)


@pytest.mark.parametrize(("view", "figures", "query"), VIEWS, ids=[f"{view} {query}" for view, _, query in VIEWS])
def test_the_snippet_gives_the_figures_rows(shown: Beside, view: str, figures: int, query: Query) -> None:
    open_alignment(view=view, **query)
    drawn = shown[-figures:]
    assert len(drawn) == figures
    for name, data, recipe in drawn:
        assert len(data), name
        assert (recipe.chart is None) == (view == "Table"), name
        given, found = data.reset_index(drop=True), run(recipe).reset_index(drop=True)
        pd.testing.assert_frame_equal(found, given, obj=name, check_like=True)
        if "languages" in query and "source" in data:
            assert set(data["source"]) | set(data["target"]) <= {"de", "en", "zh"}
        if "centre" in query:
            assert all("tr" in ends for ends in zip(data["source"], data["target"], strict=True))
            assert len(set(zip(data["source"], data["target"], strict=True))) == 2 * (len(language_tags()) - 1)
        if "layers" in query and "layer" in data:
            assert set(data["layer"].astype(str)) == set(query["layers"])


def test_what_is_not_computed_is_offered_and_nothing_else_is_drawn(shown: Beside) -> None:
    app = open_alignment(centred="true")
    offers = [each.value for each in app.markdown if "not computed" in each.value]
    assert sum(f"**{name}**" in offer for offer in offers for name in ("Demo MLM", CONTRAST.replace("+", "\\+"))) == 2, offers
    assert len([each for each in app.button if each.label.startswith("Compute")]) == len(offers)
    assert any("Nothing is computed" in each.value for each in app.info)
    assert shown == []


def test_languages_without_a_dictionary_say_where_to_add_one(shown: Beside) -> None:
    app = open_alignment(languages=["Greek · el", "Turkish · tr"])
    assert any("No dictionary" in each.value for each in app.info)
    assert shown == []


def test_the_papers_numbers_stand_in_the_table(shown: Beside) -> None:
    app = open_alignment(view="Table", paper="true", languages=THREE)
    table = app.dataframe[0].value
    mbert = table[(table["Model"] == "mBERT (Gaschi et al. 2022)") & (table["Layer"] == "best")].iloc[0]
    assert mbert["de → en"] == "94.1 ± 0.5"
    assert mbert["zh → en"] == "84.0 ± 0.4"
    own = table[table["Model"] == CONTRAST]
    assert list(own["Layer"]) == ["first", "best", "last"]
    assert own["de → en"].str.match(r"\d+\.\d( \(\d\))?$").all()


@pytest.mark.parametrize("older", ["Both languages (released code)", "Both languages (2023)"])
def test_an_older_link_finds_the_candidates_by_their_new_name(shown: Beside, older: str) -> None:
    app = open_alignment(unit="Sentences", strong=older)
    box = next(each for each in app.selectbox if each.label == "Strong: candidates")
    assert box.value == "strong_released"
    assert any(set(data["metric"]) == {"sentence_strong_released"} for _, data, _ in shown)


def test_table_iv_stands_beside_the_protocol_that_made_it_alone(shown: Beside, tmp_path: Path) -> None:
    """Computed as the worker does; beside every other protocol a sentence says which one it is."""
    from isogloss.backend.experiments.alignment.words import shard as word_alignment
    from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.settings import settings

    asked = {"view": "Table", "paper": "true", "languages": THREE, "measure": "Strong alignment", "model": CONTRAST}
    app = open_alignment(**asked)
    assert not app.dataframe[0].value["Model"].str.contains("Gaschi").any()
    assert any("Strong (self a neighbour)" in each.value for each in app.caption)
    workspaces = settings().workspaces
    model = next(each for each in models.entries(workspaces) if each.name == CONTRAST)
    kept = {tuple(sorted((each.source, each.target))): each.id for each in dictionaries.entries(workspaces)}
    pairs = tuple(DictionaryPair(source=a, target=b, dictionary=kept[a, b]) for a, b in (("de", "en"), ("en", "zh")))
    spec = WordAlignmentSpec(
        model=model.name, checkpoints=model.checkpoints[-1:], corpus=corpus_id(), pairs=pairs, self_neighbour=True
    )
    for shard in spec.shards():
        word_alignment.compute(spec, shard, Context(settings()))
    app = open_alignment(**asked, strong="And itself (table IV)")
    table = app.dataframe[0].value
    mbert = table[(table["Model"] == "mBERT (Gaschi et al. 2022)") & (table["Layer"] == "best")].iloc[0]
    assert (mbert["de → en"], mbert["zh → en"]) == ("90.3 ± 0.5", "67.9 ± 0.5")
    assert list(table.loc[table["Model"] == CONTRAST, "Layer"]) == ["first", "best", "last"]
    assert not any("Table IV was made" in each.value for each in app.caption)
    _, data, recipe = shown[-1]
    assert set(data["metric"]) == {"word_strong_self"}
    pd.testing.assert_frame_equal(run(recipe).reset_index(drop=True), data.reset_index(drop=True), check_like=True)


def test_errors_and_distributions_are_computed_and_shown(shown: Beside, tmp_path: Path) -> None:
    """Computed as the worker does, then looked at: rows, a filter, a category that another visit finds again."""
    from isogloss.backend.experiments.alignment.words import distributions as word_distributions
    from isogloss.backend.experiments.alignment.words import errors as word_errors
    from isogloss.backend.experiments.alignment.words.spec import DictionaryPair
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.settings import settings

    query = {"model": CONTRAST, "at_pair": "en → zh", "at_layer": "3", "languages": THREE}
    before = open_alignment(view="Errors", **query)
    assert any("not computed" in each.value for each in before.markdown)
    workspaces = settings().workspaces
    model = next(each for each in models.entries(workspaces) if each.name == CONTRAST)
    dictionary = next(each for each in dictionaries.entries(workspaces) if {each.source, each.target} == {"en", "zh"})
    common = {"checkpoint": model.checkpoints[-1], "corpus": corpus_id()}
    pair = DictionaryPair(source="en", target="zh", dictionary=dictionary.id)
    errors = word_errors.WordErrorsSpec(pair=pair, layer=3, **common)
    compared = word_distributions.WordDistributionsSpec(pair=pair, **common)
    context = Context(settings())
    for shard in errors.shards():
        word_errors.compute(errors, shard, context)
    for shard in compared.shards():
        word_distributions.compute(compared, shard, context)

    shown.clear()
    app = open_alignment(view="Errors", gloss="German · de", **query)
    [(_, data, recipe)] = shown
    pd.testing.assert_frame_equal(run(recipe), data, check_like=True)
    german = {row["sentence_id"]: row["text"] for row in texts_of("de")}
    assert list(data["gloss"]) == [german[each] for each in data["sentence_id"]]
    assert list(data["retrieved_gloss"]) == [german[each] for each in data["retrieved_sentence_id"]]
    drawn = " ".join(unescape(each.body) for each in app.get("html"))
    assert sum(text in drawn for text in set(data["gloss"])) >= 8  # one each row of a page, at least
    assert any("accuracy" in each.value for each in app.markdown)
    box = next(each for each in app.selectbox if each.label == "Category")
    box.set_value("proper noun").run()
    assert not app.exception
    on = sentence_notes.word_pair(corpus_id(), ("zh", data["right_word"].iloc[0]), ("en", data["word"].iloc[0].upper()))
    sentence_notes.write(settings().workspace, on, ["idiom"], "of this pair")
    shown.clear()
    noted = open_alignment(view="Errors", shown="All words", tag="idiom", **query)
    [(_, rows, recipe)] = shown
    pd.testing.assert_frame_equal(run(recipe), rows, check_like=True)
    words = ["word", "right_word"]
    folded = data[words].apply(lambda column: column.str.casefold())
    assert list(rows["word"]) == list(data["word"][(folded == folded.iloc[0]).all(axis=1)])
    assert set(rows["word_pair_notes"]) == {"of this pair"}
    assert any("accuracy" in each.value and f"in {len(data)} words" in each.value for each in noted.markdown)
    again = open_alignment(view="Errors", shown="With a category", **query)
    assert [each.value for each in again.selectbox if each.label == "Category"] == ["proper noun"]
    assert any("No row fits" in each.value for each in open_alignment(view="Errors", filter="zzzz", **query).info)

    shown.clear()
    open_alignment(view="Distributions", **query)
    assert len(shown) == 2
    for name, data, recipe in shown:
        assert recipe.chart is not None, name
        pd.testing.assert_frame_equal(
            run(recipe).reset_index(drop=True), data.reset_index(drop=True), obj=name, check_like=True
        )


def texts_of(language: str) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = corpora.load(corpus_id(), [DEMO]).table.to_pylist()
    return [row for row in rows if row["language"] == language]


def corpus_id() -> str:
    from isogloss.backend.corpora.parallel import library
    from isogloss.backend.settings import settings

    [entry] = library.entries(settings().workspaces)
    assert language(entry.tags[0]).name == "Arabic"
    return entry.id


def test_the_baseline_is_named_with_what_it_rests_on(shown: Beside) -> None:
    app = open_alignment(static="true", languages=THREE)
    figures = [chart.proto.spec for chart in app.get("plotly_chart")]
    assert len(figures) == 2
    assert all("NTREX sentence vectors, 5" in spec for spec in figures)  # of de-en and en-zh some half are known
    open_alignment(static="true", languages=THREE, lines="Pairs", over="Checkpoints")
    for place, (name, data, recipe) in enumerate(shown):
        pd.testing.assert_frame_equal(run(recipe), data, obj=name, check_like=True)
        lines = data[data["model"] == "NTREX sentence vectors"]
        assert len(lines) == (1 if place < 2 else 4)  # the mean, or each direction of both pairs
        kept = recipe.drawn(data)
        assert kept is not None
        assert all(f"{value:.3f}" in kept.to_json() for value in lines["value"]), name
    shown.clear()
    assert not any("NTREX" in chart.proto.spec for chart in open_alignment(languages=THREE).get("plotly_chart"))
    assert not any(data["model"].str.contains("NTREX").any() for _, data, _ in shown)


def test_how_many_pairs_there_are_is_said(shown: Beside) -> None:
    app = open_alignment(languages=THREE)
    [said] = [each.value for each in app.caption if each.value.startswith("998 to 1,105 word pairs per language pair")]
    assert said.endswith("2 of 3 language pairs have a dictionary.")


def test_a_corpus_of_one_sentence_says_why_there_is_no_figure(shown: Beside, tmp_path: Path) -> None:
    """Computed as the worker does: a pair's file is there and holds no score."""
    from isogloss.backend.corpora.parallel import library
    from isogloss.backend.corpora.parallel.readers import InputFile, read
    from isogloss.backend.experiments.alignment import sentences as sentence_alignment
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.settings import settings

    table = tmp_path / "in.tsv"
    table.write_text("de\ten\nDie Fähre kommt.\tThe ferry comes.\n", encoding="utf-8")
    entry = library.keep(read([InputFile("in.tsv", table)]), "One", tmp_path)
    model = next(each for each in models.entries(settings().workspaces) if each.name == CONTRAST)
    spec = sentence_alignment.SentenceAlignmentSpec(
        model=CONTRAST, checkpoints=model.checkpoints[-1:], corpus=entry.id, languages=("de", "en")
    )
    query: Query = {"unit": "Sentences", "corpus": "One", "model": CONTRAST, "checkpoints": model.checkpoints[-1].label}
    for shard in spec.shards():
        sentence_alignment.compute(spec, shard, Context(settings()))
    for view in ("Curves", "Layers × checkpoints", "Table", "Matrix", "Similarity"):
        app = open_alignment(view=view, **query)
        assert [each for each in app.info if "share two sentences" in each.value], view
        assert not any("not computed" in each.value for each in app.markdown)


def test_pairs_with_too_few_words_are_named() -> None:
    from types import SimpleNamespace

    from isogloss.pages.alignment.counts import too_few

    def file(lost: int) -> SimpleNamespace:
        return SimpleNamespace(
            provenance={"counts": {"de-en": {"pairs": 9, "drawn": 9, "lost": lost}, "en-zh": {"drawn": 9, "lost": 0}}}
        )

    served = {("a", ("de", "en")): file(7), ("b", ("de", "en")): file(8), ("a", ("en", "zh")): file(9)}
    assert too_few(SimpleNamespace(served=served)) == [("de", "en")]  # type: ignore[arg-type]
    assert too_few(SimpleNamespace(served={("a", ("de", "en")): file(7)})) == []  # type: ignore[arg-type]


def test_a_table_of_too_many_directions_is_one_sentence(shown: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MOST", 5)
    app = open_alignment(view="Table", languages=THREE, **SENTENCES)
    assert [each.value for each in app.info][
        -1
    ] == "A table of 6 directions cannot be read: choose fewer languages, or *Matrix*."
    assert not app.dataframe
