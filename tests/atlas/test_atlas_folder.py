"""The folder of an atlas: it has the numbers of the dashboard, nothing that must not leave, and is the old one or the new."""

from __future__ import annotations

import csv
import hashlib
import html
import io
import json
import os
import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from isogloss.backend.atlas import publish
from isogloss.backend.atlas.grids import pair_grids
from isogloss.backend.atlas.quantised import Scale
from isogloss.backend.boards import board
from isogloss.backend.boards.cards import BOTH
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.boards.records import Explained
from isogloss.backend.corpora.languages.facts import credits_of
from isogloss.backend.errors import ModelError, StoreError
from isogloss.backend.experiments.abx import queries
from isogloss.backend.experiments.frames import files_of
from isogloss.backend.experiments.sentence_notes import with_notes
from isogloss.backend.figures.languages import language_table
from tests.atlas.atlas_workspace import (
    CORPUS,
    HOSTILE,
    LANGUAGES,
    METRICS,
    MISSING,
    MODEL,
    PERSON,
    PLACE,
    SENTENCES,
    bound,
    layered,
    published,
    unpacked,
    values,
    write,
)

CARD = Explained(name=BOTH.name, text=f"{BOTH.text} {HOSTILE}", source=BOTH.source, bibtex=BOTH.bibtex)


def pinned(workspace: Path) -> str:
    """A board of a figure, a table of sentences, a text and a note, written by a person."""
    on = board.create(workspace, f"B {HOSTILE}")
    (grid,) = pair_grids([workspace])
    shards = [file.run for file in grid.files]
    files = partial(files_of, workspaces=[workspace], family="abx", shards=shards)
    keys = [each.fingerprint for each in grid.checkpoints]
    means = Recipe((files, partial(queries.grid, languages=list(LANGUAGES), checkpoints=keys)))
    pin = partial(board.pin, workspace, on.id, card=CARD, link="/abx", alt="")
    first = pin(means, means.rows(), None, name="Means")
    noted = Recipe((partial(language_table, tags=["de"]), partial(with_notes, corpus="x", workspaces=[workspace], of={})))
    pin(noted, noted.rows(), None, name="Notes")
    board.write_text(workspace, on.id, f"A story {HOSTILE}", by=PERSON)
    board.write_note(workspace, on.id, first.id, f"A note {HOSTILE}", by=PERSON)
    return on.id


def data(folder: Path, name: str) -> object:
    """What a script brings: one call with a name and JSON."""
    text = (folder / "data" / f"{name}.js").read_text(encoding="ascii")
    found = re.fullmatch(r'atlas\.bring\("([a-z0-9-]+)",(.*)\);\n', text)
    assert found
    assert found[1] == name
    return json.loads(found[2])


