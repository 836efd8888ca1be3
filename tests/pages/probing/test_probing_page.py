"""The probing page on invented probes: figures have the numbers of the files, and snippets give the figures' rows."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from backend.corpora.tagged import library as tagged
from backend.corpora.tasks import library as tasks
from backend.experiments.probing.spec import FAMILY
from pages.widgets import figure
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, ROOT, run
from tests.pages.probing.probing_workspace import LANGUAGES, Kept, fill

if TYPE_CHECKING:
    import plotly.graph_objects as go

Query = dict[str, str | list[str]]
ONE: Query = {"model": MLM}
CROSS: Query = ONE | {"setting": "Others too"}
LAST = "checkpoint-2000"
VIEWS: list[tuple[str, int, Query]] = [
    ("Layers × checkpoints", 2, {}),
    ("Layers × checkpoints", 1, ONE | {"measure": "Selectivity", "of_source": "Finnish · fi", "layers": ["1", "3"]}),
    ("Layers × checkpoints", 1, CROSS | {"checkpoints": [LAST], "of_source": "German · de", "of_target": "Arabic · ar"}),
    ("Curves", 1, {}),
    ("Curves", 1, ONE | {"over": "Checkpoints", "axis": "Log", "at_layers": "Learned mix of layers, one probe"}),
    ("Curves", 1, ONE | {"lines": "Languages", "measure": "Control task"}),
    ("Curves", 1, CROSS | {"lines": "Languages", "from": ["German · de"]}),
    ("Curves", 1, ONE | {"lines": "Languages", "over": "Checkpoints", "at_layers": "Layer 3"}),
    ("Languages", 2, {"order": "family"}),
    ("Languages", 1, ONE | {"normalised": "false", "measure": "Selectivity", "order": "clustering"}),
    ("Languages", 1, CROSS | {"of_source": "Chinese · zh", "checkpoints": [LAST]}),
    ("Sources", 1, CROSS | {"order": "mean"}),
    ("Sources", 1, CROSS | {"own_counts": "false", "at_layers": "Layer 1"}),
    ("Errors", 1, ONE | {"pair_source": "Arabic · ar", "at_probe": "learned mix"}),
    ("Errors", 1, CROSS | {"pair_source": "German · de", "pair_target": "Chinese · zh", "errors_alone": "true"}),
    ("Errors", 1, ONE | {"data": "Pairs"}),
    (
        "Layers × checkpoints",
        1,
        ONE | {"on": "Parallel treebanks", "checkpoints": [LAST]},
    ),
    ("Layers × checkpoints", 1, ONE | {"data": "Pairs", "measure": "Compression"}),
    ("Curves", 1, ONE | {"data": "Pairs", "measure": "Description length"}),
    ("Regression", 1, CROSS),
]


@dataclass(frozen=True)
class Shown:
    """What stands on a page with exports: a figure, or a table (no figure)."""

    name: str
    data: pd.DataFrame
    snippet: str
    drawn: go.Figure | None


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Kept]:
    workspace = tmp_path_factory.mktemp("probing") / "workspace"
    return workspace, fill(workspace, DEMO)


@pytest.fixture
def shown(filled: tuple[Path, Kept], monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure and table from now on; the workspace of probes beside the demo."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(filled[0]))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    found: list[Shown] = []

    def beside(*, name: str, data: pd.DataFrame, snippet: str, figure: go.Figure | None = None, **_: Any) -> None:
        found.append(Shown(name, data, snippet, figure))

    monkeypatch.setattr(figure, "beside", beside)
    return found


def open_probing(**query: str | list[str]) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    app.switch_page("pages/probing/page.py")
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, app.exception
    return app


def scores(workspace: Path, **where: object) -> pd.DataFrame:
    """The rows of the files, as they are; without those of single seeds and of mixes."""
    rows = pd.concat([pq.read_table(file).to_pandas() for file in (workspace / "scores" / FAMILY).glob("*.parquet")])
    rows = rows[rows["seed"].isna() & ~rows["variant"].str.contains("mix|mean of layers")]
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows.drop_duplicates(["metric", "checkpoint", "layer", "source", "target", "corpus", "variant"])


@pytest.mark.parametrize(("view", "figures", "query"), VIEWS, ids=[f"{view} {query}" for view, _, query in VIEWS])
def test_the_snippet_gives_the_figures_rows(shown: list[Shown], view: str, figures: int, query: Query) -> None:
    open_probing(view=view, **query)
    assert len(shown) == figures
    for each in shown:
        assert len(each.data), each.name
        given, found = each.data.reset_index(drop=True), run(each.snippet).reset_index(drop=True)
        pd.testing.assert_frame_equal(found, given, obj=each.name, check_like=True)
        if each.drawn is not None:
            check_drawn(each)


def check_drawn(each: Shown) -> None:
    """Every number in the picture is in the rows, and has a unit and a direction."""
    assert each.drawn is not None
    numbers = np.unique(each.data.select_dtypes("number").to_numpy(np.float64, na_value=np.nan).astype(np.float32))
    numbers = numbers[np.isfinite(numbers)]
    marks = 0
    for trace in each.drawn.data:
        if trace.type == "heatmap":
            drawn = np.asarray(trace.z, np.float32)
        elif "markers" in (trace.mode or "") and trace.name != "cells":
            drawn = np.asarray([np.nan if y is None else y for y in trace.y], np.float32)
        else:
            continue
        drawn = drawn[np.isfinite(drawn)]
        marks += drawn.size
        if drawn.size:
            assert (np.abs(numbers[:, None] - drawn.ravel()).min(axis=0) < 1e-6).all(), each.name
    assert marks, each.name
    heatmaps = [trace.coloraxis for trace in each.drawn.data if trace.type == "heatmap"]
    layout = each.drawn.layout
    title = layout[heatmaps[0]].colorbar.title.text if heatmaps else layout.yaxis.title.text
    words = unescape(title.replace("<br>", " "))
    assert any(unit in words for unit in ("share of", "0 = the language's lowest", "bits", "times shorter")), words
    assert any(way in words for way in ("higher", "highest", "lower")), words


def test_a_cell_is_the_mean_of_its_languages(shown: list[Shown], filled: tuple[Path, Kept]) -> None:
    workspace, kept = filled
    open_probing(view="Layers × checkpoints", **ONE)
    [heatmap] = [trace for trace in shown[0].drawn.data if trace.type == "heatmap"]  # type: ignore[union-attr]
    for place, layer in itertools.product((0, 7), (0, 3)):
        checkpoint = kept.models[0].checkpoints[place].fingerprint
        rows = scores(workspace, metric="probe_accuracy", checkpoint=checkpoint, layer=layer, corpus=kept.tagged)
        rows = rows[(rows["source"] == rows["target"]) & ~rows["variant"].str.contains("tested on")]
        assert len(rows) == len(LANGUAGES)
        assert heatmap.z[layer, place] == pytest.approx(rows["value"].mean(), abs=1e-6)


def framed(drawn: go.Figure) -> set[tuple[int, int]]:
    """(row, column) of the cells with a frame."""
    [line] = [
        trace for trace in drawn.data if trace.type == "scatter" and trace.mode == "lines" and trace.line.color == "#FFFFFF"
    ]
    xs, ys = (np.array([np.nan if each is None else each for each in side], float) for side in (line.x, line.y))
    corners = np.split(np.stack([ys, xs]), np.flatnonzero(np.isnan(xs)), axis=1)
    return {tuple(np.round(np.nanmean(np.unique(each, axis=1), axis=1)).astype(int).tolist()) for each in corners}  # type: ignore[misc]


def heatmap_of(drawn: go.Figure | None) -> np.ndarray:
    assert drawn is not None
    return np.asarray(next(trace.z for trace in drawn.data if trace.type == "heatmap"))


def test_each_languages_highest_checkpoint_is_framed_on_its_own_scale(shown: list[Shown]) -> None:
    open_probing(view="Languages", **ONE)
    cells = heatmap_of(shown[0].drawn)
    assert cells.shape == (len(LANGUAGES), 8)
    assert np.allclose(cells.max(axis=1), 1)
    assert np.allclose(cells.min(axis=1), 0)
    assert framed(shown[0].drawn) == {(row, int(at)) for row, at in enumerate(cells.argmax(axis=1))}  # type: ignore[arg-type]


@pytest.mark.parametrize("own", ["true", "false"])
def test_the_best_source_of_each_target_is_framed(shown: list[Shown], own: str) -> None:
    open_probing(view="Sources", own_counts=own, **CROSS)
    cells = heatmap_of(shown[0].drawn).astype(float)
    assert cells.shape == (len(LANGUAGES), len(LANGUAGES))
    if own == "false":
        np.fill_diagonal(cells, -1)
    assert framed(shown[0].drawn) == {(int(at), column) for column, at in enumerate(cells.argmax(axis=0))}  # type: ignore[arg-type]


def test_controls_are_lines_of_their_own_numbers(shown: list[Shown], filled: tuple[Path, Kept]) -> None:
    workspace, kept = filled
    open_probing(view="Curves", **ONE)
    drawn = shown[0].drawn
    assert drawn is not None
    assert [trace.name for trace in drawn.data if trace.showlegend] == ["Probe", "Control task"]
    last = kept.models[0].checkpoints[-1].fingerprint
    for metric, words in (("majority_accuracy", "Most frequent tag:"), ("word_majority_accuracy", "of each word:")):
        rows = scores(workspace, metric=metric, checkpoint=last, corpus=kept.tagged)
        rows = rows[(rows["source"] == rows["target"]) & ~rows["variant"].str.contains("tested on")]
        [line] = [shape for shape in drawn.layout.shapes if words in (shape.name or "")]
        assert line.y0 == pytest.approx(rows["value"].mean())
        assert f"{rows['value'].mean():.3f}" in line.name


def test_wrong_words_are_marked_in_their_sentences(shown: list[Shown], filled: tuple[Path, Kept]) -> None:
    """What the matrix counts and the sentences show is what a loop over the corpus finds."""
    workspace, kept = filled
    app = open_probing(view="Errors", pair_source="Arabic · ar", at_probe="layer 1", at_right="NOUN", at_told="PUNCT", **ONE)
    data = shown[0].data
    texts = tagged.load(kept.tagged, [workspace]).sentences("ar", "test")
    gold = pd.Series([tag for sentence in texts for tag in sentence.tags]).value_counts()
    counted = data.groupby("right")["count"].sum()
    assert counted.to_dict() == {tag: int(gold.get(tag, 0)) for tag in counted.index}
    wrong = int(data.loc[data["right"] != data["told"], "count"].sum())
    assert any(f"**{wrong}** of {len(pd.Series(gold).repeat(gold))} words" in each.value for each in app.markdown)
    cell = int(data.loc[(data["right"] == "NOUN") & (data["told"] == "PUNCT"), "count"].iloc[0])
    assert cell > 0
    assert any(each.value.startswith(f"{cell} word") for each in app.caption)
    html = [each.body for each in app.get("html")]
    sentences = [each for each in html if "<mark" in each]
    assert sentences
    assert all('dir="rtl"' in each and 'lang="ar"' in each for each in sentences)
    notes = [each for each in html if "→" in each]
    assert len(notes) == len(sentences)
    assert all("NOUN → PUNCT" in each and "VERB" not in each for each in notes)


def test_the_accuracy_said_is_that_of_the_first_seed(shown: list[Shown], filled: tuple[Path, Kept]) -> None:
    workspace, kept = filled
    app = open_probing(view="Errors", pair_source="German · de", at_probe="layer 4", **ONE)
    rows = pd.concat([pq.read_table(file).to_pandas() for file in (workspace / "scores" / FAMILY).glob("*.parquet")])
    last = kept.models[0].checkpoints[-1].fingerprint
    here = (rows["metric"] == "probe_accuracy") & (rows["checkpoint"] == last) & (rows["layer"] == 4) & (rows["seed"] == 0)
    here &= (rows["source"] == "de") & (rows["target"] == "de") & (rows["corpus"] == kept.tagged)
    [value] = rows.loc[here & ~rows["variant"].str.contains("tested on"), "value"]
    assert any(f"accuracy **{value:.3f}**, by the probe of seed 0" in each.value for each in app.markdown)


def test_pairs_of_sentences_are_shown_with_their_labels(shown: list[Shown], filled: tuple[Path, Kept]) -> None:
    workspace, kept = filled
    app = open_probing(view="Errors", data="Pairs", at_probe="layer 0", **ONE)
    html = [each.body for each in app.get("html") if "dir=" in each.body]
    assert html
    assert len(html) % 2 == 0
    texts = tasks.load(kept.task, [workspace])
    known = {text for language in texts.languages for text in texts.examples(language, "train").texts}
    assert all(any(text in each for text in known) for each in html[::2])
    assert all("yes → no" in each or "no → yes" in each for each in html[::2])


def test_what_scores_rest_on_is_said_once(shown: list[Shown]) -> None:
    app = open_probing(**ONE)
    [said] = [each for each in app.caption if "Trained on" in each.value]
    # a probe in fourteen, of five layers and two mixes with two seeds, is said by each file to have been learning yet
    assert said.value == (
        "Trained on 1,200 words a language, tested on 160. 7% of probes were still learning at their last epoch: allow more."
    )
    assert "had no vector" in said.help
    assert "half of validation" in said.help


def test_means_say_which_languages_they_lack(filled: tuple[Path, Kept], shown: list[Shown]) -> None:
    """Where a language chosen is computed nowhere, the others are drawn all the same."""
    app = open_probing(on="Parallel treebanks", checkpoints=[LAST], **ONE)
    assert any(each.value.startswith("Means are over 2 of 3 languages trained on.") for each in app.caption)
    assert len(shown) == 1
    assert app.selectbox(key="of_source").options == ["All (mean)", "German · de", "Chinese · zh"]


def test_what_is_missing_is_offered_and_computed_options_are_the_default(shown: list[Shown]) -> None:
    app = open_probing()
    [offer] = [each.value for each in app.markdown if "not computed" in each.value]
    assert CONTRAST.replace("+", "\\+") in offer
    assert "probes of 5 languages not computed at 4 of 8 checkpoints" in offer
    assert [each.value for each in app.selectbox if each.key == "probes"] == ["2 seeds"]
    assert not [each for each in app.expander if each.label == "Options"]


def test_other_options_are_other_probes(shown: list[Shown]) -> None:
    app = open_probing(probes="Other options …", word_vector="First sub-word", **ONE)
    assert [each for each in app.expander if each.label == "Options"]
    assert any("probes of 5 languages not computed at 8 of 8 checkpoints" in each.value for each in app.markdown)
    assert any("Nothing is computed" in each.value for each in app.info)
    assert shown == []


def test_a_monolingual_selection_says_how_to_see_sources(shown: list[Shown]) -> None:
    app = open_probing(view="Sources", **ONE)
    assert any("Tested in" in each.value for each in app.info)
    assert shown == []


def test_without_data_the_page_says_how_to_add_some(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    monkeypatch.setattr(tasks, "entries", lambda _: [])
    app = open_probing()
    assert [each.value for each in app.info] == [
        "Probing needs a tagged corpus or a labelled task. Add it in the Library, then come back."
    ]


def test_scores_outlive_their_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of data that were removed the scores are drawn; what they said of each sentence, and more of them, needs the text."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    kept = fill(tmp_path, DEMO)
    tagged.remove(kept.tagged, tmp_path)
    st.cache_resource.clear()  # another test looked at the same corpus
    app = open_probing(view="Errors", data=f"Removed corpus {kept.tagged[:6]}")
    assert any("words told wrongly" in each.value for each in app.markdown)
    assert any("The sentences are not in this workspace" in each.value for each in app.info)
    assert any("not computed" in each.value and "not in this workspace" in each.value for each in app.caption)
    assert not [each for each in app.button if each.label.startswith("Compute")]


@pytest.fixture
def clicked(shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the next figure says was clicked, once."""
    answers: list[Any] = []

    def show(drawn: go.Figure, **_: Any) -> list[Any]:
        cells = [trace for trace in drawn.data if trace.name == "cells"]
        if not answers or not cells:
            return []
        wanted = answers.pop()
        return next(list(each) for each in cells[0].customdata if list(each)[-len(wanted) :] == wanted)

    monkeypatch.setattr(figure, "show", show)
    return answers


