"""What every family of runs is called, what was asked of it, and how it ended: in words, never a key of the code."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel, ValidationError

from isogloss.backend.experiments import registry, words
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.alignment.static import StaticAlignmentSpec
from isogloss.backend.experiments.alignment.static_sentences import StaticSentencesSpec
from isogloss.backend.experiments.alignment.words.distributions import WordDistributionsSpec
from isogloss.backend.experiments.alignment.words.errors import WordErrorsSpec
from isogloss.backend.experiments.alignment.words.pair_counts import PairCountsSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.experiments.emergent.game.shard import LanguageGameSpec
from isogloss.backend.experiments.library.wikipedia import WikipediaSpec
from isogloss.backend.experiments.sources.source import EmergentSource, NoPretraining, TextSource
from isogloss.backend.experiments.transfer.family import SWEPT
from isogloss.backend.experiments.transfer.similarity import LanguageSimilaritySpec
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.experiments.transfer.weights import TransferWeightsSpec
from isogloss.backend.experiments.translation.spec import ParallelText, TranslationSpec
from isogloss.backend.experiments.xferbench.spec import Target, XferBenchSpec
from isogloss.backend.jobs import client
from isogloss.backend.jobs.job import Job, State
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.training.finetune.options import FinetuneOptions
from isogloss.backend.training.signalling_game.options import GameOptions
from isogloss.pages.widgets.runs import compute, job_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamlit.testing.v1 import AppTest

CHECKPOINT = Checkpoint(source="folder", location="/models/a", label="checkpoint-500", step=500, fingerprint="f" * 24)
PAIRS = tuple(DictionaryPair(source=tag, target="en", dictionary="d" * 24) for tag in ("ar", "de", "zh"))
MODEL = {"model": "mini", "checkpoints": (CHECKPOINT,), "corpus": "c" * 24}
ONE = {"checkpoint": CHECKPOINT, "corpus": "c" * 24}
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
SPECS: tuple[Any, ...] = (
    AbxSpec(languages=("en", "de"), **MODEL),
    WORDS,
    WordAlignmentSpec(pairs=PAIRS[:1], runs=1, n_pairs=100, **MODEL),
    SentenceAlignmentSpec(languages=("en", "de"), **MODEL),
    LanguageSimilaritySpec(languages=("en", "de"), sentences=1200, **MODEL),
    StaticAlignmentSpec(model="fastText", vectors="e" * 24, corpus="c" * 24, pairs=PAIRS[:1]),
    StaticSentencesSpec(model="fastText", vectors="e" * 24, corpus="c" * 24, languages=("de", "en")),
    PairCountsSpec(corpus="c" * 24, pair=PAIRS[0]),
    ERRORS,
    WordDistributionsSpec(pair=PAIRS[0], **ONE),
    TransferWeightsSpec(run=ONE_RUN, step=1200),
    BENCHMARK,
    TRANSLATED,
    LanguageGameSpec(name="Mine", options=GameOptions(epochs=1, seed=3)),
    LanguageGameSpec(
        name="Mine", options=GameOptions(game="reconstruction", attributes=1, values=20, length=1, end_of_sequence=False)
    ),
    WikipediaSpec(languages=("eu", "da"), characters=2_000_000),
)
UNSAID = {
    ("transfer_weights", "windows"),
}
"""Options that runs of these kinds may differ in without a word of it in the list."""


def said(provenance: dict[str, Any]) -> str:
    return f"{registry.title(provenance)} · {registry.details(provenance, {'c' * 24: 'News'})}"


def values(annotation: Any) -> list[Any]:
    """What a field of a closed choice can be; nothing of any other."""
    if annotation is bool:
        return [False, True]
    inner = get_args(annotation)
    if get_origin(annotation) is Literal:
        return list(inner)
    return [] if get_origin(annotation) is tuple else [value for one in inner for value in values(one)]


def variations(spec: BaseModel) -> Iterator[tuple[str, BaseModel]]:
    """Every spec that differs from this one in one closed choice, of its own or of the options within it, and which."""
    for name, field in type(spec).model_fields.items():
        there = getattr(spec, name)
        if isinstance(there, BaseModel) and not isinstance(there, Checkpoint):
            found = [(inner, {name: varied}) for inner, varied in variations(there)]
        else:
            found = [(name, {name: value}) for value in values(field.annotation) if value != there]
        for inner, change in found:
            with suppress(ValidationError):  # not with the other options
                yield inner, type(spec).model_validate(dict(spec) | change)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.experiment)
def test_runs_that_differ_in_an_option_differ_in_words(spec: Any) -> None:
    alike = dict[str, dict[str, Any]]()
    for option, varied in [("", spec), *variations(spec)]:
        if (spec.experiment, option) not in UNSAID:
            provenance = varied.model_dump(mode="json")
            assert alike.setdefault(said(provenance), provenance) == provenance, option


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.experiment)
def test_a_run_is_called_by_names_not_by_keys_or_ids(spec: Any) -> None:
    text = said(spec.model_dump(mode="json"))
    assert not re.search(r"[a-z]_[a-z]|[0-9a-f]{20}|None|True|False|[{}\[\]']", text), text
    assert text.isprintable()


LINES: list[tuple[Any, str]] = [
    (
        WordAlignmentSpec(pairs=PAIRS, n_pairs=100, similarity="cosine", masked=True, repeated=True, **MODEL),
        "Word alignment · mini (1 checkpoint) · on News · Arabic–English, German–English, English–Chinese · "
        "100 word pairs per run · 10 runs · repeated pairs · cosine · masked words",
    ),
    (
        StaticSentencesSpec(
            model="fastText", vectors="e" * 24, corpus="c" * 24, languages=("de", "en"), n_sentences=5000, runs=10
        ),
        "Static vectors of sentences · fastText · on News · German, English · 5,000 sentences per run · 10 runs",
    ),
    (
        LanguageSimilaritySpec(languages=("en", "de"), sentences=1200, **MODEL),
        "Similarity of languages · mini (1 checkpoint) · on News, first 1,200 sentences · German, English",
    ),
    (
        TransferWeightsSpec(run=ONE_RUN, step=1200),
        "Model to save · checkpoint-500, step 1,200 · on News, first 50 sentences · from German · random labels · gaussian · "
        "learning rate 0.001 · 3 epochs · seed 7",
    ),
    (
        BENCHMARK,
        "XferBench · 3 sources, 1 target (quick) · from Mine, German (News), No pre-training · to Finnish · "
        "as the released code · 2 seeds",
    ),
    (
        WikipediaSpec(languages=("eu", "da"), characters=2_000_000),
        "Text of Wikipedia · Danish, Basque · up to 2,000,000 characters each · dump 20231101 · revision b04c8d1ceb2f",
    ),
    (
        LanguageGameSpec(name="Mine", options=GameOptions(epochs=1, seed=3)),
        "Language from a signalling game · Mine · discrimination · 4 attributes · 4 values each · 3 distractors · "
        "10 symbols · up to 10 a message · up to 1 epoch · seed 3",
    ),
    (
        LanguageGameSpec(
            name="Mine", options=GameOptions(game="reconstruction", attributes=1, values=20, length=1, end_of_sequence=False)
        ),
        "Language from a signalling game · Mine · reconstruction · 1 attribute · 20 values each · 10 symbols · "
        "up to 1 a message · none shorter · up to 50 epochs · seed 0",
    ),
]


@pytest.mark.parametrize(("spec", "line"), LINES, ids=[spec.experiment for spec, _ in LINES])
def test_numbers_languages_and_pairs_stand_in_one_line(spec: Any, line: str) -> None:
    assert said(spec.model_dump(mode="json")) == line


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
    ("job", "words_of_it"),
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
def test_where_a_run_stands(job: Job, words_of_it: str) -> None:
    assert job_list.outcome(job) == words_of_it


def test_what_is_watched_on_its_page_counts_no_checkpoint_where_there_is_none() -> None:
    assert compute.in_words(run_of(ERRORS, "running", doing="encoding zh")) == "encoding zh"
    assert compute.in_words(run_of(ERRORS, "running")) == "started"
    assert compute.in_words(run_of(WORDS, "running", total=3, doing="encoding zh")) == "0 of 3 done, now encoding zh"


def test_the_jobs_page_lists_every_family(open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    states = [*get_args(State), *["done"] * len(SPECS)]
    jobs = [run_of(spec, state, id=f"run-{place}") for place, (spec, state) in enumerate(zip(SPECS, states, strict=False))]
    monkeypatch.setattr(client, "jobs", lambda *_, **__: jobs)
    app = open_page("jobs")
    assert not app.exception
    text = " ".join(str(each.value).replace("\\", "") for each in (*app.markdown, *app.caption))
    for job in jobs:
        kind, _, of = registry.title(job.spec).partition(" · ")
        assert kind in text or job.state == "done"
        assert of in text
    assert "before it was cancelled" in text
