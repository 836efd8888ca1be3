"""The Python interface's reference: the public names of `isogloss`, with their signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from typing import Any

import isogloss

PARTS = ("Args", "Returns", "Raises", "Yields")


def page() -> str:
    """Return Markdown with a section a public name."""
    lines = [
        "# Public names",
        "",
        f"`import isogloss` (version {isogloss.__version__}) offers this, and nothing else is public.",
        "",
    ]
    for name in sorted(isogloss.__all__, key=str.lower):
        lines += _section(name, getattr(isogloss, name))
    return "\n".join(lines)


def _section(name: str, of: Any) -> list[str]:
    lines = [f"## `isogloss.{name}`", ""]
    if inspect.isfunction(of):
        lines += ["```python", _signature(name, of), "```", ""]
    elif not inspect.isclass(of):
        return [*lines, f"`{of!r}`", ""]
    return lines + _docstring(inspect.getdoc(of) or "")


def _signature(name: str, of: Any) -> str:
    """Return the signature, an argument a line where one line does not hold it."""
    given = inspect.signature(of)
    one = f"isogloss.{name}{given}".replace("'", "")
    if len(one) <= 88:
        return one
    inside = one[one.index("(") + 1 : one.rindex(")")]
    arguments = re.split(r",\s+(?![^\[(]*[\])])", inside)
    return f"isogloss.{name}(\n" + "".join(f"    {each},\n" for each in arguments) + ")" + one[one.rindex(")") + 1 :]


def _docstring(text: str) -> list[str]:
    """Return a docstring as Markdown: its parts (`Args:` …) as headings of a list each."""
    lines: list[str] = []
    part = ""
    for line in text.splitlines():
        if line.rstrip(":") in PARTS and line.endswith(":"):
            part = line.rstrip(":")
            lines += ["", f"**{part}**", ""]
        elif part and line.startswith("    "):
            item = re.match(r"    (\*{0,2}[\w.]+): (.*)", line) if part in ("Args", "Raises") else None
            lines.append(f"- `{item[1]}`: {item[2]}" if item else f"  {line.strip()}" if part != "Returns" else line.strip())
        else:
            part = part if not line else ""
            lines.append(line)
    return [*lines, ""]
