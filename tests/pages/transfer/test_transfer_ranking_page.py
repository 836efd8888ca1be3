"""The ranking of transfer directions on made-up runs: what is drawn, what its Python gives, and what is missing."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.corpora.languages.languages import genera
from isogloss.backend.corpora.parallel import corpus as parallel
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.experiments.checkpoint_scores import Pair
from isogloss.backend.experiments.transfer import ranking as transfer_ranking
from isogloss.backend.experiments.transfer.printed import tables as printed
from isogloss.backend.experiments.transfer.similarity import LanguageSimilaritySpec
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from isogloss.backend.store.scores import SCORES
from isogloss.backend.training.finetune.options import FinetuneOptions
from isogloss.pages.transfer.ranking import view as ranking
from isogloss.pages.widgets.runs import compute
from tests.pages.abx.abx_page import DEMO, run
from tests.pages.beside import Beside, beside
from tests.pages.made_once import made_once
from tests.pages.opened import opened
from tests.pages.transfer import transfer_workspace as made


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Name, data and recipe of every figure from now on; an empty workspace beside the demo's corpus and models alone."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    bare = tmp_path / "demo without results"
    (bare / "models").mkdir(parents=True)
    for entry in (DEMO / "models").glob("*.json"):
        shutil.copy(entry, bare / "models")
    shutil.copytree(DEMO / "corpora", bare / "corpora")
    monkeypatch.setenv("ISOGLOSS_DEMO", str(bare))
    return beside(monkeypatch)


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every spec that is offered to be computed from now on."""
    found: list[Any] = []
    monkeypatch.setattr(compute, "offer", lambda spec, sentence, **price: found.append(spec))
    return found


def corpus() -> CorpusEntry:
    return corpora.entries([DEMO])[0]


@made_once
def fill(workspace: Path, *, igap: bool = True, similarity: bool = True) -> None:
    """A task's runs from every language, runs on random labels of the demo corpus, and similarities."""
    common: dict[str, Any] = {"sources": made.LANGUAGES, "algorithms": ("vanilla",)}
    if igap:
        made.fill(workspace, DEMO, **common, data="parallel", corpus=corpus().id, seeds=(0,))
    made.fill(workspace, DEMO, **common)
    if similarity:
        _similarity(workspace)


def _similarity(workspace: Path, of: str = "", languages: tuple[str, ...] = made.LANGUAGES) -> None:
    model = models.entries([DEMO])[0]
    spec = LanguageSimilaritySpec(
        model=model.name, checkpoints=model.checkpoints[-1:], corpus=of or corpus().id, languages=languages
    )
    [(shard, checkpoint)] = spec.shards().items()
    random = np.random.default_rng(5)
    rows = [
        {
            "run": shard,
            "experiment": "similarity",
            "model": model.name,
            "checkpoint": checkpoint.fingerprint,
            "step": 1,
            "corpus": spec.corpus,
            "variant": spec.variant,
            "created_at": dt.datetime.now(dt.UTC),
            "metric": metric,
            "layer": layer,
            "source": source,
            "target": target,
            "n": 9,
            "low": 0.0,
            "high": 1.0,
            "value": layer == 2 if metric == "vectors_top1" else float(random.normal()),
        }
        for metric in ("vectors_l2", "vectors_dot", "vectors_cosine", "vectors_top1")
        for layer in range(model.layers + 1)
        for source, target in spec.pairs
    ]
    provenance = spec.provenance(checkpoint) | {"model": model.name, "label": checkpoint.label}
    scores.write(workspace, "similarity", shard, pa.Table.from_pylist(rows, schema=SCORES), provenance)


def open_ranking(**query: str | list[str]) -> AppTest:
    return opened("transfer", {"view": "Ranking", "model": models.entries([DEMO])[0].name} | query)


def text_of(app: AppTest) -> str:
    return " ".join(str(each.value) for each in (*app.info, *app.caption, *app.markdown)).replace("\\", "")


