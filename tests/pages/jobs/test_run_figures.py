"""From a finished run to its figure: the page opens on the model, the data and the options that the run was of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.experiments import named
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.models.library import library as models
from isogloss.pages.shared import run_links
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, Shown, record
from tests.pages.abx.test_abx_corpora import demo_corpus, keep_smaller, publish_scores
from tests.pages.jobs.test_job_words import SPECS
from tests.pages.opened import opened
from tests.pages.transfer import transfer_workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """The figures shown, on the demo beside a workspace whose newest scores are of another model and corpus."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    publish_scores(tmp_path, keep_smaller(tmp_path), model=CONTRAST)
    return record(monkeypatch)


OPTIONS: list[tuple[type, dict[str, Any], dict[str, Any]]] = [
    (AbxSpec, {}, {"protocol": "exact", "pooling": "mean"}),
    (
        AbxSpec,
        {"protocol": "sampled", "n_triplets": 500, "sentences": 40, "prefix": "query:\n", "pairs": (("ar", "de"),)},
        {"protocol": "sampled", "n_triplets": 500, "sentences": 40, "prefix_text": "query:\\n", "pair_list": ["ar – de"]},
    ),
    (
        SentenceAlignmentSpec,
        {"n_sentences": 20, "runs": 3, "self_neighbour": True, "centred": True},
        {"unit": "sentence", "n_sentences": 20, "sentence_runs": 3, "strong": "strong_self", "centred": True},
    ),
]


@pytest.mark.parametrize(("kind", "options", "stands"), OPTIONS, ids=["exact", "sampled", "sentences"])
def test_a_run_opens_on_what_it_computed(
    shown: list[Shown], kind: Any, options: dict[str, Any], stands: dict[str, Any]
) -> None:
    model = next(each for each in models.entries([DEMO]) if each.name == MLM)
    labels = [each.label for each in model.checkpoints[-2:]]
    corpus = demo_corpus()
    spec = kind(model=MLM, checkpoints=model.checkpoints[-2:], corpus=corpus.id, languages=("ar", "de", "en"), **options)
    found = run_links.link(spec.model_dump(mode="json"), named.corpus_names())
    assert found is not None
    app = opened(*found)
    stands = stands | {"model": [MLM], "corpus": corpus.name, "languages": ["ar", "de", "en"], "checkpoints": labels}
    assert {key: app.session_state[key] for key in stands} == stands
    assert not [each for each in app.info if "The link asks" in each.value]
    assert bool(shown) is (not options)  # nothing else of these is computed


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.experiment)
def test_a_run_without_a_figure_of_its_own_has_no_link(workspace: Path, spec: Any) -> None:
    found = run_links.link(spec.model_dump(mode="json"), {})
    without = spec.experiment in {*run_links.NOWHERE, "wikipedia"}
    assert (found is None) is without
    if found is not None:
        assert found[0] in {"abx", "alignment", "probing", "transfer", "tokenisers", "emergent"}


def followed(spec: Any) -> dict[str, Any]:
    """What the controls stand at where the link of a finished run was followed."""
    found = run_links.link(spec.model_dump(mode="json"), named.corpus_names())
    assert found is not None
    app = opened(*found)
    assert not [each for each in app.info if "The link asks" in each.value]
    return {key: app.session_state[key] for key in found[1] if key in app.session_state}


def test_a_transfer_run_opens_on_what_it_trained_alone(shown: list[Shown], tmp_path: Path) -> None:
    every = transfer_workspace.fill(tmp_path, DEMO, learning_rates=(1e-5, 1e-3))
    one = every.model_copy(update={"learning_rates": (1e-3,), "seeds": (0,)})
    stands = followed(one)
    assert (stands["learning_rate"], stands["seed"], stands["algorithm"]) == (["0.001"], ["0"], ["gaussian", "vanilla"])
    assert shown
