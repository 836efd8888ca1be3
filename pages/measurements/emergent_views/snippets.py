"""Python that gives a figure's numbers again, to paste into a notebook in the repository's folder.

Every snippet is run by `tests/pages/test_emergent_page.py` and must give the very rows that its figure was drawn from.
"""

from __future__ import annotations

from pages.measurements.emergent_views.selection import Selection

HEAD = """\
from backend.experiments import emergent_frames, emergent_statistics
from backend.settings import settings

# With ISOGLOSS_WORKSPACE set as it was for the server that showed the figure.
"""


def snippet(selection: Selection, call: str, *, first: str = "") -> str:
    """Code that calls `emergent_frames.<call>` on `found`, the statistics of the corpora looked at, by name.

    `call` is the function with all its arguments: `lengths(found)`. `first` is what is done before.
    """
    corpora = "".join(f"    {name!r}: {entry.id!r},\n" for name, entry in selection.corpora.items())
    return (
        f"{HEAD}corpora = {{\n{corpora}}}\n"
        "found = {\n"
        "    name: emergent_statistics.statistics(corpus, settings().workspaces) for name, corpus in corpora.items()\n"
        "}\n"
        f"{first}frame = emergent_frames.{call}\nprint(frame)\n"
    )
