"""Choose a data set of the Hub, its languages and a revision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from isogloss.backend.corpora.parallel import hub
from isogloss.backend.corpora.parallel.layouts import SIDES, Side

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.parallel.hub import HubDataset

FIRST = ("en", "de", "fi", "ru", "zh", "ar", "sw")


@dataclass(frozen=True)
class HubRequest:
    """A data set of the Hub as the form asks for it."""

    dataset: HubDataset
    languages: tuple[str, ...]
    split: str
    revision: str
    side: Side
    limit: int | None

    @property
    def name(self) -> str:
        """Suggest a name for the corpus."""
        return f"{self.dataset.split('/')[-1]} {self.split}" + (f" {self.side}" if self.dataset == "facebook/xnli" else "")


def form(tags: Sequence[str], named: Callable[[str], str]) -> HubRequest | None:
    """Draw the form; return its choices once the button is pressed. `named` gives a language's name."""
    dataset = st.selectbox("Data set", hub.HUB_DATASETS, key="hub-dataset")
    st.caption(hub.ABOUT[dataset].text)
    splits = hub.ABOUT[dataset].splits
    with st.form("hub-corpus-form", border=False):
        languages = st.multiselect(
            "Languages",
            list(dict.fromkeys([*FIRST, *tags])),
            default=list(FIRST[:3]),
            format_func=lambda tag: f"{named(tag)} · {tag}",
            accept_new_options=True,
            placeholder="Choose, or type a code such as pt-PT",
            key="hub-languages",
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            split = st.selectbox("Split", splits, index=splits.index(hub.ABOUT[dataset].split), key=f"hub-split-{dataset}")
            revision = st.text_input(
                "Revision", value="main", key="hub-corpus-revision", help="A branch, a tag or a full commit"
            )
            limit = st.number_input("First rows only", min_value=2, value=None, placeholder="all", key="hub-limit")
            side = st.selectbox("Sentences", SIDES, key="hub-side") if dataset == "facebook/xnli" else SIDES[0]
        pressed = st.form_submit_button("Load", icon=":material/cloud_download:", type="primary")
    if not pressed:
        return None
    return HubRequest(dataset, tuple(languages), split, (revision or "").strip() or "main", side, int(limit) if limit else None)


def load(asked: HubRequest) -> ParallelCorpus:
    """Load the corpus asked for. Raises `CorpusError`: no network, gated, no such revision, split or language."""
    return hub.load(
        asked.dataset, asked.languages, split=asked.split, revision=asked.revision, side=asked.side, limit=asked.limit
    )
