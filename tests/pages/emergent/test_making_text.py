"""Human text made into a corpus from the page: its statistics at once, and a human source in the benchmark's groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.corpora.emergent import library as emergent_library
from tests.pages.abx.abx_page import Shown
from tests.pages.emergent import benchmark_workspace as made
from tests.pages.emergent.emergent_page import open_page

if TYPE_CHECKING:
    from pathlib import Path


def test_a_language_is_made_kept_and_looked_at(workspace: Path) -> None:
    made.keep_corpora(workspace)
    app = open_page(make="Human text", corpora=["Mine"], make_text_vocabulary="270")
    (box,) = (each for each in app.selectbox if each.label == "Language")
    box.select("fi").run()
    app.button(key="make-text").click().run()
    assert not app.exception
    (entry,) = (each for each in emergent_library.entries([workspace]) if each.language)
    assert (entry.name, entry.language, entry.utterances) == ("Text, fi, 270 sub-words", "fi", 20)
    assert app.multiselect(key="corpora").value == ["Mine", entry.name]
    assert entry.name in app.dataframe[0].value["corpus"].tolist()
    again = open_page(make="Human text", corpora=["Mine"], make_text_vocabulary="270")
    (box,) = (each for each in again.selectbox if each.label == "Language")
    box.select("fi").run()
    again.text_input(key="make_text_name").set_value("random").run()  # a name that another has: but the content is kept
    again.button(key="make-text").click().run()
    assert f"saved already, as {entry.name}" in " ".join(str(each.value).replace("\\", "") for each in again.toast)


def test_such_a_corpus_is_a_human_source_of_its_writing_system(workspace: Path, shown: list[Shown]) -> None:
    from isogloss.backend.experiments.emergent.text_corpora import TextRecipe, make_and_keep

    keys = made.fill(workspace)
    corpus = keys["Human"].partition("/")[0]
    made.more_human_sources(workspace, keys)
    more = next(entry.id for entry in made.library.entries([workspace]) if entry.name == "More")
    entry = make_and_keep(TextRecipe(more, "ru", 270), "Russian in sub-words", [workspace])
    for target in made.TARGETS:
        made.score(workspace, source=entry.id, corpus=corpus, target=target, value=5.5)
    open_page(view="Writing systems", board_paper="false")
    (own,) = shown
    cyrillic = own.data[own.data["source"] == "Cyrillic"]
    assert cyrillic["n"].tolist() == [6]  # Russian as text and in sub-words, in three targets
