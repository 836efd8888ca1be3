"""The forms of the benchmark and of the translation check: what they offer, say and refuse, and what links may ask of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.corpus import EmergentReport
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.experiments.sources.source import NoPretraining, TextSource
from isogloss.backend.experiments.translation.spec import ParallelText, TranslationSpec
from isogloss.backend.experiments.xferbench.spec import Target, XferBenchSpec
from isogloss.backend.jobs.job import Job
from isogloss.pages.emergent.shared import missing as offered
from tests.corpora.emergent.utterances import from_utterances
from tests.pages.emergent import benchmark_workspace as made
from tests.pages.emergent import translation_workspace
from tests.pages.emergent.emergent_page import button, measured, open_page, said, under_way

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.pages.abx.abx_page import Shown

FORMS = pytest.mark.parametrize(("view", "form"), [("Leaderboard", "bench"), ("Translation", "mt")])


@FORMS
@pytest.mark.parametrize(("preset", "times"), [("Quick", 1), ("Paper", 2)])
def test_what_is_missing_is_looked_for_once(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, view: str, form: str, preset: str, times: int
) -> None:
    """For what is asked, and with the paper's preset for “Quick”, whose price stands beside its own."""
    made.keep_corpora(workspace)
    measured(monkeypatch)
    found: list[Any] = []
    missing = offered.missing

    def counted(spec: Any, workspaces: Sequence[Path]) -> Any:
        found.append(spec.preset)
        return missing(spec, workspaces)

    monkeypatch.setattr(offered, "missing", counted)
    app = open_page(**{"view": view, f"{form}_preset": preset})
    assert "Train (" in button(app).label
    found.clear()
    app.number_input(key=f"{form}_seeds").set_value(2).run()
    assert not app.exception
    assert "Train (" in button(app).label
    assert found == [preset.lower(), "quick"][:times]
    assert ("With “Quick”" in said(app)) == (preset == "Paper")
    assert ("5.5 hours (section 3.3), 6 (table 3)" in said(app)) == ((form, preset) == ("bench", "Paper"))


@pytest.mark.parametrize(
    ("label", "protocol"),
    [("As the released code", "released"), ("As printed", "printed"), ("Released, since 12/2024", "released-2024-12")],
)
def test_scores_are_offered_where_none_are(
    workspace: Path, shown: list[Shown], monkeypatch: pytest.MonkeyPatch, label: str, protocol: str
) -> None:
    made.keep_corpora(workspace)
    asked = measured(monkeypatch)
    app = open_page(view="Leaderboard", corpora=["Mine", "Random"], bench_seeds="2", bench_protocol=label)
    assert "No XferBench score is computed yet" in said(app)
    assert [each.name for each in shown] == ["XferBench leaderboard as printed"]
    button(app).click().run()
    assert not app.exception
    (spec,) = asked
    assert (spec.preset, spec.protocol, spec.seeds) == ("quick", protocol, (0, 1))
    assert [source.label for source in spec.sources] == ["Mine", "Random", "English (Text)", "No pre-training"]
    assert sorted(target.language for target in spec.targets) == ["da", "eu", "fi"]


