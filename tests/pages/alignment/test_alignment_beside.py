"""What lies beside what on the alignment page: masked words, repeated pairs, averaged static vectors, an aligner's links."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.parallel import library
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.alignment import frames as alignment_frames
from isogloss.backend.experiments.alignment.static_sentences import StaticSentencesSpec
from isogloss.backend.experiments.alignment.words.distributions import WordDistributionsSpec
from isogloss.backend.experiments.alignment.words.errors import WordErrorsSpec
from isogloss.backend.experiments.alignment.words.pair_counts import PairCountsSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.experiments.spec import Context, Spec
from isogloss.backend.metrics.retrieval.options import FORMULAS, NEIGHBOURS, Similarity
from isogloss.backend.models.entry import Model
from isogloss.backend.models.library import library as models
from isogloss.backend.models.static import library as static_library
from isogloss.backend.models.static import vectors as static_vectors
from isogloss.backend.settings import settings
from isogloss.pages.alignment.cards import card
from tests.pages.abx.abx_page import CONTRAST, run
from tests.pages.alignment.test_alignment_page import THREE, open_alignment, shown  # noqa: F401 — a fixture
from tests.pages.alignment.test_alignment_sources import GOLD, kept

Shown = list[tuple[str, pd.DataFrame, str]]
ONE = {"model": CONTRAST, "languages": ["German · de", "English · en"]}


def the_model() -> Model:
    return next(each for each in models.entries(settings().workspaces) if each.name == CONTRAST)


def the_corpus() -> str:
    return library.entries(settings().workspaces)[0].id


def the_pair() -> DictionaryPair:
    entries = dictionaries.entries(settings().workspaces)
    dictionary = next(each.id for each in entries if {each.source, each.target} == {"en", "de"})
    return DictionaryPair(source="de", target="en", dictionary=dictionary)


def compute(spec: Spec) -> None:
    for shard in spec.shards():
        registry.compute(spec, shard, Context(settings()))


def words(**options: Any) -> None:
    model = the_model()
    asked = {"model": model.name, "checkpoints": model.checkpoints[-1:], "corpus": the_corpus(), "pairs": (the_pair(),)}
    compute(WordAlignmentSpec(**asked, **options))


def assert_same(given: pd.DataFrame, recipe: Recipe) -> None:
    pd.testing.assert_frame_equal(run(recipe).reset_index(drop=True), given.reset_index(drop=True), check_like=True)


def test_masked_and_whole_words_lie_in_one_figure(shown: Shown) -> None:  # noqa: F811
    app = open_alignment(**ONE, masked_beside="true")
    assert any("not computed" in each.value for each in app.markdown)  # the masked ones are offered
    words(masked=True)
    shown.clear()
    app = open_alignment(**ONE, masked_beside="true")
    assert not app.exception
    for _, data, recipe in shown:
        assert set(data["variant"]) == {"word/csls10/5000 pairs", "word/csls10/5000 pairs/masked"}
        assert set(data["line"]) == {"", "masked"}
        assert_same(data, recipe)
    shown.clear()
    app = open_alignment(**ONE, masked_beside="true", lines="Pairs")
    assert any("figure 8" in each.value and each.value.endswith("around 15.") for each in app.caption)
    assert not any("around 15" in each.value for each in open_alignment(**ONE).caption)
    assert {*shown[0][1]["line"]} == {f"{way}{end}" for way in ("de → en", "en → de") for end in ("", ", masked")}
    assert_same(*shown[0][1:])


def test_other_neighbours_and_another_seed_are_chosen_like_all_else(shown: Shown) -> None:  # noqa: F811
    words(k=5, seed=3)  # as by the command line
    shown.clear()
    app = open_alignment(**ONE, k="5", seed="3")
    for _, data, recipe in shown:
        assert set(data["variant"]) == {"word/csls5/5000 pairs"}
        assert_same(data, recipe)
    assert len(shown) == 2
    app.number_input(key="words_seed").set_value(4).run()
    assert any("not computed" in each.value for each in app.markdown)
    app.selectbox(key="similarity").set_value("cosine").run()
    assert not app.exception
    assert "k" not in {box.key for box in app.number_input}
    older = open_alignment(**ONE, similarity="CSLS (10 nearest)", strong="Both languages (released code)")
    assert older.selectbox(key="similarity").value == "csls"
    assert older.number_input(key="k").value == 10


@pytest.mark.parametrize("similarity", get_args(Similarity))
def test_every_similarity_has_errors_scores_and_its_formula(shown: Shown, similarity: Similarity) -> None:  # noqa: F811
    words(similarity=similarity, runs=2)
    asked = {"checkpoint": the_model().checkpoints[-1], "corpus": the_corpus(), "pair": the_pair()}
    compute(WordErrorsSpec(**asked, layer=3, similarity=similarity))
    chosen = ONE | {"similarity": similarity, "runs": "2"}
    shown.clear()
    app = open_alignment(**chosen)
    assert not app.exception
    assert {variant for _, data, _ in shown for variant in data["variant"]} == {
        f"word/{similarity}{NEIGHBOURS.get(similarity, '')}/5000 pairs"
    }
    app = open_alignment(**chosen, view="Errors", at_pair="de → en", at_layer="3")
    assert not app.exception
    assert any("accuracy" in each.value for each in app.markdown)
    assert any(f"${FORMULAS[similarity]}$" in each.value for each in app.caption)
    for unit in ("word", "sentence"):
        told = card(SimpleNamespace(unit=unit, options={"similarity": similarity, "k": 3}))  # type: ignore[arg-type]
        assert told.formula.endswith(FORMULAS[similarity])
        assert ("3 nearest" in told.reading) == (similarity in NEIGHBOURS)


def test_distinct_and_repeated_pairs_are_correlated(shown: Shown) -> None:  # noqa: F811
    app = open_alignment(**ONE, view="Repetition")
    assert any("once a checkpoint has both" in each.value for each in app.info)
    words(repeated=True)
    app = open_alignment(**ONE, view="Repetition")
    [(_, data, recipe)] = shown
    assert recipe.chart is not None
    assert_same(data, recipe)
    layers = the_model().layers + 1
    assert len(data) == 2 * layers
    rho = spearmanr(data["x"], data["y"]).statistic
    assert any(f"ρ {rho:.3f}" in each.value and f"over {2 * layers} points" in each.value for each in app.caption)
    spec = app.get("plotly_chart")[0].proto.spec
    assert "Spearman .86" in spec
    assert f"{2 * layers} points" in spec


def test_steps_of_the_two_figures() -> None:
    common = {"model": "m", "checkpoint": "c", "label": "1", "source": "de", "target": "en", "measure": "weak"}
    rows = [
        common | {"variant": variant, "layer": layer, "value": value}
        for variant, layer, value in (
            ("once", 0, 0.1),
            ("once", 1, 0.2),
            ("all", 1, 0.4),
            ("all", 2, 0.6),
        )
    ]
    found = alignment_frames.side_by_side(pd.DataFrame(rows), ["once"], ["all"])
    assert found[["layer", "x", "y"]].to_numpy().tolist() == [[1, 0.2, 0.4]]  # only what both have
    masked = alignment_frames.name_masking(pd.DataFrame(rows), ["all"])
    assert masked["line"].tolist() == ["", "", "masked", "masked"]
    assert alignment_frames.name_masking(masked.assign(line="de → en"), ["all"])["line"].tolist()[1:3] == [
        "de → en",
        "de → en, masked",
    ]


@pytest.fixture
def static(shown: Shown, tmp_path: Path) -> static_library.StaticSet:  # noqa: F811
    """Random vectors of the corpus's words."""
    corpus = library.load(the_corpus(), settings().workspaces)
    files = {}
    for tag in ("de", "en", "zh"):
        _, texts = corpus.align([tag])
        said = sorted({word.strip(".,!?").lower() for text in texts[tag] for word in text.split()} - {""})
        draw = np.random.default_rng(1)
        files[tag] = tmp_path / f"{tag}.vec"
        static_vectors.write(files[tag], {word: draw.normal(size=5).astype(np.float32) for word in said})
    return static_library.add("Averaged", files, settings().workspace)


