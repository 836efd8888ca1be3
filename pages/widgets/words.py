"""Numbers, times and foreign names as people read them. No Streamlit: only text."""

from __future__ import annotations

import re
import time
from datetime import datetime

MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")


def verbatim(text: str) -> str:
    """`text` for a place that reads Markdown, so that it shows as it is: a file's or model's name may hold anything."""
    return MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def size(number: int) -> str:
    """Bytes: `512 B`, `1.4 MB`, `20 GB` (decimal units, as disks are sold)."""
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def parameters(number: int | None) -> str:
    """Parameters: `4,212`, `278 M`, `1.7 B`; `unknown` where they are not known."""
    if number is None:
        return "unknown"
    if number < 100_000:
        return f"{number:,}"
    if number >= 1_000_000_000:
        return f"{number / 1e9:.1f} B"
    return f"{number / 1e6:.0f} M" if number >= 10_000_000 else f"{number / 1e6:.1f} M"


def ago(moment: float, now: float | None = None) -> str:
    """Seconds since the epoch as `just now`, `5 min ago`, `3 h ago`, and a date beyond a day."""
    passed = (time.time() if now is None else now) - moment
    if passed < 60:
        return "just now"
    if passed < 3600:
        return f"{passed / 60:.0f} min ago"
    if passed < 86400:
        return f"{passed / 3600:.0f} h ago"
    return f"{datetime.fromtimestamp(moment):%-d %b %Y}"
