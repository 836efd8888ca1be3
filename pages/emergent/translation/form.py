"""What the machine-translation check is to compute: the form of a new run, its price, and a button for just what lacks."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.translation.spec import EXPERIMENT, TranslationSpec
from isogloss.pages.emergent.shared import form_parts, missing
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.form import form
from isogloss.pages.widgets.choosing.selecting import language_name

PAIR = ("en", "fr")
"""The paper's languages."""


def offer(selection: Selection) -> None:
    """Draw the form: what it asks for is priced and computed at a press."""

    def draw(corpora: dict[str, CorpusEntry], under_way: set[str]) -> None:
        if not any(len(entry.tags) > 1 for entry in corpora.values()):
            _lacking()
        elif (spec := _spec(selection, corpora)) is not None:
            missing.offer(spec, under_way)

    form_parts.unfold(EXPERIMENT, "Machine translation", ":material/translate:", draw=draw)


def _spec(selection: Selection, corpora: dict[str, CorpusEntry]) -> TranslationSpec | None:
    """Return the spec of the form; None, with a hint, while it lacks something. Raises `SpecError` for options that clash."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        parallel = {name: entry for name, entry in corpora.items() if len(entry.tags) > 1}
        name, text = form_parts.corpus("Parallel text", parallel, "mt_text", form_parts.longest(parallel, PAIR))
        first = PAIR[0] if PAIR[0] in text.tags else text.tags[0]
        given = _language("Translate from", text.tags, first, f"mt_from_{text.id[:6]}")
        others = [tag for tag in text.tags if tag != given]
        into = _language("Into", others, PAIR[1] if PAIR[1] in others else others[0], f"mt_into_{text.id[:6]}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = form(TranslationSpec, {})["settings"]
        preset = form_parts.preset(
            ["quick", "paper"],
            key="mt_preset",
            help="Paper: the published model and budgets. Quick: a small model, minutes on a CPU, to try the way: from so "
            "little text none learns to translate, and scores tell sources apart in “Frozen” alone.",
        )
    human, spoken, fresh, seeds = _rarely(selection, corpora, text, (given, into))
    if not chosen:
        st.info("Choose a setting.", icon=":material/info:")
        return None
    fields = {
        "sources": form_parts.sources(selection, human, spoken, fresh=fresh),
        "text": {"corpus": text.id, "source_language": given, "target_language": into, "name": name[:120]},
        "settings": chosen,
        "preset": preset,
        "seeds": list(range(seeds)),
    }
    return validate(TranslationSpec, fields)


def _rarely(
    selection: Selection, corpora: dict[str, CorpusEntry], text: CorpusEntry, pair: tuple[str, str]
) -> tuple[tuple[str, CorpusEntry], list[str], bool, int]:
    """Draw what few change: the human text and its languages, whether one model is not pre-trained, the number of seeds."""
    longest = form_parts.longest(corpora)
    shown = str(st.session_state.get("mt_human_text", longest))
    languages = f"mt_human_{corpora.get(shown, text).id[:6]}"
    free = _free(corpora.get(shown, text), text, pair)
    untouched = {"mt_human_text": longest, languages: free[:1], "mt_none": True, "mt_seeds": 1}
    with more.settings("mt", untouched):
        form_parts.chosen_in_the_side_bar(selection)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            human = form_parts.corpus("Human text from", corpora, "mt_human_text", longest)
            usual = _free(human[1], text, pair)[:1]
            spoken = form_parts.languages("Human sources", human[1], usual, key="mt_human", placeholder="None")
            fresh = st.toggle("No pre-training", value=True, key="mt_none", bind="query-params")
            seeds = st.number_input("Seeds", 1, 50, 1, key="mt_seeds", bind="query-params", width=110)
    return human, spoken, fresh, int(seeds)


def _free(human: CorpusEntry, text: CorpusEntry, pair: tuple[str, str]) -> list[str]:
    """Return the languages of the human text but those translated between, where it is the parallel text too."""
    return [tag for tag in human.tags if human.id != text.id or tag not in pair]


def _language(label: str, tags: list[str], first: str, key: str) -> str:
    return select(label, tags, key, width=200, index=tags.index(first), named=language_name)


def _lacking() -> None:
    st.info("Translation needs a parallel corpus of two languages, and none is saved yet.", icon=":material/library_add:")
    navigation.to_library("Add text", "Corpora")
