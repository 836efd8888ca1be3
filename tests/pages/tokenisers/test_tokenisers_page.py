"""The page of tokenisers on the demo: its figures are the scores, whatever pivot; its sentences are the corpus', in pieces."""

from __future__ import annotations

import re
import shutil
from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.assemble import Column, assemble
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.tokenisers.shard import TokenisersSpec
from isogloss.backend.figures.tokenisers import NO_WORDS
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from isogloss.pages.tokenisers.sentences import marked
from tests.pages.abx.abx_page import DEMO, MLM, Shown, record, record_beside, run
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened

if TYPE_CHECKING:
    from pathlib import Path

E5 = "multilingual-e5-small, 4-bit weights"
BOTH = {"model": [MLM, E5]}


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Shown]:
    on_the_demo(monkeypatch, tmp_path)
    return record(monkeypatch)


def stored(metric: str) -> pd.DataFrame:
    files = [file.path for file in scores.shards([DEMO], "tokenisers")]
    statement = "SELECT model, source, target, value, low, high FROM {scores} WHERE metric = $metric"
    return scores.query(statement, {"metric": metric}, files).set_index(["model", "source", "target"]).sort_index()


def test_premiums_of_two_tokenisers_stand_side_by_side_to_any_pivot(shown: list[Shown]) -> None:
    known = stored("tokeniser_premium")
    for pivot, name in (("en", "English · en"), ("zh", "Chinese · zh")):
        shown.clear()
        opened("tokenisers", BOTH | {"pivot": name})
        [drawn] = shown
        assert set(drawn.data["model"]) == {MLM, E5}
        assert pivot not in set(drawn.data["language"])
        assert len(drawn.data) == 18
        for row in drawn.data.to_dict("records"):
            expected = known.loc[(row["model"], row["language"], pivot)]
            assert [row["value"], row["low"], row["high"]] == expected.tolist()
        assert f"Premium to {name.split(' ')[0]}" in drawn.drawn.layout.title.text
        assert "more than" in drawn.drawn.layout.coloraxis.colorbar.title.text
        pd.testing.assert_frame_equal(run(drawn.recipe), drawn.data)


@pytest.mark.parametrize(
    ("measure", "metric"), [("Fertility", "tokeniser_fertility"), ("Bytes a character", "tokeniser_bytes_per_character")]
)
def test_a_measure_of_languages_is_what_is_stored(shown: list[Shown], measure: str, metric: str) -> None:
    app = opened("tokenisers", BOTH | {"measure": measure})
    assert not [each for each in app.selectbox if each.key == "pivot"]
    [drawn], known = shown, stored(metric)
    cells = {(row["model"], row["language"]): row["value"] for row in drawn.data.to_dict("records")}
    assert cells == {(model, source): value for (model, source, _), value in known["value"].items()}
    assert np.isfinite(np.asarray(drawn.drawn.data[0].z, float)).all()


def test_pairs_share_both_ways_and_premiums_differ_by_way(shown: list[Shown]) -> None:
    opened("tokenisers", BOTH | {"view": "Pairs", "pair_model": E5})
    opened("tokenisers", BOTH | {"view": "Pairs", "pair_model": E5, "pair_measure": "Premium", "order": "clustering"})
    opened("tokenisers", BOTH | {"view": "Pairs", "pair_model": E5, "pair_measure": "Shared vocabulary by use"})
    same, premium, by_use = (np.asarray(each.drawn.data[0].z, float) for each in shown)
    np.testing.assert_array_equal(same, same.T)
    np.testing.assert_array_equal(by_use, by_use.T)
    np.testing.assert_allclose(premium, 1 / premium.T, rtol=1e-5)
    assert np.isnan(np.diag(same)).all()
    labels = list(shown[1].drawn.layout.yaxis.ticktext)
    value = premium[labels.index("German"), labels.index("English")]
    assert value == pytest.approx(stored("tokeniser_premium").loc[(E5, "de", "en"), "value"], rel=1e-6)
    for drawn in shown:
        pd.testing.assert_frame_equal(run(drawn.recipe), drawn.data)


