"""Two corpora compared: over the languages of both, with what is missing said and offered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from isogloss.pages.abx.compare.corpora import about_languages
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, Shown, check, open_abx, record

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.parallel.library import CorpusEntry

TAGS = ("ar", "de", "en", "zh")
DONE = ("checkpoint-0", "checkpoint-100", "checkpoint-2000")


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """The figures shown, on the demo beside an empty workspace."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    return record(monkeypatch)


def demo_corpus() -> CorpusEntry:
    return library.entries([DEMO])[0]


def keep_smaller(workspace: Path, tags: tuple[str, ...] = TAGS, name: str = "Forty *sentences*") -> CorpusEntry:
    """A second corpus: the demo's first sentences in some of its languages."""
    whole = library.load(demo_corpus().id, [DEMO])
    table = whole.table.to_pandas()
    few = table[table["language"].isin(tags) & table["sentence_id"].isin(table["sentence_id"].unique()[:40])]
    kept = pa.Table.from_pandas(few, schema=whole.table.schema, preserve_index=False)
    return library.keep(ParallelCorpus(kept, whole.report), name, workspace)


def publish_scores(
    workspace: Path,
    corpus: CorpusEntry,
    model: str = MLM,
    labels: tuple[str, ...] = DONE,
    kind: type[AbxSpec | GeometrySpec] = AbxSpec,
    **how: Any,
) -> None:
    """Scores on `corpus` of some checkpoints: the demo's own, each a hundredth lower. `how` are other fields of the spec."""
    entry = next(each for each in models.entries([DEMO]) if each.name == model)
    wanted = [each for each in entry.checkpoints if each.label in labels]
    spec = kind(model=model, checkpoints=tuple(wanted), corpus=corpus.id, languages=tuple(corpus.tags), **how)
    theirs = {shard.provenance["fingerprint"]: shard for shard in scores.shards([DEMO], spec.experiment)}
    for key, checkpoint in spec.shards().items():
        rows = pq.read_table(theirs[checkpoint.fingerprint].path).to_pandas()
        rows = rows[rows["source"].isin(corpus.tags) & rows["target"].isin(corpus.tags)]
        rows = rows.assign(value=rows["value"] - 0.01, corpus=corpus.id, n=40, run=key, variant=spec.variant)
        table = pa.Table.from_pandas(rows, schema=scores.SCORES, preserve_index=False)
        more = {"complete": True, "model": model, "asked": checkpoint_scores.non_default_options(spec)}
        scores.write(workspace, spec.experiment, key, table, spec.provenance(checkpoint) | more)


def text(app: Any) -> str:
    return "\n".join(str(each.value) for kind in (app.markdown, app.caption, app.info) for each in kind)


def test_two_corpora_side_by_side(tmp_path: Path, shown: list[Shown]) -> None:
    corpus = keep_smaller(tmp_path)
    publish_scores(tmp_path, corpus)
    app = open_abx(view="Compare", compare="Corpora", corpus=demo_corpus().name)
    both, less = shown[-2:]
    check([both, less], 2)
    assert set(both.data["side"]) == {"Demo sentences", corpus.name}
    # A checkpoint that two models share (step 0) counts for the model chosen alone.
    assert set(both.data["model"]) == {MLM}
    assert set(less.data["label"]) == set(DONE)
    assert less.data["difference"].to_numpy() == pytest.approx(0.01)
    assert less.drawn.layout.title.text == f"Difference: Demo sentences − {corpus.name}"
    colours = less.drawn.layout.coloraxis
    assert -colours.cmin == colours.cmax > 0
    assert "above 0 = Demo sentences higher" in colours.colorbar.title.text.replace("<br>", " ")
    assert both.data.loc[both.data["side"] == corpus.name, "pairs"].unique().tolist() == [6]
    assert both.data.loc[both.data["side"] != corpus.name, "pairs"].unique().tolist() == [6], "over the languages of both"
    said = text(app)
    assert "Over the 4 languages in both: Arabic, German, English, Chinese." in said
    assert "Greek, Spanish, Hindi, Japanese, Russian, Turkish" in said
    assert "not computed yet at 5 of 8 checkpoints" in said
    assert r"Forty \*sentences\*" in said
    assert [button.label for button in app.button if button.label.startswith("Compute")] == ["Compute"]


def test_a_link_names_the_corpus_and_the_model(tmp_path: Path, shown: list[Shown]) -> None:
    first, second = keep_smaller(tmp_path), keep_smaller(tmp_path, ("de", "en"), "A small one")
    assert second.name < first.name  # it would be the first in the list
    publish_scores(tmp_path, first, CONTRAST)
    open_abx(view="Compare", compare="Corpora", corpus=demo_corpus().name, other_corpus=first.name, compare_model=CONTRAST)
    assert set(shown[-1].data.columns) >= {"Demo sentences", first.name, "difference"}
    assert set(shown[-2].data["model"]) == {CONTRAST}


def test_nothing_computed_there_is_said_and_offered(tmp_path: Path, shown: list[Shown]) -> None:
    keep_smaller(tmp_path)
    app = open_abx(view="Compare", compare="Corpora", corpus=demo_corpus().name)
    assert not shown
    assert "not computed yet at 8 of 8 checkpoints" in text(app)
    assert "there is nothing to compare with" in text(app)
    assert [button.label for button in app.button if button.label.startswith("Compute")] == ["Compute"]


def test_without_a_second_corpus_the_way_to_the_library_is_shown(shown: list[Shown]) -> None:
    app = open_abx(view="Compare", compare="Corpora")
    assert not shown
    assert "There is no second corpus yet" in text(app)


def test_the_languages_in_words() -> None:
    assert about_languages(("de", "en"), ["de", "en", "fr"], "B") == "Over the 2 languages in both: German, English."
    assert about_languages(("de", "en", "fr"), ["de", "en"], "B*").endswith(r"Left out, since B\* lacks it: French.")
    assert about_languages(("de", "en"), ["de"], "B").startswith("Only German is in B too, and ABX needs two languages.")
    assert about_languages(("de", "en"), ["fr"], "B").startswith("None of the languages chosen is in B too")
    many = ("ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he")
    assert about_languages(many, list(many), "B").endswith("Finnish and 2 more.")


def test_the_corpus_compared_with_gives_way_when_it_becomes_the_corpus(tmp_path: Path, shown: list[Shown]) -> None:
    corpus = keep_smaller(tmp_path)
    publish_scores(tmp_path, corpus)
    app = open_abx(view="Compare", compare="Corpora", corpus=demo_corpus().name, other_corpus=corpus.name)
    app.selectbox(key="corpus").select(corpus.name).run()
    assert not app.exception
    other = app.selectbox(key="other_corpus")
    assert other.value == demo_corpus().name
    assert other.proto.set_value, "the browser is told, or it goes on to show the old name"
    assert set(shown[-1].data.columns) >= {"Demo sentences", corpus.name}