@pytest.mark.parametrize(
    "query",
    [{}, {"fixed": "Target"}, {"ranking_layer": "Best aligned"}, {"ranking_layer": "1", "at": "0.3", "epsilon": "0.2"}],
    ids=str,
)
def test_the_snippet_gives_the_figure_s_rows(tmp_path: Path, shown: Beside, offered: list[Any], query: dict[str, str]) -> None:
    fill(tmp_path)
    open_ranking(**query)
    name, data, recipe = shown[-1]
    assert name.startswith("ranked directions")
    pd.testing.assert_frame_equal(run(recipe), data)
    assert recipe.chart is not None
    assert set(data["score"]) == set(transfer_ranking.SCORES)
    assert set(data["language"]) == {*made.LANGUAGES, "average"}
    assert data["value"].notna().all()
    assert repr(query.get("fixed", "source").lower()) in recipe.python()
    assert not [spec for spec in offered if spec.experiment == "language_similarity"]


def fill_many(workspace: Path, languages: tuple[str, ...], sources: int = 2) -> None:
    """A task of these languages with runs from some of them, and their similarities on a corpus that has them all."""
    rows = [(str(i), tag, f"Sentence {i}, as {tag} has it.", None) for tag in languages for i in range(3)]
    table = pa.table([pa.array(column) for column in zip(*rows, strict=True)], names=parallel.SCHEMA.names)
    known = corpora.keep(ParallelCorpus(table.cast(parallel.SCHEMA)), "Many", workspace)
    training = FinetuneOptions(epochs=5, windows=((0.0, 0.001),))
    common: dict[str, Any] = {"languages": languages, "sources": languages[:sources], "seeds": (0,), "training": training}
    made.fill(workspace, DEMO, **common, algorithms=("vanilla",))
    _similarity(workspace, known.id, languages)


@pytest.mark.parametrize("amount", [12, 36])
def test_the_pairs_looked_at_are_as_many_times_the_pairs_however_many_languages(
    tmp_path: Path, shown: Beside, offered: list[Any], monkeypatch: pytest.MonkeyPatch, amount: int
) -> None:
    """All pairs were once listed for each of them: 20,706 pairs of two hundred languages never came to an end."""
    fill_many(tmp_path, tuple(sorted(genera())[:amount]))
    looked: list[int] = []
    pairs = LanguageSimilaritySpec.pairs.fget  # type: ignore[attr-defined]

    def counted(spec: LanguageSimilaritySpec) -> list[Pair]:
        found: list[Pair] = pairs(spec)
        looked.append(len(found))
        return found

    monkeypatch.setattr(LanguageSimilaritySpec, "pairs", property(counted))
    open_ranking(data=made.NAME, ranking_corpus="Many")
    assert set(shown[-1][1]["score"]) == {"L2", "Dot", "Cos"}
    assert looked
    assert sum(looked) <= 20 * amount * (amount - 1) / 2


def test_from_the_corpus_as_from_the_task_the_ranking_is_the_same(tmp_path: Path, shown: Beside, offered: list[Any]) -> None:
    fill(tmp_path)
    open_ranking(data=made.NAME)
    of_task = shown[-1][1]
    tags = ["German · de", "English · en", "Chinese · zh"]
    open_ranking(**{"data": f"{corpus().name}, random labels", "from": tags, "to": tags})
    pd.testing.assert_frame_equal(shown[-1][1], of_task)


def test_the_best_aligned_layer_is_found_and_named(tmp_path: Path, shown: Beside, offered: list[Any]) -> None:
    fill(tmp_path)
    best = text_of(open_ranking(ranking_layer="Best aligned"))
    assert "vectors of layer 2" in best
    of_best = shown[-1][1]
    open_ranking(ranking_layer="2")
    pd.testing.assert_frame_equal(shown[-1][1], of_best)
    depth = models.entries([DEMO])[0].layers
    assert f"vectors of layer {min(7, depth)}" in text_of(open_ranking())