def test_the_pieces_of_a_sentence_are_its_text_in_every_language(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    on_the_demo(monkeypatch, tmp_path)
    found = record_beside(monkeypatch)
    kept = corpora.entries([DEMO])[0]
    ids, texts = corpora.load(kept.id, [DEMO]).align(kept.tags)
    app = opened("tokenisers", BOTH | {"view": "Sentences", "shown": ["German · de", "Arabic · ar"]})
    app.selectbox(key="sentence").select(ids[5]).run()
    assert not app.exception
    lines = [re.sub(r"<[^>]+>", "", each) for each in html_of(app)]
    for tag in ("de", "ar"):
        assert sum(texts[tag][5] in unescape(line) for line in lines) == 2  # a tokeniser each
    [first] = [each for each in found if each.name == f"Pieces of sentence {ids[5]}"]
    for (checkpoint, tag), own in first.data.groupby(["checkpoint", "language"]):
        assert "".join(own["text"]).replace(" ", "") == texts[str(tag)][5].replace(" ", ""), checkpoint
    pd.testing.assert_frame_equal(run(first.recipe), first.data)
    again = opened("tokenisers", BOTH | {"view": "Sentences"})
    assert len(html_of(again)) == 12  # six languages by two tokenisers


def html_of(app: Any) -> list[str]:
    return [each.proto.body for each in app.get("html")]


def test_what_is_not_measured_is_offered_and_a_language_without_words_says_so(
    shown: list[Shown], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"en": "One dog sleeps.", "bo": "ཁྱི་ཞིག་གཉིད།", "de": "Ein Hund schläft."}
    columns = [Column(tag, "", list("abc"), [text] * 3, range(1, 4)) for tag, text in names.items()]
    kept = corpora.keep(assemble("made", columns), "Tibetan", tmp_path)
    model = models.load_entry(MLM, [DEMO])
    app = opened("tokenisers", {"model": MLM, "corpus": "Tibetan"})
    assert any("not measured yet" in each.value for each in app.markdown)
    [compute] = [each for each in app.button if each.label.startswith("Compute")]
    assert not compute.disabled
    assert not shown
    spec = TokenisersSpec(model=MLM, checkpoints=model.checkpoints[-1:], corpus=kept.id, languages=tuple(sorted(names)))
    for shard in spec.shards():
        registry.compute(spec, shard, Context(settings()))
    app = opened("tokenisers", {"model": MLM, "corpus": "Tibetan", "measure": "Fertility"})
    assert any("Words are not found in Tibetan" in each.value for each in app.caption)
    assert set(shown[-1].data["language"]) == {"en", "de"}
    assert NO_WORDS in str(shown[-1].drawn.to_json())


@given(st.text(max_size=20), st.lists(st.tuples(st.integers(0, 22), st.integers(0, 6), st.booleans()), max_size=8))
def test_marked_text_is_the_text_whatever_the_pieces_are(text: str, pieces: list[tuple[int, int, bool]]) -> None:
    spans = [(start, min(start + more, len(text)), unknown) for start, more, unknown in pieces if start <= len(text)]
    html = marked(text, pd.DataFrame(spans, columns=["start", "end", "unknown"]))
    bare = re.sub(r"<sup[^>]*>\d+</sup>|</?span[^>]*>", "", html)
    assert unescape(bare) == text
    assert "<" not in bare


def test_pieces_that_share_characters_are_counted_and_unknown_ones_framed() -> None:
    pieces = pd.DataFrame([(0, 1, False)] * 3 + [(1, 3, True)], columns=["start", "end", "unknown"])
    html = marked("é<b", pieces)
    assert "é<sup" in html
    assert ">3</sup>" in html
    assert "&lt;b" in html
    assert html.count("dashed") == 1


def test_a_tokeniser_without_weights_is_offered_here_and_nowhere_else(shown: list[Shown], tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for file in (DEMO / "models" / "mlm").glob("token*"):
        shutil.copy(file, folder)
    alone = discover(str(folder))
    models.keep(alone, settings().workspace)
    offered = {}
    for page in ("tokenisers", "abx", "probing", "latent", "transfer"):
        app = opened(page, {})
        offered[page] = {
            name for box in (*app.multiselect, *app.selectbox) if box.label in ("Models", "Model") for name in box.options
        }
    assert {page for page, names in offered.items() if "mine" in names} == {"tokenisers"}
    assert all(len(names) for names in offered.values())
    app = opened("tokenisers", {"model": ["mine"]})
    assert "**mine**" in " ".join(each.value for each in app.markdown)
