"""What people type and what comes of it, on local folders (the Hub is in test_hub.py)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files import fingerprint
from isogloss.backend.models.files.fingerprint import cache_file, file_hash
from isogloss.backend.models.library.discover import discover
from tests.models.tiny import tiny_model


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training run's folder: three checkpoints, of which one without a tokeniser of its own, and a stray folder."""
    folder = tmp_path_factory.mktemp("runs") / "my-run"
    for step in (500, 1000, 90):
        tiny_model(folder / f"checkpoint-{step}", "xlm-roberta", seed=step)
    (folder / "logs").mkdir()
    return folder


def test_a_folder(run: Path) -> None:
    model = discover(str(run / "checkpoint-500"))
    assert (model.name, model.architecture, model.layers, model.dims) == ("checkpoint-500", "xlm-roberta", 2, 32)
    (checkpoint,) = model.checkpoints
    assert (checkpoint.source, checkpoint.step, checkpoint.label) == ("folder", 500, "checkpoint-500")
    assert checkpoint.location == str(run / "checkpoint-500")
    assert len(checkpoint.fingerprint) == 24


def test_a_folder_of_checkpoints_is_ordered_by_step(run: Path) -> None:
    model = discover(f"  {run}  ", name="Mine")
    assert model.name == "Mine"
    assert [checkpoint.step for checkpoint in model.checkpoints] == [90, 500, 1000]
    assert len({checkpoint.fingerprint for checkpoint in model.checkpoints}) == 3


def test_a_run_that_saved_its_end_as_well(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    for file in (copy / "checkpoint-1000").iterdir():
        shutil.copy(file, copy / file.name)
    assert [c.label for c in discover(str(copy)).checkpoints] == ["checkpoint-90", "checkpoint-500", "checkpoint-1000"]
    tiny_model(copy, "xlm-roberta", seed=7)
    assert [c.step for c in discover(str(copy)).checkpoints] == [90, 500, 1000, None]


def test_stages_in_the_names_of_checkpoints_or_of_the_folders_above_them(run: Path, tmp_path: Path) -> None:
    names = ["lc-4k-to-32k-step-40", "stage1-step-900-tokens2B", "stage2-step-50-tokens3B", "it-SFT"]
    for seed, name in enumerate(names):
        tiny_model(tmp_path / "one" / name, "xlm-roberta", seed=seed)
    found = discover(str(tmp_path / "one")).checkpoints
    assert [(each.stage, each.step, each.tokens) for each in found] == [
        ("stage1", 900, 2 * 10**9),
        ("stage2", 50, 3 * 10**9),
        ("lc-4k-to-32k", 40, None),
        ("it-SFT", None, None),
    ]
    for stage, source in (("sft", "checkpoint-90"), ("pretraining", "checkpoint-500")):
        shutil.copytree(run / source, tmp_path / stage / source)
    typed = discover(f"{tmp_path}/sft/checkpoint-90\n{tmp_path}/pretraining/checkpoint-500")
    assert [(each.stage, each.step) for each in typed.checkpoints] == [("pretraining", 500), ("sft", 90)]
    # Not said where it is not known: entries kept before there were stages have the same JSON as ever.
    assert not {"stage", "tokens"} & discover(str(run)).checkpoints[0].model_dump(mode="json").keys()


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (["tokenizer_config.json"], "has no tokeniser: neither tokenizer.json nor another vocabulary"),
        (["vocab.json"], "lacks merges.txt, which belongs to its vocab.json. Save it again: tokenizer.save_pretrained"),
        (["merges.txt"], "lacks vocab.json"),
        (["vocab.json", "merges.txt"], ""),
        (["vocab.json", "sentencepiece.bpe.model"], ""),
    ],
)
def test_a_folder_that_lacks_a_tokeniser_is_refused_when_it_is_added(tmp_path: Path, there: list[str], said: str) -> None:
    folder = tiny_model(tmp_path / "mine", "xlm-roberta")
    (folder / "tokenizer.json").unlink()
    for name in there:
        (folder / name).write_text("{}")
    if not said:
        assert discover(str(folder)).name == "mine"
        return
    with pytest.raises(ModelError, match=said):
        discover(str(folder))


def test_a_list_typed_by_hand(run: Path) -> None:
    model = discover(f"{run / 'checkpoint-1000'}\n\n{run / 'checkpoint-90'}\n")
    assert model.name == "my-run"
    assert [checkpoint.step for checkpoint in model.checkpoints] == [90, 1000]
    with pytest.raises(ModelError, match="are the same weights"):
        discover(f"{run / 'checkpoint-90'}\n{run / 'checkpoint-90'}")


def test_the_fingerprint_is_of_the_content_and_not_of_the_name(run: Path, tmp_path: Path) -> None:
    original = discover(str(run / "checkpoint-90")).checkpoints[0].fingerprint
    copy = shutil.copytree(run / "checkpoint-90", tmp_path / "renamed")
    assert discover(str(copy)).checkpoints[0].fingerprint == original
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | {"transformers_version": "0", "_name_or_path": "elsewhere"}))
    assert discover(str(copy)).checkpoints[0].fingerprint == original
    for name, change in (("config.json", b" "), ("model.safetensors", b"\0"), ("tokenizer.json", b"\n}")):
        content = (copy / name).read_bytes()
        changed = json.dumps(config | {"hidden_act": "relu"}).encode() if name == "config.json" else content[:-1] + change
        (copy / name).write_bytes(changed)
        assert discover(str(copy)).checkpoints[0].fingerprint != original
        (copy / name).write_bytes(content)


