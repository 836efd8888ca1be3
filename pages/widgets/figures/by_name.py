"""`isogloss.figure`, `rows` and `views`: any view of any page by its name, drawn as the page draws it, without a browser.

The page itself is run by Streamlit's own harness with the selection as its link: what it draws is what a person sees, by the
same recipe, whatever the view. So a selection is named as in links, and what a link leaves out is as the page has it at first.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import isogloss
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.public.place import at

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd
    import plotly.graph_objects as go
    from streamlit.testing.v1 import AppTest

    from isogloss.backend.boards.recipe import Recipe

PAGES = ("abx", "alignment", "geometry", "probing", "transfer", "latent", "tokenisers", "emergent", "relations")
SCRIPT = Path(isogloss.__file__).with_name("one_view.py")
PATIENCE = 600.0
"""Seconds that a view may take: it only reads and draws, on whatever machine."""
PAGE, CONTROLS = "view-of", "view-controls"
"""Session state: the page that is drawn, and the controls that it drew: key → what each stands at."""
CELL = ("model", "checkpoint", "layer", "source", "target")
"""What pages carry from view to view: each view's own controls of these start with it."""
LANGUAGES = frozenset(
    {"languages", "from", "to", "pair_source", "pair_target", "table_from", "centre"}
    | {"asked_from", "answers", "answer", "word_language"}
)
"""Keys of controls that say a language by its name and tag: here the tag will do."""


Shown = tuple["Recipe", "go.Figure | None"]


def views() -> list[str]:
    """List the names of all views that `isogloss.figure` and `isogloss.rows` take, in the order of the pages' controls."""
    with _quiet():
        return list(_views())


def figure(
    view: str,
    /,
    *,
    which: str | int = 0,
    workspace: str | PathLike[str] | None = None,
    **selection: Any,
) -> go.Figure:
    """Draw a view of the dashboard: the figure that its page draws for a selection, as plotly has it.

    Args:
        view: Its name, such as `abx/pairs`; `isogloss.views()` lists them.
        which: Of a view of several figures: its title, the beginning of it, or its number from 0.
        workspace: The folder with the scores; by default that of the command line and the dashboard.
        selection: What is looked at, by the names that links have: `model`, `corpus`, `languages`, `checkpoints` …, one
            value or several. `layer`, `checkpoint`, `source` and `target` choose the cell of views that show one. What is not
            given is as the page has it at first.

    Returns:
        A plotly figure: `.show()` it, or `.write_html`, `.write_image` it. Titles and axes say units and directions.

    Raises:
        SpecError: There is no such view, figure or choice (what there is is said), nothing is computed for the selection, or
            the view has tables alone.
        StoreError: Scores cannot be read.
    """
    with _quiet(), at(workspace):
        shown = _drawn(view, selection)
        figures = {name: each for name, each in shown.items() if each[1] is not None or each[0].chart is not None}
        if not figures:
            raise SpecError(f"'{view}' draws no figure for this selection, only tables, for isogloss.rows: {'; '.join(shown)}.")
        name, (recipe, drawn) = _chosen(view, which, figures)
        found = recipe.drawn(recipe.rows()) if recipe.chart is not None else drawn
    assert found is not None, name
    return found


def rows(
    view: str,
    /,
    *,
    which: str | int = 0,
    workspace: str | PathLike[str] | None = None,
    **selection: Any,
) -> pd.DataFrame:
    """Return the rows behind a figure or a table of a view: what its exports as CSV and Parquet hold.

    Args:
        view: As for `isogloss.figure`; here views of tables will do, too.
        which: Of a view of several figures and tables: its title, the beginning of it, or its number from 0.
        workspace: As for `isogloss.figure`.
        selection: As for `isogloss.figure`.

    Returns:
        A frame, a row a mark of the figure or a line of the table.

    Raises:
        SpecError: There is no such view, figure, table or choice, or nothing is computed for the selection.
        StoreError: Scores cannot be read.
    """
    with _quiet(), at(workspace):
        return _chosen(view, which, _drawn(view, selection))[1][0].rows()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Streamlit from warning, here and there, that no server runs: that is the point."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _chosen(view: str, which: str | int, shown: Mapping[str, Shown]) -> tuple[str, Shown]:
    """Return the title of one thing that a view draws, and what it is. Raises `SpecError` where there is none."""
    names = list(shown)
    if isinstance(which, int):
        if not -len(names) <= which < len(names):
            raise SpecError(f"'{view}' draws {len(names)} of them: {'; '.join(names)}.")
        name = names[which]
    else:
        found = [each for each in names if each == which] or [each for each in names if each.startswith(which)]
        if len(found) != 1:
            raise SpecError(f"'{view}' draws not one that is called '{which[:80]}': choose {'; '.join(names)}.")
        (name,) = found
    return name, shown[name]


