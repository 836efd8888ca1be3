"""A tokeniser's scores as they are computed and kept: against the pieces themselves, once, and for fewer languages too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from transformers import AutoTokenizer

from isogloss.backend.corpora.languages.words import segment
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Cancelled, Context, validate
from isogloss.backend.experiments.tokenisers import cut_sentences
from isogloss.backend.experiments.tokenisers import shard as tokenisers
from isogloss.backend.experiments.tokenisers.family import TOKENISERS
from isogloss.backend.experiments.tokenisers.shard import FAMILY, TokenisersSpec
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import DEMO, Settings
from isogloss.backend.store import scores
from isogloss.backend.store.scores import ShardFile
from tests.cli.typed import output

if TYPE_CHECKING:
    import pandas as pd

ROOT = Path(str(DEMO))
CORPUS = corpora.entries([ROOT])[0]
MODEL = models.load_entry("Demo MLM", [ROOT])
TAGS = ("en", "de", "zh", "ar")


def spec(**fields: Any) -> TokenisersSpec:
    common = {"model": MODEL.name, "checkpoints": MODEL.checkpoints[-1:], "corpus": CORPUS.id, "languages": TAGS}
    return validate(TokenisersSpec, common | fields)


def made(asked: TokenisersSpec, workspace: Path) -> Context:
    """The demo's models and corpus in a workspace of its own, with these scores in it and none of the demo's."""
    settings = Settings(workspace=workspace, demo=None)
    corpora.keep(corpora.load(CORPUS.id, [ROOT]), CORPUS.name, workspace)
    context = Context(settings)
    for shard in asked.shards():
        registry.compute(asked, shard, context)
    return context


def rows(workspace: Path) -> pd.DataFrame:
    files = [file.path for file in scores.shards([workspace], FAMILY)]
    return scores.query("SELECT * FROM {scores}", {}, files).set_index(["metric", "source", "target"]).sort_index()


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    return made(spec(), tmp_path_factory.mktemp("workspace"))


def test_the_scores_are_those_of_the_pieces_counted_one_by_one(context: Context) -> None:
    found = rows(context.workspace)
    tokenizer = AutoTokenizer.from_pretrained(ROOT / "models" / "mlm")
    _, texts = corpora.load(CORPUS.id, [ROOT]).align(TAGS)
    cut = {tag: [tokenizer(text, add_special_tokens=False)["input_ids"] for text in own] for tag, own in texts.items()}
    totals = {tag: sum(map(len, own)) for tag, own in cut.items()}
    for tag, own in texts.items():
        value = found["value"].xs((tag, tag), level=("source", "target"))
        assert value["tokeniser_pieces_per_sentence"] == pytest.approx(totals[tag] / len(own))
        assert value["tokeniser_pieces_per_character"] == pytest.approx(totals[tag] / sum(map(len, own)))
        assert value["tokeniser_bytes_per_character"] == pytest.approx(len("".join(own).encode()) / sum(map(len, own)))
        unknown = sum(each.count(tokenizer.unk_token_id) for each in cut[tag])
        assert value["tokeniser_unknown_pieces"] == pytest.approx(unknown / totals[tag])
        assert value["tokeniser_truncated_sentences"] == np.mean([len(each) + 2 > 128 for each in cut[tag]])
        words = sum(len(segment(text, tag)) for text in own)
        assert 0 < value["tokeniser_one_piece_words"] < 1
        assert 1 < value["tokeniser_fertility"] < totals[tag] / words + 1e-9  # punctuation is no word's
        for pivot in set(TAGS) - {tag}:
            assert found.loc["tokeniser_premium", tag, pivot]["value"] == pytest.approx(totals[tag] / totals[pivot])
    sets = {tag: {piece for each in own for piece in each} - {tokenizer.unk_token_id} for tag, own in cut.items()}
    jaccard = found.loc["tokeniser_shared_vocabulary", "de", "en"]["value"]
    assert jaccard == pytest.approx(len(sets["de"] & sets["en"]) / len(sets["de"] | sets["en"]))
    assert ("en", "de") not in found.loc["tokeniser_shared_vocabulary"].index  # one way: it is the same back
    known = found[found["low"].notna()]
    assert ((known["low"] <= known["value"]) & (known["value"] <= known["high"])).all()
    assert set(found.index.get_level_values("metric")) == set(TOKENISERS.measures)
    assert (found["checkpoint"] == MODEL.checkpoints[-1].fingerprint).all()
    assert found["layer"].isna().all()


def test_the_pieces_of_a_sentence_are_told_by_their_places(context: Context) -> None:
    (shard,) = spec().shards()
    known = cut_sentences.sentences(context.workspaces, {"a": shard})["sentence_id"].tolist()
    ids, texts = corpora.load(CORPUS.id, [ROOT]).align(TAGS)
    assert known == ids[: cut_sentences.SHOWN]
    found = cut_sentences.cut(context.workspaces, {"a": shard}, ids[7], ["zh", "en"])
    assert found["language"].drop_duplicates().tolist() == ["zh", "en"]
    own = found[found["language"] == "en"]
    tokenizer = AutoTokenizer.from_pretrained(ROOT / "models" / "mlm")
    assert len(own) == len(tokenizer.tokenize(texts["en"][7]))
    text = "".join(texts["en"][7][start:end] for start, end in zip(own["start"], own["end"], strict=True))
    assert text.replace(" ", "") == texts["en"][7].replace(" ", "")
    assert cut_sentences.cut(context.workspaces, {"a": "0" * 24}, ids[7], ["en"]).empty


def test_fewer_languages_of_a_complete_corpus_are_not_computed_again(context: Context) -> None:
    fewer = spec(languages=("de", "en"))
    (file,) = scores.shards([context.workspace], FAMILY)
    assert tokenisers.covering(fewer, fewer.checkpoints[0], [file]) == file
    for shard in fewer.shards():
        registry.compute(fewer, shard, context)
    assert scores.shards([context.workspace], FAMILY) == [file]
    for other in (spec(sentences=20), spec(languages=("de", "fi"))):
        assert tokenisers.covering(other, other.checkpoints[0], [file]) is None
    gaps = ShardFile(file.path, file.provenance | {"complete": False}, 0.0)
    assert tokenisers.covering(fewer, fewer.checkpoints[0], [gaps]) is None
    assert tokenisers.covering(spec(), spec().checkpoints[0], [gaps]) == gaps


def test_a_run_stops_between_languages_and_leaves_nothing(tmp_path: Path) -> None:
    asked, told = spec(), []
    corpora.keep(corpora.load(CORPUS.id, [ROOT]), CORPUS.name, tmp_path)
    stopping = Context(
        Settings(workspace=tmp_path, demo=None), progress=lambda what, _: told.append(what), should_stop=lambda: len(told) > 1
    )
    with pytest.raises(Cancelled):
        registry.compute(asked, next(iter(asked.shards())), stopping)
    assert told == ["reading the tokeniser", "cutting, ar done"]
    assert not list(tmp_path.glob("scores/*/*")) + list(tmp_path.glob("details/*"))


def test_the_command_takes_the_last_checkpoint_and_says_what_it_would_do(workspace: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(ROOT))
    typed = ["run", "tokenisers", "--model", MODEL.name, "--corpus", CORPUS.name, "--print-spec"]
    printed = json.loads(output(*typed, "--sentences", "50", "--languages", "en,de"))
    assert [each["label"] for each in printed["checkpoints"]] == [MODEL.checkpoints[-1].label]
    assert (printed["sentences"], printed["languages"]) == (50, ["de", "en"])
    assert "1 checkpoint" in registry.title(printed)
    with pytest.raises(SpecError, match="at least two"):
        spec(languages=("de",))
