"""A tokeniser without weights: found in a folder or on the Hub, measured like its model's, refused for what needs weights."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.cli.run import queue
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.errors import ModelError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.tokenisers.shard import FAMILY, TokenisersSpec
from isogloss.backend.models.library import library
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.tokenizer_alone import tokeniser_of
from isogloss.backend.settings import DEMO, Settings
from isogloss.backend.store import scores
from tests.cli.typed import output
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.models.entry import Model


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return tiny_model(tmp_path / "tiny", "xlm-roberta")


@pytest.fixture
def saved(whole: Path, tmp_path: Path) -> Path:
    """What `tokenizer.save_pretrained` writes: no configuration, no weights."""
    folder = tmp_path / "my-tokeniser"
    folder.mkdir()
    for file in whole.glob("*token*"):
        shutil.copy(file, folder)
    return folder


def test_a_folder_of_a_tokeniser_is_one(saved: Path) -> None:
    model = discover(str(saved))
    assert (model.name, model.tokeniser_alone, model.layers, model.dims) == ("my-tokeniser", True, 0, 0)
    assert "Tokenisers measures it" in model.note


def test_of_a_model_it_is_taken_where_that_is_asked_for(whole: Path, saved: Path, tmp_path: Path) -> None:
    model = discover(f"{whole}#tokeniser")
    assert (model.name, model.tokeniser_alone) == ("tiny tokeniser", True)
    others = [discover(str(each)).checkpoints[0].fingerprint for each in (whole, saved)]
    assert model.checkpoints[0].fingerprint not in others  # its longest input may be another
    (whole / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="holds no weights"):
        discover(str(whole))
    assert discover(f"{whole}#tokeniser").checkpoints == model.checkpoints


@pytest.mark.parametrize(
    "line", ["{}/nothing#tokeniser", "{}/empty#tokeniser", "{}/tiny/config.json#tokeniser", "no id#tokeniser"]
)
def test_what_is_no_tokeniser_is_refused(whole: Path, tmp_path: Path, line: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"There is no|has no tokeniser|is a file|neither a folder"):
        discover(line.format(tmp_path))


def test_it_cuts_as_its_model_does_and_notices_other_files(whole: Path, saved: Path, tmp_path: Path) -> None:
    settings = Settings(workspace=tmp_path / "workspace")
    (of_model,) = discover(str(whole)).checkpoints
    (alone,) = discover(str(saved)).checkpoints
    (beside,) = discover(f"{whole}#tokeniser").checkpoints
    expected = tokeniser_of(of_model, settings)
    for each in (alone, beside):
        assert tokeniser_of(each, settings).tokenizer(SENTENCES)["input_ids"] == expected.tokenizer(SENTENCES)["input_ids"]
    assert tokeniser_of(beside, settings).max_tokens == expected.max_tokens
    config = saved / "tokenizer_config.json"
    config.write_text(config.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(ModelError, match="have changed since"):
        tokeniser_of(alone, settings)


def test_it_is_measured_by_tokenisers_and_by_nothing_else(
    whole: Path, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = tmp_path / "workspace"
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(workspace))
    corpus = corpora.entries([DEMO])[0].id
    found = {}
    for typed in (whole, saved):
        model = discover(str(typed))
        library.keep(model, workspace)
        spec = TokenisersSpec(**asked(model, corpus))
        for shard in spec.shards():
            registry.compute(spec, shard, Context(Settings(workspace=workspace)))
        mine = [file.path for file in scores.shards([workspace], FAMILY) if file.provenance["model"] == model.name]
        statement = "SELECT metric, source, target, value FROM {scores} WHERE NOT isnan(value) ORDER BY ALL"
        found[model.name] = scores.query(statement, {}, mine)
    cut = [each[each.metric != "tokeniser_truncated_sentences"].reset_index(drop=True) for each in found.values()]
    assert cut[0].equals(cut[1])
    assert len(cut[0])
    with pytest.raises(ModelError, match="my-tokeniser is a tokeniser without weights"):
        queue(AbxSpec(**asked(model, corpus)), wait=False)
    assert [each.name for each in library.with_weights([workspace])] == ["tiny"]


def asked(model: Model, corpus: str) -> dict[str, Any]:
    return {"model": model.name, "checkpoints": model.checkpoints, "corpus": corpus, "languages": ("de", "en"), "sentences": 20}


def test_the_command_line_adds_and_lists_it(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "workspace"))
    assert "Tokenisers measures it" in output("models", "add", str(saved))
    assert "my-tokeniser" in output("models", "list")
