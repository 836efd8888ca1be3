"""A workspace with ABX scores made up, whose names are hostile and which holds what must not leave it."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.atlas import publish
from isogloss.backend.atlas.quantised import LEVELS, Scale
from isogloss.backend.atlas.quantised import MISSING as NO_SCORE
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import read
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.files import digest
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.atlas.site import Content

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028'\"../../x"
MODEL, CORPUS = f"M {HOSTILE}", f"C {HOSTILE}"
PERSON, PLACE = "Ada Lovelace", "/srv/secret-project/weights"
LANGUAGES = ("ar", "de", "en", "fi")
SENTENCES = [[f"Sentence {place} of the language {tag} stays at home." for tag in LANGUAGES] for place in range(6)]
MISSING = ("ar", "fi")
"""A pair that the last checkpoint lacks."""
METRICS = ("abx_language", "abx_meaning", "retrieval_top1")


def fill(
    workspace: Path, *, checkpoints: int = 3, layers: int = 3, languages: tuple[str, ...] = LANGUAGES, plain: bool = False
) -> None:
    """Keep a corpus, a model and its scores, under `plain` names or hostile ones."""
    file = workspace / "sentences.tsv"
    workspace.mkdir(exist_ok=True)
    file.write_text("\n".join("\t".join(row) for row in [LANGUAGES, *SENTENCES]), encoding="utf-8")
    entry = corpora.keep(read([InputFile(file.name, file)]), "C", workspace)
    path = workspace / "corpora" / entry.id / "entry.json"
    path.write_text(
        json.dumps(
            json.loads(path.read_text()) | {"name": "Their corpus" if plain else CORPUS, "by": PERSON, "licence": "CC0-1.0"}
        )
    )
    file.unlink()
    own = tuple(
        Checkpoint(source="folder", location=f"{PLACE}/{step}", label=f"checkpoint-{step}", step=step, fingerprint=digest(step))
        for step in range(0, 100 * checkpoints, 100)
    )
    shape = {"architecture": "bert", "layers": layers - 1, "dims": 8}
    models.keep(
        Model(
            name="Theirs" if plain else MODEL,
            note="![x](http://example.org)",
            checkpoints=own,
            by=PERSON,
            formerly=("Old name of Ada",),
            **shape,
        ),
        workspace,
    )
    random = np.random.default_rng(0)
    pairs = [(one, other) for place, one in enumerate(languages) for other in languages[place + 1 :]]
    for checkpoint in own:
        there = [pair for pair in pairs if checkpoint is not own[-1] or pair != MISSING]
        write(workspace, checkpoint, entry.id, layers, there, random)


def write(
    workspace: Path,
    checkpoint: Checkpoint,
    corpus: str,
    layers: int,
    pairs: list[tuple[str, str]],
    random: np.random.Generator,
    run: str = "",
) -> None:
    """Write the scores of a checkpoint, in a file of the name `run`."""
    rows = []
    for metric in METRICS:
        for layer in range(layers):
            for source, target in pairs:
                low, value, high = np.sort(random.uniform(0.4, 1, 3))
                ends = {"low": low, "high": high} if metric != "retrieval_top1" else {}
                own = {"metric": metric, "layer": layer, "source": source, "target": target}
                rows.append(own | {"value": value, "n": 998 - layer} | ends)
    run = run or digest([checkpoint.fingerprint, corpus])
    common = {"model": "Old name of Ada", "corpus": corpus, "checkpoint": checkpoint.fingerprint, "step": checkpoint.step}
    table = scores.table(rows, run=run, family="abx", variant="exact/mean", **common)
    said = {"experiment": "abx", "version": 1, "fingerprint": checkpoint.fingerprint, "corpus": corpus, "variant": "exact/mean"}
    said |= {
        "languages": sorted({tag for pair in pairs for tag in pair}),
        "sentences": 998,
        "seed": None,
        "model": "Old name of Ada",
    }
    said |= {"label": checkpoint.label, "device": "cpu", "precision": "float32", "pooling": "mean", "complete": True}
    scores.write(workspace, "abx", run, table, said)


def unpacked(text: str) -> np.ndarray:
    """The 16-bit numbers in a text, in one row."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), np.uint8).reshape(2, -1)
    return np.ascontiguousarray(planes.T).view("<u2").ravel()


def layered(text: str, shape: tuple[int, int]) -> np.ndarray:
    """The codes of scores [metrics, layers, …] of this `shape`: each is kept less that of the layer below."""
    apart = unpacked(text).reshape(*shape, -1).astype(int)
    return np.stack([apart[:, : layer + 1].sum(axis=1) % 65_536 for layer in range(shape[1])], axis=1)


def values(found: np.ndarray, scale: Scale) -> np.ndarray:
    """What codes stand for, nan where there is no score."""
    return np.where(
        found == NO_SCORE, np.nan, scale.low + np.asarray(found).astype(np.float64) * (scale.high - scale.low) / LEVELS
    )


def bound(value: int, apart: int, sign: int, scale: Scale) -> float:
    """What a bound is, by integers alone, from its score's code and how far it is from that."""
    if apart == NO_SCORE:
        return float("nan")
    least, ratio = scale.units
    own = 0 if value == NO_SCORE else int(value * ratio + 0.5)
    return float((own + sign * int(apart)) % NO_SCORE + least) / 10.0**scale.decimals


def published(content: Content, workspace: Path, folder: Path) -> Path:
    publish.publish(content, [workspace], folder, lambda *_: None)
    return folder
