"""What an atlas costs: the time and memory of a build, what it weighs, and when a browser shows the first figure from a disk.

    python -m benchmarks.atlas [--checkpoints 39] [--layers 13] [--languages 36] [--steps 40]

A temporary workspace gets generated scores of three measures with intervals: the grid of de Seyssel et al. 2025 by default.
Values wander over layers and checkpoints as scores do; their last digits are random. The browser's part needs a Chromium, and
is of the machine as it is: the lines say its load.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import multiprocessing
import os
import random
import resource
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.backend.atlas import publish
from isogloss.backend.atlas.site import SCRIPTS
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.files import digest
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from tests.atlas.atlas_workspace import METRICS, fill

GENERA = Path(__file__).resolve().parents[1] / "backend" / "corpora" / "languages" / "genera.csv"
PATIENCE = 120_000
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def tags(number: int) -> list[str]:
    """Languages that have names, families and scripts."""
    with open(GENERA, encoding="utf-8", newline="") as file:
        return list(dict.fromkeys(row["code"] for row in csv.DictReader(file)))[:number]


def grid(workspace: Path, checkpoints: int, layers: int, languages: int) -> None:
    """Keep a model with scores."""
    fill(workspace, checkpoints=1)
    for path in workspace.glob("scores/abx/*"):
        path.unlink()
    for made in models.entries([workspace]):
        models.remove(made.name, workspace)
    corpus = corpora.entries([workspace])[0].id
    own = [
        Checkpoint(source="hub", location="o/m", label=f"step{step}", step=step, fingerprint=digest(step))
        for step in range(0, 1000 * checkpoints, 1000)
    ]
    shape: dict[str, Any] = {"architecture": "xlm-roberta", "layers": layers - 1, "dims": 768}
    models.keep(Model(name="Generated", checkpoints=tuple(own), **shape), workspace)
    pairs = list(itertools.combinations(tags(languages), 2))
    chance = np.random.default_rng(0)
    base = chance.uniform(0.6, 0.9, (len(METRICS), 1, len(pairs)))
    for place, checkpoint in enumerate(own):
        value = (
            base
            + 0.1 * np.sin(np.arange(layers) / 3 + place / 9)[None, :, None]
            + chance.normal(0, 0.01, (3, layers, len(pairs)))
        )
        value, half = np.clip(value, 0, 1), chance.uniform(0.005, 0.02, value.shape)
        low, high = np.clip(value - half, 0, 1), np.clip(value + half, 0, 1)
        rows = [
            {"metric": name, "layer": layer, "source": a, "target": b, "n": 998}
            | {"value": value[m, layer, p], "low": low[m, layer, p], "high": high[m, layer, p]}
            for m, name in enumerate(METRICS)
            for layer in range(layers)
            for p, (a, b) in enumerate(pairs)
        ]
        said = {
            "experiment": "abx",
            "version": 1,
            "fingerprint": checkpoint.fingerprint,
            "corpus": corpus,
            "variant": "exact/mean",
        }
        said |= {"languages": tags(languages), "sentences": 998, "seed": None, "device": "cpu", "precision": "float32"}
        common: dict[str, Any] = {
            "model": "Generated",
            "corpus": corpus,
            "checkpoint": checkpoint.fingerprint,
            "step": checkpoint.step,
        }
        run = digest(checkpoint.fingerprint)
        table = scores.table(rows, run=run, family="abx", variant="exact/mean", **common)
        scores.write(workspace, "abx", run, table, said)


def weigh(folder: Path) -> None:
    """Print what is in the folder."""
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    walk = sum(size for name, size in sizes.items() if name.startswith(("assets/", "data/")) or name.endswith(".html"))
    plotly = sizes["data/plotly.js"]
    scripts = [f"assets/{name}" for name in ("atlas.css", *SCRIPTS)]
    first = sum(sizes[name] for name in ("abx.html", "data/grids-abx.js", "data/g0.js", *scripts))
    pairs = sum(size for name, size in sizes.items() if name.startswith("data/g0-"))
    print(f"the whole folder {sum(sizes.values()) / 1e6:.1f} MB")
    print(f"pages with all data {walk / 1e6:.1f} MB (plotly.js {plotly / 1e6:.1f}, pairs {pairs / 1e6:.1f})")
    print(
        f"before the first figure {first / 1e6:.2f} MB and plotly.js; scores to download "
        f"{sum(size for name, size in sizes.items() if name.startswith('workspace/')) / 1e6:.1f} MB; files {len(sizes)}"
    )


def look(folder: Path, steps: int, checkpoints: int, layers: int) -> None:
    """Print when a browser has painted and drawn, and how long a step of a slider and a pair take."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-background-networking"])
        painted, drawn = [], []
        for _ in range(5):
            tab = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
            tab.goto((folder / "abx.html").as_uri())
            tab.wait_for_selector("html[data-drawn=all]", state="attached", timeout=PATIENCE)
            painted.append(tab.evaluate(PAINTED))
            drawn.append(tab.evaluate("performance.now()"))
        print(
            f"first paint {statistics.median(painted):.0f} ms, figures drawn {statistics.median(drawn):.0f} ms (medians of 5)"
        )
        chance, took = random.Random(0), []
        for _ in range(steps):
            name, most = chance.choice([("checkpoint", checkpoints), ("layer", layers)])
            took.append(tab.evaluate(STEP, [name, chance.randrange(most)]))
        print(
            f"a step of a slider {statistics.median(took):.0f} ms, at most {max(took):.0f} (of {steps}, three matrices drawn)"
        )
        print(f"a pair over everything {tab.evaluate(PAIR):.0f} ms, its files read")
        browser.close()


WAITED = """const shown = Number(document.documentElement.dataset.shown), begun = performance.now();
  const done = new Promise((resolve) => new MutationObserver((_, of) => {
    if (Number(document.documentElement.dataset.shown) > shown) { of.disconnect(); resolve(performance.now() - begun); }
  }).observe(document.documentElement, { attributes: true }));"""
STEP = f"""([name, value]) => {{ {WAITED}
  const slider = document.getElementById(name); slider.value = value;
  slider.dispatchEvent(new Event("input")); return done; }}"""
PAIR = f"""() => {{ {WAITED}
  const box = document.getElementById("source"); box.value = 1; box.dispatchEvent(new Event("input")); return done; }}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, usual in (("checkpoints", 39), ("layers", 13), ("languages", 36), ("steps", 40)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace, site = Path(folder) / "workspace", Path(folder) / "site"
        made = multiprocessing.Process(target=grid, args=(workspace, asked.checkpoints, asked.layers, asked.languages))
        made.start()  # a process of its own: the peak below is the build's
        made.join()
        print(
            " × ".join(f"{number} {name}" for name, number in vars(asked).items()), f"load {os.getloadavg()[0]:.1f}", sep=", "
        )
        begun = time.perf_counter()
        publish.publish(publish.of_models([workspace]), [workspace], site, lambda *_: None)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"built in {time.perf_counter() - begun:.1f} s, peak of the process {peak:.0f} MB")
        weigh(site)
        look(site, asked.steps, asked.checkpoints, asked.layers)


if __name__ == "__main__":
    main()