def _views() -> dict[str, tuple[str, str, dict[str, str]]]:
    """Return name → page, title of the view, and what of the link beside the title leads to it."""
    found: dict[str, tuple[str, str, dict[str, str]]] = {}
    for page in PAGES:
        of_page = import_module(f"isogloss.pages.{page}.all_views").VIEWS
        units = of_page if page == "alignment" else {"": of_page}
        for unit, titles in units.items():
            for title in titles:
                name = f"{page}/{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}"
                more = {"unit": unit} if unit and sum(title in each for each in units.values()) == 1 else {}
                found.setdefault(name, (page, title, more))
    return found


def _drawn(view: str, selection: Mapping[str, Any]) -> dict[str, Shown]:
    """Run a view's page and return what it draws, by title. Raises `SpecError` where it draws nothing, with what it says."""
    from streamlit import runtime
    from streamlit.testing.v1 import AppTest

    from isogloss.pages.widgets.figures.figure import SHOWN
    from isogloss.pages.widgets.links.carried import CHOSEN

    known = _views()
    if view not in known:
        raise SpecError(f"There is no view '{view[:80]}'. {did_you_mean(view, known)}")
    if runtime.exists():
        raise SpecError("Views are drawn by their names outside of the dashboard: in a notebook, or a script.")
    page, title, more = known[view]
    shown: dict[str, Shown] = {}
    harness = AppTest.from_file(SCRIPT, default_timeout=PATIENCE)
    harness.session_state[PAGE], harness.session_state[SHOWN] = page, shown
    harness.session_state[CHOSEN] = {name: str(value) for name, value in selection.items() if name in CELL}
    asked = {name: _texts(name, value) for name, value in selection.items() if name not in CELL[1:]}
    for name, texts in ({"view": [title]} | {key: [text] for key, text in more.items()} | asked).items():
        harness.query_params[name] = texts
    main = sys.modules["__main__"]
    try:
        harness.run()
    finally:
        sys.modules["__main__"] = main  # the page's script stands there meanwhile
    if harness.exception:
        raise RuntimeError(f"The view '{view}' failed: {harness.exception[0].value}")
    _check(view, harness, asked, {name: str(value) for name, value in selection.items() if name in CELL[1:]})
    if not shown:
        raise SpecError(f"'{view}' draws nothing for this selection. {_said(harness)}".strip())
    return shown


def _texts(name: str, value: Any) -> list[str]:
    """Return what a link says of a control: one text or several."""
    values = list(value) if isinstance(value, Sequence | set) and not isinstance(value, str) else [value]
    texts = [str(each).lower() if isinstance(each, bool) else str(each) for each in values]
    return [text if " · " in text else f"{name_of(text)} · {text}" for text in texts] if name in LANGUAGES else texts


def _check(view: str, harness: AppTest, asked: Mapping[str, object], cell: Mapping[str, str]) -> None:
    """Raise `SpecError` where the page did not take all that was asked for, or has no such control."""
    from isogloss.pages.widgets.links.address import LACKING, UNKNOWN

    state = harness.session_state
    lacking, unknown = (list(state[key]) if key in state else [] for key in (LACKING, UNKNOWN))
    if lacking:
        raise SpecError(f"There is no {lacking[0].kind} '{lacking[0].name[:80]}' in this workspace.")
    if unknown:
        raise _not_taken(view, unknown[0].key, unknown[0].text, unknown[0].taken)
    controls: dict[str, tuple[str, ...]] = dict(state[CONTROLS]) if CONTROLS in state else {}
    if not controls:  # the page ended early, and says why
        return
    if strange := sorted(asked.keys() - controls.keys()):
        raise SpecError(f"'{view}' has no choice '{strange[0]}'. {did_you_mean(strange[0], {*controls, *CELL} - {'view'})}")
    for name, value in cell.items():
        taken = _carried(name, controls)
        if not taken:
            raise SpecError(f"'{view}' has no choice '{name}'. {did_you_mean(name, controls.keys() - {'view'})}")
        if value not in taken:
            raise _not_taken(view, name, value, taken)


def _carried(name: str, controls: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what the controls of a cell stand at that say its checkpoint, say, or its layer."""
    from isogloss.pages.widgets.links.carried import TEMPLATES, parts

    said = [parts(key, texts[0]) for key, texts in controls.items() if key in TEMPLATES and len(texts) == 1]
    return [each[name] for each in said if name in each]


def _not_taken(view: str, key: str, text: str, taken: Sequence[str]) -> SpecError:
    return SpecError(f"{key}={text[:80]!r} is no choice of '{view}' here. It would be {', '.join(taken) or 'nothing'}.")


def _said(harness: AppTest) -> str:
    """Return what the page says in place of a figure: an error, else a warning, else a note."""
    for elements in (harness.error, harness.warning, harness.info):
        if elements:
            return re.sub(r"\\([^\w\s])", r"\1", str(elements[0].value))
    return ""
