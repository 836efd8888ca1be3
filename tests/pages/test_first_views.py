"""One's own results never erase a figure: the smallest own run of each family, then the families' pages and Home."""

from __future__ import annotations

import datetime as dt
import random
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.experiments.latent.spec import LatentSpec
from isogloss.backend.experiments.probing.spec import ProbingWordsSpec
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.experiments.tokenisers.shard import TokenisersSpec
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from isogloss.backend.training.probe.options import ProbeOptions
from tests.experiments.probing.small_probing import SIZES, keep_tagged, sentences
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, record
from tests.pages.abx.test_abx_corpora import keep_smaller, publish_scores
from tests.pages.beside import on_the_demo
from tests.pages.emergent import benchmark_workspace
from tests.pages.opened import opened
from tests.pages.probing import probing_workspace
from tests.pages.test_own_results import chosen, publish_sentences
from tests.pages.transfer import transfer_workspace

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

FAMILIES = tuple(family.name for family in registry.FAMILIES if family.menu)


def smallest_runs(workspace: Path) -> None:
    """Runs of one pair of languages or sources, of one checkpoint: none has what its family's figure of the demo shows."""
    pair = keep_smaller(workspace, ("de", "zh"), name="Own")  # one point is no scatter of pairs
    for kind in (AbxSpec, GeometrySpec):
        publish_scores(workspace, pair, model=CONTRAST, labels=("checkpoint-2000",), kind=kind)
    publish_sentences(pair)
    cut = TokenisersSpec(
        model=MLM, checkpoints=models.load_entry(MLM, [DEMO]).checkpoints[-1:], corpus=pair.id, languages=("de", "zh")
    )
    registry.compute(cut, next(iter(cut.shards())), Context(settings()))
    told = [
        {"dictionary": entry.id, "language": entry.target}
        for entry in dictionaries.entries([DEMO])
        if entry.target in ("de", "zh")
    ]
    asked = {"pivot": "en", "dictionaries": told, "source": "zh", "targets": ["de"], "words": 10, "examples": 1}
    lens = validate(LatentSpec, asked | {"model": MLM, "checkpoints": cut.checkpoints})
    registry.compute(lens, next(iter(lens.shards())), Context(settings()))
    draw = random.Random(1)
    kept = [row for tag in ("de", "zh") for part, count in SIZES.items() for row in sentences(tag, count, draw, part)]
    trained = keep_tagged(kept, "Trained on", workspace)
    tested = keep_tagged([row for row in kept if row["part"] == "test"], "Tested on", workspace)
    model = next(each for each in models.entries([DEMO]) if each.name == CONTRAST)
    common = {"model": CONTRAST, "checkpoints": model.checkpoints[-1:], "corpus": trained}
    probe = ProbeOptions(seeds=(0, 1), training_words=None)
    across = ProbingWordsSpec(**common, sources=("de",), targets=("zh",), tested=tested, probe=probe)
    probing_workspace.publish(workspace, across, model)
    spec = transfer_workspace.fill(workspace, DEMO, model=MLM, sources=("en",), seeds=(0,), algorithms=("vanilla",))
    rows = [
        {
            "metric": "transfer_accuracy",
            "source": "en",
            "target": tag,
            "value": 0.4,
            "low": 0.3,
            "high": 0.5,
            "n": 20,
            "seed": 0,
        }
        for tag in spec.languages
    ]
    rows += [row | {"metric": "igap", "value": np.nan} for row in rows[:1]]  # it has not learned its own language by heart
    [(run, shard)] = spec.shards().items()
    about = {"run": run, "family": "transfer", "model": MLM, "checkpoint": shard.checkpoint.fingerprint, "step": 2000}
    table = scores.table(rows, **about, corpus=spec.corpus, variant="task/vanilla/learning rate 1e-05/corruption 0/a")
    of_run = {"fingerprint": shard.checkpoint.fingerprint, "corpus": spec.corpus, "model": MLM}
    scores.write(workspace, "transfer", run, table, spec.provenance(shard) | of_run)
    mine = benchmark_workspace.keep_corpora(workspace)
    text, now = mine["Human"].partition("/")[0], dt.datetime.now(dt.UTC)
    benchmark_workspace.score(workspace, source=mine["Mine"], corpus=text, target="fi", value=5.0, created_at=now)


def test_each_page_and_each_card_has_a_figure_after_the_smallest_own_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_demo(monkeypatch, tmp_path)
    smallest_runs(tmp_path)
    home = opened("home", {})
    said = " ".join(each.value for each in home.caption)
    assert "Nothing is computed yet" not in said
    cards = [chart.proto.spec for chart in home.get("plotly_chart")]
    assert len(cards) == len(FAMILIES)
    assert f"{MLM} · Small task" in said.replace("\\", "")  # one's own, not the demo's
    assert "Mine" in cards[FAMILIES.index("emergent")]
    shown = record(monkeypatch)
    for family in FAMILIES:
        shown.clear()
        page = opened(family, {"view": "Leaderboard", "board_paper": "false"} if family == "emergent" else {})
        assert [each for each in shown if each.drawn.data], family
        if family == "probing":
            assert [chosen(page, key) for key in ("data", "on")] == ["Trained on", "Tested on"]
            assert page.segmented_control(key="setting").value == "others"
