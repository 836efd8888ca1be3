"""A model that came with scores and without weights: found, said, and refused wherever it would have to be loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.cli.run import queue
from isogloss.backend.errors import ModelError, SpecError
from isogloss.backend.experiments import named
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.words.distributions import WordDistributionsSpec
from isogloss.backend.experiments.probing.spec import ProbingWordsSpec
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import absent, library

if TYPE_CHECKING:
    from pathlib import Path


def kept(workspace: Path, fingerprint: str = "a" * 24, name: str = "Real", **more: str) -> Model:
    one = Checkpoint(source="folder", location=str(workspace / "models" / name), label="one", fingerprint=fingerprint)
    model = Model(name=name, architecture="bert", layers=2, dims=8, checkpoints=(one,), **more)  # type: ignore[arg-type]
    library.keep(model, workspace)
    return library.load_entry(name, [workspace])


def abx(model: Model) -> AbxSpec:
    return AbxSpec(model=model.name, checkpoints=model.checkpoints, corpus="c" * 24, languages=("de", "en"))


def test_what_an_older_entry_lacks_is_not_written(tmp_path: Path) -> None:
    kept(tmp_path)
    assert not {"published", "note"} & set(library.entry_path("Real", tmp_path).read_text().split('"'))


def test_a_model_without_weights_is_named_wherever_it_is_asked_for(tmp_path: Path) -> None:
    gone = kept(tmp_path, published="owner/real")
    assert absent.is_absent(gone)
    assert absent.of_request(abx(gone), [tmp_path]) == gone
    pair = {"source": "de", "target": "en", "dictionary": "e" * 24}
    nested = WordDistributionsSpec.model_validate({"checkpoint": gone.checkpoints[0], "corpus": "c" * 24, "pair": pair})
    assert absent.of_request(nested, [tmp_path]) == gone
    assert "owner/real" in absent.sentence(gone)
    # Another entry of the same weights, which are there; and one without weights that names no model to take in their place.
    there = kept(tmp_path, name="Mine")
    (tmp_path / "models" / "Mine").mkdir()
    assert absent.of_request(abx(there), [tmp_path]) is None
    assert absent.of_request(abx(kept(tmp_path, "b" * 24, "Lost")), [tmp_path]) is None


def test_the_command_line_says_so_before_anything_is_queued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    gone = kept(tmp_path, published="owner/real")
    with pytest.raises(ModelError, match="add the published model, owner/real, in Library"):
        queue(abx(gone), wait=False)
    assert not (tmp_path / "jobs").exists()


def test_texts_that_are_not_here_are_refused_before_anything_is_queued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo has the scores of probes of *Demo UD*, and not its texts."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    gone = named.tagged_named("Demo UD")
    model = library.load_entry("Demo MLM", named.workspaces())
    asked = {"model": model.name, "checkpoints": model.checkpoints[-1:], "sources": ("en",)}
    here = AbxSpec(
        model=model.name, checkpoints=model.checkpoints, corpus=named.corpus_named("Demo sentences").id, languages=("de", "en")
    )
    named.check_here(here, named.workspaces())
    with pytest.raises(SpecError, match=r"The texts of Demo UD are not here.*`tagged import`"):
        queue(ProbingWordsSpec.model_validate({**asked, "corpus": gone.id}), wait=False)
    with pytest.raises(SpecError, match="The texts of Demo UD"):  # tested on alone
        named.check_here(ProbingWordsSpec.model_validate({**asked, "corpus": "c" * 24, "tested": gone.id}), named.workspaces())
    assert not (tmp_path / "jobs").exists()
