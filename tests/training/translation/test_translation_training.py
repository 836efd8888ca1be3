"""Whole runs of a translation model's training, tiny: what they leave, and that a stop does not change it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from isogloss.backend.errors import ModelError, SpecError
from isogloss.backend.training.resumable import folder as kept
from isogloss.backend.training.resumable.loop import TrainingProgress
from isogloss.backend.training.resumable.run import PretrainedModel
from isogloss.backend.training.translation import tune as tune_module
from isogloss.backend.training.translation.evaluate import bleu, chrf, translate
from isogloss.backend.training.translation.model import load_model, save_model
from isogloss.backend.training.translation.pairs import translation_text
from isogloss.backend.training.translation.pretrain import pretrain, source_windows
from isogloss.backend.training.translation.run import begin_pretraining, begin_tuning, fresh_model, with_fresh_embeddings
from isogloss.backend.training.translation.tune import TranslatedScore, tune
from tests.training.equal_folders import assert_equal_folders
from tests.training.language_model.language_modelling import tiny_source
from tests.training.translation.translating import tiny_options, tiny_pairs

CPU = torch.device("cpu")
TEXT = translation_text(*tiny_pairs(), tiny_options())
STOPPED = TranslatedScore(False, 15, 15, None, None, ())


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `base`, pre-trained, and `cell`, tuned from it."""
    folder = tmp_path_factory.mktemp("unbroken")
    base = pretrain(tiny_source(), tiny_options(), folder / "base")
    assert base == PretrainedModel(True, 8, 8, folder / "base" / "model")
    assert tune(base.model, TEXT, "full", tiny_options(), folder / "cell").finished
    return folder


def test_pretraining_is_its_steps(unbroken: Path, tmp_path: Path) -> None:
    options = tiny_options()
    run = begin_pretraining(fresh_model(options.architecture, 3), source_windows(tiny_source(), options), options, CPU)
    torch.manual_seed(9)  # no matter
    losses = [run.take(step).item() for step in range(1, 9)]
    save_model(tmp_path / "model", run.model)
    assert_equal_folders(tmp_path / "model", unbroken / "base" / "model")
    lines = [json.loads(line) for line in (unbroken / "base" / kept.LOG).read_text().split("\n")[:-1]]
    assert [line["step"] for line in lines] == list(range(1, 9))
    assert [line["loss"] for line in lines] == pytest.approx(losses, abs=1e-5)
    assert losses[-1] < losses[0] - 0.5  # it learns
    assert sorted(path.name for path in (unbroken / "base").iterdir()) == ["finished.json", "log.jsonl", "model", "run.json"]


def test_scores_are_those_of_the_tuned_model(unbroken: Path) -> None:
    options = tiny_options()
    model = with_fresh_embeddings(load_model(unbroken / "base" / "model", options.architecture), options.architecture, 3)
    run = begin_tuning(model, TEXT, options, CPU)
    losses = [run.take(step).item() for step in range(1, 16)]
    assert losses[-1] < losses[0] - 1
    score = tune(unbroken / "base" / "model", TEXT, "full", options, unbroken / "cell")
    assert (score.finished, score.step, score.steps) == (True, 15, 15)
    assert score.chrf is not None
    assert score.bleu is not None
    for beam in (1, 3):
        hypotheses = translate(model, TEXT, beam, options)
        assert score.chrf[beam] == chrf(hypotheses, TEXT.references)
        assert score.bleu[beam] == bleu(hypotheses, TEXT.references)
        if beam == 1:
            assert [each.hypothesis for each in score.examples] == hypotheses[:5]
    assert list(score.chrf) == list(score.bleu) == [1, 3]
    assert 0 < score.chrf[1] < 100
    assert [(each.source, each.reference) for each in score.examples] == list(
        zip(TEXT.test_sources[:5], TEXT.references[:5], strict=True)
    )
    assert sorted(path.name for path in (unbroken / "cell").iterdir()) == ["finished.json", "log.jsonl", "run.json"]


def test_no_pretraining_is_a_source_like_any_other(unbroken: Path, tmp_path: Path) -> None:
    """It equals tuning from a model that was saved before its first step."""
    options = tiny_options()
    none = tune(None, TEXT, "full", options, tmp_path / "none")
    save_model(tmp_path / "fresh", fresh_model(options.architecture, 3))
    assert tune(tmp_path / "fresh", TEXT, "full", options, tmp_path / "saved") == none
    assert (tmp_path / "none" / kept.LOG).read_text() != (unbroken / "cell" / kept.LOG).read_text()


def test_settings_share_a_base_and_sources_seeds_and_settings_do_not_share_results(unbroken: Path, tmp_path: Path) -> None:
    base, source, options = unbroken / "base", tiny_source(), tiny_options()
    other = tiny_options(tuning=options.tuning.model_copy(update={"pairs": 9}), beams=(2,))
    assert pretrain(source, other, base) == PretrainedModel(True, 8, 8, base / "model")
    for changed, corpus in ((tiny_options(seed=4), source), (options, tiny_source(1)), (tiny_options(compile=True), source)):
        with pytest.raises(SpecError, match=r"a pre-training run of a translation model with other (corpus|options)"):
            pretrain(corpus, changed, base)
    frozen = tune(base / "model", TEXT, "frozen", options, tmp_path / "frozen")
    assert frozen.finished
    assert (tmp_path / "frozen" / kept.LOG).read_text() != (unbroken / "cell" / kept.LOG).read_text()
    for arguments, what in (
        ((None, TEXT, "full", options), "weights"),
        ((base / "model", TEXT, "frozen", options), "setting"),
        ((base / "model", TEXT, "full", tiny_options(seed=4)), "options"),
        ((base / "model", translation_text(*tiny_pairs(1), options), "full", options), "data"),
    ):
        with pytest.raises(SpecError, match=f"a tuning run of a translation model with other {what}"):
            tune(*arguments, unbroken / "cell")  # type: ignore[arg-type]


