"""The probing page on invented probes: figures have the numbers of the files, and recipes give the figures' rows."""

from __future__ import annotations

import itertools
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments.probing.languages import tags_of
from isogloss.backend.experiments.probing.spec import FAMILY
from isogloss.pages.widgets.choosing.spoken import name as language_name
from tests.pages.abx.abx_page import DEMO, check_rows
from tests.pages.probing.probing_page import CROSS, LAST, ONE, Query, Shown, open_probing
from tests.pages.probing.probing_workspace import LANGUAGES, SEEDS, Kept

if TYPE_CHECKING:
    import plotly.graph_objects as go

VIEWS: list[tuple[str, int, Query]] = [
    ("Layers × checkpoints", 2, {}),
    ("Layers × checkpoints", 1, ONE | {"measure": "Selectivity", "of_source": "Finnish · fi", "layers": ["1", "3"]}),
    ("Layers × checkpoints", 1, CROSS | {"checkpoints": [LAST], "of_source": "German · de", "of_target": "Arabic · ar"}),
    ("Curves", 1, {}),
    ("Curves", 1, ONE | {"over": "Checkpoints", "axis": "Log", "at_layers": "Learned mix of layers, one probe"}),
    ("Curves", 1, ONE | {"lines": "Languages", "measure": "Control task"}),
    ("Curves", 1, CROSS | {"lines": "Languages", "from": ["German · de"]}),
    ("Curves", 1, ONE | {"lines": "Languages", "over": "Checkpoints", "at_layers": "Layer 3"}),
    ("Curves", 1, {"lines": "Seeds"}),
    ("Curves", 1, CROSS | {"lines": "Seeds", "over": "Checkpoints", "at_layers": "Layer 3"}),
    ("Best layers", 2, {}),
    ("Best layers", 1, CROSS | {"of_source": "Chinese · zh", "checkpoints": [LAST]}),
    ("Best layers", 1, ONE | {"data": "Pairs", "measure": "Description length"}),
    ("Languages", 2, {"order": "family"}),
    ("Languages", 1, ONE | {"normalised": "false", "measure": "Selectivity", "order": "clustering"}),
    ("Languages", 1, CROSS | {"of_source": "Chinese · zh", "checkpoints": [LAST]}),
    ("Sources", 1, CROSS | {"order": "mean"}),
    ("Sources", 1, CROSS | {"own_counts": "false", "at_layers": "Layer 1"}),
    ("Languages", 2, ONE | {"measure": "Selectivity", "beside_data": ["Pairs"], "checkpoints": [LAST]}),
    ("Compare", 2, {}),
    ("Compare", 2, ONE | {"measure": "Selectivity", "layers": ["1", "3"], "order": "name"}),
    ("Errors", 2, ONE | {"pair_source": "Arabic · ar", "at_probe": "learned mix"}),
    ("Errors", 2, CROSS | {"pair_source": "German · de", "pair_target": "Chinese · zh", "errors_alone": "true"}),
    ("Errors", 2, ONE | {"data": "Pairs"}),
    (
        "Layers × checkpoints",
        1,
        ONE | {"on": "Parallel treebanks", "checkpoints": [LAST]},
    ),
    ("Layers × checkpoints", 1, ONE | {"data": "Pairs", "measure": "Compression"}),
    ("Curves", 1, ONE | {"data": "Pairs", "measure": "Description length"}),
    ("Regression", 1, CROSS),
]


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
        check_rows(each)
        assert (each.recipe.chart is None) == (each.drawn is None) == (view == "Regression" or "Misclassified" in each.name), (
            each.name
        )
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
    words = unescape(title.replace("<br>", " ")).casefold()
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


def test_the_best_layer_is_the_one_of_the_files(shown: list[Shown], filled: tuple[Path, Kept]) -> None:
    workspace, kept = filled
    open_probing(view="Best layers", **ONE)
    drawn, fingerprints = heatmap_of(shown[0].drawn), [each.fingerprint for each in kept.models[0].checkpoints]
    rows = scores(workspace, metric="probe_accuracy", corpus=kept.tagged)
    rows = rows[(rows["source"] == rows["target"]) & ~rows["variant"].str.contains("tested on") & rows["layer"].notna()]
    assert drawn.shape == (len(LANGUAGES), len(fingerprints))
    for down, across in itertools.product(range(len(LANGUAGES)), range(len(fingerprints))):
        own = rows[(rows["target"] == LANGUAGES[down]) & (rows["checkpoint"] == fingerprints[across])]
        assert drawn[down, across] == own.loc[own["value"].idxmax(), "layer"]


def test_seeds_are_lines_of_their_own_numbers(shown: list[Shown], filled: tuple[Path, Kept]) -> None:
    """Their mean is the line of the mean, and what is said of their spread is their standard deviation."""
    app = open_probing(view="Curves", lines="Seeds", **ONE)
    [seeds] = shown
    assert [trace.name for trace in seeds.drawn.data] == [f"seed {seed}" for seed in SEEDS]  # type: ignore[union-attr]
    spread = seeds.data.groupby("layer")["value"].std()
    said = f"median {spread.median():.4f}, at most {spread.max():.4f}"
    assert any(said in each.value for each in app.caption), [each.value for each in app.caption]
    shown.clear()
    open_probing(view="Curves", **ONE)
    mean = shown[0].data.query("metric == 'probe_accuracy'").set_index("layer")["value"]
    pd.testing.assert_series_equal(seeds.data.groupby("layer")["value"].mean(), mean, check_dtype=False, check_index_type=False)


