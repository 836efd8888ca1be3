"""The prefix as pages ask for it: what the catalogue knows of a model, what is typed, and the run that is then offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.transfer import runs
from isogloss.backend.models.files.catalogue import CATALOGUE, known_as
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.store import records
from isogloss.pages.probing import options as probe_options
from isogloss.pages.transfer.training import train
from isogloss.pages.widgets.choosing import prefixes
from tests.models.tiny import tiny_model
from tests.pages.abx.abx_page import DEMO, MLM
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened
from tests.pages.transfer.transfer_workspace import fill

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from isogloss.backend.experiments.transfer.spec import TransferSpec
    from isogloss.backend.models.entry import Model

E5 = "multilingual-e5-small, tiny"
QUERY = "query: "


@pytest.fixture
def e5(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """A model that is called as the catalogue's, in a workspace beside the demo."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    model = discover(str(tiny_model(tmp_path / "model", "xlm-roberta")), name=E5)
    models.keep(model, tmp_path / "workspace")
    return model


def offered(app: AppTest) -> set[str]:
    return {str(each.key) for each in app.button}


def captions(app: AppTest) -> list[str]:
    return [each.value.replace("\\", "") for each in app.caption]


def fields(model: Model) -> dict[str, object]:
    corpus = corpora.entries([DEMO])[0]
    return {"model": model.name, "checkpoints": model.checkpoints, "corpus": corpus.id, "languages": tuple(corpus.tags)}


def test_abx_as_trained_is_each_model_s_own(e5: Model) -> None:
    app = opened("abx", {"model": [E5, MLM], "prefix": "As trained"})
    assert f"compute-{AbxSpec(**fields(e5), prefix=QUERY).id}" in offered(app)  # type: ignore[arg-type]
    assert f'{E5}: trained with "query: ", mean with special tokens.' in captions(app)
    [said] = [each for each in captions(app) if each.startswith("Prefix:")]
    assert f'{E5} "query: "' in said
    assert f"{MLM} none" in said
    assert not [each.value for each in app.markdown if "not computed" in each.value and MLM in each.value]


def test_abx_without_a_prefix_is_what_it_was(e5: Model) -> None:
    app = opened("abx", {"model": [E5]})
    assert f"compute-{AbxSpec(**fields(e5)).id}" in offered(app)  # type: ignore[arg-type]
    assert not [each for each in captions(app) if each.startswith("Prefix:")]


def test_what_is_typed_is_every_model_s(e5: Model) -> None:
    app = opened("abx", {"model": [E5, MLM], "prefix": "Other …", "prefix-text": "Satz: "})
    assert app.text_input(key="prefix_text").value in ("Satz: ", "")
    app.text_input(key="prefix_text").set_value("Satz: ").run()
    assert not app.exception
    demo = next(each for each in models.entries([DEMO]) if each.name == MLM)
    ids = {f"compute-{AbxSpec(**fields(each), prefix='Satz: ').id}" for each in (e5, demo)}  # type: ignore[arg-type]
    assert ids <= offered(app)


def test_sentences_have_the_prefix_and_the_model_s_own_pooling(e5: Model) -> None:
    query = {"model": [E5], "unit": "Sentences", "prefix": "As trained", "pooling": "Mean with special tokens"}
    app = opened("alignment", query)
    spec = SentenceAlignmentSpec(**fields(e5), prefix=QUERY, pooling="mean_special")  # type: ignore[arg-type]
    assert f"compute-{spec.id}" in offered(app)