def texts(folder: Path) -> dict[str, str]:
    """Every text in an atlas as a reader gets it, but plotly's: escapes undone, of Parquet its texts and metadata."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_dir() or path.name == "plotly.js":
            continue
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            said = b" ".join(v for v in (table.schema.metadata or {}).values()).decode("utf-8", "replace")
            columns = [str(each) for column in table.itercolumns() for each in column.unique().to_pylist()]
            found[str(path)] = "\n".join([said, *columns])
        else:
            text = path.read_text(encoding="utf-8")
            found[str(path)] = text + html.unescape(text) + text.encode().decode("unicode_escape", "ignore")
    return found


def test_every_number_is_that_of_the_dashboard(filled: Path, tmp_path: Path) -> None:
    folder = published(publish.of_models([filled]), filled, tmp_path / "site")
    (listed,) = data(folder, "grids-abx")
    grid = data(folder, "g0")
    keys = [each.fingerprint for each in pair_grids([filled])[0].checkpoints]
    files = sorted((filled / "scores" / "abx").glob("*.parquet"))
    assert (listed["model"], listed["corpus"], grid["layers"]) == (MODEL, CORPUS, [0, 1, 2])
    assert list(grid["measures"]) == list(METRICS)
    pairs = [[grid["languages"][place] for place in pair] for pair in grid["pairs"]]
    for place, key in enumerate(keys):
        part = data(folder, f"g0-c{place}")
        shape = len(METRICS), len(grid["layers"])
        means, part = part["means"], part["scores"]
        code, which = layered(part["values"], shape), unpacked(part["which"]).reshape(*shape, -1)
        far = unpacked(part["bounds"]).reshape(shape[0], 2, shape[1], -1)
        of_languages = values(layered(means["values"], shape), Scale())
        for layer in grid["layers"]:
            means_shown = queries.by_language(files, LANGUAGES, [key], [layer]).set_index(["metric", "language"])["value"]
            for m, metric in enumerate(METRICS):
                read = of_languages[m, layer]
                assert np.abs(read - means_shown[metric].loc[grid["languages"]].to_numpy()).max() <= Scale().step * 1.001
            shown = queries.pairs(files, LANGUAGES, [key], [layer]).set_index(["source", "target"])
            for at, pair in enumerate(pairs):
                for m, name in enumerate(("language", "meaning", "retrieval")):
                    own = code[m, layer, at]
                    ends = [(int(own), int(far[m, end, layer, at]), sign) for end, sign in enumerate((-1, 1))]
                    read = [float(values(own, Scale())), *(bound(*each, Scale()) for each in ends)]
                    if tuple(pair) == MISSING and place == 2:
                        assert np.isnan(read).all()
                        continue
                    exact = shown.loc[tuple(pair)]
                    assert abs(read[0] - exact[name]) <= Scale().step * 1.001
                    assert f"{read[0]:.3f}" == f"{np.float32(exact[name]):.3f}"
                    assert part["n"][which[m, layer, at]] == exact["n"]
                    if name == "retrieval":
                        assert np.isnan(read[1:]).all()
                    else:
                        assert [f"{each:.3f}" for each in read[1:]] == [
                            f"{np.float32(exact[f'{name}_{end}']):.3f}" for end in ("low", "high")
                        ]


def test_means_to_download_are_exact_under_the_names_of_now(filled: Path, tmp_path: Path) -> None:
    folder = published(publish.of_models([filled], MODEL), filled, tmp_path / "site")
    rows = list(csv.DictReader(io.StringIO((folder / "tables" / "g0-layers.csv").read_text(encoding="utf-8-sig"))))
    grid = pair_grids([filled])[0]
    means = queries.grid([file.path for file in grid.files], grid.languages, [each.fingerprint for each in grid.checkpoints])
    by = ["metric", "layer", "checkpoint"]
    found = pd.DataFrame(rows).astype({"layer": int, "value": float, "n": int}).sort_values(by)
    ordered = means.sort_values(by)
    assert found["value"].tolist() == pytest.approx(ordered["value"].tolist(), rel=1e-12)
    assert found["n"].tolist() == ordered["n"].tolist()
    assert pd.to_numeric(found["low"]).tolist() == pytest.approx(ordered["low"].tolist(), rel=1e-12, nan_ok=True)
    assert {row["model"] for row in rows} == {MODEL}


def test_nothing_leaves_that_must_not(filled: Path, tmp_path: Path) -> None:
    folder = published(publish.of_board([filled], pinned(filled)), filled, tmp_path / "site")
    private = [PERSON, "Lovelace", PLACE, "secret-project", "Old name", str(filled), str(tmp_path)]
    private += [os.uname().nodename] * (len(os.uname().nodename) > 3)  # packed numbers hold any two letters
    private += [sentence for row in SENTENCES for sentence in row]
    for where, text in texts(folder).items():
        for each in private:
            assert each not in text, (where, each)
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert page.count("it shows texts of data") == 1
    assert "A note &lt;/script&gt;" in page
    assert "A story &lt;/script&gt;" in page
    for path in [*folder.glob("*.html"), *folder.glob("data/*.js")]:
        assert "<script>alert" not in path.read_text(encoding="utf-8")
        assert "<img" not in path.read_text(encoding="utf-8")
        assert "\u2028" not in path.read_text(encoding="utf-8") or path.suffix == ".html"
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*")]
    assert [name for name in names if not re.fullmatch(r"[A-Za-z0-9/._-]+", name)] == []


def test_texts_of_data_are_found_in_rows_that_do_not_say_so(filled: Path, tmp_path: Path) -> None:
    on = board.create(filled, "Board")
    (grid,) = pair_grids([filled])
    files = partial(files_of, workspaces=[filled], family="abx", shards=[file.run for file in grid.files])
    keys = [each.fingerprint for each in grid.checkpoints]
    recipe = Recipe((files, partial(queries.grid, languages=list(LANGUAGES), checkpoints=keys)))
    board.pin(filled, on.id, recipe, recipe.rows(), None, name="Means", card=CARD, link="/abx", alt="")
    content = publish.of_board([filled], on.id)
    (part,) = content.parts
    object.__setattr__(part, "rows", part.rows.assign(seen=f"“…{SENTENCES[2][1][3:30]}…”"))
    folder = published(content, filled, tmp_path / "site")
    assert "it shows texts of data" in (folder / "index.html").read_text(encoding="utf-8")
    assert not (folder / "tables" / "f01.csv").exists()


@pytest.mark.parametrize("where", ["title", "note"])
def test_a_path_of_this_machine_is_refused_in_a_sentence(filled: Path, tmp_path: Path, where: str) -> None:
    on = board.create(filled, f"See {filled}/x" if where == "title" else "Board")
    if where == "note":
        board.write_text(filled, on.id, f"See {filled}/x")
    with pytest.raises(StoreError, match=r"Nothing was published: .* is of this machine\. Take it out"):
        published(publish.of_board([filled], on.id), filled, tmp_path / "site")
    assert not (tmp_path / "site").exists()
    assert list(tmp_path.glob(".isogloss-atlas-*")) == []


def test_every_file_is_listed_with_its_hash_and_described(filled: Path, tmp_path: Path) -> None:
    content = publish.with_said(publish.of_board([filled], pinned(filled)), "", "CC-BY-4.0", ['Group: of "X"'])
    folder = published(content, filled, tmp_path / "site")
    listed = dict(reversed(line.split("  ", 1)) for line in (folder / "SHA256SUMS").read_text().splitlines())
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert set(listed) == there - {"SHA256SUMS", ".nojekyll"}
    assert all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == sha for name, sha in listed.items())
    cited = yaml.safe_load((folder / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["title"].split(), cited["license"]) == (content.title.split(), "CC-BY-4.0")
    assert cited["authors"] == [{"name": 'Group: of "X"'}]
    card = (folder / "README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(card.split("---")[1])
    assert (head["sdk"], head["app_file"]) == ("static", "index.html")
    assert head["license"] == "cc-by-4.0"
    assert head["language"] == list(LANGUAGES)
    assert list(folder.glob(head["configs"][0]["data_files"]))
    croissant = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    files = {each["@id"]: each for each in croissant["distribution"] if each["@type"] == "cr:FileObject"}
    assert all(listed[name] == each["sha256"] for name, each in files.items())
    assert {field["name"] for field in croissant["recordSet"][0]["field"]} <= set(
        pq.read_schema(next(folder.rglob("scores/abx/*"))).names
    )
    assert "de-seyssel-etal-2025" in (folder / "references.bib").read_text(encoding="utf-8")
    assert "float32 on cpu" in (folder / "methods.txt").read_text(encoding="utf-8")


def test_a_grid_too_large_for_one_file_a_checkpoint_is_split_by_layers(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = published(publish.of_models([filled]), filled, tmp_path / "whole")
    monkeypatch.setattr("isogloss.backend.atlas.grids.SPLIT", 10)
    split = published(publish.of_models([filled]), filled, tmp_path / "split")
    together = layered(data(whole, "g0-c1")["scores"]["values"], (3, 3))
    for layer in range(3):
        alone = layered(data(split, f"g0-c1-l{layer}")["scores"]["values"], (3, 1))
        assert (alone[:, 0] == together[:, layer]).all()


def test_what_is_not_there_is_said(filled: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="There is no model 'X'"):
        publish.of_models([filled], "X")
    with pytest.raises(StoreError, match="no scores to publish"):
        publish.of_models([tmp_path])


def test_the_newest_score_of_a_pair_counts_whichever_file_has_it(filled: Path) -> None:
    (grid,) = pair_grids([filled])
    first, before = grid.checkpoints[0], grid.values(0)["value"]
    write(filled, first, grid.corpus.id, 3, [("de", "en")], np.random.default_rng(9), run="a" * 24)
    (again,) = pair_grids([filled])
    after, changed = again.values(0)["value"], np.array([pair == ("de", "en") for pair in grid.pairs])
    assert (after[..., changed] != before[..., changed]).all()
    assert (after[..., ~changed] == before[..., ~changed]).all()
    assert [len(files) for files in again.served] == [2, 1, 1]


def test_an_atlas_says_who_says_the_facts_of_languages_that_its_walks_show(filled: Path, tmp_path: Path) -> None:
    """Their orders name families, scripts and regions, and their map is of places and a coastline."""
    folder = published(publish.of_models([filled], MODEL), filled, tmp_path / "atlas")
    for name in ("methods.txt", "README.md", "about.html", "provenance.json"):
        text = html.unescape((folder / name).read_text("utf-8"))
        for fact in ("family", "script", "region", "place", "coastline"):
            assert credits_of([fact]) in text, (name, fact)
