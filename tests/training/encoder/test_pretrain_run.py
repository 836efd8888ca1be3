"""Whole runs of the recipe, tiny: what they leave, that they can be stopped anywhere, that they learn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.errors import SpecError
from isogloss.backend.training.encoder.options import PretrainOptions
from isogloss.backend.training.encoder.pretrain import PretrainProgress, pretrain
from isogloss.backend.training.resumable.lock import lock

SMALL = {
    "objective": "mlm+contrast",
    "layers": 2,
    "dims": 16,
    "heads": 2,
    "vocabulary": 150,
    "max_tokens": 24,
    "steps": 12,
    "batch": 6,
    "warmup": 3,
    "contrast_layer": 1,
    "checkpoints": (0, 4, 12),
    "held_out": 5,
}


def invented_corpus(sentences: int = 60) -> ParallelCorpus:
    """Three invented languages that translate each other word by word, one in another script, one in reverse order."""
    random = np.random.default_rng(5)
    words = ["".join(random.choice(list("abcdefgh"), size=4)) for _ in range(30)]
    rows = []
    for k in range(sentences):
        chosen = random.choice(words, size=random.integers(4, 9))
        rows.append(("aa", k, " ".join(chosen)))
        rows.append(("el", k, " ".join(chosen).translate(str.maketrans("abcdefgh", "αβγδεζηθ"))))
        rows.append(("en", k, " ".join(word[::-1].upper() for word in reversed(chosen))))
    rows.sort(key=lambda row: row[0])
    records = [{"sentence_id": f"s{k}", "language": language, "text": text, "document_id": None} for language, k, text in rows]
    return ParallelCorpus(pa.Table.from_pylist(records, schema=SCHEMA))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def assert_equal_runs(one: Path, other: Path) -> None:
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    for name in (name for name in names if name.startswith("checkpoint-")):
        left, right = weights(one / name), weights(other / name)
        assert left.keys() == right.keys()
        assert all(torch.equal(left[key], right[key]) for key in left)
    for name in ("log.jsonl", "run.json", "tokenizer/tokenizer.json"):
        assert (one / name).read_text() == (other / name).read_text()


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken")
    result = pretrain(invented_corpus(), PretrainOptions(**SMALL), folder, device="cpu")
    assert result.finished
    assert result.step == 12
    assert [path.name for path in result.checkpoints] == ["checkpoint-0", "checkpoint-4", "checkpoint-12"]
    assert result.held_out == ("s55", "s56", "s57", "s58", "s59")
    return folder


def test_folder_is_what_transformers_loads(unbroken: Path) -> None:
    for name in ("checkpoint-0", "checkpoint-4", "checkpoint-12"):
        stored = weights(unbroken / name)
        tokenizer = AutoTokenizer.from_pretrained(unbroken / name, local_files_only=True)
        assert (
            tokenizer("abcd η☃")["input_ids"] == AutoTokenizer.from_pretrained(unbroken / "tokenizer")("abcd η☃")["input_ids"]
        )
        assert [tokenizer.convert_tokens_to_ids(t) for t in ("<s>", "<pad>", "</s>", "<unk>")] == [0, 1, 2, 3]
        assert tokenizer.mask_token_id == len(tokenizer) - 1
        assert tokenizer.padding_side == "right"
        batch = tokenizer(["abcd efgh", "η☃"], padding=True, return_tensors="pt")
        assert batch.input_ids[:, 0].tolist() == [0, 0]
        assert tokenizer.unk_token_id in batch.input_ids[1].tolist()
        model = AutoModel.from_pretrained(unbroken / name, local_files_only=True, add_pooling_layer=False)
        assert type(model).__name__ == "XLMRobertaModel"
        assert all(torch.equal(value, stored[f"roberta.{key}"]) for key, value in model.named_parameters())
        states = model(**batch, output_hidden_states=True).hidden_states
        assert len(states) == 3
        _, info = AutoModelForMaskedLM.from_pretrained(unbroken / name, output_loading_info=True, local_files_only=True)
        assert not info["missing_keys"]
        assert not info["unexpected_keys"]


def test_folder_holds_no_pickle_and_no_rest(unbroken: Path) -> None:
    names = {path.name for path in unbroken.rglob("*") if path.is_file()}
    assert names == {
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
        "run.json",
        "log.jsonl",
    }
    lines = [json.loads(line) for line in (unbroken / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == list(range(1, 13))
    assert all(line["mlm"] > 0 and line["contrast"] > 0 for line in lines)


def test_half_precision_is_stored_and_widened(tmp_path: Path, unbroken: Path) -> None:
    pretrain(invented_corpus(), PretrainOptions(**SMALL, precision="float16"), tmp_path / "run", device="cpu")
    stored = weights(tmp_path / "run" / "checkpoint-12")
    assert {value.dtype for value in stored.values()} == {torch.float16}
    model = AutoModelForMaskedLM.from_pretrained(tmp_path / "run" / "checkpoint-12", local_files_only=True)
    assert {value.dtype for value in model.parameters()} == {torch.float32}
    full = weights(unbroken / "checkpoint-12")
    assert all(torch.equal(full[key].half(), stored[key]) for key in full)


@pytest.mark.parametrize("stop", [4, 11])
def test_stopped_and_continued_equals_unbroken(tmp_path: Path, unbroken: Path, stop: int) -> None:
    folder, taken = tmp_path / "run", []

    def told(progress: PretrainProgress) -> None:
        taken.append(progress.step)

    options = PretrainOptions(**SMALL)
    first = pretrain(
        invented_corpus(), options, folder, progress=told, should_stop=lambda: len(taken) == stop - 1, device="cpu"
    )
    assert (first.finished, first.step) == (False, stop)
    second = pretrain(invented_corpus(), options, folder, progress=told, device="cpu")
    assert second.finished
    assert taken == list(range(1, 13))
    assert_equal_runs(folder, unbroken)
    third = pretrain(invented_corpus(), options, folder, progress=told, device="cpu")
    assert third == second
    assert len(taken) == 12


@pytest.mark.parametrize("at", [5, 11])
def test_broken_off_beyond_its_state_it_reaches_the_same_result(tmp_path: Path, unbroken: Path, at: int) -> None:
    class KilledError(BaseException):
        pass

    def killed(progress: PretrainProgress) -> None:
        if progress.step == at:
            raise KilledError

    taken: list[int] = []
    with pytest.raises(KilledError):
        pretrain(invented_corpus(), PretrainOptions(**SMALL), tmp_path / "run", progress=killed, state_every=3, device="cpu")
    (tmp_path / "run" / ".tmp-left").write_text("half a checkpoint")
    pretrain(
        invented_corpus(), PretrainOptions(**SMALL), tmp_path / "run", progress=lambda now: taken.append(now.step), device="cpu"
    )
    assert taken == list(range(at - at % 3 + 1, 13))
    assert_equal_runs(tmp_path / "run", unbroken)


def test_the_callers_randomness_is_left_alone(tmp_path: Path) -> None:
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    pretrain(
        invented_corpus(),
        PretrainOptions(**SMALL | {"steps": 2, "warmup": 1, "checkpoints": ()}),
        tmp_path / "run",
        device="cpu",
    )
    assert torch.equal(before, torch.random.get_rng_state())


def test_another_run_is_refused(tmp_path: Path, unbroken: Path) -> None:
    with pytest.raises(SpecError, match=r"other options \(steps\)"):
        pretrain(invented_corpus(), PretrainOptions(**SMALL | {"steps": 13}), unbroken, device="cpu")
    with pytest.raises(SpecError, match="other corpus"):
        pretrain(invented_corpus(50), PretrainOptions(**SMALL), unbroken, device="cpu")
    with lock(unbroken), pytest.raises(SpecError, match="Another process is training"):
        pretrain(invented_corpus(), PretrainOptions(**SMALL), unbroken, device="cpu")
    with pytest.raises(SpecError, match="at least two languages"):
        pretrain(invented_corpus(), PretrainOptions(**SMALL, languages=("en",)), tmp_path / "run", device="cpu")


def test_seeds_differ(tmp_path: Path, unbroken: Path) -> None:
    options = PretrainOptions(**SMALL | {"steps": 4, "checkpoints": (0,), "seed": 1})
    pretrain(invented_corpus(), options, tmp_path / "run", device="cpu")
    key = "roberta.embeddings.word_embeddings.weight"
    assert not torch.equal(weights(tmp_path / "run" / "checkpoint-0")[key], weights(unbroken / "checkpoint-0")[key])


def test_both_losses_fall(tmp_path: Path) -> None:
    options = PretrainOptions(
        **SMALL | {"dims": 32, "steps": 90, "batch": 16, "dropout": 0.0, "checkpoints": (90,), "learning_rate": 6e-3}
    )
    pretrain(invented_corpus(), options, tmp_path / "run", device="cpu")
    lines = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    for task, factor in (("mlm", 0.95), ("contrast", 0.5)):
        losses = [line[task] for line in lines]
        assert np.mean(losses[-10:]) < factor * np.mean(losses[:10])
