"""`run words` and `run sentences`, as a person types them: from flags to a spec to scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.cli import run as run_module
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.alignment.static import StaticAlignmentSpec
from isogloss.backend.experiments.alignment.static_sentences import StaticSentencesSpec
from isogloss.backend.experiments.alignment.words.spec import WordAlignmentSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.transfer.similarity import LanguageSimilaritySpec
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from tests.cli.typed import made_by_typing, run, spec_of
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.experiments.spec import Spec

WORDS = ["--model", "Tiny", "--corpus", "Mine", "--dictionary"]


@made_by_typing
def fill(folder: Path) -> None:
    """A corpus in English, German and Chinese (`zh-Hant`), its dictionaries, two checkpoints and static vectors."""
    words = [("ferry", "Fähre", "渡輪"), ("storm", "Sturm", "暴風"), ("harbour", "Hafen", "港口"), ("child", "Kind", "孩子")]
    rows = [f"{i}\tThe {en}.\tDas {de}.\t{zh}。" for i, (en, de, zh) in enumerate(words)]
    (folder / "mine.tsv").write_text("\n".join(["id\ten\tde\tzh-Hant", *rows]) + "\n", encoding="utf-8")
    for tag, column in (("de", 1), ("zh", 2)):
        lines = [f"{row[0]} {row[column].lower()}" for row in words]
        (folder / f"en-{tag}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        run("dictionary", "import", str(folder / f"en-{tag}.txt"), "--source", "en", "--target", tag, "--name", f"To {tag}")
    for step in (10, 20):
        tiny_model(folder / "model" / f"checkpoint-{step}", "xlm-roberta", seed=step)
    run("corpus", "import", str(folder / "mine.tsv"), "--name", "Mine")
    run("models", "add", str(folder / "model"), "--name", "Tiny")
    for tag, column in (("en", 0), ("de", 1)):
        lines = [f"{row[column].lower()} {i} {i * i} 1" for i, row in enumerate(words)]
        (folder / f"{tag}.vec").write_text("\n".join([f"{len(lines)} 3", *lines]) + "\n", encoding="utf-8")
    run("vectors", "add", "Static", f"en={folder / 'en.vec'}", f"de={folder / 'de.vec'}")


@pytest.fixture
def filled(workspace: Path) -> Path:
    fill(workspace)
    return workspace


def compute(spec: Spec) -> int:
    """Compute every shard; how many rows there then are."""
    for shard in spec.shards():
        registry.compute(spec, shard, Context(settings()))
    return int(scores.sql("SELECT count(*) FROM scores", settings().workspaces).iloc[0, 0])


def test_words(filled: Path) -> None:
    spec = spec_of(WordAlignmentSpec, "words", *WORDS, "To de", "--dictionary", "To zh", "--checkpoints", "checkpoint-20")
    assert [(pair.source, pair.target) for pair in spec.pairs] == [("de", "en"), ("en", "zh-Hant")]
    assert [checkpoint.label for checkpoint in spec.checkpoints] == ["checkpoint-20"]
    assert (spec.n_pairs, spec.runs, spec.seed, spec.similarity, spec.k) == (5000, 10, 0, "csls", 10)
    assert [spec.repeated, spec.masked, spec.centred] == [False, False, False]
    assert compute(spec) == 2 * 3 * 2 * 3  # pairs, layers, directions, measures


def test_words_of_an_alignment(filled: Path, tmp_path: Path) -> None:
    (tmp_path / "links").write_text("0-0 1-1\n" * 4, encoding="utf-8")
    ends = ["--corpus", "Mine", "--source", "en", "--target", "de"]
    run("alignment", "import", str(tmp_path / "links"), *ends, "--name", "Aligned")
    spec = spec_of(WordAlignmentSpec, "words", *WORDS, "Aligned", "--checkpoints", "checkpoint-20")
    [pair] = spec.pairs
    assert (pair.source, pair.target) == ("de", "en")
    assert compute(spec) == 3 * 2 * 3
    [file] = scores.shards(settings().workspaces, "alignment")
    assert file.provenance["counts"]["de-en"]["pairs"] == 5  # the and das, once, and four nouns


def test_every_option_of_words(filled: Path) -> None:
    numbers = ["--n-pairs", "3", "--runs", "2", "--seed", "5", "--similarity", "cosine", "--k", "4"]
    spec = spec_of(WordAlignmentSpec, "words", *WORDS, "To de", *numbers, "--repeated", "--masked", "--centred")
    assert (spec.n_pairs, spec.runs, spec.seed, spec.similarity, spec.k) == (3, 2, 5, "cosine", 4)
    assert [spec.repeated, spec.masked, spec.centred] == [True, True, True]
    assert len(spec.checkpoints) == 2


def test_words_of_static_vectors(filled: Path) -> None:
    spec = spec_of(StaticAlignmentSpec, "words", "--vectors", "Static", "--corpus", "Mine", "--dictionary", "To de", "--k", "2")
    assert spec.model == "Static"
    assert compute(spec) == 2 * 3


def test_sentences(filled: Path) -> None:
    common = ["--model", "Tiny", "--corpus", "Mine"]
    spec = spec_of(SentenceAlignmentSpec, "sentences", *common)
    assert spec.languages == ("de", "en", "zh-Hant")
    assert len(spec.checkpoints) == 2
    one = spec_of(SentenceAlignmentSpec, "sentences", *common, "--pairs", "en")
    assert one.listed == (("de", "en"), ("en", "zh-Hant"))
    options = ["--languages", "en,de", "--checkpoints", "checkpoint-10", "--seed", "3", "--similarity", "cosine", "--centred"]
    spec = spec_of(SentenceAlignmentSpec, "sentences", *common, *options, "--k", "2")
    assert (spec.languages, spec.seed, spec.similarity, spec.centred, spec.k) == (("de", "en"), 3, "cosine", True, 2)
    assert compute(spec) == 3 * 2 * (2 * 3 + 3)  # layers, poolings, and of each accuracies and similarities


def test_sentences_drawn_as_in_table_i(filled: Path) -> None:
    drawn = ["--corpus", "Mine", "--languages", "en,de", "--n-sentences", "3", "--runs", "2", "--self-neighbour"]
    spec = spec_of(SentenceAlignmentSpec, "sentences", "--model", "Tiny", *drawn, "--checkpoints", "checkpoint-10")
    assert (spec.n_sentences, spec.runs, spec.self_neighbour) == (3, 2, True)
    of_model = compute(spec)
    assert of_model == 2 * 3 * 2 * (2 * 2 + 3)  # runs, layers, poolings, and of each accuracies and similarities
    static = spec_of(StaticSentencesSpec, "sentences", "--vectors", "Static", *drawn)
    assert compute(static) - of_model == 2 * (2 * 2 + 3)
    frame = scores.sql("SELECT * FROM scores WHERE variant LIKE '%/mean/%' AND layer IS NULL", settings().workspaces)
    assert set(frame["variant"]) == {spec.variant("mean")} == {"sentence/mean/csls10/3 sentences/self-neighbour"}


def test_every_protocol_of_words(filled: Path) -> None:
    spec = spec_of(WordAlignmentSpec, "words", *WORDS, "To de", "--self-neighbour", "--unique", "once", "--similarity", "csls")
    assert (spec.self_neighbour, spec.unique) == (True, "once")
    assert spec.variant == "word/csls10/5000 pairs/self-neighbour/each word once"


def test_similarity(filled: Path) -> None:
    common = ["--model", "Tiny", "--corpus", "Mine"]
    spec = spec_of(LanguageSimilaritySpec, "similarity", *common)
    assert (spec.languages, spec.sentences, len(spec.checkpoints)) == (("de", "en", "zh-Hant"), None, 2)
    spec = spec_of(
        LanguageSimilaritySpec,
        "similarity",
        *common,
        "--languages",
        "en,de",
        "--checkpoints",
        "checkpoint-10",
        "--sentences",
        "3",
    )
    assert (spec.languages, spec.sentences, [each.label for each in spec.checkpoints]) == (("de", "en"), 3, ["checkpoint-10"])
    assert compute(spec) == 3 * 4  # layers, measures


@pytest.mark.parametrize("wait", [True, False])
def test_without_printing_the_spec_is_queued(filled: Path, monkeypatch: pytest.MonkeyPatch, wait: bool) -> None:
    queued: list[tuple[str, bool]] = []
    monkeypatch.setattr(run_module, "queue", lambda spec, wait: queued.append((spec.experiment, wait)))
    flag = ["--wait"] if wait else []
    run("run", "words", *WORDS, "To de", *flag)
    run("run", "sentences", "--model", "Tiny", "--corpus", "Mine", *flag)
    assert queued == [("word_alignment", wait), ("sentence_alignment", wait)]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["words", *WORDS, "To der"], "There is no dictionary 'To der'. Did you mean 'To de'?"),
        (["words", *WORDS, "To de", "--dictionary", "To de"], "Two of the dictionaries are of the same languages."),
        (["words", *WORDS, "To de", "--vectors", "Static"], "Give --model or --vectors, one of them."),
        (["words", "--corpus", "Mine", "--dictionary", "To de"], "Give --model or --vectors, one of them."),
        (["words", "--corpus", "Mine", "--dictionary", "To de", "--vectors", "Stat"], "There are no vectors"),
        (["words", "--corpus", "Mine", "--dictionary", "To de", "--vectors", "Static", "--masked"], "no mask token"),
        (["words", *WORDS, "To de", "--n-pairs", "1"], "n_pairs is 1; it must be at least 2"),
        (["words", *WORDS, "To de", "--checkpoints", "checkpoint-1"], "'Tiny' has no checkpoint 'checkpoint-1'."),
        (["words", *WORDS, "To de", "--similarity", "euclid"], "euclid"),
        (["sentences", "--model", "Tiny", "--corpus", "Mine", "--languages", "de"], "at least two"),
        (["sentences", "--model", "Tiny", "--corpus", "Mine", "--languages", "de,fr"], "has no language 'fr'"),
        (["similarity", "--model", "Tiny", "--corpus", "Mine", "--languages", "de"], "at least two"),
        (["similarity", "--model", "Tiny", "--corpus", "Mine", "--sentences", "1"], "sentences is 1; it must be at least 2"),
        (["sentences", "--model", "Tini", "--corpus", "Mine"], "Tiny"),
        (["sentences", "--corpus", "Mine"], "Give --model or --vectors, one of them."),
        (["sentences", "--corpus", "Mine", "--vectors", "Static", "--checkpoints", "x"], "Static vectors have no checkpoints."),
        (["sentences", "--corpus", "Mine", "--vectors", "Static", "--per-sentence"], "kept of models alone. Leave out"),
        (["sentences", "--corpus", "Mine", "--model", "Tiny", "--runs", "2"], "Say how many a run takes: --n-sentences 5000."),
    ],
)
def test_what_is_wrong_is_one_sentence(
    filled: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run("run", *arguments)
    said = capsys.readouterr().err
    assert sentence in said
    assert "Traceback" not in said


def test_a_dictionary_of_a_language_that_the_corpus_lacks(
    filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "en-fr.txt").write_text("storm tempête\n", encoding="utf-8")
    run("dictionary", "import", str(tmp_path / "en-fr.txt"), "--source", "en", "--target", "fr", "--name", "To fr")
    with pytest.raises(SystemExit):
        run("run", "words", *WORDS, "To fr")
    assert "'To fr' has 'fr', a language that 'Mine' lacks." in capsys.readouterr().err
