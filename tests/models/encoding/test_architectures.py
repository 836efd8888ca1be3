"""Layer 0, the last layer and all between are of every architecture what docs/definitions.md says, and transformers' own."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import Loaded, load
from isogloss.backend.settings import Settings
from tests.models.tiny import ARCHITECTURES, tiny_model
from tests.models.today import TODAY, Today, todays_model

if TYPE_CHECKING:
    from collections.abc import Callable

DEFINITIONS = Path(__file__).resolve().parents[3] / "docs" / "definitions.md"
ROWS = re.findall(
    r"^\| `([\w-]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \| (final norm|the last layer's own norm) \|$",
    DEFINITIONS.read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)
"""model_type, what is run, layer 0, what the last layer is behind: the table of "Layers"."""
WHO, DOES, WHAT = (
    ["The ferry", "A child", "Nobody", "Die Fähre", "Ein Kind", "Niemand", "Паром", "渡轮", "العبارة"],
    ["leaves", "had told", "verlässt", "отходит из", "离开", "تغادر"],
    [
        "the harbour",
        "the children about the storm at nine in the morning",
        "den Hafen",
        "гавани в девять утра",
        "港口。",
        "الميناء",
    ],
)
SENTENCES = [" ".join(words) for words in itertools.islice(itertools.product(WHO, DOES, WHAT), 0, 300, 3)]
NORMS_OF_EMBEDDINGS = r"(^|\.)(word_embeddings_layernorm|layernorm_embedding|layer_norm_emb|embeddings\.(LayerNorm|norm))$"
POSITIONS = r"(^|\.)(position_embeddings|embed_positions|wpe)$"
FINAL_NORMS = ("norm", "ln_f", "final_norm", "final_layer_norm", "layer_norm")


def test_the_table_has_every_architecture() -> None:
    assert len(SENTENCES) == 100 == len(set(SENTENCES))
    assert sorted(row[0] for row in ROWS) == sorted([*ARCHITECTURES, *TODAY])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Loaded]]:
    root = tmp_path_factory.mktemp("architectures")

    def make(architecture: Any) -> tuple[Path, Loaded]:
        folder = root / architecture
        if not folder.exists():
            if architecture in get_args(Today):
                todays_model(folder, architecture)
            else:
                tiny_model(folder, architecture, layers=4, positions=128)
        return folder, load(discover(str(folder)).checkpoints[0], Settings(workspace=root / "workspace", device="cpu"))

    return make


def plainly(folder: Path, part: str) -> tuple[Any, list[list[int]], list[list[int]], list[torch.Tensor]]:
    """Run each sentence alone through transformers; return the module, ids, special marks, and `[layers + 1, tokens, dims]`."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).float().eval()
    model = model.get_encoder() if part == "encoder of an encoder-decoder" else model
    ids, special, states = [], [], []
    for sentence in SENTENCES:
        encoded = tokenizer(sentence, return_special_tokens_mask=True)
        with torch.no_grad():
            hidden = model(input_ids=torch.tensor([encoded["input_ids"]]), output_hidden_states=True).hidden_states
        ids.append(encoded["input_ids"])
        special.append(encoded["special_tokens_mask"])
        states.append(torch.stack(hidden)[:, 0])
    return model, ids, special, states


@pytest.mark.parametrize(("architecture", "part", "first", "last"), ROWS, ids=[row[0] for row in ROWS])
def test_layers_are_as_the_table_says_and_as_transformers_has_them(
    made: Callable[[str], tuple[Path, Loaded]], architecture: str, part: str, first: str, last: str
) -> None:
    folder, loaded = made(architecture)
    model, ids, special, states = plainly(folder, part)
    for sentence, hidden in zip(ids[:10], states, strict=False):
        torch.testing.assert_close(hidden[0], layer_0(model, first, torch.tensor(sentence)), atol=1e-6, rtol=1e-5)
        torch.testing.assert_close(hidden[-1], layer_n(model, last, torch.tensor([sentence])), atol=1e-6, rtol=1e-5)
    of_text = [[i for i, mark in enumerate(marks) if not mark] for marks in special]
    expected = {
        "mean": [hidden[:, own].double().mean(1) for hidden, own in zip(states, of_text, strict=True)],
        "mean_special": [hidden.double().mean(1) for hidden in states],
        "first": [hidden[:, 0].double() for hidden in states],
        "last": [hidden[:, -1].double() for hidden in states],
    }
    found = encode(loaded, SENTENCES, list(expected))
    assert found.truncated.sum() == 0
    for pooling, rows in expected.items():
        plain = torch.stack(rows).numpy()
        vectors = np.ldexp(found.vectors[pooling].astype(np.float64), found.exponents[pooling][..., None])
        largest = np.abs(plain).max(axis=-1, keepdims=True)
        allowed = 2.0**-11 * np.abs(plain) + 2.0**-18 * largest + 3e-5 * largest  # float16's rounding, and float32's
        assert vectors.shape == plain.shape == (100, 5, 32)
        assert (np.abs(vectors - plain) <= allowed).all()


def layer_0(model: Any, said: str, ids: torch.Tensor) -> torch.Tensor:
    """Put together what the table says of layer 0 out of the module's own tables: `[tokens, dims]`."""
    modules = dict(model.named_modules())
    total = torch.zeros(len(ids), model.get_input_embeddings().weight.shape[1])
    for term in said.removeprefix("norm(").removesuffix(")").split(" + "):
        match term[:-1] + "#" if term[-1] in "₀₂" else term:
            case "E":
                total = total + model.get_input_embeddings().weight[ids]
            case "√d E":
                total = total + model.get_input_embeddings().weight[ids] * total.shape[1] ** 0.5
            case "P#":
                table = one(modules, POSITIONS)
                rows = table.weight if isinstance(table, torch.nn.Embedding) else table.weights
                start = "₀₁₂".index(term[-1])
                total = total + rows[start : start + len(ids)]
            case "S":
                total = total + one(modules, r"token_type_embeddings$").weight[0]
            case "L":  # no sentence here is in a language that was told
                assert model.lang_embeddings.weight.shape[1] == total.shape[1]
            case _:
                raise AssertionError(f"the table says '{term}'")
    return one(modules, NORMS_OF_EMBEDDINGS)(total) if said.startswith("norm(") else total


def layer_n(model: Any, said: str, ids: torch.Tensor) -> torch.Tensor:
    """Return what the last of the layers gives, behind the norm that the table says: `[tokens, dims]`."""
    lists = [each for each in model.modules() if isinstance(each, torch.nn.ModuleList) and len(each) == 4]
    outputs: list[Any] = []
    handle = lists[-1][-1].register_forward_hook(lambda _module, _args, output: outputs.append(output))
    with torch.no_grad():
        model(input_ids=ids)
    handle.remove()
    given = outputs[0] if isinstance(outputs[0], torch.Tensor) else outputs[0][0]
    norms = [getattr(model, name) for name in FINAL_NORMS if hasattr(model, name)]
    assert len(norms) == (said == "final norm")
    return (norms[0](given) if norms else given)[0]


def one(modules: dict[str, Any], pattern: str) -> Any:
    found = [module for name, module in modules.items() if re.search(pattern, name)]
    assert len(found) == 1
    return found[0]
