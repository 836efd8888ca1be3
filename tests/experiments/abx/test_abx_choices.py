"""What an ABX run may ask for besides: pairs of languages, the paper's baseline, subsamples; and which files then serve it."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx import compared, sentences
from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.abx.family import details
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.language_pairs import typed as chosen_pairs
from isogloss.backend.experiments.language_pairs import with_language
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.metrics.abx.exact import with_control
from isogloss.backend.metrics.abx.sampled import sampled, sampled_control
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from isogloss.backend.store.scores import ShardFile
from tests.cli.typed import run
from tests.models.tiny import tiny_model

LANGUAGES = ("de", "en", "fr", "ru")
CHECKPOINT = {"source": "folder", "location": "/models/a", "label": "step 10", "step": 10, "fingerprint": "a" * 24}


def spec(**fields: Any) -> AbxSpec:
    common = {"model": "m", "checkpoints": [CHECKPOINT], "corpus": "c" * 24, "languages": LANGUAGES}
    return validate(AbxSpec, common | fields)


def file(made_by: AbxSpec, *, complete: bool = True) -> ShardFile:
    """The file that computing a spec leaves, as far as it is looked for by."""
    return ShardFile(Path("f"), made_by.provenance(made_by.checkpoints[0]) | {"complete": complete}, 0.0)


def serves(made: AbxSpec, asked: AbxSpec, *, complete: bool = True) -> bool:
    return abx.covering(asked, asked.checkpoints[0], [file(made, complete=complete)]) is not None


def test_what_is_not_asked_for_is_not_stored() -> None:
    plain = spec()
    assert not {"pairs", "baseline", "subsamples", "per_sentence"} & set(json.loads(plain.model_dump_json()))
    assert not {"pairs", "baseline", "subsamples", "per_sentence"} & set(plain.provenance(plain.checkpoints[0]))
    assert spec(pairs=None, baseline=False, subsamples=1).id == plain.id
    assert spec(pairs=list(combinations(reversed(LANGUAGES), 2))) == plain  # every pair


def test_a_choice_of_pairs_does_not_hang_on_how_it_is_written() -> None:
    chosen = spec(pairs=[["ru", "en"], ["en", "de"], ["de", "en"]])
    assert chosen.pairs == (("de", "en"), ("en", "ru"))
    assert chosen.encoded == ("de", "en", "ru")
    assert registry.parse(json.loads(chosen.model_dump_json())) == chosen
    assert chosen.id == spec(pairs=[("de", "en"), ("en", "ru")]).id != spec().id


def test_every_choice_has_files_of_its_own() -> None:
    sampled_spec = {"protocol": "sampled", "n_triplets": 10}
    every = [spec(), spec(baseline=True), spec(pairs=[("de", "en")]), spec(pairs=[("de", "fr")], baseline=True)]
    every += [spec(**sampled_spec), spec(**sampled_spec, subsamples=5), spec(**sampled_spec, subsamples=4)]
    assert len({next(iter(each.shards())) for each in every}) == len(every)
    assert spec(**sampled_spec, subsamples=5).variant == "sampled/mean/10 triplets/5 subsamples"
    assert spec(baseline=True, pairs=[("de", "en")]).variant == spec().variant  # the same scores


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"pairs": [("de", "de")]}, "'de' with itself is no pair"),
        ({"pairs": [("de", "es")]}, "'es' of the pair de:es is not among the languages"),
        ({"pairs": []}, "at least 1"),
        ({"baseline": True, "protocol": "control"}, "baseline comes with protocol exact or sampled, not control"),
        ({"per_sentence": True, "protocol": "sampled"}, "kept with protocol exact alone"),
        ({"per_sentence": True, "baseline": True}, "without the baseline"),
        ({"subsamples": 5}, "drawn with protocol sampled, not exact"),
        ({"subsamples": 0, "protocol": "sampled"}, "subsamples is 0; it must be at least 1"),
    ],
)
def test_what_cannot_be_is_one_sentence(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        spec(**fields)


def test_a_file_serves_what_it_has_and_nothing_else() -> None:
    english, one = spec(pairs=with_language("en", LANGUAGES)), spec(pairs=[("en", "fr")])
    assert serves(spec(), english)
    assert serves(english, one)
    assert not serves(one, english)
    assert not serves(english, spec())
    assert not serves(english, spec(pairs=[("de", "fr")]))
    assert serves(english, spec(languages=("en", "fr")))  # of a complete corpus
    assert not serves(english, spec(languages=("de", "fr")))
    assert not serves(spec(), spec(languages=("en", "fr")), complete=False)
    assert serves(spec(), one, complete=False)  # the same languages leave the same sentences


def test_a_baseline_is_served_by_a_file_that_compares_the_same_languages() -> None:
    with_baseline = spec(baseline=True)
    assert serves(with_baseline, spec())
    assert not serves(spec(), with_baseline)
    english = spec(baseline=True, pairs=with_language("en", LANGUAGES))
    assert serves(with_baseline, english)  # all four languages in both
    assert not serves(with_baseline, spec(baseline=True, pairs=[("de", "en")]))
    assert not serves(with_baseline, spec(baseline=True, languages=("de", "en", "fr")))
    assert serves(with_baseline, spec(languages=("de", "en", "fr")))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", None),
        ("en:de, fr:en", [("en", "de"), ("fr", "en")]),
        ("en", [("de", "en"), ("en", "fr"), ("en", "ru")]),
        ("ru:de,fr", [("ru", "de"), ("de", "fr"), ("en", "fr"), ("fr", "ru")]),
    ],
)
def test_pairs_as_they_are_typed(text: str, found: list[tuple[str, str]] | None) -> None:
    assert chosen_pairs(text, list(LANGUAGES)) == found


@pytest.mark.parametrize(
    ("text", "sentence"), [("en:dr", "Choose one of: de, en, fr, ru"), ("de:en:fr", "'de:en:fr' is no pair"), ("es", "'es'")]
)
def test_wrong_pairs_are_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        chosen_pairs(text, list(LANGUAGES))


def test_a_run_is_told_in_words() -> None:
    english = spec(pairs=with_language("en", LANGUAGES), baseline=True).model_dump(mode="json")
    assert "pairs German–English, English–French, English–Russian" in details(english, {})
    assert details(english, {})[-2:] == ["all triplets", "the paper's control"]
    drawn = spec(protocol="sampled", subsamples=5, seed=2).model_dump(mode="json")
    assert details(drawn, {})[-4:] == ["sampled triplets", "100,000 triplets a pair", "seed 2", "5 subsamples"]
    held = spec(protocol="sampled", baseline=True).model_dump(mode="json")
    assert details(held, {})[-4:] == ["sampled triplets", "100,000 triplets a pair", "seed 0", "the paper's control"]


@pytest.fixture
def filled(workspace: Path, tmp_path: Path) -> Path:
    rows = [f"s{i}\tThe {i} ferries leave.\tDie {i} Fähren.\tLes {i} ferries.\t{i} парома отходят." for i in range(9)]
    (tmp_path / "mine.tsv").write_text("id\ten\tde\tfr\tru\n" + "\n".join(rows) + "\n", encoding="utf-8")
    corpora.keep(read([InputFile("mine.tsv", tmp_path / "mine.tsv")]), "Mine", workspace)
    tiny_model(tmp_path / "model", "xlm-roberta")
    models.keep(discover(str(tmp_path / "model"), name="Tiny"), workspace)
    return workspace


def typed(capsys: pytest.CaptureFixture[str], *arguments: str) -> AbxSpec:
    run("run", "abx", "--model", "Tiny", "--corpus", "Mine", *arguments, "--print-spec")
    found = registry.parse(json.loads(capsys.readouterr().out))
    assert isinstance(found, AbxSpec)
    return found


def computed(asked: AbxSpec, workspace: Path) -> dict[tuple[str, int, str, str], float]:
    """What a run leaves: metric, layer, source, target → value, of its own file."""
    [shard] = asked.shards()
    abx.compute(asked, shard, Context(settings()))
    [path] = [each.path for each in scores.shards([workspace], "abx") if each.path.stem == shard]
    frame = scores.query("SELECT * FROM {scores}", {}, [path])
    return {(row.metric, row.layer, row.source, row.target): row.value for row in frame.itertuples()}


def vectors(asked: AbxSpec, workspace: Path, layer: int) -> torch.Tensor:
    ids, texts = corpora.load(asked.corpus, [workspace]).align(asked.languages)
    kept = embeddings.of_corpus(asked.checkpoints[0], asked.corpus, ids, texts, [asked.pooling], Context(settings()))
    return kept.layer(layer, asked.pooling, asked.encoded, settings())


def test_english_with_all_from_the_command_line_to_scores(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = typed(capsys, "--pairs", "en", "--baseline")
    found = computed(chosen, filled)
    everything = computed(typed(capsys), filled)
    english = {("de", "en"), ("en", "fr"), ("en", "ru")}
    assert {key[2:] for key in found} == english
    plain = {key: value for key, value in found.items() if "baseline" not in key[0]}
    assert plain == {key: value for key, value in everything.items() if key[2:] in english}
    for layer in range(3):
        _, held = with_control(vectors(chosen, filled, layer), pairs=[(0, 1), (1, 2), (1, 3)], seed=layer)
        for (source, target), pair in zip(sorted(english), [(0, 1), (1, 2), (1, 3)], strict=True):
            assert found["abx_language_baseline", layer, source, target] == held.language[pair].item()
            assert found["abx_meaning_baseline", layer, source, target] == held.meaning[pair].item()
    once = scores.sql("SELECT count(*) AS n FROM scores WHERE metric = 'abx_meaning'", [filled])
    assert once["n"][0] == 3 * 6  # layers, pairs: none listed twice


def test_what_each_sentence_contributes_is_kept_beside_the_scores(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = computed(typed(capsys), filled)
    asked = typed(capsys, "--per-sentence")
    [shard] = asked.shards()
    assert details(asked.model_dump(mode="json"), {})[-2:] == ["all triplets", "what each sentence contributes kept"]
    abx.compute(asked, shard, Context(settings()))
    assert len(scores.shards([filled], "abx")) == 1, "the scores are there once"
    key = compared.key_of(typed(capsys), asked.checkpoints[0], LANGUAGES, [filled])
    assert key == shard
    path = sentences.there(shard, [filled])
    assert path is not None
    for metric in ("abx_language", "abx_meaning"):
        for pair in combinations(LANGUAGES, 2):
            n, sums = sentences.contributions(path, metric, [pair], False)
            assert n == 9
            for layer in range(3):  # the scores again: each triplet is counted with both of its sentences
                value = 0.5 + sums[layer, ""].sum() / 2 / (2 * n * (n - 1)) / 2
                assert value == pytest.approx(found[metric, layer, *pair])
    path.unlink()
    scores.shards([filled], "abx")[0].path.unlink()
    abx.compute(asked, shard, Context(settings()))
    assert computed(typed(capsys), filled) == found, "and come with it where they were not there"


def test_languages_in_no_pair_are_not_encoded(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    computed(typed(capsys, "--pairs", "fr:de"), filled)
    provenance = scores.shards([filled], "abx")[0].provenance
    assert provenance["languages"] == list(LANGUAGES)  # they decide which sentences count
    assert (provenance["texts"], provenance["sentences"]) == (2 * 9, 9)
    assert len(list((filled / "embeddings").rglob("*.parquet"))) == 2 * 3  # languages, layers


def test_subsamples_are_the_runs_by_each_seed(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--protocol", "sampled", "--n-triplets", "40", "--seed", "3", "--languages", "de,en,fr")
    asked = typed(capsys, *options, "--subsamples", "4", "--baseline")
    found = computed(asked, filled)
    for layer in range(3):
        held = sampled_control(vectors(asked, filled, layer), 40, 3, 4, layer=layer)
        for task in ("language", "meaning"):
            assert found[f"abx_{task}_baseline", layer, "de", "en"] == getattr(held, task)[0, 1].item()
        each = [sampled(vectors(asked, filled, layer), 40, seed) for seed in (3, 4, 5, 6)]
        for task in ("language", "meaning"):
            values = np.array([getattr(one, task)[0, 1].item() for one in each])
            assert found[f"abx_{task}", layer, "de", "en"] == pytest.approx(values.mean())
            deviation = (((values - values.mean()) ** 2).sum() / 3) ** 0.5
            assert found[f"abx_{task}_sd", layer, "de", "en"] == pytest.approx(deviation)
