"""Fetch Wikipedia text from the Hub with a worker: languages, amount, price and progress."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.corpora.languages.languages import genera
from isogloss.backend.corpora.languages.languages import name_of as language_name
from isogloss.backend.corpora.parallel import hub_text
from isogloss.backend.experiments.library import wikipedia
from isogloss.backend.experiments.library.wikipedia import EXPERIMENT, WikipediaSpec
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.words import count
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import size, verbatim
from isogloss.pages.widgets.workspace import attempt, guard, workspaces

FIRST = ["da", "eu", "fi"]
MOST = 1_000_000_000
LEAST = 1000
AMOUNTS: dict[str, hub_text.Released | None] = {
    "By characters": None,
    "XferBench target": "target",
    "XferBench source": "source",
}
NEEDED = (
    f"{hub_text.WIKIPEDIA} of {hub_text.DUMP[:4]}-{hub_text.DUMP[4:6]}-{hub_text.DUMP[6:]}, articles in its order. XferBench's "
    "preset “Quick” takes 1 million characters of a target, 8 million of a source; “Paper” 12 and 60 million. Its released "
    f"code reads the first {hub_text.RELEASED_ARTICLES['target']:,} articles of a target and the first "
    f"{hub_text.RELEASED_ARTICLES['source']:,} of a source, at revision {hub_text.RELEASED_REVISION[:7]}."
)


def draw() -> None:
    """Show the fetches under way, then the form with its price and a button for the missing languages."""
    under_way = compute.under_way(lambda job: job.spec.get("experiment") == EXPERIMENT)
    st.caption(NEEDED)
    if (spec := attempt(_spec)) is not None:
        _offer(spec, under_way)


def _spec() -> WikipediaSpec | None:
    """Build the spec from the form; None, with a hint, where no language is chosen. Raises `SpecError` for an unknown tag."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        languages = st.multiselect(
            "Languages",
            sorted(genera()),
            default=FIRST,
            format_func=lambda tag: f"{language_name(tag)} · {tag}",
            accept_new_options=True,
            key="wikipedia-languages",
            bind="query-params",
            placeholder="Choose, or type a code",
        )
        amount = AMOUNTS[
            st.selectbox(
                "Amount",
                list(AMOUNTS),
                key="wikipedia-amount",
                bind="query-params",
                width=200,
                help="As a target or a source of XferBench: the articles that its released code reads, at its revision.",
            )
        ]
        characters = st.number_input(
            "Characters per language",
            LEAST,
            MOST,
            hub_text.CHARACTERS,
            1_000_000,
            key="wikipedia-characters",
            bind="query-params",
            width=210,
            disabled=amount is not None,
            help="The article that reaches them is the last. A small Wikipedia may have fewer.",
        )
    if not languages:
        st.info("Choose a language.", icon=":material/info:")
        return None
    tags = tuple(tag.rpartition(" · ")[2] for tag in languages)
    if amount is None:
        return validate(WikipediaSpec, {"languages": tags, "characters": int(characters)})
    released = {"revision": hub_text.RELEASED_REVISION, "articles": hub_text.RELEASED_ARTICLES[amount]}
    return validate(WikipediaSpec, {"languages": tags, **released})


def _offer(spec: WikipediaSpec, under_way: set[str]) -> None:
    with guard():
        lacking = [spec.shards()[key] for key in wikipedia.missing(spec, workspaces())]
    kept = [verbatim(entry.name) for entry in wikipedia.entries_of(spec, workspaces())]
    if kept:
        st.caption(f":material/check_circle: Saved: {', '.join(kept)}.")
    if not lacking or not under_way.isdisjoint(piece.key for piece in lacking):
        return
    by_articles = lacking[0].articles is not None
    most = f"{lacking[0].articles:,} articles each" if by_articles else f"{sum(piece.most for piece in lacking):,} characters"
    sentence = f"**{count(len(lacking), 'language')}** to fetch: up to {most}, some {size(wikipedia.size(lacking))} of text."
    compute.offer(spec, sentence, shards=[piece.key for piece in lacking], verb="Fetch")
