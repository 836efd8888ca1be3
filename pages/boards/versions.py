"""A board as it was at a meeting: kept by a press, opened again with the numbers of then, beside those of now."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime

import streamlit as st

from isogloss.backend import people
from isogloss.backend.boards import board, versions
from isogloss.backend.boards.again import Again
from isogloss.backend.boards.records import Opened, Pin
from isogloss.backend.boards.titles import caption_of, title_of
from isogloss.backend.boards.versions import Version
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings
from isogloss.pages.boards import order, pinned, report
from isogloss.pages.widgets import notes
from isogloss.pages.widgets.choosing.choices import box, segments
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

NOW, KEY = "now", "version"
BESIDE = {"then": "As it was", "beside": "Beside now"}


def chosen(on: Opened) -> Version | None:
    """Draw the choice of a version where the board has one; None: the board as it is now."""
    kept = {each.id: each for each in versions.versions(workspaces(), on.board.id)}
    if not kept:
        return None
    named = {NOW: "Now"} | {id_: f"{each.title}, {each.at:%-d %b %Y}" for id_, each in kept.items()}
    return kept.get(box("Version", named, KEY, NOW, width=320))


def offer(on: Opened) -> None:
    """Draw what keeps the board as it is now."""
    if people.refusal("pin"):
        return
    with st.popover("Keep a version", icon=":material/history:", key="board-version"):
        with st.form("version", border=False):
            title = st.text_input("Title", _usual(), max_chars=board.LONGEST_TITLE, key="version-title")
            pressed = st.form_submit_button("Keep", type="primary")
        st.caption("Keeps every figure with the numbers of now, the notes and the order. Later scores do not change it.")
    if pressed:
        with guard(), st.spinner("Drawing"):
            made = versions.keep(workspaces(), on.board.id, title)
            notes.after_rerun(f"{verbatim(made.title)} is kept: choose it under *Version*.")
            st.rerun()


def _usual() -> str:
    return f"Meeting of {datetime.now(UTC):%-d %B}"


def draw(version: Version) -> None:
    """Draw a version: its figures as they were, and what is other now; beside those of now where that is chosen."""
    on = version.opened()
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = segments("Show", BESIDE, "version-beside", shows_label=False)
        report.offer_page(on, version)
        if not people.refusal("change", of=version.by):
            with st.popover("Remove version", icon=":material/close:", type="tertiary", key="version-remove"):
                st.caption("The version goes, with its numbers of then. The board and its figures stay.")
                if st.button("Remove", key="version-off", type="primary"):
                    with guard():
                        versions.remove(settings().workspace, version)
                    st.rerun()
    by = f" by {verbatim(version.by)}" if version.by else ""
    texts = sum(pin.is_text for pin in on.pins)
    held = " and ".join(filter(None, [count(len(on.pins) - texts, "figure"), count(texts, "text") if texts else ""]))
    st.caption(f"{held}, kept{by} on {version.at:%-d %B %Y, %H:%M} UTC.")
    if shown == "beside":
        order.put_beside("[class*=st-key-beside-]")
    number = 0
    cards = itertools.count()
    for pin in on.pins:
        number += not pin.is_text
        _pin(version, pin, number, cards, beside=shown == "beside")


def _pin(version: Version, pin: Pin, number: int, cards: Iterator[int], *, beside: bool) -> None:
    with st.container(border=not pin.is_text, key=f"version-{pin.id}"), guard():
        if not pin.is_text:
            now = _now(version, pin)
            then = versions.then(workspaces(), version, pin, now)
            st.markdown(f"**{number}. {verbatim(title_of(pin, then.rests_on))}**")
            if then.said:
                st.warning(verbatim(then.said), icon=":material/update:")
            elif now is not None:
                st.caption("Nothing is other now.")
            if beside and now is not None and not now.as_pinned:
                with st.container(key=f"beside-{pin.id}"):
                    for label, each in (("Then", then), ("Now", now)):
                        with st.container():
                            st.markdown(f":gray[{label}]")
                            pinned.figure(each, pin, f"version-{pin.id}-{label}", f"{label}: {pin.alt}", cards)
            else:
                pinned.figure(then, pin, f"version-{pin.id}", pin.alt, cards)
            st.caption(verbatim(caption_of(then.rests_on)))
        for note in version.opened().notes.get(pin.id, ()):
            pinned.text_of(note, signed=not pin.is_text)


def _now(version: Version, pin: Pin) -> Again | None:
    try:
        return pinned.drawn(version.board.id, pin)
    except StoreError:
        return None
