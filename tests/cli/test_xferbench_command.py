"""`emergent make` and `run xferbench`, as a person types them: from flags to corpora, a spec and scores."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import numpy as np
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent import reference
from isogloss.backend.corpora.parallel import library
from isogloss.backend.errors import CorpusError, IsoglossError, SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.experiments.xferbench.spec import XferBenchSpec
from isogloss.backend.settings import settings
from isogloss.backend.training.language_model.options import preset
from tests.cli.typed import output, run, spec_of
from tests.experiments.xferbench.small_xferbench import small_corpus
from tests.training.language_model.language_modelling import tiny_options

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def filled(workspace: Path) -> Path:
    """A text in three languages, and a made corpus whose name has a comma."""
    library.keep(small_corpus(), "News", workspace)
    output("emergent", "make", "random", "--tokens", "300", "--vocabulary", "20", "--length", "7")
    return workspace


def benchmark(sources: str, targets: str, *more: str) -> XferBenchSpec:
    """Each name between bars is an option of its own."""
    flags = [part for name in sources.split("|") for part in ("--source", name)]
    flags += [part for name in targets.split("|") for part in ("--target", name)]
    return spec_of(XferBenchSpec, "xferbench", *flags, *more)


def test_every_reference_corpus_is_made_and_kept(filled: Path) -> None:
    small = ["--tokens", "400", "--length", "9"]
    said = output("emergent", "make", "paren", *small, "--vocabulary", "30", "--protocol", "released", "--seed", "4")
    assert "Paren synth: 400 tokens, 45 utterances" in said
    assert "saved as 'Paren synth, seed 4'" in said
    output("emergent", "make", "text", "--corpus", "News", "--language", "fi", "--vocabulary", "300", "--name", "News, fi")
    output("emergent", "make", "text", "--corpus", "News", "--language", "da", "--vocabulary", "300", "--characters", "50")
    output("emergent", "make", "paren-real", "--of", "News, fi", *small, "--name", "Nested")
    output("emergent", "make", "shuffled", "--of", "News, fi", "--order", "over", "--name", "Over")
    output("emergent", "make", "shuffled", "--of", "News, fi")
    kept = {entry.name: emergent_library.load(entry.id, [filled]) for entry in emergent_library.entries([filled])}
    text = kept["News, fi"]
    assert text.utterances == 60
    expected = {
        "Random, seed 0": reference.uniform(300, 0, 20, 7),
        "Paren synth, seed 4": reference.paren(400, reference.zipf_mandelbrot(30), 4, "released", 9),
        "Nested": reference.paren(400, reference.unigrams(text.ids), 0, "correct", 9),
        "Over": reference.shuffled_over(text.ids, text.starts, 0),
        "News, fi, shuffled within utterances, seed 0": reference.shuffled_within(text.ids, text.starts, 0),
    }
    assert set(kept) == {*expected, "News, fi", "News, da, 300 sub-words, 50 characters"}
    assert kept["News, da, 300 sub-words, 50 characters"].utterances < 60
    assert text.report.language == "fi"
    for name, made in expected.items():
        assert np.array_equal(kept[name].ids, made.ids)
        assert np.array_equal(kept[name].starts, made.starts)
    with pytest.raises(CorpusError, match="called 'Nested'"):
        output("emergent", "make", "random", "--tokens", "10", "--name", "Nested")
    with pytest.raises(SpecError, match="no language 'ja'"):
        output("emergent", "make", "text", "--corpus", "News", "--language", "ja")


def test_flags_become_a_spec_that_trains(filled: Path, tmp_path: Path) -> None:
    options = tiny_options(seed=0)
    (tmp_path / "options.json").write_text(options.model_dump_json(), encoding="utf-8")
    custom = ["--preset", "custom", "--options", str(tmp_path / "options.json"), "--protocol", "released"]
    spec = benchmark("Random, seed 0|News/en|none", "News/fi", *custom)
    assert [source.label for source in spec.sources] == ["Random, seed 0", "English (News)", "No pre-training"]
    assert spec.options(0) == options.model_copy(update={"protocol": "released"})
    for shard in spec.shards():
        registry.compute(spec, shard, Context(settings()))
    frame = xferbench_queries.cross_entropies([filled], spec.variant.name)
    assert set(frame["source"]) == {source.key for source in spec.sources}


def test_names_ids_and_languages(filled: Path) -> None:
    made = emergent_library.entries([filled])[0]
    news = library.entries([filled])[0]
    spec = benchmark(f"{made.id[:8]}|{news.id[:8]}/en", "News/da|News/fi", "--seeds", "3")
    assert [source.key for source in spec.sources] == [made.id, f"{news.id}/en"]
    assert (spec.preset, spec.protocol, spec.seeds) == ("quick", "correct", (0, 1, 2))
    assert spec.options(2) == preset("quick", seed=2)
    assert [target.language for target in benchmark("none", "News").targets] == ["da", "en", "fi"]
    output("emergent", "make", "random", "--tokens", "10", "--name", "a/b, c, d")
    assert [source.label for source in benchmark("none|a/b, c, d|Random, seed 0", "News/fi").sources] == [
        "No pre-training",
        "a/b, c, d",
        "Random, seed 0",
    ]


@pytest.mark.parametrize(
    ("sources", "targets", "more", "said"),
    [
        ("Randm", "News/fi", [], "no emergent corpus 'Randm'"),
        ("none", "News/ja", [], "no language 'ja'"),
        ("none", "Nws/fi", [], "no corpus 'Nws'. Did you mean 'News'"),
        ("News/", "News/fi", [], "Say a language of 'News'"),
        ("News/fi", "News/fi", [], "Finnish is source and target"),
        ("none", "News/fi", ["--preset", "custom"], "options go with the preset 'custom'"),
        ("none", "News/fi", ["--options", "nowhere.json"], "nowhere.json cannot be read"),
        ("", "News/fi", [], "no emergent corpus ''"),
    ],
)
def test_what_is_wrong_is_said(filled: Path, sources: str, targets: str, more: list[str], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        benchmark(sources, targets, *more)


def test_the_example_of_the_help_is_read_as_it_stands(filled: Path) -> None:
    from isogloss.backend.experiments.xferbench.command import xferbench

    output("emergent", "make", "random", "--tokens", "90", "--vocabulary", "9", "--name", "My language")
    example = next(line for line in str(xferbench.__doc__).split("\n") if "Example: run xferbench" in line)
    arguments = shlex.split(example.partition("Example: ")[2])
    arguments.remove("--wait")
    assert arguments.pop(0) == "run"
    spec = spec_of(XferBenchSpec, *arguments)
    assert [source.label for source in spec.sources] == ["My language", "English (News)", "No pre-training"]
    assert [target.language for target in spec.targets] == ["fi", "da"]


def test_names_with_commas_are_names(filled: Path) -> None:
    library.rename(library.entries([filled])[0].id, "Text, 5,000,000 characters", filled)
    spec = benchmark("none", "Text, 5,000,000 characters/fi|Text, 5,000,000 characters/da")
    assert [target.language for target in spec.targets] == ["fi", "da"]


def test_a_run_needs_a_source_and_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    for given, lacking in (("--target", "--source"), ("--source", "--target")):
        with pytest.raises(SystemExit):
            run("run", "xferbench", given, "none")
        assert f"Missing option '{lacking}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--target", "wrong/xx"], "wrong"),
        (["--target", "News/xx"], "no language 'xx'"),
        ([], "No corpus of yours|Choose"),
    ],
)
def test_a_language_is_kept_only_where_all_that_was_asked_for_can_be(
    workspace: Path, tmp_path: Path, more: list[str], message: str
) -> None:
    if more:
        library.keep(small_corpus(), "News", workspace)
    (tmp_path / "mine.txt").write_text("1 2 3\n4 5 6\n" * 20)
    with pytest.raises(IsoglossError, match=message):
        output("xferbench", str(tmp_path / "mine.txt"), *more)
    assert not emergent_library.entries([workspace])


def test_of_several_files_all_are_kept_or_none(workspace: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.json"
    good.write_text("1 2 3\n4 5 6\n" * 20)
    bad.write_text("")
    with pytest.raises(CorpusError):
        output("emergent", "import", str(good), str(bad))
    assert not emergent_library.entries([workspace])
    bad.write_text("7 8\n" * 20)
    output("emergent", "import", str(good), str(bad))
    assert [entry.name for entry in emergent_library.entries([workspace])] == ["bad", "good"]
