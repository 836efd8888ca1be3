"""Languages chosen by what they have in common: family, genus, script, region or resource level, alone, added, or left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import streamlit as st

from isogloss.backend.charts.languages import GROUPED
from isogloss.backend.corpora.languages.languages import UNCLASSIFIED
from isogloss.backend.figures.languages import language_table

How = Literal["Only", "Add", "All but"]
HELP = "What the languages have in common, from Glottolog, WALS, CLDR and URIEL+; in brackets how many have it."


def offer(tags: Sequence[str], key: str, *, none_is_all: bool) -> None:
    """Draw the choice of a group of `tags` and what to do with it, for the control `key` of languages below.

    `none_is_all`: the control is empty where all are chosen.
    """
    groups = groups_of(tuple(tags))
    chosen = st.selectbox(
        "Group",
        list(groups),
        None,
        lambda group: f"{group} ({len(groups[group])})",
        f"{key}-group",
        HELP,
        placeholder="Family, genus, script, region",
    )
    members = groups.get(chosen or "", [])
    with st.container(horizontal=True, gap="small"):
        how: How
        for how in ("Only", "Add", "All but"):
            st.button(
                how,
                key=f"{key}-{how}",
                disabled=not members,
                on_click=_choose,
                args=(key, tuple(tags), tuple(members), how, none_is_all),
            )
        st.button("All", key=f"{key}-everything", on_click=_choose, args=(key, tuple(tags), tuple(tags), "Only", none_is_all))


@lru_cache(maxsize=16)
def groups_of(tags: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the groups that some of the languages belong to and some do not, by their names, with the tags of each.

    By kind, the greatest first. Not to be changed: they are found once for the same languages, not at each change of a page.
    """
    meta, found = language_table(tags), {}
    for kind in GROUPED:
        values = [None if value in UNCLASSIFIED else value for value in meta[kind].tolist()]
        for value, amount in Counter(value for value in values if value).most_common():
            if amount < len(tags):
                members = [tag for tag, own in zip(tags, values, strict=True) if own == value]
                found[f"{kind.capitalize()}: {value}"] = members
    return found


def combined(tags: Sequence[str], chosen: Sequence[str], members: Sequence[str], how: How) -> list[str]:
    """Return which of `tags` are chosen after a group was, in their order."""
    match how:
        case "Only":
            wanted = set(members)
        case "Add":
            wanted = {*chosen, *members}
        case "All but":
            wanted = set(tags) - set(members)
    return [tag for tag in tags if tag in wanted]


def just_chosen(key: str) -> bool:
    """Return, once, whether a group has set the control `key`: it gets no default then, of which Streamlit would warn."""
    return bool(st.session_state.pop(_slot(key), False))


def _choose(key: str, tags: tuple[str, ...], members: tuple[str, ...], how: How, none_is_all: bool) -> None:
    now = combined(tags, st.session_state.get(key) or (tags if none_is_all else ()), members, how)
    st.session_state[key] = [] if none_is_all and len(now) == len(tags) else now
    st.session_state[_slot(key)] = True


def _slot(key: str) -> str:
    return f"{key}-by-group"