def test_what_is_missing_is_offered_and_what_is_there_is_ranked(tmp_path: Path, shown: Beside, offered: list[Any]) -> None:
    fill(tmp_path, igap=False)
    open_ranking()
    assert set(shown[-1][1]["score"]) == {"L2", "Dot", "Cos"}
    pd.testing.assert_frame_equal(run(shown[-1][2]), shown[-1][1])
    [runs] = [spec for spec in offered if spec.experiment == "transfer" and spec.data == "parallel"]
    assert runs.sources == made.LANGUAGES
    assert runs.corpus == corpus().id
    assert runs.training.windows == ((0.0, 0.001),)


def test_more_runs_are_offered_as_those_that_are_there_were_trained(tmp_path: Path, shown: Beside, offered: list[Any]) -> None:
    fill(tmp_path, igap=False, similarity=False)
    made.fill(
        tmp_path, DEMO, data="parallel", corpus=corpus().id, sources=("en",), algorithms=("vanilla",), seeds=(3, 4), draw=2
    )
    open_ranking(data=made.NAME)
    [runs] = [spec for spec in offered if spec.experiment == "transfer" and spec.data == "parallel"]
    assert (runs.sources, runs.seeds, runs.draw, runs.learning_rates) == (("de", "zh"), (3, 4), 2, (1e-5,))
    assert (runs.training.epochs, runs.training.windows) == (5, "all")
    [similarity] = [spec for spec in offered if spec.experiment == "language_similarity"]
    assert similarity.languages == made.LANGUAGES
    assert set(shown[-1][1]["score"]) == {"IGap"}


def test_an_empty_window_is_said_and_leaves_the_similarities(tmp_path: Path, shown: Beside, offered: list[Any]) -> None:
    fill(tmp_path)
    said = text_of(open_ranking(at="0.99"))
    assert "IGap has no value in this window" in said
    assert set(shown[-1][1]["score"]) == {"L2", "Dot", "Cos"}


@pytest.mark.parametrize("runs", [False, True])
def test_without_gold_the_printed_numbers_are_there(tmp_path: Path, shown: Beside, offered: list[Any], runs: bool) -> None:
    if runs:
        made.fill(
            tmp_path,
            DEMO,
            data="parallel",
            corpus=corpus().id,
            sources=("en",),
            languages=made.LANGUAGES,
            algorithms=("vanilla",),
        )  # keeps the task, but no run of it
    app = open_ranking(data=f"{corpus().name}, random labels")
    assert ("choose Small task as the data" if runs else "Add a labelled task") in text_of(app)
    name, data, recipe = shown[-1]
    assert name == "ranked directions as printed"
    pd.testing.assert_frame_equal(data, printed.ranking_accuracies())
    pd.testing.assert_frame_equal(run(recipe), data)


def test_the_table_has_one_s_own_numbers_above_the_printed_ones() -> None:
    own = pd.DataFrame(
        [("IGap", "en", 0.5, 2), ("IGap", "nl", np.nan, 1), ("IGap", "average", 0.5, 3), ("L2", "en", 1.0, 2)],
        columns=transfer_ranking.COLUMNS,
    )
    wide = ranking.in_rows(own)
    assert list(wide.columns[:5]) == ["Score", "Of", "Average", "en", "nl"]
    assert wide["Score"].tolist() == ["IGap", "L2", *["IGap", "L2", "Dot", "Cos"] * 2]
    assert wide["Of"].nunique() == 3
    assert wide["en"].tolist() == [50.0, 100.0, 84.6, 75.8, 67.0, 78.0, 87.9, 79.1, 72.5, 81.3]
    assert wide.loc[2, "Average"] == 75.5
    assert wide.loc[6:, "zh"].isna().all()  # table 5 is English alone
    assert ranking.in_rows(own.head(0))["Of"].nunique() == 2
