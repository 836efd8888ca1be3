"""Review what was read from files of which each is a thing of its own: what is kept, and under which names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from isogloss.backend.corpora.shared import loss
from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.corpora.shared.kept import MAX_NAME, Entry, free_name
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings
from isogloss.pages.library.shared import adding, held, losses
from isogloss.pages.widgets import notes
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from isogloss.pages.library.shared.shelf import Shelf


class Read(NamedTuple):
    """What was read from some files."""

    content: Any
    files: Sequence[str]
    """Their names."""
    renumber: Callable[[], Any] | None = None
    """Reads them again, with their negative numbers; None where there are none."""
    offer: Callable[[Any, str], Any] | None = None
    """Draws what else can be read from them, given the content and a key, and returns what it is where that was asked for."""


TOASTS = 3
RENUMBER = (
    "Renumber: the integers that occur count from 0, in their order. If negative ones stand for nothing, remove them first."
)
PROBLEMS = 5
"""Unreadable files are shown in full view up to this many; the others are folded away."""


@dataclass(frozen=True)
class Candidate:
    """What may be kept."""

    content: Any
    entry: Entry
    """That it would have, with the name to suggest."""
    files: tuple[str, ...]
    """The dropped files."""
    same: str = ""
    """The file, or what is saved already, that holds the same; such a one is not kept again."""
    renumber: Callable[[], Any] | None = None
    """Reads its files again, with their negative numbers; None where there are none."""
    offer: Callable[[Any, str], Any] | None = None
    """As in `Read`."""

    @property
    def file(self) -> str:
        """The dropped file; the first of several."""
        return self.files[0]


@dataclass(frozen=True)
class ReviewedUpload:
    """What was read from one drop, and the problems."""

    candidates: list[Candidate]
    problems: list[str]
    """A sentence on each file that could not be read."""


def hold(shelf: Shelf[Any, Any, Any], contents: Sequence[Read], problems: list[str]) -> None:
    """Hold what was read to be reviewed, each under a free name after its files; of equal ones only the first is proposed."""
    known = shelf.kind.entries([settings().workspace])
    by_id = {entry.id: entry for entry in known}
    seen = {entry.id: f"{entry.name}, which is saved already" for entry in known}
    taken = [entry.name for entry in known]
    candidates: list[Candidate] = []
    for content, files, renumber, offer in contents:
        names = tuple(map(printable, files))
        entry = shelf.kind.described(content, held.suggestion(*names) or shelf.suggest(content))
        same = seen.get(entry.id, "")
        if entry.id in by_id and shelf.kind.lacks(by_id[entry.id], entry):
            same, entry = "", entry.model_copy(update={"name": by_id[entry.id].name})
        elif not same:
            entry = entry.model_copy(update={"name": free_name(entry.name, taken)})
            taken.append(entry.name)
        candidates.append(Candidate(content, entry, names, same, renumber, offer))
        seen.setdefault(entry.id, names[0])
    held.hold(shelf.kind.name, ReviewedUpload(candidates, problems), "")


def tell(problems: Sequence[str]) -> None:
    """List the files that could not be read, the first in full view."""
    for problem in problems[:PROBLEMS]:
        st.error(verbatim(problem), icon=":material/error:")
    if more := problems[PROBLEMS:]:
        with st.expander(f"{count(len(more), 'more file')} could not be read", icon=":material/error:"):
            st.markdown("\n".join(f"- {verbatim(problem)}" for problem in more))


def draw(shelf: Shelf[Any, Any, Any], waiting: ReviewedUpload) -> None:
    """Draw the review: choose what to keep and under which names, or drop it all. Unreadable files are named."""
    tell(waiting.problems)
    kind, several = shelf.kind, len(waiting.candidates) > 1
    keys = [f"found-{kind.group}-{held.drop(kind.name)}-{place}" for place in range(len(waiting.candidates))]
    wanted = [
        st.session_state.get(f"{key}-keep", not (several and _asks(shelf, candidate)))
        for candidate, key in zip(waiting.candidates, keys, strict=True)
    ]
    chosen = [
        candidate for candidate, keep_it in zip(waiting.candidates, wanted, strict=True) if keep_it and not candidate.same
    ]
    asks = any(_asks(shelf, candidate) for candidate in chosen)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slot = st.container(width=420)
        label, style = _label(shelf, chosen, several=several, asks=asks), losses.importance(asks=asks)
        keeping = st.button(label, icon=":material/save:", type=style, key=f"keep-{kind.group}", disabled=not chosen)
        if st.button("Discard", key=f"discard-{kind.group}"):
            held.discard(kind.name)
    names: dict[str, str] = {}
    for place, (candidate, key) in enumerate(zip(waiting.candidates, keys, strict=True)):
        with st.container(border=several):
            if not candidate.same:
                _ask(shelf, waiting, place)
            with st.container() if several else slot:
                names[candidate.entry.id] = _named(shelf, candidate, names, key=key, several=several)
            file = candidate.file if several or waiting.problems else ""
            adding.recognised(shelf, candidate.content, candidate.entry, key=key, file=file)
            if candidate.offer is not None and (more := candidate.offer(candidate.content, key)) is not None:
                _replace(shelf, waiting, place, more)
            folded = st.expander(shelf.contains, key=f"{key}-open", on_change="rerun") if several else None
            with folded or st.container():
                if folded is None or folded.open:
                    shelf.show(shelf.viewed(candidate.content), key, f"{shelf.contains} of {candidate.entry.name}")
    if keeping:
        keep(shelf, [(candidate, names[candidate.entry.id]) for candidate in chosen])


def _asks(shelf: Shelf[Any, Any, Any], candidate: Candidate) -> bool:
    """Return whether so much of a file is lost that it is not kept without a word."""
    return bool(loss.large(shelf.kind.report(candidate.content).losses))


def _label(shelf: Shelf[Any, Any, Any], chosen: Sequence[Candidate], *, several: bool, asks: bool) -> str:
    """`Save 3 corpora without 2 broken rows`."""
    broken = sum(each.entry.skipped for each in chosen)
    if not several and asks:
        return losses.GO_ON
    label = f"Save {_count(shelf, len(chosen))}" if several else "Save"
    return f"{label} without {count(broken, f'broken {shelf.kind.row}')}" if broken else label


def _count(shelf: Shelf[Any, Any, Any], number: int) -> str:
    """`3 corpora`, of whichever kind."""
    return count(number, shelf.kind.name.split()[-1], shelf.kind.several.split()[-1])


def _ask(shelf: Shelf[Any, Any, Any], waiting: ReviewedUpload, place: int) -> None:
    """Warn of what one file would lose, with a button that reads its negative numbers too, where it has any."""
    candidate = waiting.candidates[place]
    offers = _asks(shelf, candidate) and candidate.renumber is not None
    losses.ask(shelf.kind.report(candidate.content).losses, RENUMBER if offers else losses.REMEDY)
    if not offers or not candidate.renumber:
        return
    key = f"renumber-{shelf.kind.group}-{place}"
    if st.button("Renumber", icon=":material/format_list_numbered:", type="primary", key=key):
        content = attempt(candidate.renumber)
        if content is not None:
            _replace(shelf, waiting, place, content)


def _replace(shelf: Shelf[Any, Any, Any], waiting: ReviewedUpload, place: int, content: Any) -> None:
    """Review what was read from one candidate's files the second time, in the place of the first."""
    contents = [Read(each.content, each.files, each.renumber, each.offer) for each in waiting.candidates]
    contents[place] = Read(content, contents[place].files, None, contents[place].offer)
    hold(shelf, contents, waiting.problems)


