"""What every family of runs is called, what was asked of it, and how it ended: in words, never a key of the code."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from backend.experiments import registry, words
from backend.experiments.alignment.sentences import SentenceAlignmentSpec
from backend.experiments.alignment.static import StaticAlignmentSpec
from backend.experiments.alignment.static_sentences import StaticSentencesSpec
from backend.experiments.alignment.words.distributions import WordDistributionsSpec
from backend.experiments.alignment.words.errors import WordErrorsSpec
from backend.experiments.alignment.words.pair_counts import PairCountsSpec
from backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from backend.experiments.emergent.game.shard import LanguageGameSpec
from backend.experiments.library.wikipedia import WikipediaSpec
from backend.experiments.sources.source import EmergentSource, NoPretraining, TextSource
from backend.experiments.transfer.family import SWEPT
from backend.experiments.transfer.similarity import LanguageSimilaritySpec
from backend.experiments.transfer.spec import TransferSpec
from backend.experiments.transfer.weights import TransferWeightsSpec
from backend.experiments.translation.spec import ParallelText, TranslationSpec
from backend.experiments.xferbench.spec import Target, XferBenchSpec
from backend.jobs import client
from backend.jobs.job import Job, State
from backend.models.entry import Checkpoint
from backend.training.finetune.options import FinetuneOptions
from backend.training.signalling_game.options import GameOptions
from pages.widgets.runs import compute, job_list

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

CHECKPOINT = Checkpoint(source="folder", location="/models/a", label="checkpoint-500", step=500, fingerprint="f" * 24)
PAIRS = tuple(DictionaryPair(source=tag, target="en", dictionary="d" * 24) for tag in ("ar", "de", "zh"))
MODEL = {"model": "mini", "checkpoints": (CHECKPOINT,), "corpus": "c"}
ONE = {"checkpoint": CHECKPOINT, "corpus": "c"}
WORDS = WordAlignmentSpec(pairs=PAIRS, **MODEL)
ERRORS = WordErrorsSpec(pair=DictionaryPair(source="zh", target="en", dictionary="d" * 24), layer=3, task="strong", **ONE)
ONE_RUN = TransferSpec(
    data="parallel",
    sources=("de",),
    languages=("en",),
    algorithms=("gaussian",),
    learning_rates=(1e-3,),
    seeds=(7,),
    sentences=50,
    training=FinetuneOptions(epochs=3),
    **MODEL,
)
BENCHMARK = XferBenchSpec(
    sources=(
        EmergentSource(corpus="a" * 24, name="Mine"),
        TextSource(corpus="c" * 24, language="de", name="News"),
        NoPretraining(),
    ),
    targets=(Target(corpus="c" * 24, language="fi"),),
    protocol="released",
    seeds=(0, 1),
)
TRANSLATED = TranslationSpec(
    sources=BENCHMARK.sources, text=ParallelText(corpus="d" * 24), settings=("reduced", "full"), seeds=(0, 1)
)
SAID: list[tuple[Any, str, str]] = [
    (
        WORDS,
        "Word alignment · mini (1 checkpoint)",
        "on News · Arabic–English, German–English, English–Chinese · 5,000 word pairs per run, 10 runs",
    ),
    (
        WordAlignmentSpec(pairs=PAIRS[:1], runs=1, n_pairs=100, similarity="cosine", masked=True, repeated=True, **MODEL),
        "Word alignment · mini (1 checkpoint)",
        "on News · Arabic–English · 100 word pairs · cosine · masked words · repeated pairs",
    ),
    (
        SentenceAlignmentSpec(languages=("en", "de"), centred=True, **MODEL),
        "Sentence alignment · mini (1 checkpoint)",
        "on News · German, English · language-centred",
    ),
    (
        LanguageSimilaritySpec(languages=("en", "de"), sentences=1200, **MODEL),
        "Similarity of languages · mini (1 checkpoint)",
        "on News, first 1,200 sentences · German, English",
    ),
    (
        StaticAlignmentSpec(model="fastText", vectors="v", corpus="c", pairs=PAIRS[:1]),
        "Static vectors · fastText",
        "on News · Arabic–English · 5,000 word pairs per run, 10 runs",
    ),
    (
        StaticSentencesSpec(model="fastText", vectors="v", corpus="c", languages=("de", "en"), n_sentences=5000, runs=10),
        "Static vectors of sentences · fastText",
        "on News · German, English · 5,000 sentences per run, 10 runs",
    ),
    (
        StaticAlignmentSpec(
            model="fastText",
            vectors="v",
            corpus="c",
            pairs=PAIRS[:1],
            runs=1,
            unique="once",
            self_neighbour=True,
            similarity="l2",
        ),
        "Static vectors · fastText",
        "on News · Arabic–English · 5,000 word pairs · Euclidean distance · each word once · self a neighbour",
    ),
    (
        PairCountsSpec(corpus="c", pair=PAIRS[0]),
        "Number of word pairs",
        "on News · Arabic–English",
    ),
    (ERRORS, "Word errors · checkpoint-500, layer 3", "on News · Chinese → English · strong · 5,000 word pairs"),
    (
        WordDistributionsSpec(pair=PAIRS[0], **ONE),
        "Similarity of words · checkpoint-500",
        "on News · Arabic–English · 5,000 word pairs",
    ),
    (
        TransferWeightsSpec(run=ONE_RUN, step=1200),
        "Model to save · checkpoint-500, step 1,200",
        "on News, first 50 sentences · from German · random labels · gaussian · learning rate 0.001 · 3 epochs · seed 7",
    ),
    (
        BENCHMARK,
        "XferBench · 3 sources, 1 target (quick)",
        "from Mine, German (News), No pre-training · to Finnish · released protocol · 2 seeds",
    ),
    (
        WikipediaSpec(languages=("eu", "da"), characters=2_000_000),
        "Text of Wikipedia · Danish, Basque",
        "up to 2,000,000 characters each · dump 20231101 · revision b04c8d1ceb2f",
    ),
    (
        TRANSLATED,
        "Machine translation · 3 sources, 2 settings (quick)",
        "from Mine, German (News), No pre-training · English → French · full, reduced · 2 seeds",
    ),
]


@pytest.mark.parametrize(("spec", "title", "details"), SAID, ids=[spec.experiment for spec, _, _ in SAID])
def test_a_run_is_called_by_what_it_measures(spec: Any, title: str, details: str) -> None:
    provenance = spec.model_dump(mode="json")
    assert registry.title(provenance) == title
    assert registry.details(provenance, {"c": "News"}) == details


def test_where_word_pairs_come_from_has_words_too() -> None:
    pair = PAIRS[0].model_dump()
    provenance = {
        "experiment": "pair_precision",
        "checkpoint": CHECKPOINT.model_dump(),
        "corpus": "c",
        "pair": pair,
        "gold": "g",
    }
    assert registry.title(provenance) == "Sources of word pairs · checkpoint-500"
    assert registry.details(provenance, {"c": "News"}) == "on News · Arabic–English"


def test_a_game_is_told_by_its_language_and_its_rules() -> None:
    provenance = LanguageGameSpec(name="Mine", options=GameOptions(epochs=1, seed=3)).model_dump(mode="json")
    assert registry.title(provenance) == "Language from a signalling game · Mine"
    rules = "4 values of 4 attributes · 3 distractors · 10 symbols, up to 10 a message"
    assert registry.details(provenance, {}) == f"discrimination · {rules} · up to 1 epoch · seed 3"
    fixed = GameOptions(game="reconstruction", attributes=1, values=9, end_of_sequence=False, length=1)
    provenance = LanguageGameSpec(name="Mine", options=fixed).model_dump(mode="json")
    rules = "9 values of 1 attribute · 10 symbols, 1 a message"
    assert registry.details(provenance, {}) == f"reconstruction · {rules} · up to 50 epochs · seed 0"


def test_no_family_is_called_by_its_key() -> None:
    source = {"model": "m", "name": "n", "checkpoint": {"label": "step 1"}, "layer": 1} | {name: [] for name in SWEPT}
    source |= {
        "run": {"checkpoints": [{"label": "step 1"}]},
        "step": 1,
        "targets": [],
        "settings": [],
        "languages": [],
        "preset": "quick",
    }
    for family in registry.EXPERIMENTS:
        assert registry.title({"experiment": family} | source) != family


def test_many_pairs_are_counted() -> None:
    pairs = [{"source": "en", "target": tag} for tag in ("ar", "de", "es", "hi", "ja")]
    assert words.pairs(pairs) == "English–Arabic, English–German and 3 more"


def run_of(spec: Any, state: State, **but: Any) -> Job:
    shards = tuple(spec.shards())
    found = Job(
        id="run-1",
        spec=spec.model_dump(mode="json"),
        state=state,
        total=len(shards),
        done=int(state == "done"),
        failures=(),
        doing=None,
        share=0.4,
        created_at=time.time() - 90,
        finished_at=None,
        shards=shards,
    )
    return replace(found, **but)


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (run_of(WORDS, "waiting"), "Waiting for a worker"),
        (run_of(WORDS, "running"), "0 of 1 checkpoint done"),
        (run_of(WORDS, "running", total=12, doing="encoding de"), "0 of 12 checkpoints done, now encoding de"),
        (run_of(WORDS, "done"), "1 of 1 checkpoint done"),
        (run_of(WORDS, "failed", failures=(("", "No."),)), "0 of 1 checkpoint done, 1 failed"),
        (run_of(WORDS, "cancelled"), "0 of 1 checkpoint done before it was cancelled"),
        (run_of(BENCHMARK, "running", done=4, doing="tuning"), "4 of 10 trainings done, now tuning"),
        (run_of(TRANSLATED, "done"), "1 of 16 trainings done"),
        (run_of(ERRORS, "waiting"), "Waiting for a worker"),
        (run_of(ERRORS, "running"), "Started"),
        (run_of(ERRORS, "running", doing="encoding zh"), "Now encoding zh"),
        (run_of(ERRORS, "done"), "Computed"),
        (run_of(ERRORS, "failed"), "Not computed"),
        (run_of(ERRORS, "cancelled"), "Cancelled before it was computed"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.spec["experiment"],
)
def test_where_a_run_stands(job: Job, said: str) -> None:
    assert job_list.outcome(job) == said


def test_what_is_watched_on_its_page_counts_no_checkpoint_where_there_is_none() -> None:
    assert compute.in_words(run_of(ERRORS, "running", doing="encoding zh")) == "encoding zh"
    assert compute.in_words(run_of(ERRORS, "running")) == "started"
    assert compute.in_words(run_of(WORDS, "running", total=3, doing="encoding zh")) == "0 of 3 done, now encoding zh"


def test_the_jobs_page_lists_every_family(open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[State] = ["waiting", "running", "done", "failed", "cancelled", "done", "done", "running"]
    states += ["done"] * (len(SAID) - len(states))
    jobs = [
        run_of(spec, state, id=f"run-{place}", finished_at=time.time())
        for place, ((spec, _, _), state) in enumerate(zip(SAID, states, strict=True))
    ]
    monkeypatch.setattr(client, "jobs", lambda *_, **__: jobs)
    app = open_page("jobs")
    assert not app.exception
    text = " ".join(str(each.value).replace("\\", "") for each in (*app.markdown, *app.caption))
    for _, title, _ in SAID:
        assert f"**{title}**" in text
    assert "Cancelled before it was computed · took" in text
