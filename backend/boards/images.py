"""Figures as SVG, PDF and PNG files, drawn by an installed Chrome or Chromium without a network."""

from __future__ import annotations

import asyncio
import os
import shutil
import struct
import threading
import zlib
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.charts.parts.for_print import SCALE, Width, for_print
from isogloss.backend.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Mapping

    import plotly.graph_objects as go

Format = Literal["svg", "pdf", "png"]
KINDS: dict[Format, str] = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
DOTS = 300
"""Of a PNG, an inch."""
PATIENCE = 90.0
"""Seconds that a picture, or the browser's start, may take."""
NO_MARGIN = "<style>@page { margin: 0 } img { display: block }</style>"
"""Kaleido prints a PDF with 0.1 inch around, on a page of the figure's size: the last axis title would be cut."""
NOWHERE = "http://127.0.0.1:9"
"""The proxy that the browser is given: nothing listens there, so that no page can reach any host."""
BROWSERS = ("google-chrome", "google-chrome-stable", "chrome", "chromium", "chromium-browser", "microsoft-edge")
NO_BROWSER = (
    "PDF, PNG and vector SVG need Chrome or Chromium on the server, and none was found: install one (apt install chromium) or "
    "name it in BROWSER_PATH. The camera button at the figure's top right saves SVG from your own browser."
)


def browser() -> Path | None:
    """Return the Chrome or Chromium that draws, or None: BROWSER_PATH, or the first of `BROWSERS` on the path."""
    named = os.environ.get("BROWSER_PATH")
    found = named or next((path for name in BROWSERS if (path := shutil.which(name))), None)
    return Path(found) if found and Path(found).is_file() else None


class Pictures:
    """One browser for many pictures: started by the first, closed by `close`. Threads may share it."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._drawing: Any = None

    def draw(self, figure: go.Figure, format: Format, width: Width = "page", about: Mapping[str, str] | None = None) -> bytes:
        """Return `figure` as the bytes of a file of this format, with `about` (Title, Description …) in its metadata.

        Raises `StoreError` where there is no browser, or where it gives no picture in time.
        """
        spec = for_print(figure, width)
        layout = spec["layout"]
        scale = SCALE * (DOTS / 96 if format == "png" else 1)
        options = {"format": format, "width": layout["width"], "height": layout["height"], "scale": scale}
        with self._lock:
            try:
                made: bytes = self._wait(self._drawn(spec, options))
            except StoreError:
                raise
            except Exception as error:
                self._close()
                raise StoreError(f"The picture could not be drawn: {_reason(error, self._patience)}. Try again.") from error
        return _WITH[format](made, dict(about or {}))

    def close(self) -> None:
        """Close the browser, if one runs."""
        with self._lock:
            self._close()

    async def _drawn(self, spec: dict[str, Any], options: dict[str, Any]) -> bytes:
        import kaleido  # takes a second, and most visitors want no picture

        if self._drawing is None:
            if (path := browser()) is None:
                raise StoreError(NO_BROWSER)
            page = kaleido.PageGenerator(mathjax=False)
            page.header += NO_MARGIN
            started = kaleido.Kaleido(n=1, timeout=self._patience, page_generator=page, path=str(path), proxy_server=NOWHERE)
            self._drawing = await started
        made: bytes = await self._drawing.calc_fig(spec, opts=options)
        return made

    def _wait(self, work: Coroutine[Any, Any, bytes]) -> bytes:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, daemon=True, name="pictures").start()
        running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result(2 * self._patience)
        except TimeoutError:
            running.cancel()
            raise

    def _close(self) -> None:
        loop, drawing = self._loop, self._drawing
        self._loop = self._drawing = None
        if loop is None:
            return
        if drawing is not None:
            with suppress(Exception):
                asyncio.run_coroutine_threadsafe(drawing.close(), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)


@contextmanager
def pictures() -> Iterator[Pictures]:
    """Yield what draws pictures, all by one browser, which starts with the first and is closed afterwards."""
    drawing = Pictures()
    try:
        yield drawing
    finally:
        drawing.close()


_ONE = threading.Lock()
"""One browser at a time: each takes some hundred megabytes."""


def drawn(figure: go.Figure, format: Format, width: Width = "page", about: Mapping[str, str] | None = None) -> bytes:
    """Return one picture, as `Pictures.draw` does."""
    with _ONE, pictures() as drawing:
        return drawing.draw(figure, format, width, about)


def _reason(error: BaseException, patience: float) -> str:
    if isinstance(error, TimeoutError):
        return f"the browser took more than {patience:.0f} s"
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _svg(made: bytes, about: dict[str, str]) -> bytes:
    """Write what it is of into a picture: as its title and description."""
    title, *others = about.items() or [("Title", "")]
    text = "".join(f"{name}: {value}\n" for name, value in others)
    start = made.index(b">", made.index(b"<svg")) + 1
    said = f"<title>{escape(_printable(title[1]))}</title><desc>{escape(_printable(text))}</desc>"
    return made[:start] + said.encode("utf-8") + made[start:] if about else made


def _png(made: bytes, about: dict[str, str]) -> bytes:
    """Write text chunks (`iTXt`) and the dots per inch behind a picture's header."""
    dots = round(DOTS / 0.0254)
    added = _chunk(b"pHYs", struct.pack(">IIB", dots, dots, 1))
    for name, value in about.items():
        key = name.encode("latin-1", "replace")[:79]
        added += _chunk(b"iTXt", key + b"\0\0\0\0\0" + value.encode("utf-8"))
    return made[:33] + added + made[33:]  # 8 bytes of signature, 25 of IHDR


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _pdf(made: bytes, about: dict[str, str]) -> bytes:
    """Append what it is of: an update of the file with a new dictionary of information, as PDF 1.7, 7.5.6 has it."""
    trailer = made[made.rindex(b"trailer") :]
    size, root = (_after(trailer, key) for key in (b"/Size", b"/Root"))
    number, previous = int(size), int(_after(made[made.rindex(b"startxref") :], b"startxref"))
    entries = b"".join(
        b"/%s %s\n" % (_PDF.get(name, name).encode("ascii", "replace"), _string(text)) for name, text in about.items()
    )
    start = len(made) + 1
    added = b"\n%d 0 obj\n<<%s/Producer (Isogloss)>>\nendobj\n" % (number, entries)
    table = len(made) + len(added)
    added += b"xref\n%d 1\n%010d 00000 n \n" % (number, start)
    added += b"trailer\n<</Size %d /Root %s 0 R /Info %d 0 R /Prev %d>>\n" % (number + 1, root, number, previous)
    return made + added + b"startxref\n%d\n%%%%EOF\n" % table


_PDF = {"Description": "Subject"}
_WITH = {"svg": _svg, "png": _png, "pdf": _pdf}


def _after(text: bytes, key: bytes) -> bytes:
    return text[text.index(key) + len(key) :].split()[0]


def _string(text: str) -> bytes:
    return b"<FEFF" + text.encode("utf-16-be").hex().encode("ascii") + b">"


def _printable(text: str) -> str:
    """Return `text` without what XML cannot hold."""
    return "".join(each for each in text if each in "\n\t" or each.isprintable())
