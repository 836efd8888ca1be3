"""What length and bytes reach beside a model's ABX scores: made in the same run, found again, made alone of older scores."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx import controls, queries
from isogloss.backend.experiments.abx.controls import AbxControlsSpec
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.metrics.abx.texts import byte_counts, of_bags, of_lengths
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.models.entry import Model

TWO = {"en": SENTENCES[:2], "de": SENTENCES[2:4], "ru": SENTENCES[4:6]}
TEXTS = {
    tag: [*texts, f"{texts[0]} {texts[1]}", texts[1].split()[0], texts[0][:9], texts[1][3:30]] for tag, texts in TWO.items()
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Two checkpoints of one tokeniser."""
    folder = tmp_path_factory.mktemp("series")
    for step in (1, 2):
        tiny_model(folder / f"checkpoint-{step}", "llama", seed=step)
    return discover(str(folder), name="series")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Context]:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "workspace"))
    files = []
    for tag, texts in TEXTS.items():
        path = tmp_path / f"news.{tag}"
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
        files.append(InputFile(path.name, path))
    return corpora.keep(read(files), "News", settings().workspace).id, Context(settings())


def run(spec: Any, context: Context) -> None:
    for shard in spec.shards():
        registry.compute(spec, shard, context)


def asked(kind: Any, model: Model, corpus: str, **more: Any) -> Any:
    return kind(**{"model": model.name, "checkpoints": model.checkpoints, "corpus": corpus, "languages": tuple(TEXTS)} | more)


def published(context: Context) -> pd.DataFrame:
    files = [each.path for each in scores.shards(context.workspaces[:1], controls.FAMILY)]
    return scores.query("SELECT * FROM {scores} ORDER BY metric, source, target", {}, files)


def expected(pieces: Any) -> dict[tuple[str, str, str], tuple[float, float, float]]:
    """Every row by the formulas alone, from the texts and how many pieces each has."""
    tags = sorted(TEXTS)
    found = {
        "pieces": of_lengths(np.stack([pieces(tag) for tag in tags])),
        "characters": of_lengths([[len(text) for text in TEXTS[tag]] for tag in tags]),
        "bytes": of_bags(np.stack([byte_counts(TEXTS[tag]) for tag in tags])),
    }
    rows = {}
    for name, control in found.items():
        for task in ("language", "meaning"):
            each = getattr(control, task)
            for place, pair in enumerate(combinations(tags, 2)):
                rows[f"abx_{task}_{name}", *pair] = each.value[place], each.low[place], each.high[place]
    return rows


def test_a_run_of_abx_leaves_them_once_for_all_its_checkpoints(model: Model, place: tuple[str, Context]) -> None:
    from transformers import AutoTokenizer

    corpus, context = place
    spec = asked(AbxSpec, model, corpus)
    run(spec, context)
    found = published(context)
    tokenizer = AutoTokenizer.from_pretrained(model.checkpoints[0].location)

    def pieces(tag: str) -> list[int]:
        return [len(tokenizer.encode(text, add_special_tokens=False)) for text in TEXTS[tag]]

    rows = expected(pieces)
    assert found["checkpoint"].unique().tolist() == [model.checkpoints[0].fingerprint]
    assert (len(found), found["n"].unique().tolist(), found["layer"].isna().all()) == (len(rows), [6], True)
    for row in found.to_dict("records"):
        assert (row["value"], row["low"], row["high"]) == pytest.approx(rows[row["metric"], row["source"], row["target"]])
    assert found["metric"].isin(registry.MEASURES).all()


def test_scores_of_before_get_the_same_from_a_run_of_their_own_without_a_pass(
    model: Model, place: tuple[str, Context], passes: list[str]
) -> None:
    corpus, context = place
    run(asked(AbxSpec, model, corpus, protocol="sampled", n_triplets=20), context)
    beside = published(context)
    for file in scores.shards(context.workspaces[:1], controls.FAMILY):
        file.path.unlink()
    passes.clear()
    run(asked(AbxControlsSpec, model, corpus, checkpoints=model.checkpoints[:1]), context)
    alone = published(context)
    numbers = ["metric", "source", "target", "value", "low", "high", "n", "variant", "checkpoint", "run"]
    pd.testing.assert_frame_equal(alone[numbers], beside[numbers])
    assert not passes


def test_a_prefix_counts_as_what_the_model_reads_and_tells_files_apart(model: Model, place: tuple[str, Context]) -> None:
    corpus, context = place
    run(asked(AbxSpec, model, corpus, prefix="query: "), context)
    spec = asked(AbxControlsSpec, model, corpus)
    have = scores.shards(context.workspaces, controls.FAMILY)
    assert controls.covering(spec, model.checkpoints, have) is None
    assert controls.covering(asked(AbxControlsSpec, model, corpus, prefix="query: "), model.checkpoints, have) is not None
    run(asked(AbxControlsSpec, model, corpus, prefix="query: "), context)
    assert len(scores.shards(context.workspaces[:1], controls.FAMILY)) == 2  # of the second checkpoint, asked for by itself


def test_fewer_languages_and_pairs_are_served_and_more_are_not(model: Model, place: tuple[str, Context]) -> None:
    corpus, context = place
    run(asked(AbxControlsSpec, model, corpus, pairs=(("de", "en"), ("de", "ru"))), context)
    have = scores.shards(context.workspaces, controls.FAMILY)
    for languages, pairs, served in ((("de", "en"), None, True), (("en", "ru"), None, False), (tuple(TEXTS), None, False)):
        spec = asked(AbxControlsSpec, model, corpus, languages=languages, pairs=pairs)
        assert (controls.covering(spec, model.checkpoints, have) is not None) is served
    assert set(published(context)["source"]) == {"de"}


def test_geometry_leaves_them_too_and_a_mean_over_pairs_is_read_as_that_of_a_layer(
    model: Model, place: tuple[str, Context]
) -> None:
    corpus, context = place
    run(asked(GeometrySpec, model, corpus, checkpoints=model.checkpoints[:1]), context)
    files = [each.path for each in scores.shards(context.workspaces, controls.FAMILY)]
    means = queries.grid(files, list(TEXTS), [model.checkpoints[0].fingerprint])
    rows = published(context)
    assert (len(means), means["pairs"].unique().tolist(), means["n"].unique().tolist()) == (6, [3], [6])
    for row in means.to_dict("records"):
        own = rows[rows["metric"] == row["metric"]]
        assert (row["value"], row["low"], row["high"]) == pytest.approx(tuple(own[["value", "low", "high"]].mean()))


def test_sentences_that_some_language_lacks_are_left_out_of_them_as_of_the_scores(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "workspace"))
    path = tmp_path / "gaps.tsv"
    rows = [[texts[number] for texts in TEXTS.values()] for number in range(6)]
    rows[2][2] = ""
    path.write_text("\n".join("\t".join(row) for row in [list(TEXTS), *rows]) + "\n", encoding="utf-8")
    kept = corpora.keep(read([InputFile(path.name, path)]), "Gaps", settings().workspace).id
    context = Context(settings())
    run(asked(AbxSpec, model, kept), context)
    have = scores.shards(context.workspaces, controls.FAMILY)
    assert published(context)["n"].unique().tolist() == [5]
    two = asked(AbxControlsSpec, model, kept, languages=("de", "en"))
    assert controls.covering(two, model.checkpoints, have) is None  # these two share all six