def test_averaged_static_vectors_stand_in_table_i(shown: Shown, static: static_library.StaticSet) -> None:  # noqa: F811
    sentences = {"unit": "Sentences", "static": "true"} | ONE
    app = open_alignment(**sentences, view="Table")
    assert any("**Averaged**: 1 language pair not computed" in each.value for each in app.markdown)
    asked = {"model": static.name, "vectors": static.fingerprint, "corpus": the_corpus(), "languages": ("de", "en")}
    compute(StaticSentencesSpec(**asked))
    app = open_alignment(**sentences, view="Table", paper="true")
    table = app.dataframe[0].value
    assert list(table["Model"]) == ["Averaged, average"] + [
        f"{CONTRAST} · {vector}" for vector in ("first token", "mean of tokens") for _ in range(3)
    ] + [name for name in table["Model"] if "Gaschi" in name]
    assert "FastText average" in " ".join(table["Model"])
    assert_same(*shown[-1][1:])
    app = open_alignment(**sentences, lines="Pairs")
    chart = app.get("plotly_chart")[0].proto.spec
    assert chart.count("of the sentences") == 2  # a line a direction
    assert "of the sentences" in open_alignment(**sentences).get("plotly_chart")[0].proto.spec


def test_draws_of_sentences_are_a_request_of_their_own(shown: Shown) -> None:  # noqa: F811
    app = open_alignment(unit="Sentences", n_sentences="100", sentence_runs="4", **ONE)
    assert any("not computed" in each.value for each in app.markdown)
    assert shown == []
    [runs] = [each for each in app.number_input if each.label == "Runs"]
    assert runs.value == 4


def test_an_alignment_lies_beside_the_dictionary(shown: Shown, tmp_path: Path) -> None:  # noqa: F811
    alignment = kept(tmp_path, GOLD, "FastAlign", gold=False)
    query = ONE | {"view": "Distributions", "at_pair": "de → en", "beside": "FastAlign"}
    pair = the_pair()
    compute(WordDistributionsSpec(checkpoint=the_model().checkpoints[-1], corpus=the_corpus(), pair=pair, alignment=alignment))
    app = open_alignment(**query)
    assert not app.exception
    assert len(shown) == 2
    for _, data, recipe in shown:
        assert {"dictionary", "aligner", "alignment"} <= set(data["kind"])
        assert_same(data, recipe)
    assert "Imported alignment" in app.get("plotly_chart")[0].proto.spec


def test_pairs_of_all_sentences_are_counted_without_gold(shown: Shown, tmp_path: Path) -> None:  # noqa: F811
    alignment = kept(tmp_path, GOLD, "FastAlign", gold=False)
    query = ONE | {"view": "Sources", "at_pair": "de → en"}
    app = open_alignment(**query)
    assert any("not counted yet" in each.value for each in app.markdown)
    compute(PairCountsSpec(corpus=the_corpus(), pair=the_pair(), others=(alignment,)))
    app = open_alignment(**query)
    [table] = (each.value.set_index("Source") for each in app.dataframe)
    linked = sum(len(line.split()) for line in GOLD)
    assert table.loc["Alignment · FastAlign", "Pairs"] == linked
    assert table.loc["Dictionary · Demo English–German", "Pairs"] > table.loc["Dictionary · Demo English–German", "Distinct"]
    assert_same(*shown[-1][1:])
