from __future__ import annotations

from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.files.catalogue import CATALOGUE, find_entry, known_as, nearest
from isogloss.backend.models.files.hub import is_hub_id
from isogloss.backend.models.files.steps import in_order, parse


def test_names_and_ids_are_unique_and_well_formed() -> None:
    assert len({line.name for line in CATALOGUE}) == len({line.hub_id for line in CATALOGUE}) == len(CATALOGUE)
    for line in CATALOGUE:
        assert is_hub_id(line.hub_id) or line.hub_id.startswith("https://")
        assert all(is_hub_id(repository) for repository in line.repositories)
        assert bool(line.licence) == bool(line.checked)
        assert line.note
        assert line.parameters > line.layers * line.dims**2
        assert line.link == (f"https://huggingface.co/{line.hub_id}" if line.is_on_hub else line.hub_id)


def test_series_are_offered_whole() -> None:
    """A repository a step is one series of 28; the models of a comparison are models."""
    seed = find_entry("google/multiberts-seed_0-step_20k")
    assert seed is not None
    assert seed.name == "MultiBERTs seed 0"
    assert [parse(name).step for name in seed.repositories] == [*range(0, 200_001, 20_000), *range(300_000, 2_000_001, 100_000)]
    assert in_order(reversed(seed.repositories), lambda name: name.split("/")[-1]) == list(seed.repositories)
    assert sum(line.hub_id.startswith("openeurollm/datamix-2b-") for line in CATALOGUE) == 6
    ids = {line.hub_id: line.repositories for line in CATALOGUE}
    for one in ("swiss-ai/Apertus-8B-2509", "OpenLLM-France/Lucie-7B", "LumiOpen/Poro-34B", "LumiOpen/Viking-7B"):
        assert ids[one] == (one,)
    # What is not on the Hub is told from no folder's name.
    checkpoint = Checkpoint(source="folder", location="/runs/mine", label="mine", fingerprint="0" * 24)
    assert known_as(Model(name="mine", architecture="bert", layers=1, dims=1, checkpoints=(checkpoint,))) is None
    assert not find_entry("https://nlp.cs.washington.edu/xlmr-across-time/").is_on_hub  # type: ignore[union-attr]


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
