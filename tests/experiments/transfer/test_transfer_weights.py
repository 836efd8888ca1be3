"""Models kept of transfer runs: whoever follows the README beside the weights gets the predictions that were recorded."""

from __future__ import annotations

import contextlib
import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch

from isogloss.backend.errors import SpecError, StoreError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Cancelled
from isogloss.backend.experiments.transfer import spec as transfer_spec_module
from isogloss.backend.experiments.transfer import weights as transfer_weights
from isogloss.backend.experiments.transfer.card import agreement, loading
from isogloss.backend.experiments.transfer.data import data_of
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.experiments.transfer.weights import TransferWeightsSpec, spec_of
from isogloss.backend.files import TEMPORARY
from isogloss.backend.models.entry import Model
from isogloss.backend.store import records, weights
from isogloss.backend.training.finetune.records import unpack
from isogloss.backend.training.resumable.reproducible import threads
from tests.experiments.transfer.small_transfer import LANGUAGES, SmallTransfer, only, run_all, small_transfer
from tests.experiments.transfer.small_transfer import spec_of as transfer_spec
from tests.models.tiny import ARCHITECTURES, Architecture

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from isogloss.backend.store.records import RecordFile

CLASSIFIERS = {"bert", "xlm", "xlm-roberta", "deberta-v2"}
"""What `AutoModelForSequenceClassification` loads; of the others the encoder and the head are kept."""
PREFIXED = {"xlm-roberta", "mt5"}
"""Trained with a text before every text, one of each form that is kept."""
STEP = 42
LEARNING: dict[str, Any] = {"learning_rates": (1e-2,), "training": {"epochs": 16, "patience": None}}
"""Enough for every architecture to tell examples apart, so that a wrong head or token would be seen."""


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with threads(1):
        yield


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallTransfer:
    return small_transfer(tmp_path_factory.mktemp("small"), "xlm-roberta")


@pytest.fixture(scope="module")
def ran(small: SmallTransfer) -> RecordFile:
    """A run on the task, recorded."""
    with threads(1):
        return recorded(small, small.spec(**LEARNING))


def recorded(small: SmallTransfer, spec: TransferSpec) -> RecordFile:
    run_all(spec, small.context())
    return next(file for file in records.files([small.folder / "workspace"]) if file.run == only(spec))


def model_of(small: SmallTransfer, name: str = "tiny") -> Model:
    return Model(name=name, architecture="", layers=2, dims=32, checkpoints=(small.checkpoint,))


def kept(small: SmallTransfer, file: RecordFile, step: int = STEP) -> weights.KeptModel:
    spec = spec_of(file, step, [model_of(small)])
    context = small.context()
    transfer_weights.compute(spec, spec.id, context)
    found = weights.load(spec.id, context.workspaces)
    assert found is not None
    return found


