"""Languages chosen, when what they are chosen of changes: those that both have stay, and the rest is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.words import listed
from isogloss.pages.widgets.choosing import language_groups
from isogloss.pages.widgets.choosing.choices import has_value

NAMED = 4
FEW = 3
"""Languages that no groups are offered of."""


@dataclass(frozen=True)
class Before:
    """What a control had when it was drawn last."""

    place: str
    of: str
    tags: tuple[str, ...]
    chosen: tuple[str, ...]
    said: str


def choose(
    label: str, tags: Sequence[str], *, key: str, of: str, place: str, usual: Sequence[str] = (), placeholder: str | None = None
) -> list[str]:
    """Draw the control of languages, bound to the URL, for the data `of` (an id) on the page `place`; returns those chosen.

    At first `usual` are chosen, all without any. A `placeholder` such as “All 12” says that none chosen means all. Where the
    data changed, languages that both have stay chosen, all where all were; what that added or dropped is said below.
    """
    slot = f"languages-before-{key}"
    before: Before | None = st.session_state.get(slot)
    if before is not None and before.place != place:
        before = None
    default = list(usual or tags) if placeholder is None else []
    change = ""
    if before is not None and before.of == of:
        change = before.said
    elif before is not None and has_value(key):
        chosen, change = moved(before.tags, before.chosen, tags)
        everything = set(chosen) == set(tags)
        st.session_state[key] = [] if everything and placeholder else chosen
        default = []  # the session's value counts; Streamlit warns of a default beside it
    if language_groups.just_chosen(key):
        default = []
    with st.popover(_of(label, tags, key, default), key=f"{key}-open", width="stretch"):
        if len(tags) > FEW:
            language_groups.offer(tags, key, none_is_all=placeholder is not None)
        selected = st.multiselect(
            label,
            list(tags),
            default=default or None,
            format_func=name,
            key=key,
            bind="query-params",
            placeholder=placeholder or "At least two",
        )
    if before is not None and before.of == of and before.chosen != tuple(selected or tags):
        change = ""  # chosen since: nothing is left of what the change did
    if change:
        st.caption(change)
    st.session_state[slot] = Before(place, of, tuple(tags), tuple(selected or tags), change)
    return selected


def _of(label: str, tags: Sequence[str], key: str, default: Sequence[str]) -> str:
    """Return what the closed control says, before it is drawn: `Languages: 6 of 36`."""
    names = {name(tag): tag for tag in tags}
    if has_value(key):
        chosen = [tag for tag in st.session_state[key] if tag in names.values()]
    else:
        chosen = [each for each in st.query_params.get_all(key) if each in names] or list(default)
    return f"{label}: {len(chosen) or len(tags)} of {len(tags)}"


def some(label: str, tags: Sequence[str], *, key: str, of: str, place: str) -> tuple[str, ...]:
    """Draw the control, where none chosen means all; returns the chosen ones in alphabetical order."""
    return tuple(sorted(choose(label, tags, key=key, of=of, place=place, placeholder=f"All {len(tags)}") or tags))


def moved(tags: Sequence[str], chosen: Sequence[str], to: Sequence[str]) -> tuple[list[str], str]:
    """Return which languages of `to` are chosen after `chosen` of `tags` were, and a sentence on what changed."""
    kept = [tag for tag in to if tag in chosen]
    now = list(to) if len(kept) < 2 or set(chosen) == set(tags) else kept
    added, dropped = [tag for tag in now if tag not in chosen], [tag for tag in chosen if tag not in now]
    parts = [f"{what} {_named(each)}" for what, each in (("added", added), ("dropped", dropped)) if each]
    text = "; ".join(parts)
    return now, f"{text[0].upper()}{text[1:]}." if text else ""


def name(tag: str) -> str:
    """Return a language as the select boxes and the link call it."""
    return f"{language(tag).name} · {tag}"


def _named(tags: Sequence[str]) -> str:
    return listed([language(tag).name for tag in tags], NAMED)
