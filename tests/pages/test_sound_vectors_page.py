"""Vectors that a sink rules are said above figures, with a press that asks for others; a pooling per model where asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from isogloss.backend.cli import app as cli
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.experiments.named import corpus_named
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.experiments.vectors import soundness
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import settings
from isogloss.pages.shared.sound_vectors import layers
from tests.models.planted import planted_decoder, translations
from tests.models.tiny import tiny_model
from tests.pages.opened import opened

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

LANGUAGES = ("de", "en")
PAGES: dict[str, tuple[Any, dict[str, str]]] = {
    "abx": (AbxSpec, {"view": "Curves"}),
    "geometry": (GeometrySpec, {"view": "Curves"}),
    "alignment": (SentenceAlignmentSpec, {"unit": "Sentences", "view": "Table"}),
}


@pytest.fixture
def kept(workspace: Path, tmp_path: Path) -> Path:
    (tmp_path / "mine.tsv").write_text(translations(), encoding="utf-8")
    corpora.keep(read([InputFile("mine.tsv", tmp_path / "mine.tsv")]), "Mine", workspace)
    models.keep(discover(str(planted_decoder(tmp_path / "decoder")), name="Decoder"), workspace)
    models.keep(discover(str(tiny_model(tmp_path / "encoder", "xlm-roberta")), name="Encoder"), workspace)
    return workspace


def compute(page: str, name: str, **options: Any) -> Any:
    checkpoints = models.load_entry(name, [settings().workspace]).checkpoints
    of = {"model": name, "checkpoints": checkpoints, "corpus": corpus_named("Mine").id, "languages": LANGUAGES}
    spec = validate(PAGES[page][0], of | options)
    for key in spec.shards():
        registry.compute(spec, key, Context(settings()))
    return spec


def shown(page: str, *names: str, **query: str) -> AppTest:
    return opened(page, {**PAGES[page][1], "model": list(names), "corpus": "Mine", **query})


def warnings(app: AppTest) -> list[str]:
    return [each.value for each in app.markdown if ":material/warning:" in each.value and "rules the vectors" in each.value]


@pytest.mark.parametrize("page", list(PAGES))
def test_a_sink_is_said_with_its_layers_and_a_press_asks_for_vectors_without_it(kept: Path, page: str) -> None:
    compute(page, "Decoder")
    compute(page, "Encoder")
    app = shown(page, "Decoder", "Encoder")
    (said,) = warnings(app)
    assert "**Decoder**" in said
    assert "at layers 0 to 1:" in said
    app.button(key="sound-Decoder").click().run()
    assert not app.exception
    assert app.selectbox(key="pooling").value == "without_first"
    compute(page, "Decoder", pooling="without_first")
    assert warnings(shown(page, "Decoder", pooling="Mean without the first token")) == []
    assert warnings(shown(page, "Encoder")) == []


def test_scores_of_before_say_nothing(kept: Path) -> None:
    compute("abx", "Decoder")
    for file in (kept / "details").glob("*.parquet"):
        file.unlink()
    assert warnings(shown("abx", "Decoder")) == []


def test_few_dimensions_are_said_and_centring_is_offered(kept: Path) -> None:
    spec = compute("abx", "Encoder")
    (run,) = spec.shards()
    told = {"pooling": "mean", "sink": 1.0, "first_share": 0.1, "cosine": 0.97, "top_share": 0.87, "pieces": 9.0}
    soundness.write(Context(settings()), run, [told | {"layer": 1, "language": "de"}], {})
    app = shown("abx", "Encoder")
    (said,) = [each.value for each in app.markdown if "three dimensions" in each.value]
    assert "up to 87%" in said
    assert "at layer 1:" in said
    app.button(key="sound-Encoder").click().run()
    assert app.selectbox(key="removed").value == "mean"


def test_each_model_has_the_recommended_pooling_where_asked(kept: Path) -> None:
    app = shown("abx", "Decoder", "Encoder")
    (advice,) = [each.value for each in app.caption if each.value.startswith("Recommended for")]
    assert advice.startswith("Recommended for Decoder: mean without the first token, since a decoder's first token")
    app = shown("abx", "Decoder", "Encoder", pooling="Recommended for each model")
    of = {"corpus": corpus_named("Mine").id, "languages": LANGUAGES}
    for name, pooling in (("Decoder", "without_first"), ("Encoder", "mean")):
        checkpoints = models.load_entry(name, [kept]).checkpoints
        spec = validate(AbxSpec, of | {"model": name, "checkpoints": checkpoints, "pooling": pooling})
        assert f"compute-{spec.id}" in {str(each.key) for each in app.button}
    said = "Sentence vector: Decoder mean without the first token; Encoder mean of tokens."
    assert said in [each.value for each in app.caption]
    compute("abx", "Decoder", pooling="without_first")
    compute("abx", "Encoder")
    app = shown("abx", "Decoder", "Encoder", pooling="Recommended for each model")
    assert len(app.get("plotly_chart")) == 2
    assert warnings(app) == []


def test_the_library_and_the_command_say_which_is_recommended(kept: Path, tmp_path: Path) -> None:
    opened_at = f"model-{models.entry_path('Decoder', kept).stem[:12]}"
    app = opened("library", {"shelf": "Models"}, {opened_at: True})
    said = [each.value for each in app.caption if each.value.startswith("Recommended sentence vector")]
    assert [each.split(",")[0] for each in said] == ["Recommended sentence vector: mean without the first token"]
    answer = CliRunner().invoke(cli, ["models", "add", str(tmp_path / "encoder"), "--name", "Again"])
    assert "Recommended sentence vector: --pooling mean, since an encoder's special tokens" in answer.stdout


def test_layers_are_named_as_spans() -> None:
    assert layers([3]) == "layer 3"
    assert layers([0, 1, 2, 7]) == "layers 0 to 2, 7"
    assert layers([2, 1]) == "layers 1 to 2"