def test_the_frozen_setting_tunes_embeddings_alone(unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through `tune` itself: the model that is scored."""
    scored = []
    original = tune_module.translate

    def watched(model: Any, *arguments: Any, **options: Any) -> list[str]:
        scored.append({name: value.detach().clone() for name, value in model.named_parameters()})
        return original(model, *arguments, **options)

    monkeypatch.setattr(tune_module, "translate", watched)
    for setting in ("frozen", "reduced"):
        tune(unbroken / "base" / "model", TEXT, setting, tiny_options(), tmp_path / setting)  # type: ignore[arg-type]
    before = dict(load_model(unbroken / "base" / "model", tiny_options().architecture).named_parameters())
    moved = [{name for name, value in each.items() if not torch.equal(value, before[name])} for each in scored]
    assert moved == [{"model.shared.weight"}] * 2 + [set(before)] * 2


def test_equal_seeds_give_equal_bytes(unbroken: Path, tmp_path: Path) -> None:
    base = pretrain(tiny_source(), tiny_options(), tmp_path / "base")
    tune(base.model, TEXT, "full", tiny_options(), tmp_path / "cell")
    for name in ("base", "cell"):
        assert_equal_folders(tmp_path / name, unbroken / name)
    other = pretrain(tiny_source(), tiny_options(seed=4), tmp_path / "other")
    assert other.finished
    assert (tmp_path / "other" / kept.LOG).read_text() != (unbroken / "base" / kept.LOG).read_text()


@pytest.mark.parametrize("stops", [[4, 5]])
def test_stopped_and_continued_equals_unbroken(unbroken: Path, tmp_path: Path, stops: list[int]) -> None:
    def whole(name: str, **arguments: Any) -> PretrainedModel | TranslatedScore:
        if name == "base":
            return pretrain(tiny_source(), tiny_options(), tmp_path / name, **arguments)
        return tune(unbroken / "base" / "model", TEXT, "full", tiny_options(), tmp_path / name, **arguments)

    for name, steps in (("base", 8), ("cell", 15)):
        taken: list[int] = []
        for stop in stops:
            result = whole(
                name,
                progress=lambda told, taken=taken: taken.append(told.step),
                should_stop=lambda stop=stop, taken=taken: bool(taken) and taken[-1] >= stop - 1,
            )
            assert (result.finished, result.step) == (False, max(stop, 2))
            assert len((tmp_path / name / kept.LOG).read_text().split("\n")) == max(stop, 2) + 1
        assert whole(name, progress=lambda told, taken=taken: taken.append(told.step)).finished
        assert taken == list(range(1, steps + 1))  # none twice
        assert_equal_folders(tmp_path / name, unbroken / name)


def test_a_stop_within_the_evaluation_keeps_the_tuned_model(unbroken: Path, tmp_path: Path) -> None:
    told: list[TrainingProgress] = []
    arguments: dict[str, Any] = {"progress": told.append}
    asked = iter(range(100))
    base = unbroken / "base" / "model"
    result = tune(base, TEXT, "full", tiny_options(), tmp_path / "cell", should_stop=lambda: next(asked) == 16, **arguments)
    assert result == STOPPED
    assert (tmp_path / "cell" / kept.STATE).exists()
    assert tune(base, TEXT, "full", tiny_options(), tmp_path / "cell", **arguments).finished
    assert [one.step for one in told] == list(range(1, 16))
    assert_equal_folders(tmp_path / "cell", unbroken / "cell")


def test_what_diverges_and_what_does_not_fit_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wild = tiny_options(tuning=tiny_options().tuning.model_copy(update={"learning_rate": 1e30}))
    with pytest.raises(ModelError, match=r"no longer a number at step \d"):
        tune(None, TEXT, "full", wild, tmp_path / "cell")

    def full(*_: Any, **__: Any) -> list[str]:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(tune_module, "translate", full)
    with pytest.raises(ModelError, match="does not fit into the memory of cpu"):
        tune(None, TEXT, "full", tiny_options(), tmp_path / "full")


def test_products_in_bfloat16_leave_weights_in_float32_and_are_repeatable(tmp_path: Path) -> None:
    options = tiny_options(precision="bfloat16")
    stop = iter([False] * 3 + [True] + [False] * 100)
    assert not pretrain(tiny_source(), options, tmp_path / "base", should_stop=lambda: next(stop)).finished
    assert {value.dtype for value in load_file(tmp_path / "base" / kept.STATE).values()} == {torch.float32}
    base = pretrain(tiny_source(), options, tmp_path / "base")
    assert pretrain(tiny_source(), options, tmp_path / "again").finished
    assert_equal_folders(tmp_path / "base", tmp_path / "again")
    assert tune(base.model, TEXT, "full", options, tmp_path / "cell").finished
