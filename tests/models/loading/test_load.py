from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import torch
from transformers import AutoTokenizer

from isogloss.backend.errors import ModelError
from isogloss.backend.models import device as device_module
from isogloss.backend.models.device import choose_device, choose_dtype
from isogloss.backend.models.encoding.tokens import language_code, tokenize
from isogloss.backend.models.files.weights import ModelFiles
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.models.loading.tokenizer import tokenizer_of
from isogloss.backend.settings import ROOT, Settings
from tests.models.tiny import SENTENCES, Architecture, tiny_model

if TYPE_CHECKING:
    from pathlib import Path


def local(tmp_path: Path, **options: Any) -> Settings:
    return Settings(workspace=tmp_path / "workspace", device="cpu", **options)


def test_float32_on_a_cpu_with_the_reason(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "bert", layers=3, dims=16)
    loaded = load(discover(str(folder)).checkpoints[0], local(tmp_path))
    assert (loaded.layers, loaded.dims, loaded.device.type, loaded.dtype) == (3, 16, "cpu", torch.float32)
    assert loaded.why_dtype.startswith("float32: ")
    assert not loaded.module.training
    assert not any(parameter.requires_grad for parameter in loaded.module.parameters())


def test_every_checkpoint_of_the_demo_is_whole_for_transformers_alone() -> None:
    """Without its tokeniser beside the weights, `AutoTokenizer` takes the architecture's own, which knows no word."""
    models = ROOT / "cache" / "demo" / "models"
    folders = sorted(path.parent for path in models.glob("*/checkpoint-*/config.json"))
    assert len(folders) == 15
    kept = {each["fingerprint"] for path in models.glob("*.json") for each in json.loads(path.read_text())["checkpoints"]}
    texts = [*SENTENCES, "Guten Morgen, wie geht es Ihnen?", "今天天气很好。", "Доброе утро"]
    for folder in folders:
        checkpoint = discover(str(folder)).checkpoints[-1]
        assert checkpoint.fingerprint in kept, folder  # as its scores are filed
        alone = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        files = ModelFiles(folder, folder.name, allow_pickle=False)
        ids = alone(texts)["input_ids"]
        assert ids == tokenizer_of(files, checkpoint)[0](texts)["input_ids"], folder
        assert sum(row.count(alone.unk_token_id) for row in ids) * 10 < sum(map(len, ids)), folder


def test_precision_follows_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Some GPU")
    for has, expected in ((True, torch.bfloat16), (False, torch.float32)):
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation, has=has: has)
        dtype, why = choose_dtype(torch.device("cuda"))
        assert dtype == expected
        assert "Some GPU" in why


def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_module.torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(device_module.torch.cuda, "device_count", lambda: 0)
    assert choose_device("auto").type == choose_device("cpu").type == "cpu"
    for setting in ("cuda", "cuda:3", "toaster"):
        with pytest.raises(ModelError, match=f"ISOGLOSS_DEVICE is '{setting}'"):
            choose_device(setting)


def test_weights_that_changed_are_not_used(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "bert")
    checkpoint = discover(str(folder)).checkpoints[0]
    tiny_model(folder, "bert", seed=1)
    with pytest.raises(ModelError, match="have changed since the model was added"):
        load(checkpoint, local(tmp_path))
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(ModelError, match="is no longer at"):
        load(checkpoint, local(tmp_path))


