"""What pages open on: one's own results once there are any, the newest first; and what a change of the corpus keeps."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote_plus

import pytest

from isogloss.backend import people
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.files import digest
from isogloss.backend.jobs import client
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from isogloss.pages.library.models.entries import opened_key
from isogloss.pages.library.shared.shelf import opened_key as shelf_key
from isogloss.pages.widgets.choosing.spoken import moved
from isogloss.pages.widgets.runs import compute
from tests.experiments.probing.small_probing import keep_tagged, sentences
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, Shown, record
from tests.pages.abx.test_abx_corpora import keep_smaller, publish_scores
from tests.pages.opened import opened
from tests.pages.transfer import transfer_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from isogloss.backend.corpora.parallel.library import CorpusEntry


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """The figures shown, on the demo beside an empty workspace."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    return record(monkeypatch)


def chosen(app: AppTest, key: str) -> Any:
    return next(each.value for each in [*app.selectbox, *app.multiselect] if each.key == key)


def press(app: AppTest, label: str) -> None:
    next(each for each in app.button if each.label == label).click()
    app.run()
    assert not app.exception


def keep_own_model(workspace: Path) -> None:
    """Keep a model of one's own, whose weights are those of the demo's."""
    theirs = next(each for each in models.entries([DEMO]) if each.name == MLM)
    last = theirs.checkpoints[-1].model_copy(update={"fingerprint": digest("own")})
    models.keep(theirs.model_copy(update={"name": "Own model", "checkpoints": (last,)}), workspace)


def measured_by(app: AppTest, *pages: str) -> dict[str, dict[str, list[str]]]:
    """What the Library's links to pages choose, by their labels; without `pages`, to those of pairs."""
    labels = [f"Measure: {page}" for page in pages or ("ABX", "Alignment")]
    links = [each.proto for each in app.get("page_link") if each.proto.label in labels]
    return {each.label: parse_qs(each.query_string) for each in links}


def test_what_is_ones_own_comes_before_the_demos_though_nothing_of_it_is_measured(shown: list[Shown], tmp_path: Path) -> None:
    keep_smaller(tmp_path, name="Zzz")  # after the demo's in the alphabet
    app = opened("abx", {})
    assert (chosen(app, "corpus"), chosen(app, "model")) == ("Zzz", [MLM, CONTRAST])
    keep_own_model(tmp_path)
    app = opened("alignment", {})
    assert (chosen(app, "corpus"), chosen(app, "model")) == ("Zzz", ["Own model"])
    press(app, "Demo")
    assert (chosen(app, "corpus"), chosen(app, "model")) == ("Demo sentences", [MLM, CONTRAST])