def test_hashes_are_remembered_until_the_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isogloss.backend.models.files import fingerprint

    file, cache = tmp_path / "weights.bin", cache_file(tmp_path)
    file.write_bytes(b"one")
    first = file_hash(file, cache)
    monkeypatch.setattr(fingerprint, "_seen", {})  # another process
    monkeypatch.setattr(fingerprint, "file_digest", lambda _: pytest.fail("read again"))
    assert file_hash(file, cache) == first
    monkeypatch.undo()
    file.write_bytes(b"two")
    assert file_hash(file, cache) != first
    cache.write_text("not json")
    monkeypatch.setattr(fingerprint, "_seen", {})
    assert file_hash(file, cache) != first


def test_remembered_hashes_are_bounded_and_those_of_what_is_gone_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprint, "MOST", 3)
    cache = cache_file(tmp_path)
    files = [tmp_path / f"{place}.bin" for place in range(8)]
    for place, file in enumerate(files):
        file.write_bytes(bytes([place]))
        file_hash(file, cache)
    names = [Path(key.split("|")[0]).name for key in json.loads(cache.read_text())]
    assert names == ["4.bin", "5.bin", "6.bin", "7.bin"]
    monkeypatch.setattr(fingerprint, "_seen", {})
    file_hash(files[4], cache)  # used again: now the last to go
    files[6].unlink()
    files[7].write_bytes(b"changed")
    files[0].write_bytes(b"other")
    file_hash(files[0], cache)
    names = [Path(key.split("|")[0]).name for key in json.loads(cache.read_text())]
    assert names == ["5.bin", "4.bin", "0.bin"]
    cache.write_text(json.dumps(dict.fromkeys(json.loads(cache.read_text()), 7)))
    monkeypatch.setattr(fingerprint, "_seen", {})
    assert file_hash(files[0], cache) == file_hash(files[0])


def test_processes_that_hash_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from isogloss.backend.models.files.fingerprint import cache_file, file_hash\n"
        "place = Path(sys.argv[1])\nfor i in range(20):\n"
        "    file = place / f'{sys.argv[2]}-{i}.bin'; file.write_text(file.name); file_hash(file, cache_file(place))"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in ("one", "other")]
    assert [each.wait() for each in running] == [0, 0]
    assert len(json.loads(cache_file(tmp_path).read_text())) == 40


def test_different_shapes_are_not_one_model(run: Path, tmp_path: Path) -> None:
    other = tiny_model(tmp_path / "step5", "xlm-roberta", layers=3)
    with pytest.raises(ModelError, match="of different shapes"):
        discover(f"{run / 'checkpoint-90'}\n{other}")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "No model was named"),
        ("/nowhere/at/all", "There is no folder or file '/nowhere/at/all'"),
        ("./nowhere", "There is no folder or file"),
        ("gone.pt", "There is no folder or file"),
        ("C:\\models\\mine", "There is no folder or file"),
        ("two words", "neither a folder on the server nor a Hub id"),
        ("a/b/c", "neither a folder on the server nor a Hub id"),
        ("../../nowhere", "There is no folder or file"),
        ("/x\0y", "There is no folder or file"),
        ("/" + "x" * 5000, "cannot be read"),
    ],
)
def test_what_is_no_model_is_one_sentence(typed: str, message: str) -> None:
    with pytest.raises(ModelError, match=message.replace("\\", ".")):
        discover(typed)


def test_broken_folders(run: Path, tmp_path: Path) -> None:
    def refused(folder: Path, message: str, *, allow_pickle: bool = False) -> None:
        with pytest.raises(ModelError, match=message) as caught:
            discover(str(folder), allow_pickle=allow_pickle)
        assert "\n" not in str(caught.value)

    empty = tmp_path / "empty"
    empty.mkdir()
    refused(empty, "not a transformers folder")
    (empty / "notes.txt").write_text("x")
    refused(empty / "notes.txt", "not a fairseq .pt checkpoint")

    copy = shutil.copytree(run / "checkpoint-90", tmp_path / "copy")
    weights = copy / "model.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[:40])
    refused(copy, "not a whole safetensors file")
    weights.rename(copy / "pytorch_model.bin")
    refused(copy, "has no safetensors.*ISOGLOSS_ALLOW_PICKLE=1")
    assert discover(str(copy), allow_pickle=True).parameters is None
    (copy / "pytorch_model.bin").rename(copy / "adapter_model.bin")
    refused(copy, "adapter")
    (copy / "adapter_model.bin").unlink()
    refused(copy, "holds no weights")
    for stolen in ("../checkpoint-90/model.safetensors", "gone.safetensors", "x" * 5000, "a\0b", 5):
        (copy / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": stolen}}))
        refused(copy, "is incomplete")
    (copy / "model.safetensors.index.json").write_text("[]")
    refused(copy, "cannot be read")
    (copy / "model.safetensors.index.json").write_text(" " * (33 << 20) + "{}")
    refused(copy, "cannot be read")
    for config, message in (
        (" " * (2 << 20) + "{}", "cannot be read"),
        ("{", "cannot be read"),
        ("[]", "not a JSON object"),
        ("{}", "names no model_type"),
    ):
        (copy / "config.json").write_text(config)
        refused(copy, message)
    (copy / "config.json").write_text(json.dumps({"model_type": "vit", "image_size": 3}))
    refused(copy, "not a text model")


def test_parameters_are_those_of_what_is_run(tmp_path: Path) -> None:
    from transformers import AutoModel

    for architecture in ("bloom", "mt5", "mbart", "llama"):
        folder = tiny_model(tmp_path / architecture, architecture)
        model = AutoModel.from_pretrained(folder).get_encoder()
        assert discover(str(folder)).parameters == sum(p.numel() for p in model.parameters())
