"""Python that gives a figure's numbers again, to paste into a notebook in the repository's folder.

Every snippet is run by `tests/pages/emergent/test_emergent_page.py` and must give the very rows that its figure was drawn from.
"""

from __future__ import annotations

from collections.abc import Mapping

from pages.emergent.shared.selection import Selection

NOTE = "# With ISOGLOSS_WORKSPACE set as it was for the server that showed this.\n"
HEAD = (
    "from backend.experiments.emergent import frames as emergent_frames, statistics as emergent_statistics\n"
    "from backend.settings import settings\n\n" + NOTE
)


def snippet(selection: Selection, call: str, *, first: str = "") -> str:
    """Code that calls `emergent_frames.<call>` on `found`, the statistics of the corpora looked at, by name.

    `call` is the function with all its arguments: `lengths(found)`. `first` is what is done before.
    """
    return (
        f"{HEAD}{python_of('corpora', {name: entry.id for name, entry in selection.corpora.items()})}"
        "found = {\n"
        "    name: emergent_statistics.statistics(corpus, settings().workspaces) for name, corpus in corpora.items()\n"
        "}\n"
        f"{first}frame = emergent_frames.{call}\nprint(frame)\n"
    )


def python_of(name: str, values: Mapping[str, str]) -> str:
    """Code that gives `name` these values by their keys, one a line."""
    return f"{name} = {{\n" + "".join(f"    {key!r}: {value!r},\n" for key, value in values.items()) + "}\n"
