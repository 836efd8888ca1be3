"""Everything that a GPU does here, measured and checked in ten minutes; on a CPU at small sizes, so that it is known to work.

    make benchmark-gpu
    python -m benchmarks.gpu [--device cuda:1] [--small] [--minutes 10] [--only machine abx …] [--out FILE] [--write]

Each section is tried by itself: what fails is said in words, and the others go on. What is known is written after each of them,
to a JSON file and, with `--write` or of all sections on a GPU, to the table in this folder's README.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
import traceback
from dataclasses import asdict
from pathlib import Path

import torch

from benchmarks.gpu_scoring import SCORING
from benchmarks.gpu_training import TRAINING
from benchmarks.measuring import Line, Place
from isogloss.backend.models.device import choose_device

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- gpu: written by `make benchmark-gpu` -->", "<!-- /gpu -->"
SECTIONS = SCORING | TRAINING


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--small", action="store_true", help="small sizes, as on a CPU")
    parser.add_argument("--minutes", type=float, default=10.0, help="for all of it")
    parser.add_argument("--only", nargs="*", choices=SECTIONS, help="all by default, on a CPU without compiling")
    parser.add_argument("--out", type=Path, default=Path("gpu-benchmark.json"))
    parser.add_argument("--write", action="store_true", help="into the README also where this is no GPU")
    asked = parser.parse_args()
    device = choose_device(asked.device)
    place = Place(device, asked.small or device.type != "cuda", time.monotonic() + 60 * asked.minutes)
    lines: list[Line] = []
    for name in asked.only or [each for each in SECTIONS if device.type == "cuda" or each != "compiled"]:
        lines += _section(name, place)
        _write(asked.out, lines, place)
        if asked.write or (device.type == "cuda" and not asked.only):
            _into_readme(table(lines))
    print(f"\n{table(lines)}\n\n{asked.out}")
    sys.exit(any(line.failed for line in lines))


def _section(name: str, place: Place) -> list[Line]:
    """What a section measured, each line said as it comes; the last says why it ended early, where it did."""
    found: list[Line] = []
    started = time.monotonic()
    if place.left() <= 0:
        return [_said(Line(name, "not measured", "the time was over"))]
    place.begin()
    signal.signal(signal.SIGALRM, _over)
    signal.setitimer(signal.ITIMER_REAL, place.left())
    try:
        for line in SECTIONS[name](place):
            found.append(_said(line))
    except Exception as error:  # noqa: BLE001 — whatever it is, the other sections go on
        traceback.print_exc()
        found.append(_said(Line(name, "failed", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}", failed=True)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    peak = place.peak()
    memory = "" if peak is None else f", {peak / 2**30:.2f} GiB of the GPU at most"
    found.append(_said(Line(name, "the section", f"{time.monotonic() - started:.1f} s{memory}")))
    return found


def _over(*_: object) -> None:
    raise TimeoutError("the time was over")


def _said(line: Line) -> Line:
    print(f"{line.section:<12} {line.what:<52} {line.value:<40} {line.beside}", flush=True)
    return line


def table(lines: list[Line]) -> str:
    """Return the lines as the README has them."""
    rows = [f"| {line.section} | {line.what} | {line.value} | {line.beside} |".replace("\n", " ") for line in lines]
    return "\n".join(["| | | | beside |", "|---|---|---|---|", *rows])


def _write(path: Path, lines: list[Line], place: Place) -> None:
    told: dict[str, object] = {"device": str(place.device), "small": place.small, "torch": torch.__version__}
    told["lines"] = [asdict(line) for line in lines]
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _into_readme(made: str) -> None:
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