def said_by_readme(found: weights.KeptModel, texts: list[list[str]], tag: str) -> list[str]:
    """What the program in the README says of these texts. For another language it is changed as its comments say."""
    (program,) = re.findall(r"```python\n(.*?)```", (found.folder / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    program, changed = re.subn(r"^texts = .*$", lambda _: f"texts = {texts!r}", program, flags=re.MULTILINE)
    program, placed = re.subn(r'^folder = "\."', lambda _: f"folder = {str(found.folder)!r}", program, flags=re.MULTILINE)
    assert (changed, placed) == (1, 1)
    codes = {"en": "en_XX", "de": "de_DE", "ru": "ru_RU"}
    program = re.sub(r"# Texts in another language.*", f"tokenizer.src_lang = {codes[tag]!r}", program)
    program = program.replace('lang2id["en"]', f'lang2id["{tag}"]')
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {})
    return list(json.loads(printed.getvalue().strip().replace("'", '"')))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_readme_gives_the_recorded_predictions(architecture: Architecture, tmp_path: Path) -> None:
    """On the training examples, on their translations and on the validation examples, of every architecture."""
    small = small_transfer(tmp_path, architecture)
    before = {"prefix": 'Say "which":\n'} if architecture in PREFIXED else {}
    few = {"epochs": 14, "record_every": 21}
    file = recorded(small, small.spec(**LEARNING | {"training": LEARNING["training"] | few | before}))
    found = kept(small, file)
    assert found.provenance["different"] == 0
    assert found.provenance["use"]["form"] == ("classifier" if architecture in CLASSIFIERS else "encoder and head")
    made = data_of(file.provenance, small.context().workspaces)
    answers = set()
    recorded_ = records.predictions(file, STEP)
    for tag in LANGUAGES:
        parts = [(recorded_["train", tag], made.data.train[tag]), (recorded_["validation", tag], made.data.validation[tag])]
        expected = [made.labels[each] for packed, texts in parts for each in unpack(packed, len(texts), 3)]
        columns = [list(each) for each in zip(*(pair for _, texts in parts for pair in texts), strict=True)]
        assert said_by_readme(found, columns, tag) == expected, tag
        answers.update(expected)
    assert len(answers) > 1  # or any model would do


def test_the_number_of_threads_is_the_runs(small: SmallTransfer, ran: RecordFile) -> None:
    """Known from its records: a worker with more threads would get other sums."""
    assert ran.provenance["threads"] == 1
    torch.set_num_threads(2)
    assert kept(small, ran, 30).provenance["threads"] == 1


def test_loading_in_two_lines(small: SmallTransfer, ran: RecordFile) -> None:
    found = kept(small, ran)
    names: dict[str, Any] = {}
    exec(loading(found.provenance, str(found.folder)), names)
    assert type(names["model"]).__name__ == "XLMRobertaForSequenceClassification"
    assert names["model"].config.id2label == {0: "a", 1: "b", 2: "c"}
    assert names["model"].config.label2id == {"a": 0, "b": 1, "c": 2}
    assert names["tokenizer"].model_input_names == ["input_ids", "attention_mask"]


def test_safetensors_alone_and_nothing_left_behind(small: SmallTransfer, ran: RecordFile) -> None:
    found = kept(small, ran)
    files = {path.name for path in found.folder.iterdir()}
    assert files >= {"model.safetensors", "config.json", "tokenizer.json", "README.md", "about.json"}
    assert not {name for name in files if name.endswith((".bin", ".pt", ".pkl")) or name.startswith(TEMPORARY)}
    assert not list((small.folder / "workspace" / "training").iterdir())


def test_the_card_says_what_it_is(small: SmallTransfer, ran: RecordFile) -> None:
    text = (kept(small, ran).folder / "README.md").read_text(encoding="utf-8")
    errors = next(row for row in _rows(ran) if (row["step"], row["split"], row["language"]) == (STEP, "train", "en"))["errors"]
    for expected in (
        "# tiny, model, fine-tuned on English",
        "step 42 (epoch 14)",
        "the task small",
        f"Training error: {errors} of 24 examples",
        f"content {small.checkpoint.fingerprint}",
        "learning rate 0.01, batches of 8, seed 3",
        'Labels, class 0 first: \\["a", "b", "c"\\]',
        f"All {3 * 24 + 3 * 9} predictions are those recorded",
    ):
        assert expected in text, expected


def test_random_labels_and_a_window(small: SmallTransfer) -> None:
    """Single texts; at a step that recorded the source's training examples alone."""
    spec = small.spec(data="parallel", corpus=small.corpus, training={"windows": ((0.0, 0.001),)}, learning_rates=(1e-4,))
    file = recorded(small, spec)
    assert set(records.predictions(file, 3)) == {("train", "en")}
    found = kept(small, file, 3)
    assert (found.provenance["compared"], found.provenance["different"], found.provenance["pairs"]) == (20, 0, False)
    made = data_of(file.provenance, small.context().workspaces)
    packed = records.predictions(file, 3)["train", "en"]
    expected = [made.labels[each] for each in unpack(packed, 20, 2)]
    assert said_by_readme(found, [list(made.data.train["en"])], "en") == expected


def test_predictions_that_differ_are_said(small: SmallTransfer, ran: RecordFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on another device: three of the recorded predictions are not those of the model."""
    true = records.predictions

    def another(file: RecordFile, step: int) -> dict[tuple[str, str], bytes]:
        found = true(file, step)
        packed = found["train", "de"]
        return found | {("train", "de"): bytes([packed[0] ^ 0b01010100, *packed[1:]])}

    monkeypatch.setattr(records, "predictions", another)
    spec = spec_of(ran, 15, [model_of(small)])
    transfer_weights.compute(spec, spec.id, small.context())
    found = weights.load(spec.id, small.context().workspaces)
    assert found is not None
    assert (found.provenance["different"], found.provenance["compared"]) == (3, 99)
    sentence = "3 of 99 predictions differ from those recorded (another number of threads or version of torch"
    assert sentence in agreement(found.provenance)
    assert sentence in (found.folder / "README.md").read_text(encoding="utf-8")
    rows = {row["step"]: row["errors"] for row in _rows(ran) if (row["split"], row["language"]) == ("train", "en")}
    assert (found.provenance["errors"], found.provenance["recorded_errors"]) == (rows[15], rows[15])
    elsewhere = dict(found.provenance) | {"recorded_device": "cuda:0", "recorded_errors": 0}
    assert "made on cpu, recorded on cuda:0" in agreement(elsewhere)
    assert f"training error is {rows[15] / 24:.1%}, the recorded one's 0.0%" in agreement(elsewhere)


def test_kept_once(small: SmallTransfer, ran: RecordFile, monkeypatch: pytest.MonkeyPatch) -> None:
    found = kept(small, ran)
    monkeypatch.setattr(transfer_weights, "_compute", lambda *_: pytest.fail("computed again"))
    assert kept(small, ran) == found


def test_half_a_folder_is_not_a_model(small: SmallTransfer, ran: RecordFile) -> None:
    """As a removal that was killed leaves it: it is made again in its place."""
    found = kept(small, ran, 18)
    before = (found.folder / "model.safetensors").read_bytes()
    (found.folder / "model.safetensors").unlink()
    assert weights.load(found.folder.name, small.context().workspaces) is None
    again = kept(small, ran, 18)
    assert (again.folder / "model.safetensors").read_bytes() == before


def test_cancelled_and_asked_again(small: SmallTransfer, ran: RecordFile) -> None:
    spec = spec_of(ran, 21, [model_of(small)])
    told: list[float] = []
    context = replace(small.context(), progress=lambda _, share: told.append(share), should_stop=lambda: len(told) > 8)
    with pytest.raises(Cancelled):
        transfer_weights.compute(spec, spec.id, context)
    assert weights.load(spec.id, context.workspaces) is None
    steps = len(told)
    transfer_weights.compute(spec, spec.id, replace(context, should_stop=lambda: False))
    found = weights.load(spec.id, context.workspaces)
    assert found is not None
    assert found.provenance["different"] == 0
    assert len(told) - steps < 21  # it went on


def test_specs_are_read_back_and_hold_one_run(small: SmallTransfer, ran: RecordFile) -> None:
    spec = spec_of(ran, STEP, [model_of(small)])
    assert registry.parse(json.loads(spec.model_dump_json())) == spec
    assert spec.key == ran.run
    assert list(spec.shards()) == [spec.id]
    assert spec.id != spec_of(ran, 15, [model_of(small)]).id
    two = transfer_spec(seeds=(0, 1))
    with pytest.raises(SpecError, match="weights are kept of one run"):
        registry.parse({"experiment": "transfer_weights", "run": two.model_dump(mode="json"), "step": 3})


def test_what_cannot_be_kept(small: SmallTransfer, ran: RecordFile) -> None:
    with pytest.raises(SpecError, match="no record at step 4: it has one every 3 steps and at its last, 48"):
        spec_of(ran, 4, [model_of(small)])
    with pytest.raises(SpecError, match="no longer in the library"):
        spec_of(ran, STEP, [Model(name="tiny", architecture="", layers=1, dims=1, checkpoints=transfer_spec().checkpoints)])
    spec = spec_of(ran, STEP, [model_of(small)])
    gone = TransferWeightsSpec(run=spec.run.model_copy(update={"seeds": (77,)}), step=STEP)
    with pytest.raises(StoreError, match="no longer here"):
        transfer_weights.compute(gone, gone.id, small.context())


def test_a_run_of_an_earlier_version(small: SmallTransfer, ran: RecordFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer_spec_module, "VERSION", transfer_spec_module.VERSION + 1)
    monkeypatch.setattr(TransferSpec, "shards", TransferSpec.shards.__wrapped__)  # type: ignore[attr-defined]
    with pytest.raises(SpecError, match="earlier version"):
        spec_of(ran, STEP, [model_of(small)])


def test_a_model_that_was_renamed_serves(small: SmallTransfer, ran: RecordFile) -> None:
    assert spec_of(ran, STEP, [model_of(small, "Another name")]).run.model == "Another name"


def test_names_are_harmless_in_the_card(small: SmallTransfer, ran: RecordFile) -> None:
    from isogloss.backend.experiments.transfer.card import card

    provenance = dict(kept(small, ran).provenance) | {"model": "# <b>x</b>\n\n```evil", "labels": ["a\n```", "b"]}
    text = card(provenance)
    assert text.count("```") == 2
    assert "<b>" not in text


def _rows(file: RecordFile) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    return pq.read_table(file.path).to_pylist()  # type: ignore[no-any-return]
