"""What Isogloss needs of Streamlit that Streamlit 1.67 keeps to itself, in one place, each with why no public name serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast
from urllib import parse

from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime import exists, get_instance
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import query_params
from streamlit.runtime.state.common import WidgetMetadata, unpack_widget_state_value
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.state.session_state import Serialized, Value, WStates

T = TypeVar("T")


@dataclass(frozen=True)
class Control:
    """A control that is bound to the URL and was drawn in this run."""

    key: str
    texts: tuple[str, ...]
    """Its value as the URL says it: one text, or one for each thing chosen; none where nothing is chosen."""
    at_default: bool
    is_choice: bool
    """Whether it chooses among named options, rather than being a number or a switch."""


def in_script() -> bool:
    """Return whether a session's script runs in this thread, rather than the server's start.

    No documented name tells a script from the server's start, where `st.App` imports the same file.
    """
    return get_script_run_ctx(suppress_warning=True) is not None


def ignore_pages_folder() -> None:
    """Leave the menu to `st.navigation`: call when the server starts.

    A folder called pages/ makes Streamlit look for pages of the old kind until the app's file has run once, and say "Page not
    found" to a deep link that comes first. `st.navigation` ends that, but only within the first run; no setting does.
    """
    PagesManager.uses_pages_directory = False


def is_history_navigation() -> bool:
    """Return whether the script runs because the visitor went back or forward in the browser's history; False outside a script.

    `st.query_params` has the URL then, as after any change; `st.context` does not say how it came about.
    """
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def leave_address_alone() -> None:
    """Let `pages.widgets.links.address` alone write the address: call when the server starts.

    Streamlit tells the browser of every parameter by itself, and the browser makes an entry of its history of each: a click on
    a cell made four, and a link that writes out what is at its default a dozen. No setting does.
    """

    def only_remember(self: QueryParams) -> None:
        if context := get_script_run_ctx():
            context.query_string = parse.urlencode(self._query_params, doseq=True)

    QueryParams._send_query_param_msg = only_remember  # type: ignore[method-assign]


def write_address(query: str) -> None:
    """Tell Streamlit's part in the browser what the address is now, so that the next run is asked for with it.

    `st.query_params` refuses what controls are bound to.
    """
    if context := get_script_run_ctx():
        message = ForwardMsg()
        message.page_info_changed.query_string = query
        context.query_string = query
        context.enqueue(message)


def asked_for() -> dict[str, list[str]]:
    """Return the parameters that this run was asked for with, as controls that are new to the page read them."""
    context = get_script_run_ctx()
    if context is None:
        return {}
    with context.session_state.query_params() as known:
        return {key: list(values) for key, values in known._initial_query_params.items()}


def start_from(wanted: Mapping[str, Sequence[str]]) -> None:
    """Let controls that are new to the page read these parameters at first: call before any is drawn.

    A control takes what it can of them, like of a link, and what it cannot it ignores. `st.session_state` would have it fail.
    """
    if context := get_script_run_ctx():
        with context.session_state.query_params() as known:
            known._initial_query_params = {key: list(values) for key, values in wanted.items()}


def ask_for(wanted: Mapping[str, Sequence[str]]) -> None:
    """Put these parameters in place of those that this run was asked for with: call before any control is drawn.

    `st.query_params` refuses what controls are bound to, and does not change what controls read at first.
    """
    start_from(wanted)
    if context := get_script_run_ctx():
        with context.session_state.query_params() as known:
            known._query_params = {key: values[0] if len(values) == 1 else list(values) for key, values in wanted.items()}


def read_history_entry() -> None:
    """Take the address as it is on the way through the browser's history: call before any control is drawn.

    At each change of the page Streamlit leaves out what the page before has a control for too (`model`, `corpus`, `view`), as
    if it were of that one. In the history's entry it is of the page that is returned to.
    """
    context = get_script_run_ctx()
    if context is not None and context.is_history_navigation:
        ask_for(parse.parse_qs(context.query_string, keep_blank_values=True))


def reword(key: str, texts: Mapping[str, str]) -> None:
    """Change what this run was asked for with of one control, text by text: call before that control is drawn."""
    if context := get_script_run_ctx():
        with context.session_state.query_params() as known:
            if key in known._initial_query_params:
                asked = known._initial_query_params[key]
                known._initial_query_params[key] = [texts.get(text, text) for text in asked]


def take_defaults_for_what_does_not_fit() -> None:
    """Let a control stand at its default where a client sends it what it cannot hold: call when the server starts.

    Streamlit reads whatever is sent as if its own browser had sent it: a number where a list belongs, or nothing where one of
    several is always chosen, ends in an exception on the page. No setting and no callback comes before that.
    """
    plain = WStates.__getitem__

    def fitting(self: WStates, key: str) -> Any:
        state, known = self.states.get(key), self.widget_metadata.get(key)
        if isinstance(state, Serialized) and known is not None and not _fits(state.value, known):
            self.states[key] = Value(known.deserializer(None))
        return plain(self, key)

    WStates.__getitem__ = fitting  # type: ignore[method-assign]


KINDS = ("string_value", "string_array_value", "double_value", "double_array_value", "int_value", "bool_value")
"""Of what controls send that keep a value; buttons, files and components of our own have others."""
NUMBERS = {"double_value", "int_value"}
"""A box of numbers says that it has fractions, and its browser sends whole numbers as such."""


def _fits(sent: WidgetState, known: WidgetMetadata[Any]) -> bool:
    """Return whether a control can hold what was sent to it."""
    kind = sent.WhichOneof("value")
    if known.value_type not in KINDS or kind is None:
        return True
    if kind != known.value_type and not NUMBERS.issuperset((kind, known.value_type)):
        return False
    value = unpack_widget_state_value(sent)
    if kind.endswith("array_value") and len(set(value)) < len(value):
        return False
    try:
        return known.deserializer(value) is not None or known.deserializer(None) is None
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
        return False


def limit_uploads(megabytes: int) -> None:
    """Refuse larger files: call when the server starts. `st.set_option` leaves the server's own options alone."""
    config.set_option("server.maxUploadSize", megabytes)


