from __future__ import annotations

from isogloss.backend.models.files.catalogue import CATALOGUE, find_entry, nearest
from isogloss.backend.models.files.hub import is_hub_id


def test_names_and_ids_are_unique_and_well_formed() -> None:
    assert len({line.name for line in CATALOGUE}) == len({line.hub_id for line in CATALOGUE}) == len(CATALOGUE)
    for line in CATALOGUE:
        assert is_hub_id(line.hub_id)
        assert line.checkpoints is None or is_hub_id(line.checkpoints)
        assert line.note
        assert line.parameters > line.layers * line.dims**2
        assert line.link == f"https://huggingface.co/{line.hub_id}"


def test_every_family_asked_for_is_there() -> None:
    ids = " ".join(line.hub_id for line in CATALOGUE)
    encoders = ("bert-base-multilingual-cased", "xlm-mlm-100-1280", "xlm-mlm-tlm-xnli15-1024", "xlm-roberta-base", "LaBSE")
    more = ("xlm-roberta-large", "infoxlm-base", "infoxlm-large", "mdeberta-v3-base", "multilingual-e5-small")
    for part in (*encoders, *more, "mbart-large-50", "mt5-base", "bloom-560m", "Qwen3", "Llama"):
        assert part in ids


def test_lookup() -> None:
    assert find_entry("FacebookAI/xlm-roberta-base").name == "XLM-R base"  # type: ignore[union-attr]
    assert find_entry("bigscience/bloom-560m-intermediate").name == "BLOOM 560M"  # type: ignore[union-attr]
    assert find_entry("nobody/nothing") is None


def test_misspellings_find_their_model() -> None:
    assert nearest("xlm-robreta-base") == "FacebookAI/xlm-roberta-base"
    assert nearest("facebook/xlm-roberta-base") == "FacebookAI/xlm-roberta-base"
    assert nearest("labse") == "sentence-transformers/LaBSE"
    assert nearest("zzzz") is None
