"""A run of the latent language: a planted path found by numbers known by hand, files that serve, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.errors import CorpusError, ModelError, SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.family import Place
from isogloss.backend.experiments.latent import shard as latent
from isogloss.backend.experiments.latent import told
from isogloss.backend.experiments.latent.spec import LatentSpec
from isogloss.backend.experiments.relations.catalogue import catalogue
from isogloss.backend.experiments.relations.cubes import files_of
from isogloss.backend.experiments.spec import Cancelled, Context, validate
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from tests.experiments.latent.planted import PATH, keep_model, keep_words, planted
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

SHARE, PIECES = 0.5, 257
OTHERS = (1 - SHARE) / (PIECES - 1)
"""What every token has that the layer does not say."""


@pytest.fixture
def asked(workspace: Path, tmp_path: Path) -> dict[str, Any]:
    """The planted decoder and its dictionaries in a workspace: the fields of a spec of them."""
    kept = keep_model(planted(tmp_path / "model"), workspace)
    return kept | {"pivot": "en", "dictionaries": keep_words(workspace), "source": "fr", "targets": ["de"], "words": 8}


def computed(fields: dict[str, Any]) -> pd.DataFrame:
    spec = validate(LatentSpec, fields)
    (key,) = spec.shards()
    registry.compute(spec, key, Context(settings()))
    path = next(file.path for file in scores.shards([settings().workspace], "latent") if file.path.stem == key)
    return scores.query("SELECT * FROM {scores}", {}, [path])


def test_the_planted_path_is_found(asked: dict[str, Any]) -> None:
    rows = computed(asked)
    mass = rows[rows["metric"] == "latent_mass"].set_index(["layer", "source"])
    for layer, said in enumerate(PATH):
        for tag in ("de", "en", "fr"):
            expected = SHARE if tag == said else OTHERS
            found = mass.loc[(layer, tag)]
            # Hidden states are kept in float16, whose rounding of a logit of 5.5 is a thousandth.
            assert found["value"] == pytest.approx(expected, rel=2e-3), (layer, tag)
            assert (found["low"], found["high"]) == pytest.approx((expected, expected), rel=2e-3)
            assert (found["n"], found["target"]) == (8, "de")
    entropy = rows[rows["metric"] == "latent_entropy"]
    assert entropy["value"].tolist() == pytest.approx([1 + 0.5 * 8] * len(PATH), rel=1e-3)  # half of it among 2⁸ tokens
    assert set(rows["variant"]) == {"translation from fr/8 words"}


def test_the_words_behind_a_point_are_told_with_what_each_layer_says(asked: dict[str, Any]) -> None:
    computed(asked)
    (file,) = scores.shards([settings().workspace], "latent")
    shards = {str(file.provenance["fingerprint"]): file.path.stem}
    rows = told.told([settings().workspace], shards, "de", [1, 3])
    assert len(rows) == 8 * 3 * 2
    assert rows.groupby("layer")["top"].unique().map(list).to_dict() == {1: ["e"], 3: ["d"]}
    assert rows["top_probability"].tolist() == pytest.approx([SHARE] * len(rows), rel=2e-3)
    with_words = told.with_words(
        rows, pivot="en", kept=file.provenance["dictionaries"], asked="fr", workspaces=[settings().workspace]
    )
    row = with_words[(with_words["language"] == "en") & (with_words["word"] == 2)].iloc[0]
    assert (row["said"], row["given"], row["answer"]) == ("ec", "fc", "dc")
    assert told.told([settings().workspace], shards, "fr", [1]).empty
    assert told.told([settings().workspace], {"a": "0" * 24}, "de", [1]).empty


def test_repeated_words_have_no_source_and_every_language_is_asked_for(asked: dict[str, Any]) -> None:
    rows = computed(asked | {"task": "repetition", "source": None, "targets": ["de", "en", "fr"], "examples": 2})
    assert set(rows["target"]) == {"de", "en", "fr"}
    assert set(rows["variant"]) == {"repetition/8 words/2 examples"}
    of_english = rows[(rows["metric"] == "latent_mass") & (rows["source"] == "en") & (rows["layer"] == 2)]
    assert of_english["value"].tolist() == pytest.approx([SHARE] * 3, rel=2e-3)  # its answer, or on the way


def test_synonyms_and_capitals_are_counted_where_asked_for(asked: dict[str, Any]) -> None:
    rows = computed(asked | {"synonyms": True, "capitals": True, "filter": "none"})
    at_end = rows[(rows["metric"] == "latent_mass") & (rows["layer"] == 3)].set_index("source")["value"]
    # Of English e and E; of the others also z and Z, which stand for nothing here.
    assert at_end["de"] == pytest.approx(SHARE + 3 * OTHERS, rel=2e-3)
    assert at_end["en"] == pytest.approx(2 * OTHERS, rel=2e-3)
    with pytest.raises(CorpusError, match="Of 12 words 0 count where the answer is in German, and 5 are needed"):
        computed(asked | {"synonyms": True, "filter": "apart"})


def test_scores_that_are_there_are_not_computed_again(asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    computed(asked | {"targets": ["de", "en"]})
    monkeypatch.setattr(latent, "words_of", lambda *_: pytest.fail("was computed again"))
    spec = validate(LatentSpec, asked)
    registry.compute(spec, next(iter(spec.shards())), Context(settings()))
    assert len(scores.shards([settings().workspace], "latent")) == 1
    have = scores.shards([settings().workspace], "latent")
    for other in ({"examples": 3}, {"filter": "apart"}, {"words": 9}, {"seed": 1}, {"source": "en"}):
        assert latent.covering(validate(LatentSpec, asked | other), spec.checkpoints[0], have) is None
    assert latent.covering(spec, spec.checkpoints[0], have) is not None


def test_a_run_that_is_cancelled_stops_and_files_nothing(asked: dict[str, Any]) -> None:
    spec = validate(LatentSpec, asked)
    with pytest.raises(Cancelled):
        registry.compute(spec, next(iter(spec.shards())), Context(settings(), should_stop=lambda: True))
    assert not scores.shards([settings().workspace], "latent")


def test_a_prompt_that_is_too_long_is_refused(asked: dict[str, Any], workspace: Path, tmp_path: Path) -> None:
    kept = keep_model(tiny_model(tmp_path / "short", "bert", positions=32), workspace)
    with pytest.raises(ModelError, match=r"takes 32 tokens, and a prompt has more\. Ask with fewer examples\."):
        computed(asked | kept | {"filter": "none"})


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta", "gpt2", "bloom"])
def test_masked_models_and_decoders_are_read_where_the_answer_stands(
    asked: dict[str, Any], workspace: Path, tmp_path: Path, architecture: Any
) -> None:
    """Of random models: the last layer tells what the model itself does at the mask, or after the last token."""
    import torch
    import transformers as hf

    from isogloss.backend.experiments.latent.prompts import prompts, words_of
    from isogloss.backend.models.encoding.first_tokens import FirstTokens

    folder = tiny_model(tmp_path / architecture, architecture, positions=256)
    fields = asked | keep_model(folder, workspace) | {"filter": "none", "examples": 1, "words": 5}
    spec = validate(LatentSpec, fields)
    rows = computed(fields)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    masked = tokenizer.mask_token is not None
    whole = (hf.AutoModelForMaskedLM if masked else hf.AutoModelForCausalLM).from_pretrained(folder).eval()
    first = FirstTokens(tokenizer)
    words = words_of(latent.loaded(spec, [workspace]), "en")
    chosen = [word for word in words if all(first.of(word.forms[tag][:1]) for tag in spec.languages)][:5]
    expected = []
    for word, prompt in zip(chosen, prompts(chosen, "fr", "de", 1, 0), strict=True):
        text = f'{prompt}{tokenizer.mask_token}"' if masked else prompt
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        at = ids[0].tolist().index(tokenizer.mask_token_id) if masked else -1
        with torch.inference_mode():
            chances = whole(input_ids=ids).logits[0, at].double().softmax(-1)
        expected.append(float(chances[first.of(word.forms["en"][:1])].sum()))
    last = rows[(rows["metric"] == "latent_mass") & (rows["source"] == "en")].sort_values("layer").iloc[-1]
    assert last["value"] == pytest.approx(sum(expected) / len(expected), rel=5e-3)


def test_relations_reads_the_mass_of_each_language_by_the_answers(asked: dict[str, Any], workspace: Path) -> None:
    computed(asked | {"targets": ["de", "en"]})
    found = {each.metric: each for each in catalogue(files_of([workspace]), [])}
    assert (found["latent_mass"].others, found["latent_mass"].directed, found["latent_mass"].names) == (
        True,
        True,
        ("de", "en", "fr"),
    )
    assert (found["latent_entropy"].others, found["latent_entropy"].own_scores) == (False, 2 * len(PATH))


def test_what_a_spec_refuses(asked: dict[str, Any]) -> None:
    twice = asked["dictionaries"][0]
    for wrong, said in (
        ({"source": None}, "a translation needs a source"),
        ({"task": "repetition"}, "only a translation has a language to translate from"),
        ({"targets": ["de", "fr"]}, "French is both asked from and answered in"),
        ({"targets": ["ru"]}, "no dictionary has 'ru'"),
        ({"pivot": "de"}, "the pivot de has a dictionary of its own language"),
        ({"dictionaries": [twice, twice]}, "a language needs one dictionary"),
        ({"words": 1}, "it must be at least 2"),
    ):
        with pytest.raises(SpecError, match=said):
            validate(LatentSpec, asked | wrong)


def test_a_price_grows_with_prompts_and_there_is_none_of_a_model_that_is_gone(asked: dict[str, Any], workspace: Path) -> None:
    place = Place((workspace,), "float32")

    def amount(**more: Any) -> float:
        spec = validate(LatentSpec, asked | more)
        work = registry.work(spec, next(iter(spec.shards())), place)
        assert work is not None
        return work.amount

    assert amount(words=16) == pytest.approx(2 * amount())
    assert amount(targets=["de", "en"]) == pytest.approx(2 * amount())
    assert amount(examples=9) > amount()
    gone = validate(LatentSpec, asked | {"model": "No longer", "checkpoints": asked["checkpoints"]})
    assert registry.work(gone, next(iter(gone.shards())), place) is None


def test_sentences_with_a_gap_are_asked_for_their_word(asked: dict[str, Any]) -> None:
    """The planted layers say what they say whatever is asked; words without a sentence are not asked for."""
    tags = [("de", each) for each in asked["dictionaries"] if each["language"] == "de"]
    known = dictionaries.load(tags[0][1]["dictionary"], [settings().workspace])
    pairs = [(word, translations[0]) for word, translations in known.entries.items()]
    sentences = {pair: f'Das "___" Nummer {number}. Antwort: "{pair[1]}".' for number, pair in enumerate(pairs[:6])}
    entry = dictionaries.keep(replace(known, cloze=sentences), "With gaps", settings().workspace)
    fields = asked | {"task": "cloze", "source": None, "examples": 2}
    with pytest.raises(CorpusError, match="has no cloze sentences"):
        computed(fields)
    fields["dictionaries"] = [{"language": "de", "dictionary": entry.id}]
    rows = computed(fields).set_index(["metric", "layer", "source"])
    for layer, said in enumerate(PATH):
        if said != "fr":  # no language of these
            assert rows.loc[("latent_mass", layer, said), "value"] == pytest.approx(SHARE, rel=2e-3)
    assert set(rows["n"]) == {6}
    assert set(rows["variant"]) == {"cloze/8 words/2 examples"}
    with pytest.raises(SpecError, match="the pivot en has no dictionary, hence no sentences"):
        validate(LatentSpec, fields | {"targets": ["en"]})