def once_a_run(what: str, find: Callable[[], T]) -> T:
    """Return what `find` returns, asked for once in each run of a script; outside one, each time.

    `st.session_state` outlives the run, and tells visitors' widgets from other keys by their names alone.
    """
    context = get_script_run_ctx(suppress_warning=True)
    known = {} if context is None else context.__dict__.setdefault("isogloss", {})
    if what not in known:
        known[what] = find()
    return cast("T", known[what])


def user_of(session_id: str) -> dict[str, Any]:
    """Return what `st.user` has in a session; nothing where there is no such session. It can be read in its script alone."""
    session = get_instance().get_app_session(session_id) if exists() else None
    return dict(session._user_info) if session else {}


def bound_controls() -> list[Control]:
    """Return the controls of this run that are bound to the URL, in the order in which they were drawn at first.

    Streamlit leaves what is at its default out of the URL, and has no name for what is bound.
    """
    context = get_script_run_ctx()
    if context is None:
        return []
    state = context.session_state._state
    drawn = context.shared.widget_ids_this_run.snapshot()
    controls = []
    for binding in list(state.query_params._bindings_by_param.values()):
        metadata = state._new_widget_state.widget_metadata.get(binding.widget_id)
        if metadata is None or binding.widget_id not in drawn:
            continue
        value = state[binding.widget_id]
        said = query_params._coerce_value_for_query_url(metadata.serializer(value), binding.value_type)
        texts = tuple(said) if isinstance(said, list) else () if metadata.serializer(value) is None else (said,)
        at_default = bool(value == metadata.deserializer(None))
        controls.append(
            Control(binding.param_key, texts, at_default, binding.value_type in ("string_value", "string_array_value"))
        )
    return controls