def _named(shelf: Shelf[Any, Any, Any], candidate: Candidate, names: dict[str, str], *, key: str, several: bool) -> str:
    """Draw a candidate's name and whether to keep it; or that the same is saved already."""
    if candidate.same:
        same = f"{candidate.file}: the same {shelf.same_things} as {candidate.same}."
        st.markdown(f":material/content_copy: {verbatim(same)}")
        return names.get(candidate.entry.id, candidate.entry.name)
    if not several:
        return st.text_input("Name", value=candidate.entry.name, max_chars=MAX_NAME, key=f"{key}-name")
    asks = _asks(shelf, candidate)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", value=candidate.entry.name, max_chars=MAX_NAME, key=f"{key}-name")
        st.checkbox(losses.GO_ON if asks else "Save", value=not asks, key=f"{key}-keep")
    return name


def keep(shelf: Shelf[Any, Any, Any], chosen: Sequence[tuple[Candidate, str]]) -> None:
    """Keep every chosen one under its name. One whose name is taken stays in the review, with a message."""
    left, problems, new = [], [], []
    for each, name in chosen:
        try:
            entry = shelf.kind.keep(each.content, name, settings().workspace)
        except IsoglossError as error:
            left.append(replace(each, entry=each.entry.model_copy(update={"name": name})))
            problems.append(str(error))
            continue
        if entry.name == " ".join(name.split()):
            new.append(entry.name)
        else:  # another tab was faster
            saved = f"The same {shelf.same_things} are saved already, as {verbatim(entry.name)}."
            notes.after_rerun(saved, ":material/info:")
    if len(new) > TOASTS:
        notes.after_rerun(f"{_count(shelf, len(new))} are saved.")
    else:
        for name in new:
            notes.after_rerun(f"{verbatim(name)} is saved.")
    if left:
        held.hold(shelf.kind.name, ReviewedUpload(left, problems), "")
    held.let_go(shelf.kind.name)
    st.rerun()
