"""The Emergent page: every view draws what its Python gives again, whatever is chosen; corpora are made and grown from it."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.charts.parts.theme import COLOURS
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.experiments.emergent import statistics as emergent_statistics
from isogloss.backend.experiments.emergent.game.finished_games import Played
from isogloss.backend.experiments.emergent.game.shard import LanguageGameSpec
from isogloss.backend.figures.emergent import corpora as figures
from isogloss.backend.jobs import client, slots
from isogloss.backend.jobs.job import Job
from isogloss.backend.jobs.slots import WorkerReport
from isogloss.backend.training.signalling_game.presets import preset
from isogloss.pages.emergent.corpora import frames
from isogloss.pages.emergent.learning import games as success
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.figures import cooked
from tests.corpora.emergent.utterances import from_utterances
from tests.experiments.machines import CPU, note_trainings
from tests.pages.abx.abx_page import Shown
from tests.pages.emergent.corpora_workspace import ALL, fill, played
from tests.pages.emergent.emergent_page import again, open_page, said

if TYPE_CHECKING:
    from pathlib import Path

Query = dict[str, str | list[str]]


@pytest.fixture
def shown(workspace: Path, exported: list[Shown]) -> list[Shown]:
    """Every figure and table from now on, on the corpora of `fill`."""
    fill(workspace)
    return exported


VIEWS: list[Query] = [
    {"view": "Overview"},
    {"view": "Rank–frequency"},
    {"view": "Type–token", "growth_axes": "Plain"},
    {"view": "Lengths"},
    {"view": "Entropies"},
    {"view": "Entropies", "shuffled": "true", "shuffle": "Within utterances", "shuffle_seed": "3", "entropy": "Joint"},
    {"view": "Positions", "counted": "From the end"},
    {"view": "Most frequent", "kind": "4-grams", "most": "50"},
    {"view": "Most frequent", "kind": "Utterances"},
    {"view": "Games"},
    {"view": "Games", "success": "Attributes"},
]


@pytest.mark.parametrize("query", VIEWS, ids=str)
def test_every_view_draws_what_people_copy(shown: list[Shown], query: Query) -> None:
    """Of awkward corpora, and of one of a single token alone."""
    for corpora in (ALL, ["One token"]):
        shown.clear()
        app = open_page(corpora=corpora, **query)
        if query["view"] == "Games" and corpora != ALL:
            assert not shown
            assert "was grown here" in said(app)
            return
        (each,) = shown
        assert (each.recipe.chart is None) == (query["view"] in ("Overview", "Most frequent"))  # tables
        again(each)
        assert each.data.empty == (corpora != ALL and query["view"] == "Most frequent" and query["kind"] == "4-grams")
        assert set(each.data["corpus"]) <= set(corpora)
        for block in app.get("plotly_chart"):
            assert "<script>" not in html.unescape(block.proto.spec)


def test_an_empty_workspace_says_what_to_do_and_makes_a_corpus(workspace: Path) -> None:
    app = open_page()
    assert "No emergent-language corpus is saved yet" in said(app)
    assert [link.proto.label for link in app.get("page_link")] == ["Add a corpus"]
    next(each for each in app.number_input if each.label == "Tokens").set_value(2000).run()
    app.button(key="make-it").click().run()
    assert not app.exception
    (entry,) = emergent_library.entries([workspace])
    assert (entry.name, entry.tokens) == ("Random, seed 0", 2000)
    assert app.multiselect(key="corpora").value == ["Random, seed 0"]
    assert [toast.value for toast in app.toast] == ["Random, seed 0 is saved."]


def test_nothing_chosen_is_said(shown: list[Shown]) -> None:
    app = open_page()
    app.multiselect(key="corpora").set_value([]).run()
    assert not app.exception
    assert "Choose a corpus" in said(app)


def test_corpora_chosen_together_have_colours_of_their_own(workspace: Path) -> None:
    entries = {}
    for i in range(12):
        entry = emergent_library.keep(from_utterances([[i, 0]]), f"{i:02}", workspace)
        entries[entry.name] = entry
    names = list(entries)
    whole = Selection(entries, entries).colours
    assert [whole[name] for name in names[:7]] == list(COLOURS)
    pair = Selection({name: entries[name] for name in (names[0], names[7])}, entries).colours
    assert pair[names[0]] == whole[names[0]]
    assert pair[names[7]] != pair[names[0]]
    assert Selection({names[3]: entries[names[3]]}, entries).colours[names[3]] == whole[names[3]]
    one = Selection(entries, entries)
    assert one.colours is one.colours  # found once: views ask for each corpus


def test_no_power_law_is_said_instead_of_numbers(shown: list[Shown]) -> None:
    app = open_page(view="Rank–frequency", corpora=["Random", "Grown"])
    text = said(app)
    assert "**Random**: no power law" in text
    table = open_page(view="Overview", corpora=["Random"]).dataframe[0].value
    assert np.isnan(table["alpha"].iloc[0])


def test_what_to_be_careful_about_is_said_of_each_corpus(shown: list[Shown]) -> None:
    text = said(open_page(corpora=["One symbol", "Random"]))
    assert "2 of 2 corpora" in text
    assert "All 12 tokens are the same symbol." in text
    assert "480 tokens: pre-training on 15,000,000" in text


def test_statistics_are_counted_once_for_everybody(shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> None:
    open_page(corpora=ALL)
    frames._done.clear()
    cooked._KEPT.clear()
    monkeypatch.setattr(emergent_statistics, "compute", None)  # a call would fail
    open_page(corpora=ALL, view="Lengths")


def test_many_corpora_are_looked_at_a_page_at_a_time_and_asked_for_once(
    shown: list[Shown], workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"Many {number:02d}" for number in range(30)]
    for number, name in enumerate(names):
        emergent_library.keep(from_utterances([[1, 2, 3], [number, 4, 5]]), name, workspace)
    asked: list[str] = []
    counted = emergent_statistics.statistics
    monkeypatch.setattr(emergent_statistics, "statistics", lambda corpus, *of: (asked.append(corpus), counted(corpus, *of))[1])
    laws = said(open_page(corpora=names, view="Rank–frequency"))
    assert [name for name in names if f"**{name}**: " in laws] == names[:12]
    asked.clear()
    laws = said(open_page(corpora=names, view="Rank–frequency", page="3"))
    assert [name for name in names if f"**{name}**: " in laws] == names[24:]
    assert asked == []
    tables = open_page(corpora=names, view="Most frequent", page="2")
    assert [name for name in names if f"**{name}**" in said(tables)] == names[12:24]
    assert set(shown[-1].data["corpus"]) == set(names)  # the export has all
    warned = said(open_page(corpora=names, view="Overview"))
    assert "30 of 30 corpora" in warned
    assert [name for name in names if f"**{name}**" in warned] == names[:12]
    assert "and 25 more" in said(open_page(corpora=names, view="Lengths"))


def test_a_damaged_corpus_is_one_sentence(shown: list[Shown], workspace: Path) -> None:
    entry = next(each for each in emergent_library.entries([workspace]) if each.name == "Grown")
    (workspace / "emergent" / entry.id / "emergent.parquet").write_bytes(b"damaged")
    app = open_page(corpora=["Grown"])
    assert len(app.error) == 1
    assert "damaged" in app.error[0].value
    assert not open_page(corpora=["Random"]).error


def test_a_shuffled_version_is_made_named_and_chosen_too(shown: list[Shown], workspace: Path) -> None:
    app = open_page(make="Shuffled within utterances", make_of="Grown", make_seed="4", corpora=["Random"])
    app.button(key="make-it").click().run()
    assert not app.exception
    assert app.multiselect(key="corpora").value == ["Random", "Grown, shuffled within utterances, seed 4"]
    assert sorted(set(shown[-1].data["corpus"])) == ["Grown, shuffled within utterances, seed 4", "Random"]


def test_the_same_corpus_under_another_name_is_said_to_be(shown: list[Shown], workspace: Path) -> None:
    app = open_page(make="Shuffled over the corpus", make_of="One symbol")
    app.text_input(key="make_name").set_value("Other").run()
    app.button(key="make-it").click().run()
    assert [toast.value for toast in app.toast] == ["The same utterances are saved already, as One symbol."]
    assert "One symbol" in app.multiselect(key="corpora").value
    assert len(emergent_library.entries([workspace])) == len(ALL)


def test_a_taken_name_is_said(shown: list[Shown], workspace: Path) -> None:
    app = open_page(make="Paren synth", make_tokens="500", make_vocabulary="20")
    app.text_input(key="make_name").set_value("random").run()
    app.button(key="make-it").click().run()
    assert "Another emergent corpus is called 'random'" in said(app)
    grow = open_page(make="Signalling game", game_name="grown", game_seed="9")
    assert "Another emergent corpus is called 'grown'" in said(grow)


def test_a_game_is_priced_and_submitted(shown: list[Shown], workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "alive", lambda _: [WorkerReport(pid=1, machine=CPU)])
    note_trainings("language_game", "playing")
    submitted: list[LanguageGameSpec] = []
    monkeypatch.setattr(client, "submit", lambda spec, _: submitted.append(spec))
    app = open_page(make="Signalling game", game="Quick reconstruction", game_seed="3")
    assert "**Quick reconstruction, seed 3**: reconstruction, 3 attributes, 8 values each" in said(app)
    (button,) = [each for each in app.button if each.label.startswith("Train (about")]
    button.click().run()
    assert not app.exception
    (spec,) = submitted
    assert (spec.name, spec.options.seed, spec.options.game) == ("Quick reconstruction, seed 3", 3, "reconstruction")
    app = open_page(make="Signalling game", game="Quick discrimination", game_keep_end_quick="true")
    assert "20 symbols, up to 6 a message, its end kept" in said(app)
    next(each for each in app.button if each.label.startswith("Train (about")).click().run()
    assert submitted[1].options == preset("quick", keep_end=True)


def test_numbers_of_a_game_that_do_not_fit_are_said(shown: list[Shown]) -> None:
    app = open_page(make="Signalling game", game_attributes_quick="1", game_values_quick="2")
    assert app.error
    app = open_page(make="Signalling game", game_attributes_quick="64", game_values_quick="1000")
    assert "more objects than can be numbered" in said(app)


def test_a_language_that_is_grown_is_not_grown_again(
    shown: list[Shown], workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = next(each for each in emergent_library.entries([workspace]) if each.name == "Grown")
    played(workspace, entry.id, preset("quick"))
    app = open_page(make="Signalling game", corpora=["Random"])
    assert "This language is trained: **Grown**" in said(app)
    app.button(key="grown-show").click().run()
    assert not app.exception
    assert app.multiselect(key="corpora").value == ["Random", "Grown"]
    assert shown[-1].name == "Success over training"


def test_only_ones_own_game_changes_the_view_when_it_ends(
    shown: list[Shown], workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = LanguageGameSpec(name="Grown", options=preset("quick-reconstruction"))
    jobs: list[Job] = []
    monkeypatch.setattr(client, "jobs", lambda *_, **__: list(jobs))
    monkeypatch.setattr(client, "job", lambda *_: jobs[0] if jobs else None)
    entry = next(each for each in emergent_library.entries([workspace]) if each.name == "Grown")
    for mine in (False, True):
        jobs[:] = [Job("1", spec.model_dump(mode="json"), "running", 1, 0, (), "playing", 0.5, 0.0, None, tuple(spec.shards()))]
        query = {"make": "Signalling game", "game": "Quick reconstruction"} if mine else {}
        app = open_page(view="Lengths", corpora=["Random"], **query)
        jobs[0] = replace(jobs[0], state="done", done=1)
        played(workspace, entry.id, spec.options)
        app.run()
        assert not app.exception
        assert [toast.value for toast in app.toast] == ["Grown is trained."]
        assert app.multiselect(key="corpora").value == (["Random", "Grown"] if mine else ["Random"])
        assert app.segmented_control(key="view").value == ("Games" if mine else "Lengths")


def test_a_game_that_failed_is_said(shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> None:
    spec = LanguageGameSpec(name="Ours *b*", options=preset("quick"))
    jobs = [Job("1", spec.model_dump(mode="json"), "running", 1, 0, (), None, 0.5, 0.0, None, tuple(spec.shards()))]
    monkeypatch.setattr(client, "jobs", lambda *_, **__: list(jobs))
    monkeypatch.setattr(client, "job", lambda *_: jobs[0])
    app = open_page()
    jobs[0] = replace(jobs[0], state="failed")
    app.run()
    assert [toast.value.replace("\\", "") for toast in app.toast] == [
        "Ours *b* could not be trained: see “Make a corpus”, or Jobs."
    ]
    app.run()
    assert not app.toast


def test_a_damaged_curve_is_said(shown: list[Shown], workspace: Path) -> None:
    (path,) = [path for path in (workspace / "details").glob("*.parquet") if b"distractors" in path.read_bytes()]
    content = bytearray(path.read_bytes())
    content[8] ^= 1  # the footer can still be read
    path.write_bytes(content)
    assert "damaged" in said(open_page(view="Games", corpora=["Grown"]))


def test_a_printed_game_stands_beside_what_is_printed_of_it(shown: list[Shown], workspace: Path) -> None:
    entry = next(each for each in emergent_library.entries([workspace]) if each.name == "Grown")
    small, large = preset("xferbench-disc-small", seed=3), preset("xferbench-recon-large")
    games = [Played("k", entry.id, options, 3, options.chance, 1.0) for options in (small, large)]
    assert success.chances("Success", games) == {"chance 6e-08": large.chance, "chance 0.17": 1 / 6}
    assert success.chances("Attributes", games) == {"chance 0.12": 1 / 8}
    succeeded = {"Disc, small, printed, more than": 0.95, "Recon, large, printed": 0.00014}
    assert success.as_printed("Success", games) == pytest.approx(succeeded)
    assert success.as_printed("Attributes", games) == {"Recon, large, printed": 0.24}
    assert success.chances("Loss", games) == success.as_printed("Loss", games) == {}
    assert success.printed_game(preset("xferbench-disc-small", epochs=11)) is None
    played(workspace, entry.id, small)
    app = open_page(view="Games", corpora=["Grown"])
    (table,) = [each.value for each in app.dataframe if "Printed" in each.value]
    assert table["Printed"].tolist() == ["above 95% (chance 17%)"]
    assert table["Left out"].tolist() == [30_000]
    assert "Mu+, SW 71% (chance 50%), Mu+, CUB 66% (chance 50%), Yao+ above 90% (chance 0.4%)" in said(app)
    assert "Grown: 30,000 of 32,768 messages are empty and left out of the corpus." in said(app)
    assert success.printed_game(preset("xferbench-disc-small", keep_end=True)) == success.printed_game(small)
    (drawn,) = app.get("plotly_chart")
    for line in ("chance 0.17", "Disc, small, printed, more than: 95%"):
        assert line in drawn.proto.spec


def test_curves_of_success_stand_corpus_by_corpus() -> None:
    data = pd.DataFrame(
        {
            "corpus": ["a", "a", "b", "b"],
            "step": [0, 5, 0, 5],
            "epoch": [0, 1, 0, 1],
            "success": [0.1, 0.2, 0.3, 0.4],
            "held_out_success": [0.5, 0.6, np.nan, np.nan],
        }
    )
    found = figures.versions(data, ("success", "held_out_success"))
    rows = list(zip(found["corpus"], found["objects"], found["step"], found["value"], strict=True))
    assert rows == [
        ("a", "trained on", 0, 0.1),
        ("a", "trained on", 5, 0.2),
        ("a", "held out", 0, 0.5),
        ("a", "held out", 5, 0.6),
        ("b", "trained on", 0, 0.3),
        ("b", "trained on", 5, 0.4),
    ]
