"""Review what was read from dropped files of emergent languages: what is kept, and under which names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import streamlit as st

from backend.corpora.emergent import library as emergent_library
from backend.corpora.emergent.rows import NEGATIVE
from backend.corpora.shared import loss
from backend.corpora.shared.inputs import printable
from backend.corpora.shared.kept import MAX_NAME, free_name
from backend.errors import IsoglossError
from backend.experiments.words import count
from backend.settings import settings
from pages.library.emergent import report as emergent_report
from pages.library.shared import held, losses
from pages.widgets import notes
from pages.widgets.words import verbatim
from pages.widgets.workspace import attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from backend.corpora.emergent.corpus import EmergentCorpus

KIND: Literal["emergent corpus"] = "emergent corpus"
TOASTS = 3
RENUMBER = (
    "Renumber: the integers that occur count from 0, in their order. If negative ones stand for nothing, remove them first."
)
PROBLEMS = 5
"""Unreadable files are shown in full view up to this many; the others are folded away."""


@dataclass(frozen=True)
class Candidate:
    """A corpus that may be kept."""

    corpus: EmergentCorpus
    id: str
    """The name under which it would be kept."""
    files: tuple[str, ...]
    """The dropped files."""
    name: str
    """To suggest."""
    same: str = ""
    """The file, or the corpus that is saved already, that has the same utterances; such a one is not kept again."""
    renumber: Callable[[], EmergentCorpus] | None = None
    """Reads its files again, with their negative numbers; None where there are none."""

    @property
    def file(self) -> str:
        """The dropped file; the first of several."""
        return self.files[0]

    @property
    def asks(self) -> bool:
        """Return whether so much of a file is lost that it is not kept without a word."""
        return bool(loss.large(self.corpus.report.losses))


@dataclass(frozen=True)
class ReviewedUpload:
    """The corpora read from one drop, and the problems."""

    corpora: list[Candidate]
    problems: list[str]
    """A sentence on each file that could not be read."""


def candidates(
    corpora: Sequence[tuple[EmergentCorpus, Sequence[str], Callable[[], EmergentCorpus] | None]], problems: list[str]
) -> ReviewedUpload:
    """Give each corpus a free name after its file; of equal corpora only the first is proposed for keeping."""
    known = emergent_library.entries([settings().workspace])
    seen = {entry.id: f"{entry.name}, which is saved already" for entry in known}
    taken = [entry.name for entry in known]
    found_: list[Candidate] = []
    for corpus, files, renumber in corpora:
        names = tuple(map(printable, files))
        content = emergent_library.content_id(corpus)
        same = seen.get(content, "")
        name = held.suggestion(*names) or corpus.report.format
        if not same:
            name = free_name(name, taken)
            taken.append(name)
        negative = renumber if any(reason == NEGATIVE for reason, _ in corpus.report.reasons) else None
        found_.append(Candidate(corpus, content, names, name, same, negative))
        seen.setdefault(content, names[0])
    return ReviewedUpload(found_, problems)


def tell(problems: Sequence[str]) -> None:
    """List the files that could not be read, the first in full view."""
    for problem in problems[:PROBLEMS]:
        st.error(verbatim(problem), icon=":material/error:")
    if more := problems[PROBLEMS:]:
        with st.expander(f"{count(len(more), 'more file')} could not be read", icon=":material/error:"):
            st.markdown("\n".join(f"- {verbatim(problem)}" for problem in more))


def draw(waiting: ReviewedUpload) -> None:
    """Draw the review: choose what to keep and under which names, or drop it all. Unreadable files are named."""
    tell(waiting.problems)
    several = len(waiting.corpora) > 1
    number = held.drop(KIND)
    keys = [f"found-emergent-{number}-{place}" for place in range(len(waiting.corpora))]
    wanted = [
        st.session_state.get(f"{key}-keep", not (several and candidate.asks))
        for candidate, key in zip(waiting.corpora, keys, strict=True)
    ]
    chosen = [candidate for candidate, keep_it in zip(waiting.corpora, wanted, strict=True) if keep_it and not candidate.same]
    asks = any(candidate.asks for candidate in chosen)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slot = st.container(width=420)
        label, style = _label(chosen, several=several), losses.importance(asks=asks)
        keeping = st.button(label, icon=":material/save:", type=style, key="keep-emergent", disabled=not chosen)
        if st.button("Discard", key="discard-emergent"):
            held.let_go(KIND)
            st.rerun()
    names: dict[str, str] = {}
    for place, (candidate, key) in enumerate(zip(waiting.corpora, keys, strict=True)):
        with st.container(border=several):
            if not candidate.same:
                _ask(waiting, place)
            with st.container() if several else slot:
                names[candidate.id] = _named(candidate, names, key=key, several=several)
            emergent_report.show_recognised(
                candidate.corpus, key=key, file=candidate.file if several or waiting.problems else ""
            )
            folded = st.expander("Utterances", key=f"{key}-open", on_change="rerun") if several else None
            with folded or st.container():
                if folded is None or folded.open:
                    emergent_report.contents(candidate.corpus, key=key, label=f"Utterances of {candidate.name}")
    if keeping:
        keep([(candidate, names[candidate.id]) for candidate in chosen])


def _label(chosen: Sequence[Candidate], *, several: bool) -> str:
    """`Keep 3 corpora without 2 broken rows`."""
    broken = sum(each.corpus.report.skipped_count for each in chosen)
    if not several and any(each.asks for each in chosen):
        return losses.GO_ON
    label = f"Save {count(len(chosen), 'corpus', 'corpora')}" if several else "Save"
    return f"{label} without {count(broken, 'broken row')}" if broken else label


def _ask(waiting: ReviewedUpload, place: int) -> None:
    """Warn of what one corpus would lose, with a button that reads its negative numbers too, where it has any."""
    candidate = waiting.corpora[place]
    offers = candidate.asks and candidate.renumber is not None
    losses.ask(candidate.corpus.report.losses, RENUMBER if offers else losses.REMEDY)
    if not offers or not candidate.renumber:
        return
    if st.button("Renumber", icon=":material/format_list_numbered:", type="primary", key=f"renumber-emergent-{place}"):
        corpus = attempt(candidate.renumber)
        if corpus is not None:
            held.hold(KIND, renumbered(waiting, place, corpus), "")


def renumbered(waiting: ReviewedUpload, place: int, corpus: EmergentCorpus) -> ReviewedUpload:
    """Return the review with another reading of one corpus."""
    corpora = [(each.corpus, each.files, each.renumber) for each in waiting.corpora]
    corpora[place] = (corpus, corpora[place][1], None)
    return candidates(corpora, waiting.problems)


def _named(candidate: Candidate, names: dict[str, str], *, key: str, several: bool) -> str:
    """Draw a candidate's name and whether to keep it; or that the same corpus is saved already."""
    if candidate.same:
        st.markdown(f":material/content_copy: {verbatim(f'{candidate.file}: the same utterances as {candidate.same}.')}")
        return names.get(candidate.id, candidate.name)
    if not several:
        return st.text_input("Name", value=candidate.name, max_chars=MAX_NAME, key=f"{key}-name")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", value=candidate.name, max_chars=MAX_NAME, key=f"{key}-name")
        st.checkbox(losses.GO_ON if candidate.asks else "Save", value=not candidate.asks, key=f"{key}-keep")
    return name


def keep(chosen: Sequence[tuple[Candidate, str]]) -> None:
    """Keep every chosen corpus under its name. A corpus whose name is taken stays in the review, with a message."""
    left, problems, new = [], [], []
    for each, name in chosen:
        try:
            entry = emergent_library.keep(each.corpus, name, settings().workspace)
        except IsoglossError as error:
            left.append(replace(each, name=name))
            problems.append(str(error))
            continue
        if entry.name == " ".join(name.split()):
            new.append(entry.name)
        else:  # another tab was faster
            notes.after_rerun(f"The same utterances are saved already, as {verbatim(entry.name)}.", ":material/info:")
    if len(new) > TOASTS:
        notes.after_rerun(f"{count(len(new), 'corpus', 'corpora')} are saved.")
    else:
        for name in new:
            notes.after_rerun(f"{verbatim(name)} is saved.")
    if left:
        held.hold(KIND, ReviewedUpload(left, problems), "")
    held.let_go(KIND)
    st.rerun()
