"""`run translation`, as a person types it: from flags to corpora, a spec and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.parallel import library
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.translation import queries as translation_queries
from isogloss.backend.experiments.translation.spec import TranslationSpec
from isogloss.backend.settings import settings
from isogloss.backend.training.resumable.reproducible import threads
from isogloss.backend.training.translation.options import preset
from tests.cli.typed import output, spec_of
from tests.experiments.translation.small_translation import options
from tests.experiments.xferbench.small_xferbench import small_corpus
from tests.training.language_model.language_modelling import tiny_source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def filled(workspace: Path) -> Path:
    """A text in three languages, and a corpus whose name has a comma."""
    library.keep(small_corpus(), "News", workspace)
    emergent_library.keep(tiny_source(), "Tiny, small", workspace)
    return workspace


def translation(sources: str, *more: str) -> TranslationSpec:
    """Each name between bars is an option of its own."""
    flags = [part for name in sources.split("|") for part in ("--source", name)]
    return spec_of(TranslationSpec, "translation", *flags, "--corpus", "News", *more)


def test_flags_become_a_spec_that_trains(filled: Path, tmp_path: Path) -> None:
    (tmp_path / "options.json").write_text(options().model_dump_json(), encoding="utf-8")
    custom = ["--preset", "custom", "--options", str(tmp_path / "options.json"), "--settings", "frozen,full"]
    spec = translation("Tiny, small|News/en|none", "--languages", "fi,da", *custom)
    assert [source.label for source in spec.sources] == ["Tiny, small", "English (News)", "No pre-training"]
    assert (spec.text.label, spec.settings) == ("Finnish → Danish", ("full", "frozen"))
    assert spec.options("full", 0) == options()
    with threads(1):
        for shard in spec.shards():
            registry.compute(spec, shard, Context(settings()))
    frame = translation_queries.translations([filled], spec.group, spec.text.corpus, "fi>da")
    assert set(zip(frame["source"], frame["setting"], strict=True)) == {
        (source.key, setting) for source in spec.sources for setting in spec.settings
    }


def test_what_is_not_said_is_the_quick_preset_in_all_settings(filled: Path) -> None:
    spec = translation("none", "--languages", "en,fi", "--seeds", "2")
    assert (spec.preset, spec.settings, spec.seeds) == ("quick", ("full", "frozen", "reduced"), (0, 1))
    assert spec.options("reduced", 1) == preset("quick", "reduced", seed=1)
    assert translation("none", "--languages", "en,fi", "--preset", "paper").options("frozen", 0) == preset("paper", "frozen")


def test_the_help_says_how(workspace: Path) -> None:
    said = " ".join(output("run", "translation", "--help").split())
    for each in ("--source", "--corpus", "--languages", "--settings", "chrF and BLEU", "Example: run translation"):
        assert each in said
    assert "translation" in output("run", "--help")


@pytest.mark.parametrize(
    ("sources", "more", "said"),
    [
        ("Tny", ["--languages", "en,fi"], "no emergent corpus 'Tny'"),
        ("none", [], "'News' has no language 'fr'"),
        ("none", ["--languages", "en"], "Say two languages"),
        ("none", ["--languages", ""], "Say two languages"),
        ("none", ["--languages", "fi,fi"], "cannot be translated into itself"),
        ("none", ["--languages", "en,fi", "--corpus", "Nws"], "no corpus 'Nws'"),
        ("News/en", ["--languages", "en,fi"], "held out would be seen"),
        ("none", ["--languages", "en,fi", "--settings", "huge"], "'full', 'frozen' or 'reduced'"),
        ("none", ["--languages", "en,fi", "--settings", ","], "settings has 0 entries; it needs at least 1"),
        ("none", ["--languages", "en,fi", "--preset", "custom"], "options go with the preset 'custom'"),
        ("none", ["--languages", "en,fi", "--options", "nowhere.json"], "nowhere.json cannot be read"),
    ],
)
def test_what_is_wrong_is_said(filled: Path, sources: str, more: list[str], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        translation(sources, *more)