@pytest.mark.parametrize(
    ("view", "query", "wanted", "boxes"),
    [
        ("Layers × checkpoints", ONE | {"of_source": "German · de"}, ["checkpoint-600", "layer 3"], ("layer 3", "de", None)),
        ("Layers × checkpoints", ONE, [LAST, "learned mix"], ("learned mix", "ar", None)),
        ("Languages", ONE | {"at_layers": "Layer 1"}, ["checkpoint-100", "zh"], ("layer 1", "zh", None)),
        ("Sources", CROSS | {"at_layers": "Layer 4"}, ["fi", "ar"], ("layer 4", "fi", "ar")),
    ],
)
def test_a_click_leads_to_the_confusion_matrix(
    clicked: list[Any], view: str, query: Query, wanted: list[str], boxes: tuple[str, str, str | None]
) -> None:
    clicked.append(wanted)
    app = open_probing(view=view, **query)
    found = {each.key: each.value for each in app.selectbox}
    assert [each.value for each in app.subheader] == ["What was told wrongly"]
    assert (found["at_probe"], found["pair_source"], found.get("pair_target")) == boxes
    if "checkpoint" in wanted[0]:
        assert found["at_checkpoint"] == wanted[0]


def test_the_regression_is_that_of_the_files(shown: list[Shown], filled: tuple[Path, Kept]) -> None:
    """Least squares by hand: a language's accuracy on its pairs' mean LD and MD, over layers, at the last checkpoint."""
    workspace, kept = filled
    app = open_probing(view="Regression", **ONE)
    data = shown[0].data
    row = data[(data["setting"] == "Prob.") & (data["task"] == "POS") & (data["checkpoint"] == "Last")].iloc[0]
    last = kept.models[0].checkpoints[-1].fingerprint
    ours = scores(workspace, metric="probe_accuracy", checkpoint=last, corpus=kept.tagged)
    ours = ours[(ours["source"] == ours["target"]) & ~ours["variant"].str.contains("tested on")]
    accuracy = ours.groupby("source")["value"].mean()
    abx = pd.concat([pq.read_table(file).to_pandas() for file in (DEMO / "scores" / "abx").glob("*.parquet")])
    abx = abx[(abx["checkpoint"] == last) & (abx["variant"] == "exact/mean")]
    means = {}
    for metric in ("abx_language", "abx_meaning"):
        own = abx[abx["metric"] == metric]
        ends = pd.concat([own.assign(language=own[end]) for end in ("source", "target")])
        means[metric] = ends.groupby("language")["value"].mean()
    both = pd.DataFrame(means | {"accuracy": accuracy}).dropna()
    assert int(row["n"]) == len(both)
    x = np.column_stack([np.ones(len(both)), both["abx_language"], both["abx_meaning"]])
    fitted, *_ = np.linalg.lstsq(x, both["accuracy"].to_numpy(), rcond=None)
    assert [row["LD"], row["MD"]] == pytest.approx(fitted[1:].tolist(), rel=1e-6)
    left = both["accuracy"] - x @ fitted
    assert row["r2"] == pytest.approx(1 - (left**2).sum() / ((both["accuracy"] - both["accuracy"].mean()) ** 2).sum())
    table = app.dataframe[0].value
    assert (
        list(table.loc[(table["Task"] == "POS") & (table["Setting"] == "Monolingual"), "Of"]) == ["this model", "the paper"] * 2
    )
    assert table.loc[table["Of"] == "the paper", "LD"].tolist() == data["printed_LD"].tolist()
    assert len(data) == 9


def test_without_ld_and_md_the_printed_table_stands_alone(shown: list[Shown]) -> None:
    app = open_probing(view="Regression", data="Pairs", model=CONTRAST)
    assert any("Nothing is computed" in each.value or "ABX page" in each.value for each in app.info)
