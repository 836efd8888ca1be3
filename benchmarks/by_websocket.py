"""A visitor of a running dashboard without a browser: Streamlit's own messages over a websocket."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from random import Random
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

CHOICES = ("selectbox", "radio", "multiselect", "button_group", "checkbox", "slider", "number_input")
"""What a visitor changes: nothing that starts, removes or uploads anything."""
PATIENCE = 120.0
"""Seconds that a page may take: what hangs is told, rather than waited for."""
DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


@dataclass
class Widget:
    """A control as it was drawn last."""

    kind: str
    drawn: Any
    fragment: str
    """The part of the page that alone is drawn anew when it changes; empty for the whole page."""


@dataclass
class Visitor:
    """A tab of a browser: what it shows, and what it sends back."""

    socket: ClientConnection
    random: Random
    pages: dict[str, str] = field(default_factory=dict)
    """Address of a page (empty: Home) → what the server calls it."""
    page: str = ""
    query: str = ""
    widgets: dict[str, Widget] = field(default_factory=dict)
    states: dict[str, WidgetState] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    """Exceptions and errors that were shown, with where."""
    received: int = 0
    """Bytes."""
    first_figure: float | None = None
    """When the first figure that was ever asked for came (`time.perf_counter`)."""
    _kept: dict[str, ForwardMsg] = field(default_factory=dict)
    """Large messages by their hash: the server sends the hash alone of what a browser has."""
    _drawn: set[str] = field(default_factory=set)
    _timers: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Parts that draw themselves anew: seconds between, and when next."""

    async def ask(self, *, fragment: str = "", by_itself: bool = False, **trigger: bool) -> float:
        """Have the page drawn with the controls as they are, and return the seconds until the script has ended."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash = self.query, self.pages.get(self.page, "")
        state.page_name = "" if self.page in self.pages else self.page  # of a link that is the first thing asked for
        state.fragment_id, state.is_auto_rerun = fragment, by_itself
        state.widget_states.widgets.extend(self.states.values())
        state.widget_states.widgets.extend(WidgetState(id=id_, trigger_value=value) for id_, value in trigger.items())
        state.cached_message_hashes.extend(self._kept)
        state.context_info.timezone, state.context_info.locale = "UTC", "en-US"
        started = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        try:
            await asyncio.wait_for(self._until_done(bool(fragment)), PATIENCE)
        except TimeoutError:
            said = f"/{self.page}?{self.query} (part {fragment or 'none'}) was not drawn within {PATIENCE:.0f} seconds"
            raise TimeoutError(said) from None
        return time.perf_counter() - started

    async def open(self, page: str, query: str = "") -> float:
        """Go to another page."""
        self.page, self.query = page, query
        self.widgets.clear(), self.states.clear(), self._timers.clear(), self._kept.clear()
        return await self.ask()

    async def change(self) -> tuple[str, float]:
        """Change one control of the page at random; return which, and the seconds. Without one, draw the page anew."""
        able = [id_ for id_, each in self.widgets.items() if each.kind in CHOICES and _others(each, self.states[id_])]
        if not able:
            return "again", await self.ask()
        id_ = self.random.choice(able)
        widget = self.widgets[id_]
        self.states[id_] = self.random.choice(_others(widget, self.states[id_]))
        return f"{widget.kind} {widget.drawn.label}", await self.ask(fragment=widget.fragment)

    async def wait(self, seconds: float) -> None:
        """Look at the page for so long; what draws itself anew meanwhile does so."""
        until = time.monotonic() + seconds
        while (now := time.monotonic()) < until:
            due = [part for part, (_, at) in self._timers.items() if at <= now]
            for part in due:
                pause, _ = self._timers[part]
                await self.ask(fragment=part, by_itself=True)
                if part in self._timers:
                    self._timers[part] = (pause, time.monotonic() + pause)
            following = min((at for _, at in self._timers.values()), default=until)
            await asyncio.sleep(max(0.0, min(following, until) - time.monotonic()))

    async def _until_done(self, in_part: bool) -> None:
        while True:
            data = await self.socket.recv()
            assert isinstance(data, bytes)
            self.received += len(data)
            message = ForwardMsg.FromString(data)
            if message.WhichOneof("type") == "ref_hash":
                kept = ForwardMsg()
                kept.CopyFrom(self._kept[message.ref_hash])
                kept.metadata.CopyFrom(message.metadata)
                message = kept
            elif message.metadata.cacheable:
                self._kept[message.hash] = message
            match message.WhichOneof("type"):
                case "new_session" if not message.metadata.run.fragment_ids:
                    self._drawn.clear()
                    self._timers.clear()
                case "navigation":
                    found = message.navigation.app_pages
                    self.pages = {"" if each.is_default else each.url_pathname: each.page_script_hash for each in found}
                case "page_info_changed":
                    self.query = message.page_info_changed.query_string
                case "auto_rerun":
                    pause = message.auto_rerun.interval
                    self._timers[message.auto_rerun.fragment_id] = (pause, time.monotonic() + pause)
                case "stop_auto_rerun":
                    for part in message.stop_auto_rerun.fragment_ids:
                        self._timers.pop(part, None)
                case "delta":
                    self._draw(message)
                case "script_finished" if message.script_finished in DONE:
                    if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                        self._forget_what_is_gone()
                        return
                    if in_part:
                        return
                case "script_finished" if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                    self.wrong.append(f"{self.page}?{self.query}: the script did not compile")
                    return

    def _draw(self, message: ForwardMsg) -> None:
        delta = message.delta
        kind = delta.WhichOneof("type")
        if kind == "add_block":
            block = delta.add_block
            if block.WhichOneof("type") == "popover" and block.popover.id:
                self._note(block.popover.id, "popover", block.popover, delta.fragment_id)
            return
        if kind != "new_element":
            return
        element = delta.new_element
        what = element.WhichOneof("type")
        if what == "plotly_chart" and self.first_figure is None:
            self.first_figure = time.perf_counter()
        if what == "exception":
            said = f"{element.exception.type}: {element.exception.message}"
            self.wrong.append(f"/{self.page}?{self.query}: exception: {said[:300]}")
        elif what == "alert" and element.alert.format == element.alert.ERROR:
            self.wrong.append(f"/{self.page}?{self.query}: error: {element.alert.body[:300]}")
        elif what in CHOICES or what == "button":
            drawn = getattr(element, what)
            self._note(drawn.id, what, drawn, delta.fragment_id)

    def _note(self, id_: str, kind: str, drawn: Any, fragment: str) -> None:
        self._drawn.add(id_)
        self.widgets[id_] = Widget(kind, drawn, fragment)
        if kind != "button" and (id_ not in self.states or getattr(drawn, "set_value", False)):
            self.states[id_] = _initial(id_, kind, drawn)

    def _forget_what_is_gone(self) -> None:
        for gone in set(self.widgets) - self._drawn:
            del self.widgets[gone]
            self.states.pop(gone, None)

    async def choose(self, key: str, *values: str) -> float:
        """Give the control of this key these values, as they are drawn, and return the seconds until the script has ended."""
        id_ = next(each for each in self.widgets if each.endswith(f"-{key}"))
        one = self.widgets[id_].kind in {"selectbox", "radio"}
        self.states[id_] = WidgetState(id=id_, string_value=values[0]) if one else _texts(id_, list(values))
        return await self.ask(fragment=self.widgets[id_].fragment)

    def labelled(self, label: str, kind: str) -> str:
        """Return the first control of this kind with this label."""
        return next(id_ for id_, each in self.widgets.items() if each.kind == kind and each.drawn.label.strip() == label)


async def new_tab(url: str, seed: int = 0) -> Visitor:
    """Open a tab that has asked for nothing yet."""
    socket = await connect(
        url.replace("http", "ws", 1) + "/_stcore/stream", subprotocols=["streamlit"], max_size=None, compression=None
    )
    return Visitor(socket, Random(seed))


async def visit(url: str, page: str = "", query: str = "", seed: int = 0) -> Visitor:
    """Open a tab on a link of the server at `url`."""
    visitor = await new_tab(url, seed)
    await visitor.ask()
    if page or query:
        await visitor.open(page, query)
    return visitor


def _initial(id_: str, kind: str, drawn: Any) -> WidgetState:
    state = WidgetState(id=id_)
    given = getattr(drawn, "set_value", False)
    match kind:
        case "selectbox" | "radio":
            if given and drawn.HasField("raw_value"):
                state.string_value = drawn.raw_value
            elif drawn.HasField("default") and drawn.options:
                state.string_value = drawn.options[drawn.default]
        case "multiselect":
            chosen = drawn.raw_values if given else [drawn.options[index] for index in drawn.default]
            state.string_array_value.data.extend(chosen)
        case "button_group":
            names = _names(drawn)
            state.string_array_value.data.extend(drawn.raw_values if given else [names[index] for index in drawn.default])
        case "checkbox":
            state.bool_value = drawn.value if given else drawn.default
        case "slider":
            if drawn.options:
                indices = [int(index) for index in drawn.default]
                state.string_array_value.data.extend(drawn.raw_value if given else [drawn.options[i] for i in indices])
            else:
                state.double_array_value.data.extend(drawn.value if given else drawn.default)
        case "number_input":
            state.double_value = drawn.value if given else drawn.default
        case "popover":
            state.bool_value = drawn.open
    return state


def _names(drawn: Any) -> list[str]:
    return [option.content for option in drawn.options]


def _others(widget: Widget, now: WidgetState) -> list[WidgetState]:
    """Return the states that one click leads to; none of what is not changed here."""
    drawn, id_ = widget.drawn, now.id
    if drawn.disabled or drawn.form_id:
        return []
    match widget.kind:
        case "selectbox" | "radio":
            return [WidgetState(id=id_, string_value=each) for each in drawn.options if each != now.string_value]
        case "multiselect":
            chosen = list(now.string_array_value.data)
            fewer = [[each for each in chosen if each != out] for out in chosen] if len(chosen) > 2 else []
            more = [[*chosen, each] for each in drawn.options if each not in chosen]
            return [_texts(id_, each) for each in (*fewer, *(more if not drawn.max_selections else []))]
        case "button_group":
            chosen = list(now.string_array_value.data)
            if drawn.click_mode == drawn.SINGLE_SELECT:
                return [_texts(id_, [each]) for each in _names(drawn) if [each] != chosen]
            return [_texts(id_, sorted(set(chosen) ^ {each})) for each in _names(drawn)]
        case "checkbox":
            return [WidgetState(id=id_, bool_value=not now.bool_value)]
        case "slider" if not drawn.options and len(drawn.default) == 1 and drawn.step:
            steps = [now.double_array_value.data[0] + direction * drawn.step for direction in (-1, 1)]
            found = [WidgetState(id=id_) for each in steps if drawn.min <= each <= drawn.max]
            for state, each in zip(found, [s for s in steps if drawn.min <= s <= drawn.max], strict=True):
                state.double_array_value.data.append(each)
            return found
        case "slider" if len(drawn.default) == 1:
            return [_texts(id_, [each]) for each in drawn.options if [each] != list(now.string_array_value.data)]
        case _:
            return []


def _texts(id_: str, chosen: list[str]) -> WidgetState:
    state = WidgetState(id=id_)
    state.string_array_value.data.extend(chosen)
    return state