def test_a_model_and_a_corpus_that_were_kept_are_measured_together_at_a_press(
    shown: list[Shown], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued: list[AbxSpec] = []
    monkeypatch.setattr(compute, "submit", lambda spec, *_: queued.append(spec))
    app = opened("library", {"shelf": "Models"})
    keep_own_model(tmp_path)
    app.run()
    assert measured_by(app) == {"Measure: ABX": {"model": ["Own model"]}, "Measure: Alignment": {"model": ["Own model"]}}
    assert not [each for each in app.button if each.label == "Start"]
    corpus = keep_smaller(tmp_path, name="Own corpus")
    app.run()
    both = {"model": ["Own model"], "corpus": ["Own corpus"]}
    assert measured_by(app) == {"Measure: ABX": both, "Measure: Alignment": both}
    assert [each for each in app.markdown if each.value.endswith("Measure **Own model** on **Own corpus**: ABX")]
    press(app, "Start")
    [spec] = queued
    assert (spec.model, spec.corpus, list(spec.languages)) == ("Own model", corpus.id, sorted(corpus.tags))


def test_a_card_leads_to_the_newest_own_score_of_it_else_to_the_newest_own(shown: list[Shown], tmp_path: Path) -> None:
    scored = keep_smaller(tmp_path, name="Scored")
    newest = keep_smaller(tmp_path, ("de", "en", "zh"), "Newest")
    keep_own_model(tmp_path)
    publish_scores(tmp_path, scored, model=CONTRAST, labels=("checkpoint-2000",))  # the first is that of both

    def other(shelf: str, card: str, parameter: str) -> list[str]:
        return measured_by(opened("library", {"shelf": shelf}, {card: True}))["Measure: ABX"][parameter]

    assert other("Models", opened_key(CONTRAST), "corpus") == ["Scored"]
    assert other("Models", opened_key(MLM), "corpus") == ["Newest"]
    assert other("Corpora", f"corpus-{scored.id[:12]}", "model") == [CONTRAST]
    assert other("Corpora", f"corpus-{newest.id[:12]}", "model") == ["Own model"]


def test_data_with_labels_and_a_model_are_measured_together(shown: list[Shown], tmp_path: Path) -> None:
    from isogloss.backend.corpora.tasks import library as tasks

    task = tasks.keep(transfer_workspace.small_task(), "Own task", tmp_path)
    keep_own_model(tmp_path)
    both = {"model": ["Own model"], "data": ["Own task"]}
    for shelf, card in (("Models", opened_key("Own model")), ("Tasks", shelf_key("task", task.id))):
        found = measured_by(opened("library", {"shelf": shelf}, {card: True}), "Transfer", "Probing")
        assert found == {"Measure: Transfer": both, "Measure: Probing": both}, shelf
    tagged = keep_tagged(sentences("de", 3, random.Random(1), "train"), "Own tags", tmp_path)
    found = measured_by(opened("library", {"shelf": "Tagged text"}, {shelf_key("tagged corpus", tagged): True}), "Probing")
    assert found == {"Measure: Probing": {"model": ["Own model"], "data": ["Own tags"]}}


def test_transfer_shows_the_demo_and_says_so_while_ones_own_model_is_not_trained(shown: list[Shown], tmp_path: Path) -> None:
    keep_own_model(tmp_path)
    app = opened("transfer", {"model": "Own model"})
    assert "multilingual-e5-small" in str([each.name for each in shown])
    said = [each.value.replace("\\", "") for each in app.info]
    assert any("Own model is not trained on" in each and "Shown is the demo: " in each for each in said)
    assert chosen(app, "model") == ["Own model"]  # what would be trained
    assert not next(each for each in app.expander if each.label == "Train models").proto.expanded


def test_what_whoever_looks_has_computed_comes_before_newer_results_of_others(
    shown: list[Shown], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = keep_smaller(tmp_path, name="Hers"), keep_smaller(tmp_path, ("de", "en", "zh"), "His")
    publish_scores(tmp_path, first, model=CONTRAST)
    hers = {file.run for file in scores.shards([tmp_path], "abx")}
    publish_scores(tmp_path, second, model=CONTRAST)
    assert chosen(opened("abx", {}), "corpus") == "His"
    monkeypatch.setattr(client, "shards_of", lambda person, _: hers if person == "her@lab.org" else frozenset())
    for name, corpus in (("her@lab.org", "Hers"), ("new@lab.org", "His")):
        monkeypatch.setattr(people, "now", lambda name=name: people.Person(name, "editor"))
        assert chosen(opened("abx", {}), "corpus") == corpus


def test_the_page_opens_on_ones_own_scores_and_the_demo_is_a_click_away(shown: list[Shown], tmp_path: Path) -> None:
    publish_scores(tmp_path, keep_smaller(tmp_path, name="Zzz"), model=CONTRAST)
    app = opened("abx", {"view": "Pairs"})
    assert (chosen(app, "corpus"), chosen(app, "model")) == ("Zzz", [CONTRAST])
    assert shown
    press(app, "Demo")
    assert (chosen(app, "corpus"), chosen(app, "model")) == ("Demo sentences", [MLM, CONTRAST])
    assert len(chosen(app, "languages")) == 10
    assert chosen(opened("abx", {"corpus": "Demo sentences"}), "corpus") == "Demo sentences"  # a link says what it says


def test_the_languages_of_the_newest_scores_are_chosen(shown: list[Shown], tmp_path: Path) -> None:
    """Scores of some of a corpus's languages: those are looked at, since a mean over all would be empty."""
    whole = keep_smaller(tmp_path, name="Own")
    few = whole.model_copy(update={"languages": tuple(each for each in whole.languages if "zh" not in str(each))})
    assert len(few.tags) == 3
    publish_scores(tmp_path, few, model=CONTRAST)
    app = opened("abx", {"view": "Pairs"})
    assert (chosen(app, "languages"), bool(shown)) == (["ar", "de", "en"], True)


@pytest.mark.parametrize(("older", "opening"), [({}, [CONTRAST]), ({"sentences": 40, "prefix": "query: "}, [CONTRAST, MLM])])
def test_older_scores_with_more_languages_or_other_options_are_not_in_the_way_of_the_newest(
    shown: list[Shown], tmp_path: Path, older: dict[str, Any], opening: list[str]
) -> None:
    """All languages with the newest scores' options, of which some have none, would be an empty page."""
    whole = keep_smaller(tmp_path, name="Own")
    few = whole.model_copy(update={"languages": tuple(each for each in whole.languages if "zh" not in str(each))})
    publish_scores(tmp_path, whole, model=MLM, **older)
    publish_scores(tmp_path, few, model=CONTRAST, sentences=40)
    app = opened("abx", {"view": "Pairs"})
    assert (chosen(app, "model"), chosen(app, "languages")) == (opening, ["ar", "de", "en"])
    assert any(set(each.data["model"]) == {CONTRAST} for each in shown)


ASKED = {"protocol": "sampled", "n_triplets": 500, "seed": 3, "sentences": 40, "subsamples": 3, "prefix": "query:\n"}


def test_how_the_newest_scores_were_asked_for_is_how_the_page_opens(shown: list[Shown], tmp_path: Path) -> None:
    """Whatever was asked for on the command line is shown, and what a link says is followed."""
    whole = keep_smaller(tmp_path, name="Own")
    publish_scores(tmp_path, whole, model=CONTRAST, **ASKED)
    app = opened("abx", {"view": "Pairs"})
    assert chosen(app, "protocol") == "sampled"
    assert {key: app.number_input(key=key).value for key in ("n_triplets", "abx_seed", "sentences")} == {
        "n_triplets": 500,
        "abx_seed": 3,
        "sentences": 40,
    }
    assert app.text_input(key="prefix_text").value == "query:\\n"
    assert shown
    assert set(shown[-1].data["n"]) == {40}
    shown.clear()
    app = opened("abx", {"view": "Pairs", "prefix": "None", "sentences": "0", "protocol": "100,000 sampled triplets"})
    assert (chosen(app, "prefix"), chosen(app, "protocol"), shown) == ("None", "sampled", [])  # as an older link names it


def publish_sentences(whole: CorpusEntry) -> None:
    """Scores of sentences at one checkpoint, with options that are not the default."""
    model = next(each for each in models.entries([DEMO]) if each.name == CONTRAST)
    spec = SentenceAlignmentSpec(
        model=CONTRAST,
        checkpoints=model.checkpoints[-1:],
        corpus=whole.id,
        languages=tuple(whole.tags),
        pooling="last",
        similarity="cosine",
        centred=True,
    )
    row = {"metric": "sentence_weak", "value": 0.5, "low": 0.4, "high": 0.6, "n": 40, "variant": spec.variant("last")}
    for key, checkpoint in spec.shards().items():
        ends = [ends for pair in spec.pairs for ends in (pair, pair[::-1])]
        rows = [row | {"layer": layer, "source": a, "target": b} for a, b in ends for layer in range(5)]
        about = spec.provenance(checkpoint) | {"asked": checkpoint_scores.non_default_options(spec)}
        checkpoint_scores.write(Context(settings()), key, rows, about, model=CONTRAST, label=checkpoint.label)


def test_alignment_opens_as_the_newest_was_asked_for(shown: list[Shown], tmp_path: Path) -> None:
    publish_sentences(keep_smaller(tmp_path, name="Own"))
    app = opened("alignment", {})
    assert app.segmented_control(key="unit").value == "sentence"
    assert (chosen(app, "corpus"), chosen(app, "similarity"), chosen(app, "pooling")) == ("Own", "cosine", "last")
    assert app.toggle(key="centred").value
    assert shown


def test_the_other_unit_of_alignment_opens_as_its_own_newest_was_asked_for(shown: list[Shown], tmp_path: Path) -> None:
    whole = keep_smaller(tmp_path, name="Own")
    publish_sentences(whole)
    [dictionary] = [each for each in dictionaries.entries([DEMO]) if {each.source, each.target} == {"de", "en"}]
    pair = DictionaryPair(source="de", target="en", dictionary=dictionary.id)
    model = next(each for each in models.entries([DEMO]) if each.name == CONTRAST)
    common = {"model": CONTRAST, "checkpoints": model.checkpoints[-1:], "corpus": whole.id}
    spec = WordAlignmentSpec(pairs=(pair,), n_pairs=700, similarity="cosine", **common)
    row = {"metric": "word_weak", "value": 0.5, "low": 0.4, "high": 0.6, "n": 40, "variant": spec.variant}
    rows = [row | {"layer": layer, "source": a, "target": b} for a, b in (("de", "en"), ("en", "de")) for layer in range(5)]
    for key, checkpoint in spec.shards().items():
        about = spec.provenance(checkpoint) | {"asked": checkpoint_scores.non_default_options(spec)}
        checkpoint_scores.write(Context(settings()), key, rows, about, model=CONTRAST, label=checkpoint.label)
    app = opened("alignment", {})
    assert (app.segmented_control(key="unit").value, app.number_input(key="n_pairs").value) == ("word", 700)
    shown.clear()
    app = opened("alignment", {"unit": "Sentences"})
    assert (chosen(app, "similarity"), chosen(app, "pooling"), app.toggle(key="centred").value) == ("cosine", "last", True)
    assert shown


def test_changing_the_corpus_says_which_languages_it_added_or_dropped(shown: list[Shown], tmp_path: Path) -> None:
    keep_smaller(tmp_path, name="Small")
    app = opened("abx", {"corpus": "Demo sentences", "languages": ["German · de", "English · en", "Greek · el"]})
    app.selectbox(key="corpus").set_value("Small").run()
    assert chosen(app, "languages") == ["de", "en"]
    assert "Dropped Greek." in [each.value for each in app.caption]
    app.toggle(key="controls").set_value(True).run()  # it stays until the languages are changed
    assert "Dropped Greek." in [each.value for each in app.caption]
    app.multiselect(key="languages").set_value(["de", "en", "zh"]).run()
    assert "Dropped Greek." not in [each.value for each in app.caption]


@pytest.mark.parametrize(
    ("tags", "before", "to", "now", "said"),
    [
        ("de en fr", "de en fr", "de en", "de en", "Dropped French."),
        ("de en", "de en", "de en fr", "de en fr", "Added French."),  # all were chosen: all are
        ("de en fr", "de fr", "de en fr zh", "de fr", ""),
        ("de en", "de en", "fr zh", "fr zh", "Added French and Chinese; dropped German and English."),
        ("de en fr", "de fr", "de zh", "de zh", "Added Chinese; dropped French."),  # one language alone makes no pair
        ("de en fr es zh ja", "de en fr es zh ja", "en zh", "en zh", "Dropped German, French, Spanish and Japanese."),
        ("de en fr es zh ja ar", "de en fr es zh ja ar", "en zh", "en zh", "Dropped German, French, Spanish and 2 more."),
    ],
)
def test_languages_that_both_have_stay(tags: str, before: str, to: str, now: str, said: str) -> None:
    assert moved(tags.split(), before.split(), to.split()) == (now.split(), said)


def test_transfer_names_a_model_that_has_no_runs_and_one_with_other_options(shown: list[Shown], tmp_path: Path) -> None:
    from isogloss.backend.training.finetune.options import FinetuneOptions

    transfer_workspace.fill(tmp_path, DEMO)
    app = opened("transfer", {"model": [MLM, CONTRAST]})
    assert chosen(app, "data") == transfer_workspace.NAME  # not the demo's random labels
    first = models.entries([DEMO])[0].name
    other = CONTRAST if first == MLM else MLM
    said = f"Not trained on Small task: {other}."
    assert [each for each in app.caption if said in each.value.replace("\\", "")]
    last = next(each for each in models.entries([DEMO]) if each.name == other)
    longer = FinetuneOptions(epochs=7, windows="all")
    again = {"model": other, "checkpoints": last.checkpoints[-1:], "training": longer}
    transfer_workspace.fill(tmp_path, DEMO, **again, seeds=(0,))
    app = opened("transfer", {"model": [MLM, CONTRAST]})  # each by its own options, which are said
    assert not [each for each in app.caption if "is hidden" in each.value.replace("\\", "")]
    told = [each.value.replace("\\", "") for each in app.caption]
    differ = [text for text in told if "Trained with different options." in text]
    assert f"{other}: 7 epochs" in differ[0]
    box = app.selectbox(key="setting")
    box.select(next(each for each in box.options if each.startswith("7 epochs"))).run()
    assert [each for each in app.caption if f"{first} is hidden: it was trained with" in each.value.replace("\\", "")]
    press(app, "Show it instead")
    assert not str(chosen(app, "setting")).startswith("7 epochs")
    assert [each for each in app.caption if f"{other} is hidden: it was trained with 7 epochs" in each.value.replace("\\", "")]


def test_a_task_without_runs_does_not_take_the_place_of_figures(shown: list[Shown], tmp_path: Path) -> None:
    from isogloss.backend.corpora.tasks import library as tasks

    tasks.keep(transfer_workspace.small_task(), "Fresh", tmp_path)
    app = opened("transfer", {})
    real = "multilingual-e5-small, 4-bit weights"
    assert (chosen(app, "data"), chosen(app, "model")) == ("Demo genre", [MLM, CONTRAST, real])
    assert chosen(opened("transfer", {"data": "Fresh"}), "data") == "Fresh"


def test_a_newly_kept_language_joins_those_chosen(shown: list[Shown], tmp_path: Path) -> None:
    from isogloss.backend.corpora.emergent import library
    from tests.corpora.emergent.utterances import from_utterances

    def keep(name: str, symbol: int) -> None:
        made = from_utterances([[symbol, 1, 2], [2, symbol], [1]] * 9)
        library.keep(made, name, tmp_path)

    demo = opened("emergent", {})
    [first, *_] = chosen(demo, "corpora")
    keep("Zzz", 5)
    demo.run()
    assert chosen(demo, "corpora")[-1] == "Zzz"  # beside the demo's, which were looked at
    assert chosen(opened("emergent", {}), "corpora") == ["Zzz"]
    assert chosen(opened("emergent", {"corpora": [first]}), "corpora") == [first]


def test_relations_sets_ones_own_measures_against_each_other(shown: list[Shown], tmp_path: Path) -> None:
    publish_scores(tmp_path, keep_smaller(tmp_path, name="Own"), model=MLM)
    app = opened("relations", {})
    assert {chosen(app, "x_model"), chosen(app, "y_model")} == {MLM}


def test_what_was_just_kept_can_be_measured(shown: list[Shown], tmp_path: Path) -> None:
    from isogloss.backend.corpora.tasks import library as tasks

    app = opened("library", {"shelf": "Tasks"})
    assert not [each for each in app.get("page_link") if each.proto.label.startswith("Measure")]
    tasks.keep(transfer_workspace.small_task(), "Fresh & new", tmp_path)
    app.run()
    assert any("Fresh & new** is saved." in each.value.replace("\\", "") for each in app.markdown)
    links = {each.proto.label: each.proto for each in app.get("page_link") if each.proto.label.startswith("Measure")}
    assert {label: proto.query_string for label, proto in links.items()} == {
        "Measure: Transfer": "data=Fresh+%26+new",
        "Measure: Probing": "data=Fresh+%26+new",
    }


def test_a_dictionary_is_measured_on_a_corpus_that_has_its_languages(shown: list[Shown], tmp_path: Path) -> None:
    from tests.pages.alignment.test_alignment_dictionaries import keep_dictionary

    app = opened("library", {"shelf": "Dictionaries"})
    keep_dictionary(tmp_path, "en", "de", "Mine")
    app.run()
    [link] = [each.proto for each in app.get("page_link") if each.proto.label.startswith("Measure")]
    query = {key: [unquote_plus(each) for each in values] for key, values in parse_qs(link.query_string).items()}
    assert query["languages"] == ["German · de", "English · en"]
    page = opened("alignment", query)
    assert chosen(page, "dictionary_de_en") == "Mine"


def test_home_has_a_figure_of_each_family_and_ones_own_in_place_of_the_demos(shown: list[Shown], tmp_path: Path) -> None:
    def drawn(app: AppTest) -> list[str]:
        assert not app.error
        return [chart.proto.spec for chart in app.get("plotly_chart")]

    before = drawn(opened("home", {}))
    assert len(before) == 8
    publish_scores(tmp_path, keep_smaller(tmp_path, name="Own"), model=MLM)
    after = drawn(opened("home", {}))
    assert [one == other for one, other in zip(before, after, strict=True)] == [False, *[True] * 6, False]
    assert "Demo MLM + translation" not in after[0]