def test_pickles_only_where_allowed_and_then_weights_only(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "bert")
    from safetensors.torch import load_file

    state = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(state, folder / "pytorch_model.bin")
    checkpoint = discover(str(folder), allow_pickle=True).checkpoints[0]
    with pytest.raises(ModelError, match="ISOGLOSS_ALLOW_PICKLE=1"):
        load(checkpoint, local(tmp_path))
    loaded = load(checkpoint, local(tmp_path, allow_pickle=True))
    torch.testing.assert_close(
        loaded.module.embeddings.word_embeddings.weight.data, state["bert.embeddings.word_embeddings.weight"]
    )
    marker = tmp_path / "ran"

    class Hostile:
        def __reduce__(self) -> Any:
            return type(marker).touch, (marker,)

    torch.save({**state, "x": Hostile()}, folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(discover(str(folder), allow_pickle=True).checkpoints[0], local(tmp_path, allow_pickle=True))
    assert not marker.exists()


def test_code_that_comes_with_a_model_is_never_run(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "bert")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "mine", "auto_map": {"AutoConfig": "code.C", "AutoModel": "code.M"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "code.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(ModelError, match="which Isogloss never runs"):
        load(discover(str(folder)).checkpoints[0], local(tmp_path))
    del config["auto_map"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="architecture that this version of transformers does not know"):
        load(discover(str(folder)).checkpoints[0], local(tmp_path))
    assert not (tmp_path / "ran").exists()


def test_weights_that_do_not_fit_are_not_made_up(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    for architecture in ("xlm-roberta", "mt5", "llama"):
        folder = tiny_model(tmp_path / architecture, architecture)
        state = load_file(folder / "model.safetensors")
        dropped = {name: value for name, value in state.items() if ".1." not in name or "norm" in name.lower()}
        save_file(dropped, folder / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(ModelError, match="are missing"):
            load(discover(str(folder)).checkpoints[0], local(tmp_path))
        fewer = {name: value for name, value in state.items() if ".1." not in name and ".2." not in name}
        save_file(fewer, folder / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(ModelError, match="are missing"):
            load(discover(str(folder)).checkpoints[0], local(tmp_path))
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"vocab_size": 17}))
        save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(ModelError, match="cannot be loaded"):
            load(discover(str(folder)).checkpoints[0], local(tmp_path))


@pytest.mark.parametrize(
    ("architecture", "changes"),
    [
        ("xlm", {"n_heads": -4}),
        ("bert", {"chunk_size_feed_forward": 65_000}),
        ("bloom", {"hidden_dropout": 60_000}),
        ("gpt2", {"n_head": 0}),
        ("mbart", {"dropout": 200}),
        ("bert", {"is_encoder_decoder": True}),  # whose encoder takes no ids and has no embeddings
    ],
)
def test_what_loads_and_cannot_be_run_is_one_sentence(
    tmp_path: Path, architecture: Architecture, changes: dict[str, Any]
) -> None:
    folder = tiny_model(tmp_path / "m", architecture)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
    with pytest.raises(ModelError, match=r"^'m' cannot be (run|loaded) \(") as refused:
        load(discover(str(folder)).checkpoints[0], local(tmp_path))
    assert "\n" not in str(refused.value)


def test_a_tokeniser_of_other_weights_is_told_before_it_ends_a_gpu(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "bert")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    tokenizer["model"]["vocab"] = {piece: i if piece.startswith("[") else i + 5000 for piece, i in vocabulary.items()}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(ModelError, match=r"The tokeniser of 'm' gives the id 5,\d+, and the model has \d+ embeddings"):
        load(discover(str(folder)).checkpoints[0], local(tmp_path))


def test_a_padding_id_that_is_no_id(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "bloom")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"pad_token_id": 10**30}))
    assert load(discover(str(folder)).checkpoints[0], local(tmp_path)).layers == 2


def test_sharded_weights(tmp_path: Path) -> None:
    from transformers import AutoModel

    whole = tiny_model(tmp_path / "whole", "bloom")
    parts = tiny_model(tmp_path / "parts", "bloom")
    (parts / "model.safetensors").unlink()
    AutoModel.from_pretrained(whole).save_pretrained(parts, max_shard_size="20KB")
    assert len(list(parts.glob("model-*.safetensors"))) > 1
    a, b = (load(discover(str(folder)).checkpoints[0], local(tmp_path)) for folder in (whole, parts))
    for one, other in zip(a.module.parameters(), b.module.parameters(), strict=True):
        assert torch.equal(one, other)


def test_the_tokeniser_may_lie_one_folder_up(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "run" / "checkpoint-5", "xlm-roberta")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).rename(folder.parent / name)
    checkpoint = discover(str(folder)).checkpoints[0]
    assert load(checkpoint, local(tmp_path)).tokenizer("a")["input_ids"][0] == 0
    (folder.parent / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="has no tokeniser"):
        discover(str(folder))
    with pytest.raises(ModelError, match="have changed since the model was added"):
        load(checkpoint, local(tmp_path))


def test_a_tokeniser_larger_than_any_is_not_read(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "bert")
    with open(folder / "tokenizer.json", "r+b") as file:
        file.truncate(300 << 20)  # on the disk it takes no room
    with pytest.raises(ModelError, match=r"The tokenizer\.json of 'm' is larger than any tokeniser's"):
        discover(str(folder))


def test_mbart_is_told_the_language(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "mbart")
    loaded = load(discover(str(folder)).checkpoints[0], local(tmp_path))

    def first(language: str | None) -> str:
        ids = tokenize(loaded.tokenizer, SENTENCES[:1], loaded.max_tokens, language=language).ids[0].tolist()
        return str(loaded.tokenizer.convert_ids_to_tokens(ids[0]))

    assert [first(tag) for tag in ("de", "zh-Hant", None, "ru", "tlh")] == ["de_DE", "zh_CN", "en_XX", "ru_RU", "en_XX"]


def test_language_codes() -> None:
    nllb = ["deu_Latn", "zho_Hans", "zho_Hant", "srp_Cyrl", "eng_Latn"]
    assert [language_code(tag, nllb) for tag in ("de", "zh-TW", "zh", "sr", "fi")] == [
        "deu_Latn",
        "zho_Hant",
        "zho_Hans",
        "srp_Cyrl",
        None,
    ]


def test_xlms_own_tokeniser_names_the_package_it_needs(tmp_path: Path) -> None:
    try:
        import sacremoses  # noqa: F401
    except ImportError:
        pass
    else:
        pytest.skip("sacremoses is installed")
    folder = tiny_model(tmp_path / "m", "xlm")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    (folder / "vocab.json").write_text(json.dumps({"<s>": 0, "</s>": 1, "<pad>": 2, "<unk>": 3}))
    (folder / "merges.txt").write_text("#version\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "XLMTokenizer"}))
    with pytest.raises(ModelError, match="needs the Python package sacremoses"):
        load(discover(str(folder)).checkpoints[0], local(tmp_path))