def framed(drawn: go.Figure | None) -> set[tuple[int, int]]:
    """(row, column) of the cells with a frame."""
    assert drawn is not None
    lines = [
        trace for trace in drawn.data if trace.type == "scatter" and trace.mode == "lines" and trace.line.color == "#FFFFFF"
    ]
    if not lines:
        return set()
    [line] = lines
    xs, ys = (np.array([np.nan if each is None else each for each in side], float) for side in (line.x, line.y))
    corners = np.split(np.stack([ys, xs]), np.flatnonzero(np.isnan(xs)), axis=1)
    return {tuple(np.round(np.nanmean(np.unique(each, axis=1), axis=1)).astype(int).tolist()) for each in corners}  # type: ignore[misc]


def heatmap_of(drawn: go.Figure | None) -> np.ndarray:
    assert drawn is not None
    return np.asarray(next(trace.z for trace in drawn.data if trace.type == "heatmap"))


def told(scores: pd.DataFrame, keys: list[str], group: list[str]) -> set[tuple[object, ...]]:
    """Return the keys of rows whose interval lies above that of every other row of their group, and above `level`: by loops."""
    return {
        tuple(getattr(row, key) for key in keys)
        for row in scores.itertuples()
        for others in [scores[(scores[group] == [getattr(row, name) for name in group]).all(axis=1)].drop(row.Index)]
        if len(others) and row.low > others["high"].max() and row.low > row.level
    }


def test_a_languages_highest_checkpoint_is_framed_where_it_is_told_apart(shown: list[Shown]) -> None:
    open_probing(view="Languages", **ONE)
    cells = heatmap_of(shown[0].drawn)
    assert cells.shape == (len(LANGUAGES), 8)
    assert np.allclose(cells.max(axis=1), 1)
    assert np.allclose(cells.min(axis=1), 0)
    rows = shown[0].data
    columns = rows.drop_duplicates("checkpoint").sort_values("position")["checkpoint"].tolist()
    expected = told(rows, ["target", "checkpoint"], ["target"])
    assert framed(shown[0].drawn) == {(LANGUAGES.index(tag), columns.index(key)) for tag, key in expected}


@pytest.mark.parametrize("own", ["true", "false"])
def test_the_best_source_of_a_target_is_framed_where_it_is_told_apart(shown: list[Shown], own: str) -> None:
    open_probing(view="Sources", own_counts=own, **CROSS)
    cells = heatmap_of(shown[0].drawn).astype(float)
    assert cells.shape == (len(LANGUAGES), len(LANGUAGES))
    rows = shown[0].data if own == "true" else shown[0].data.query("source != target")
    expected = told(rows.reset_index(drop=True), ["value"], ["target"])
    assert sorted(cells[cell] for cell in framed(shown[0].drawn)) == pytest.approx(sorted(value for (value,) in expected))


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


@pytest.mark.parametrize(("data", "gloss"), [("words", "zh"), ("Pairs", "en")])
def test_what_was_told_wrongly_is_a_table_with_texts_and_a_gloss(
    shown: list[Shown], filled: tuple[Path, Kept], data: str, gloss: str
) -> None:
    workspace, kept = filled
    query = ONE | ({"data": data} if data == "Pairs" else {})
    app = open_probing(view="Errors", pair_source="German · de", at_probe="layer 1", gloss=language_name(gloss), **query)
    [rows] = [each.data for each in shown if "Misclassified" in each.name]
    assert len(rows)
    if data == "Pairs":
        german, other = (tasks.load(kept.task, [workspace]).examples(tag, "train") for tag in ("de", gloss))
        assert german.pairs is not None
        assert other.pairs is not None
        texts = zip(german.texts, german.pairs, other.texts, other.pairs, strict=True)
        said = {(text, second): f"{third} · {fourth}" for text, second, third, fourth in texts}
        assert [said[row["text"], row["second"]] for row in rows.to_dict("records")] == list(rows["gloss"])
    else:
        corpus = tagged.load(kept.tagged, [workspace])
        sentences, third = (corpus.sentences(tag, "test") for tag in ("de", gloss))
        by_id = {each.id: each.text for each in third if each.id}
        for row in rows.to_dict("records"):
            sentence = sentences[row["sentence"]]
            assert (row["text"], row["written"]) == (sentence.text, sentence.words[row["word"]])
            assert (sentence.tags[row["word"]], row["gloss"]) == (row["right"], by_id.get(sentence.id, ""))
    drawn = " ".join(unescape(each.body) for each in app.get("html"))
    glosses = list(dict.fromkeys(rows["gloss"]))[:3]
    assert all(each in drawn for each in glosses)


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
    app = open_probing(view="Errors", data="Pairs", at_probe="layer 0", gloss="None", **ONE)
    html = [each.body for each in app.get("html") if "dir=" in each.body]
    assert html
    assert len(html) % 2 == 0
    texts = tasks.load(kept.task, [workspace])
    known = {text for language in texts.languages for text in texts.examples(language, "train").texts}
    assert all(any(text in each for text in known) for each in html[::2])
    assert all("yes → no" in each or "no → yes" in each for each in html[::2])


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


def test_a_set_of_the_paper_is_chosen_at_a_press(shown: list[Shown]) -> None:
    app = open_probing(**CROSS)
    app.button(key="published-paper-cross").click().run()
    assert not app.exception
    chosen = app.multiselect(key="from").value
    assert chosen
    assert set(chosen) <= set(tags_of("paper-cross"))
    assert set(app.multiselect(key="to").value) <= set(tags_of("paper-cross"))