def test_translations_are_offered_where_none_are(workspace: Path, shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> None:
    made.keep_corpora(workspace)
    asked = measured(monkeypatch)
    app = open_page(view="Translation", corpora=["Mine", "Random"], mt_seeds="2")
    assert "No translation model is trained yet" in said(app)
    assert [each.name for each in shown] == ["Translation against XferBench as printed, chrF"]
    button(app).click().run()
    assert not app.exception
    (spec,) = asked
    assert (spec.preset, spec.settings, spec.seeds) == ("quick", ("full", "frozen", "reduced"), (0, 1))
    assert (spec.text.source_language, spec.text.target_language) == ("en", "da")
    assert [source.label for source in spec.sources] == ["Mine", "Random", "Basque (Text)", "No pre-training"]


@pytest.mark.parametrize(
    ("view", "label", "chosen", "sentence"),
    [
        ("Leaderboard", "Targets", ["en", "fi"], "source and target with the same text"),
        ("Translation", "Human sources", ["en"], "translated in the same text"),
    ],
)
def test_what_does_not_go_together_is_explained(
    workspace: Path, view: str, label: str, chosen: list[str], sentence: str
) -> None:
    made.keep_corpora(workspace)
    app = open_page(view=view)
    next(each for each in app.multiselect if each.label == label).set_value(chosen).run()
    assert not app.exception
    assert sentence in said(app)


def test_without_text_the_way_to_it_is_shown(workspace: Path) -> None:
    emergent_library.keep(from_utterances([[1, 2]], None, EmergentReport("x", "integers")), "Mine", workspace)
    queries = {
        "no corpus of it is saved yet": {"view": "Source × target"},
        "Translation needs a parallel corpus": {"view": "Translation"},
        "made from human-language text": {"make": "Human text"},
    }
    for sentence, query in queries.items():
        app = open_page(**query)
        assert sentence in said(app)
        links = {link.proto.label: link.proto.query_string for link in app.get("page_link")}
        assert "Add text" in links
        wikipedia = "shelf=Corpora&corpus-from=Wikipedia" if query.get("view") == "Source × target" else None
        assert links.get("Fetch text of Wikipedia") == wikipedia


@FORMS
def test_a_run_under_way_is_watched_whatever_the_form_says(
    workspace: Path, exported: list[Shown], monkeypatch: pytest.MonkeyPatch, view: str, form: str
) -> None:
    corpus = translation_workspace.fill(workspace)["Human"].partition("/")[0]
    spec: Any = TranslationSpec(sources=(NoPretraining(),), text=ParallelText(corpus=corpus, target_language="da"))
    if form == "bench":
        spec = XferBenchSpec(sources=(NoPretraining(),), targets=(Target(corpus=corpus, language="fi"),))
    shards = tuple(spec.shards())
    job = Job("run-1", spec.model_dump(mode="json"), "running", 2, 0, (), "tuning", 0.1, time.time(), None, shards)
    under_way(monkeypatch, job)
    app = open_page(view=view, board_paper="false")
    assert [button.label for button in app.button if button.key == "cancel-run-1"] == ["Cancel"]
    assert "under way" in said(app)
    assert not [each for each in app.button if str(each.key).startswith("compute-")]
    assert exported  # what is there is shown meanwhile


@pytest.mark.parametrize(
    "query",
    [
        {"view": "nonsense", "corpora": "nobody", "make": "?", "make_tokens": "-1"},
        {"view": "Most frequent", "kind": "9-grams", "most": "x", "make": "Signalling game", "game": "?", "game_seed": "1e99"},
        {"view": "Entropies", "shuffle_seed": "-5", "make": "Shuffled over the corpus", "make_of": "nobody"},
        {"view": "Games", "success": "?"},
        {"view": "Leaderboard", "variant": "?", "variant_2": "?", "bench_seeds": "-3", "bench_preset": "huge"},
        {"view": "Source × target", "board_values": "?", "board_sources": "nobody", "board_targets": ["x", "y"]},
        {"view": "Leaderboard", "bench_text": "?", "bench_preset": "Custom", "bench_dims": "-9", "bench_vocabulary": "x"},
        {"view": "Printed", "printed_table": "table 99"},
        {"view": "Translation", "mt_scores": "?", "mt_metric": "?", "mt_source": "nobody", "mt_setting": "huge"},
        {"view": "Translation", "mt_text": "?", "mt_human_text": "?", "mt_preset": "?", "mt_settings": ["Full", "x"]},
        {"view": "Score × statistic", "board_statistic": "?"},
        {"view": "XferBench", "curve_source": "?", "curve_target": "?"},
    ],
    ids=str,
)
def test_odd_links_do_no_harm(workspace: Path, query: dict[str, Any]) -> None:
    translation_workspace.fill(workspace)
    open_page(**query)


def test_a_run_starts_from_the_longest_own_text_and_brings_random_along_where_asked(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the command line does: not from the demo's few sentences, nor from the first name."""
    made.keep_corpora(workspace)
    demo = tmp_path / "demo"
    demo.mkdir()
    monkeypatch.setenv("ISOGLOSS_DEMO", str(demo))
    lines = {tag: [f"{tag} line {i} of a longer text" for i in range(50)] for tag in ("da", "en", "fi")}
    for name, where, most in (("Zulu", workspace, 50), ("A demo", demo, 50), ("Another", workspace, 5)):
        rows = [(str(i), tag, text, None) for tag, texts in lines.items() for i, text in enumerate(texts[:most])]
        table = pa.table([list(column) for column in zip(*rows, strict=True)], schema=SCHEMA)
        library.keep(ParallelCorpus(table.slice(0, len(rows) - (where == demo))), name, where)
    asked = measured(monkeypatch)
    app = open_page(view="Leaderboard", bench_random="true")
    button(app).click().run()
    assert not app.exception
    (spec,) = asked
    assert {target.name for target in spec.targets} == {"Zulu"}
    assert [source.name for source in spec.sources if isinstance(source, TextSource)] == ["Zulu"]
    assert spec.sources[-1].corpus in {entry.id for entry in emergent_library.entries([workspace]) if entry.tokens == 2_400_000}
