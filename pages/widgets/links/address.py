"""The address of what is shown: a true link at any time, an entry of the browser's history for each view and cell, *Copy link*.

Streamlit leaves what is at its default out of the address and lets each control write for itself. So, at the end of each run,
the address is written here, once: `address.js` puts it into the browser, with an entry of its own where another view or cell
is shown than before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import streamlit as st

from isogloss.pages.widgets.choosing import results
from isogloss.pages.widgets.links import carried, references, values
from isogloss.pages.widgets.links.renamed import renamed
from isogloss.pages.widgets.links.values import ASKED
from isogloss.pages.widgets.server import streamlit_internals
from isogloss.pages.widgets.server.streamlit_internals import Control
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

SLOT, NOTE = "link-slot", "link-note"
"""Session state: where the button goes, and what the link asked for in vain."""
STEPS, RUNS, PAGE = "link-steps", "link-runs", "link-page"
"""Session state: clicks on cells so far, runs so far, and the page of the last."""
LINK = "link"
"""Session state: the link that *Copy link* gives, as of the last run; absent on pages that have none."""
LACKING, UNKNOWN = "link-lacking", "link-unknown"
"""Session state: what of the link that the page was opened with the workspace lacks, or no control knows."""
VIEWS = ("view", "shelf", "jobs-view", "present")
"""Keys of the controls that turn to another view, or to a figure alone: a step in the browser's history."""
FORMS = ("train_", "make", "bench_", "mt_", "game")
"""Keys of what is about to be computed begin so: their defaults are no part of what is shown."""
BUTTON = (
    '<button type="button" hidden title="Copy a link that restores exactly this view, data by content">'
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700L12 7'
    'M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700L12 17"/></svg><span>Copy link</span></button>\n<output></output>'
)
_component = st.components.v2.component(
    "isogloss_address",
    html=BUTTON,
    css=Path(__file__).with_name("address.css").read_text(encoding="utf-8"),
    js=Path(__file__).with_name("address.js").read_text(encoding="utf-8"),
)


def take_over(page: str) -> None:
    """Let the page read the link that it was opened with: call before it is drawn.

    Old names of views become today's and ids the names that things have here, what the link does not say is as it was chosen
    on another page, and what the workspace lacks is said.
    """
    st.session_state[SLOT] = None
    streamlit_internals.read_history_entry()
    asked = streamlit_internals.asked_for()
    parameters, lacking = references.resolved(renamed(page, asked), workspaces())
    if parameters != asked:
        streamlit_internals.ask_for(parameters)
    new = st.session_state.get(PAGE) != page
    if lacking or new:
        st.session_state[LACKING], st.session_state[UNKNOWN] = lacking, []
    st.session_state[PAGE] = page
    st.session_state[ASKED] = parameters if new else {}
    carried.fill_in(parameters)


def button_here() -> None:
    """Leave room for the button: call where the page begins."""
    st.session_state[SLOT] = st.container(width="content")


def room_for_lacking() -> None:
    """Leave room to say what the link asked for in vain, below the page's title: what that is, the page's end knows."""
    st.session_state[NOTE] = st.container()


def link_before() -> str | None:
    """Return what *Copy link* gave before this run, from the server's root; None where it gave nothing."""
    link: str | None = st.session_state.get(LINK)
    return link


def shown() -> str:
    """Return page and parameters of what is shown, from the server's root: those of *Copy link*, where the page has one."""
    if link := link_before():
        return link
    asked = {name: st.query_params.get_all(name) for name in st.query_params}
    path = "/" + urlsplit(st.context.url or "").path.strip("/").split("/")[-1]
    return f"{path}?{urlencode(asked, doseq=True)}" if asked else path


def asked(key: str) -> str | None:
    """Return what the link that this run was asked for says of a control that is new to the page; None where nothing."""
    return streamlit_internals.asked_for().get(key, [None])[-1]


def explained(key: str) -> None:
    """Say no more that the link asks for something in vain in a control: why is said beside it."""
    st.session_state.get(ASKED, {}).pop(key, None)


def server() -> str:
    """Return the address of the server, without a page; empty where there is none."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def step() -> None:
    """Say that what is shown from the next run on is another place: the browser's Back leads from there to here."""
    st.session_state[STEPS] = st.session_state.get(STEPS, 0) + 1


def write(page: str) -> None:
    """Write the address of what was drawn: call when the page is complete."""
    slot = st.session_state.pop(SLOT, None)
    controls = streamlit_internals.bound_controls()
    carried.remember(controls)
    _tell_lacking({each.key: each.texts for each in controls})
    by_data = results.first_options(page).keys() > {"experiment"}
    shown = _query(values.written(_in_address(controls, measured=slot is not None, by_data=by_data)))
    places = [f"{each.key}={each.texts}" for each in controls if each.key in VIEWS]
    runs = st.session_state[RUNS] = st.session_state.get(RUNS, 0) + 1
    link = None
    if slot is not None:  # values before names: a variant is known by its value
        link = _query(references.written(values.written({each.key: each.texts for each in controls}), workspaces()))
    st.session_state[LINK] = None if link is None else f"/{page}?{link}"
    data = {
        "path": page,
        "query": shown,
        "link": link,
        "place": "\n".join([page, *places, str(st.session_state.get(STEPS, 0))]),
        "run": runs,
    }
    with slot if slot is not None else st.container():
        _component(key="address", data=data)
    if runs > 1:  # by now the browser has the script, which keeps Streamlit from making an entry of it
        streamlit_internals.write_address(shown)


def _tell_lacking(shown: Mapping[str, Sequence[str]]) -> None:
    """Say what the link asked for in vain, as long as the page is looked at."""
    asked = st.session_state.pop(ASKED, {})
    lacking = st.session_state[LACKING] = [*st.session_state.get(LACKING, []), *references.not_taken(asked, shown)]
    unknown = st.session_state[UNKNOWN] = [*st.session_state.get(UNKNOWN, []), *references.not_known(asked, shown)]
    note = st.session_state.pop(NOTE, None)
    if note is not None and (lacking or unknown):
        said = [references.sentence(lacking)] if lacking else []
        said += [references.unknown_sentence(unknown)] if unknown else []
        note.info(verbatim(" ".join(said)), icon=":material/link_off:")


def _in_address(controls: Sequence[Control], *, measured: bool, by_data: bool) -> dict[str, Sequence[str]]:
    """What the address says: all that is not at its default and, of what is measured, what the data may choose otherwise.

    That is what is chosen of several and, where the data said how the page asks for scores (`by_data`), numbers too.
    """

    def is_said(each: Control) -> bool:
        may_differ = any(each.texts) and (each.is_choice or by_data)
        return not each.at_default or (measured and may_differ and not each.key.startswith(FORMS))

    return {each.key: each.texts for each in controls if is_said(each)}


def _query(shown: Mapping[str, Sequence[str]]) -> str:
    return urlencode({key: list(texts) or [""] for key, texts in shown.items()}, doseq=True)
