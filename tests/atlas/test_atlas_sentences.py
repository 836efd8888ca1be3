"""Sentences by consent: none without it, and with it those alone whose licence is known to allow it, credited."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from isogloss.backend.atlas import publish, texts
from isogloss.backend.atlas.grids import pair_grids
from isogloss.backend.boards import board
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.abx import confusions
from isogloss.backend.experiments.abx.confusions import ConfusionsSpec
from isogloss.backend.experiments.sentence_notes import sentence, with_notes
from isogloss.backend.experiments.sentence_notes import write as write_note
from isogloss.backend.store import details
from tests.atlas.atlas_workspace import HOSTILE, LANGUAGES, published
from tests.atlas.test_atlas_folder import CARD, data

if TYPE_CHECKING:
    from pathlib import Path

SENTENCE = f"=1+1 \u2067{HOSTILE} &amp; \\u003c"


def looked_at(workspace: Path, *, layer: int = 1, k: int = 20, source: str = "fi", target: str = "de") -> ConfusionsSpec:
    """Keep confused sentences of the last checkpoint, as `confusions.compute` does."""
    (grid,) = pair_grids([workspace])
    spec = ConfusionsSpec(
        checkpoint=grid.checkpoints[-1],
        corpus=grid.corpus.id,
        languages=LANGUAGES,
        layer=layer,
        source=source,
        target=target,
        k=k,
    )
    rows = [
        {
            "task": task,
            "source": one,
            "target": other,
            "anchor_id": str(place),
            "other_id": str(place + 1),
            "anchor": f"{task} {place} {SENTENCE}",
            "right": f"right {one} {SENTENCE}",
            "wrong": f"wrong {other} {SENTENCE}",
            "similarity_right": 0.25,
            "similarity_wrong": 0.5,
            "margin": -0.25 + place / 10,
        }
        for one, other in ((source, target), (target, source))
        for task in ("language", "meaning")
        for place in range(k // 4)
    ]
    details.write(workspace, spec.id, pa.Table.from_pylist(rows), confusions.of_file(spec, spec.id))
    return spec


def with_licence(workspace: Path, licence: str | None) -> None:
    (path,) = workspace.glob("corpora/*/entry.json")
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"licence": licence}), encoding="utf-8")


def consenting(workspace: Path) -> publish.Content:
    return publish.with_said(publish.of_models([workspace]), "", "", [], sentences=True)


def test_what_was_looked_at_comes_along_as_it_is_and_is_credited(filled: Path, tmp_path: Path) -> None:
    few, most = looked_at(filled), looked_at(filled, k=100, source="de", target="fi")
    looked_at(filled, layer=2, source="ar", target="en")
    folder = published(consenting(filled), filled, tmp_path / "site")
    grid, views = data(folder, "g0"), data(folder, "g0-sentences")
    said = [
        (grid["checkpoints"][view[0]], grid["layers"][view[1]], *(grid["languages"][place] for place in view[2:]))
        for view in views
    ]
    assert said == [("checkpoint-200", 1, "de", "fi"), ("checkpoint-200", 2, "ar", "en")]
    kept = confusions.load(most, [filled])
    assert data(folder, "g0-s0") == kept[texts.COLUMNS].to_numpy().tolist()
    assert len(kept) > len(confusions.load(few, [filled]))
    rows = list(csv.DictReader(io.StringIO((folder / "tables" / "g0-sentences.csv").read_text(encoding="utf-8-sig"))))
    assert len(rows) == len(kept) + 20
    assert {row["licence"] for row in rows} == {"CC0-1.0"}
    assert rows[0]["anchor"] == kept["anchor"][0]
    (listed,) = data(folder, "grids-abx")
    assert "(CC0-1.0" in listed["sentences"]
    for name in ("README.md", "about.html", "croissant.json"):
        assert "as examples, are of C " in (folder / name).read_text(encoding="utf-8"), name
        assert "No sentence of a corpus" not in (folder / name).read_text(encoding="utf-8"), name
    for path in [*folder.glob("*.html"), *folder.glob("data/*.js")]:
        assert "<script>alert" not in path.read_text(encoding="utf-8")
        assert "<img" not in path.read_text(encoding="utf-8")


def test_none_comes_along_without_consent(filled: Path, tmp_path: Path) -> None:
    looked_at(filled)
    folder = published(publish.of_models([filled]), filled, tmp_path / "site")
    assert list(folder.rglob("*sentences*")) == [folder / "assets" / "sentences.js"]
    assert data(folder, "grids-abx")[0]["sentences"] == ""
    assert "No sentence of a corpus is in it." in (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("licence", "why"),
    [(None, "no licence"), ("CC-BY-ND-4.0", "CC-BY-ND-4.0 is not known to allow it"), ("ask us", "ask us is not known")],
)
def test_an_unknown_or_forbidding_licence_is_refused_in_a_sentence(filled: Path, licence: str | None, why: str) -> None:
    with_licence(filled, licence)
    looked_at(filled)
    with pytest.raises(StoreError, match=rf"Sentences stay here of 'C .*' \({why}.*\)\. Leave sentences out, or"):
        consenting(filled)


def test_a_licence_that_changed_since_is_asked_again(filled: Path, tmp_path: Path) -> None:
    looked_at(filled)
    content = consenting(filled)
    with_licence(filled, "all rights reserved")
    (grid,) = pair_grids([filled])
    object.__setattr__(content, "grids", (grid,))
    folder = published(content, filled, tmp_path / "site")
    assert not list(folder.glob("data/*-s*.js"))


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        *(("CC0-1.0", True), ("CC BY 4.0", True), ("cc_by-sa 3.0", True), ("CC BY-SA 3.0 and GFDL", True), ("MIT", True)),
        *(("CC-BY-NC-4.0", True), ("CC-BY-NC-SA-4.0", True), ("CC-BY-3.0-IGO", True), ("public domain", True)),
        *(("CC-BY-ND-4.0", False), ("CC-BY-NC-ND-4.0", False), ("CC BY 4.0, CC BY-ND 4.0", False), ("", False), (None, False)),
        *(("per treebank, mostly CC-BY-SA", False), ("proprietary", False), ("not CC0", False), ("CC0 and", True)),
    ],
)
def test_licences(licence: str | None, allowed: bool) -> None:
    assert texts.allows(licence) is allowed


def test_a_boards_table_of_sentences_comes_along_without_peoples_notes(filled: Path, tmp_path: Path) -> None:
    spec, on = looked_at(filled), board.create(filled, "Board")
    write_note(filled, sentence(spec.corpus, "0"), ["odd-tag"], "A private remark")
    read = partial(confusions.load_either_way, spec=spec, workspaces=[filled])
    task = partial(confusions.of_task, task="meaning", source="fi")
    noted = partial(with_notes, corpus=spec.corpus, of={"anchor_id": ""}, workspaces=[filled])
    recipe = Recipe((read, task, noted))
    assert "A private remark" in set(recipe.rows()["notes"])
    board.pin(filled, on.id, recipe, recipe.rows(), None, name="Confused", card=CARD, link="/abx", alt="")
    content = publish.with_said(publish.of_board([filled], on.id), "", "", [], sentences=True)
    folder = published(content, filled, tmp_path / "site")
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "meaning 0 =1+1" in page
    assert "Sentences: C " in page
    for path in folder.rglob("*"):
        assert path.is_dir() or b"private remark" not in path.read_bytes()
        assert path.is_dir() or b"odd-tag" not in path.read_bytes()
    with_licence(filled, "ask us")
    content = publish.of_board([filled], on.id)
    object.__setattr__(content, "sentences", True)
    folder = published(content, filled, tmp_path / "other")
    assert "it shows texts of data" in (folder / "index.html").read_text(encoding="utf-8")