def test_fine_tuning_and_similarities_have_each_model_s_prefix(e5: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[TransferSpec] = []
    monkeypatch.setattr(train, "_offer", lambda _selection, spec, *_: asked.append(spec))
    query = {"data": "Demo sentences, random labels", "from": ["de"], "to": ["de", "en", "ru"], "prefix": "As trained"}
    app = opened("transfer", {"view": "Matrix", "model": [E5, MLM], **query})
    assert {spec.model: spec.training.prefix for spec in asked} == {E5: QUERY, MLM: ""}
    assert [each for each in captions(app) if each.startswith("Prefix:") and f'{E5} "query: "' in each]


def test_runs_with_a_prefix_are_shown_where_it_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_the_demo(monkeypatch, tmp_path)
    spec = fill(tmp_path, DEMO, training={"epochs": 5, "windows": "all", "prefix": "Satz: "})
    [checkpoint] = spec.checkpoints
    model = next(each for each in models.entries([DEMO]) if each.name == spec.model)
    of = [model], [], "task", spec.corpus, spec.sources, spec.languages
    have = records.files([tmp_path])
    assert runs.runs_of_selection(have, *of).empty  # type: ignore[arg-type]
    found = runs.runs_of_selection(have, *of, {checkpoint.fingerprint: "Satz: "})  # type: ignore[arg-type]
    assert set(found["run"]) == set(spec.shards())
    assert runs.runs_of_selection(have, *of, {checkpoint.fingerprint: "Satz:"}).empty  # type: ignore[arg-type]


def test_an_instruction_has_a_line_end_as_it_is_shown(e5: Model) -> None:
    app = opened("abx", {"model": [E5], "prefix": "Other …"})
    app.text_input(key="prefix_text").set_value(r"Instruct: Find it.\nQuery: ").run()
    assert f"compute-{AbxSpec(**fields(e5), prefix='Instruct: Find it.' + chr(10) + 'Query: ').id}" in offered(app)  # type: ignore[arg-type]
    assert [each for each in captions(app) if each.startswith("Prefix:") and "Find it.nQuery" in each]


def test_as_trained_is_offered_for_models_that_the_catalogue_knows(e5: Model) -> None:
    app = opened("abx", {"model": [MLM]})
    assert app.selectbox(key="prefix").options == ["None", "Other …"]
    app = opened("abx", {"model": [E5]})
    assert app.selectbox(key="prefix").options == ["None", "As trained", "Other …"]


def test_names_and_folders_find_the_catalogue_s_line_and_others_none(e5: Model) -> None:
    def named(name: str, folder: str = "/m/x", source: str = "folder") -> str | None:
        checkpoint = e5.checkpoints[0].model_copy(update={"location": folder, "source": source})
        line = known_as(e5.model_copy(update={"name": name, "checkpoints": (checkpoint,)}))
        return line.hub_id if line else None

    assert named("Mine", "/models/multilingual-e5-large-instruct") == "intfloat/multilingual-e5-large-instruct"
    assert named("Multilingual E5 base, ours") == "intfloat/multilingual-e5-base"
    assert named("BGE", "BAAI/bge-m3", "hub") == "BAAI/bge-m3"
    assert named("multilingual-e5-small", "someone/other", "hub") is None
    assert named("Mine") is None
    trained = {line.name: (line.prefix, line.pooling) for line in CATALOGUE if line.prefix or line.pooling}
    assert trained["BGE M3"] == ("", "first")
    assert trained["Qwen3 Embedding 0.6B"] == ("", "last")
    with_prefix = {name for name, (prefix, _) in trained.items() if prefix}
    assert with_prefix == {f"multilingual E5 {size}" for size in ("small", "base", "large")}
    said = {line.name: prefixes.of_training(line) for line in CATALOGUE}
    assert said["LaBSE"] == "first token"
    assert said["mBERT"] == ""


@pytest.mark.parametrize("prefix", ["", QUERY, "a/second alone/", 'the "first"/prefix '])
def test_probes_remember_their_prefix(prefix: str) -> None:
    from isogloss.backend.experiments.probing.spec import ProbingSentencesSpec

    checkpoint = {"source": "folder", "location": "/m", "label": "main", "fingerprint": "a" * 24}
    of = {"model": "m", "checkpoints": (checkpoint,), "corpus": "c" * 24, "sources": ("de",), "pooling": "last"}
    spec = ProbingSentencesSpec(**of, prefix=prefix)  # type: ignore[arg-type]
    [shard] = spec.shards().values()
    found = probe_options.of_file(spec.provenance(shard))
    assert (found.prefix, found.pooling, found.features) == (prefix, "last", "both")
    assert ("prefix" in found.named) == bool(prefix)
