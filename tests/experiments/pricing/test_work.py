"""How much work a shard is, of each family: more of anything is more work, and what cannot be known has none."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.corpora.dictionaries import library as lexicons
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import registry
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import DEMO
from isogloss.backend.training.language_model.options import preset
from isogloss.backend.training.translation.options import preset as translation_preset
from tests.experiments.machines import place
from tests.experiments.probing.small_probing import Lab, lab
from tests.pages.abx.abx_page import MLM

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.experiments.spec import Spec

CORPUS = corpora.entries([DEMO])[0]
PAIRS = [
    {"source": each.source, "target": each.target, "dictionary": each.id}
    for each in lexicons.entries([DEMO])
    if {each.source, each.target} <= set(CORPUS.tags)
]
MODEL = models.load_entry(MLM, [DEMO])
EMERGENT = {"kind": "emergent", "corpus": "a" * 24}


def of_model(experiment: str, **fields: Any) -> dict[str, Any]:
    common = {"experiment": experiment, "model": MODEL.name, "checkpoints": [MODEL.checkpoints[0].model_dump()]}
    return common | {"corpus": CORPUS.id} | fields


def of_checkpoint(experiment: str, **fields: Any) -> dict[str, Any]:
    return {"experiment": experiment, "checkpoint": MODEL.checkpoints[0].model_dump(), "corpus": CORPUS.id} | fields


def amount(spec: Spec, workspaces: Sequence[Path]) -> float:
    found = [registry.work(spec, shard, place(workspaces)) for shard in spec.shards()]
    assert None not in found
    return sum(each.amount for each in found if each is not None)


LANGUAGES = [{"languages": CORPUS.tags[:number]} for number in (2, 4, 10)]
GAMES = [{"options": {"epochs": 10}}, {"options": {"epochs": 20}}, {"options": {"epochs": 20, "length": 60}}]
QUICK, PAPER = ({"preset": name} for name in ("quick", "paper"))
XFERBENCH = {"experiment": "xferbench", "sources": [EMERGENT], "targets": [{"corpus": CORPUS.id, "language": "de"}]}
TRANSLATION = {
    "experiment": "translation",
    "sources": [EMERGENT],
    "settings": ["full"],
    "text": {"corpus": CORPUS.id, "target_language": "de"},
}
STEPS = {
    "abx": [of_model("abx", **each) for each in LANGUAGES],
    "abx sentences": [of_model("abx", **LANGUAGES[0], sentences=number) for number in (20, 40, 80)],
    "confusions": [
        of_checkpoint("confusions", **LANGUAGES[0], layer=1, source="de", target="en", sentences=n) for n in (9, 99)
    ],
    "sentences": [of_model("sentence_alignment", **each) for each in LANGUAGES],
    "words": [of_model("word_alignment", pairs=PAIRS[:number]) for number in (1, 3)],
    "masked words": [of_model("word_alignment", pairs=PAIRS[:1], masked=True, n_pairs=number, runs=1) for number in (20, 200)],
    "similarity": [of_model("language_similarity", **each) for each in LANGUAGES],
    "tokenisers": [of_model("tokenisers", **each) for each in LANGUAGES],
    "tokenisers sentences": [of_model("tokenisers", **LANGUAGES[0], sentences=number) for number in (20, 40, 80)],
    "xferbench": [XFERBENCH | QUICK, XFERBENCH | QUICK | {"seeds": [0, 1]}, XFERBENCH | PAPER],
    "translation": [TRANSLATION | QUICK, TRANSLATION | QUICK | {"seeds": [0, 1]}, TRANSLATION | PAPER],
    "game": [{"experiment": "language_game", "name": "n"} | each for each in GAMES],
    "wikipedia": [{"experiment": "wikipedia", "languages": ["fi"], "characters": n} for n in (10_000, 20_000)],
}


@pytest.mark.parametrize("name", STEPS)
def test_more_is_more_work(name: str, tmp_path: Path) -> None:
    amounts = [amount(registry.parse(fields), [tmp_path, DEMO]) for fields in STEPS[name]]
    assert all(0 < less < more for less, more in pairwise(amounts)), amounts


@pytest.mark.parametrize("name", ["abx", "confusions", "sentences", "words", "similarity", "tokenisers"])
def test_a_model_or_corpus_that_is_not_kept_has_no_work(name: str, tmp_path: Path) -> None:
    spec = registry.parse(STEPS[name][0])
    assert registry.work(spec, next(iter(spec.shards())), place([tmp_path])) is None


def test_a_paper_run_is_the_operations_that_the_design_counts() -> None:
    """15 M tokens five times and ten targets of 2 M tokens ten times: 275 M tokens, 1.1e17 operations."""
    unknown = {"targets": [{"corpus": "c" * 24, "language": "fi"}]}  # as long as anybody asks for
    spec = registry.parse(XFERBENCH | PAPER | unknown)
    base, cell = (registry.work(spec, shard, place([DEMO])) for shard in spec.shards())
    assert base is not None
    assert cell is not None
    assert base.amount == preset("paper").architecture.training_flop * 75_000_000
    assert base.amount + 10 * cell.amount == pytest.approx(1.13e17, rel=0.03)
    assert (base.like[0], cell.like[0]) == ("pre-training", "tuning")
    assert translation_preset("paper", "full").architecture.model_dump_json() != base.like[1]


@pytest.fixture
def probes(tmp_path: Path) -> Lab:
    from isogloss.backend.models.library.discover import discover

    found = lab(tmp_path)
    models.keep(discover(str(tmp_path / "model"), name="tiny"), found.context.workspace)
    return found


def test_probes_are_words_to_encode_and_once_these_are_kept_to_train(probes: Lab) -> None:
    workspaces, spec = probes.context.workspaces, probes.spec()
    less, more = amount(spec, workspaces), amount(probes.spec(targets=("de", "en", "zh")), workspaces)
    assert 0 < less < more
    for unknown in ({"corpus": "0" * 24}, {"tested": "0" * 24}, {"model": "other"}):
        other = probes.spec(**unknown)
        assert registry.work(other, next(iter(other.shards())), place(workspaces)) is None
    (shard,) = spec.shards()
    assert list(registry.EXPERIMENTS[spec.experiment].missing(spec, workspaces)) == [shard]  # type: ignore[misc]
    registry.compute(spec, shard, probes.context)
    assert list(registry.EXPERIMENTS[spec.experiment].missing(spec, workspaces)) == []  # type: ignore[misc]
    others = [probes.spec(probe={"seeds": seeds}) for seeds in ((7,), (7, 8))]
    found = [registry.work(each, next(iter(each.shards())), place(workspaces)) for each in others]
    assert [each and each.like[0] for each in found] == ["training", "training"]
    assert found[1] is not None
    assert found[0] is not None
    assert found[1].amount == 2 * found[0].amount
