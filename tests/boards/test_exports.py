"""Exported rows open in readers that are not ours, say what they are of, and run nothing."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.boards import export, latex
from isogloss.backend.boards.provenance import Provenance

if TYPE_CHECKING:
    from pathlib import Path

OF = Provenance(
    models={"Mödel": {"step 1": "a" * 24}},
    corpora=({"id": "c" * 24, "kind": "parallel corpus", "name": "=Corpus"},),
    languages=("de", "en"),
    versions={"isogloss": "1.2"},
)
SAID = export.words(OF, "http://127.0.0.1:8501/abx?view=Pairs")
ROWS = pd.DataFrame(
    {
        "name": ["=1+1", "+1", "-2", "@x", "\tt", "ok", None, "Ω–ü"],
        "=head": list("abcdefgh"),
        "value": [-0.5, 0.25, np.nan, 1, 2, 3, 4, 5],
        "kind": pd.Categorical(["=c", *"abcdefg"]),
        "mixed": ["-1", -1, None, 2.5, "x", True, "=2", 0],
    }
)


def test_csv_opens_in_pandas_and_is_safe_in_a_spreadsheet() -> None:
    made = export.to_csv(ROWS, SAID)
    assert made.startswith(b"\xef\xbb\xbf")
    read = pd.read_csv(io.BytesIO(made))  # no option is needed
    assert read["name"].tolist()[:6] == ["'=1+1", "'+1", "'-2", "'@x", "'\tt", "ok"]
    assert read["name"].isna().tolist()[6]
    assert read["name"].tolist()[7] == "Ω–ü"
    np.testing.assert_array_equal(read["value"], ROWS["value"])  # numbers stay numbers, negative ones too
    assert read["kind"][0] == "'=c"
    assert read["mixed"].tolist()[:2] == ["'-1", "-1"]
    assert set(read["provenance_model"]) == {"Mödel"}
    assert set(read["provenance_corpus"]) == {"'=Corpus"}
    assert set(read["provenance_link"]) == {"http://127.0.0.1:8501/abx?view=Pairs"}
    assert list(read.columns)[: len(ROWS.columns)] == ["name", "'=head", "value", "kind", "mixed"]


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False) | st.text()), min_size=1, max_size=6))
def test_no_cell_of_any_text_begins_a_formula(rows: list[tuple[str, object]]) -> None:
    made = export.to_csv(pd.DataFrame(rows, columns=["a", "b"]), {"corpus": rows[0][0]}).decode("utf-8-sig", "surrogatepass")
    for line in csv.reader(io.StringIO(made, newline="")):
        for cell in line:
            assert not cell.startswith(("=", "@", "\t", "\r", "+"))
            assert cell[:1] != "-" or not np.isnan(float(cell))


def test_parquet_says_it_in_columns_and_in_full() -> None:
    rows = ROWS.drop(columns="mixed")
    table = pq.read_table(io.BytesIO(export.to_parquet(rows, SAID, OF.to_json())))
    pd.testing.assert_frame_equal(table.to_pandas()[list(rows.columns)], rows, check_categorical=False)
    assert table.column("provenance_languages").to_pylist() == ["de en"] * len(rows)
    full = json.loads(table.schema.metadata[b"isogloss"])
    assert full["provenance"]["models"] == {"Mödel": {"step 1": "a" * 24}}
    assert full["corpus"] == "=Corpus"


def test_files_are_named_by_measure_corpus_and_model() -> None:
    assert export.file_name("ABX: layers × checkpoints", OF).startswith("abx-layers-checkpoints-corpus-model")
    assert export.file_name("Mödel Score", OF) == "model-score-corpus"
    long = export.file_name("x" * 300, OF)
    assert len(long) <= export.LONGEST
    assert long != export.file_name("x" * 301, OF)
    assert export.slug("测试") != export.slug("验证")
    assert re.fullmatch("[a-z0-9-]+", export.slug("../Дом\\?*"))


def test_rows_without_any_are_written_too() -> None:
    assert b"provenance_corpus" in export.to_csv(ROWS.iloc[:0], SAID)
    assert pq.read_table(io.BytesIO(export.to_parquet(ROWS.iloc[:0], SAID, {}))).num_rows == 0


def checked(text: str) -> list[str]:
    """The lines of a tabular whose braces are balanced, all with as many cells as it has columns."""
    text, depth = "\n".join(line for line in text.split("\n") if not line.startswith("%")), 0
    for each in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(each, 0)
        assert depth >= 0
    assert depth == 0
    columns = len(re.search(r"\\begin\{tabular\}\{([lr]+)\}", text).group(1))  # type: ignore[union-attr]
    lines = [line for line in text.splitlines() if line.endswith(r" \\") and r"\multicolumn" not in line]
    assert {len(re.findall(r"(?<!\\)&", line)) + 1 for line in lines} == {columns}
    return lines


def test_a_grid_of_rows_becomes_a_grid() -> None:
    keys = [(layer, step) for step in (5, 10) for layer in (0, 1, 2)]
    rows = pd.DataFrame(
        [{"layer": a, "label": f"s_{b}", "step": b, "model": "M&M", "value": a - b / 100, "n": 7} for a, b in keys]
    )
    text = latex.table(rows, "100% of #1", {"corpus": "a\nb"})
    lines = checked(text)
    assert lines[0] == r"layer & s\_5 & s\_10 \\"
    assert "\n& \\multicolumn{2}{c}{checkpoint} \\\\\n\\cmidrule(lr){2-3}\nlayer & " in text
    assert lines[1] == r"0 & $-$0.050 & $-$0.100 \\"
    assert len(lines) == 4
    assert r"\caption{100\% of \#1. model: M\&M}" in text
    assert "% corpus: a b" in text
    assert text.index(r"\toprule") < text.index(r"\bottomrule")


def test_a_matrix_has_one_order_and_gaps_stay() -> None:
    rows = pd.DataFrame(
        [{"source": a, "target": b, "value": 0.5} for a in ("fi", "de", "en") for b in ("de", "en", "fi") if a != b]
    )
    lines = checked(latex.table(rows, "T"))
    assert lines[0] == r"source & fi & de & en \\"
    assert lines[1] == r"fi & -- & 0.500 & 0.500 \\"


def test_intervals_stand_beside_their_estimate_and_empty_columns_go() -> None:
    rows = pd.DataFrame(
        {"name": ["a", "b", "c"], "value": [0.5, 0.5, -0.25], "low": [0.4, 0.35, None], "high": [0.6, 0.6, None], "mix": None}
    )
    text = latex.table(rows.assign(gap=[1.0, 2.0, 3.0], gap_low=[0.0, 1.0, 2.0], gap_high=[2.0, 3.0, 4.5]), "T")
    assert checked(text) == [
        r"name & value (95\%) & gap (95\%) \\",
        r"a & 0.500 $\pm$ 0.100 & 1.000 $\pm$ 1.000 \\",
        r"b & 0.500 [0.350, 0.600] & 2.000 $\pm$ 1.000 \\",
        r"c & $-$0.250 & 3.000 [2.000, 4.500] \\",
    ]
    assert text.index(latex.FITTED) < text.index(r"\begin{tabular}{lrr}") < text.index(r"\end{tabular}}")


def test_long_tables_are_cut_with_a_note() -> None:
    rows = pd.DataFrame({f"c{i}": np.arange(100) for i in range(20)})
    text = latex.table(rows, "T")
    assert len(checked(text)) == latex.ROWS + 1
    assert "The first 40 of 100 rows; 12 of 20 columns" in text


@given(st.lists(st.tuples(st.text(), st.floats() | st.none()), min_size=1, max_size=5), st.text())
def test_any_text_is_set_and_breaks_nothing(rows: list[tuple[str, float | None]], caption: str) -> None:
    checked(latex.table(pd.DataFrame(rows, columns=["a_b", "value"]), caption, {"x": caption}))


@pytest.mark.parametrize("text", ["\\input{x}", "$x^2$", "a\\\\b", "~#%&_{}"])
def test_nothing_of_the_users_is_a_command(text: str) -> None:
    assert not re.search(r"\\(input|\\)", latex.escaped(text))
    assert not re.search(r"(?<!\\)[$#%&_]", latex.escaped(text))


PAIRS = pd.DataFrame(
    {"checkpoint": "a" * 24, "source": ["de", "de", "en"], "target": ["en", "fi", "fi"], "n": 252, "model": "M"}
    | {
        f"{name}{end}": [value, 0.5, 1.0]
        for name, value in (("language", 0.75), ("meaning", 0.625))
        for end in ("", "_low", "_high")
    }
)


def test_pairs_of_languages_are_one_matrix() -> None:
    made = latex.table(PAIRS, "Pairs · M")
    assert r"& \multicolumn{3}{c}{language} \\" in made
    assert r"de & -- & 0.625 & 0.500 \\" in made  # above the diagonal: meaning
    assert r"en & 0.750 & -- & 1.000 \\" in made
    assert r"\caption{Pairs $\cdot$ M. n: 252; below the diagonal: language; above: meaning}" in made
    directed = PAIRS.assign(source=["en", "de", "de"], target=["de", "en", "fi"])
    assert "below the diagonal" not in latex.table(directed, "Directions")


def test_a_grid_names_its_measures_and_writes_steps_and_decimals_alike() -> None:
    rows = pd.DataFrame(
        {"metric": "abx_language", "step": [0.0, 10.0] * 2, "layer": [0, 0, 1, 1], "value": [1.0, 0.25, 1.0, 0.5]}
    )
    both = latex.table(pd.concat([rows, rows.assign(metric="abx_meaning")]), "Grid")
    assert r"metric & layer & 0 & 10 \\" in both
    assert r"Language discrimination & 0 & 1.000 & 0.250 \\" in both


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_tables_are_compiled_and_fit_the_text(tmp_path: Path) -> None:
    wide = pd.DataFrame({f"a column with many words {i}": [f"{'word ' * 9}{i}", "x_y & 5% ~"] for i in range(9)})
    tables = "\n".join(latex.table(each, "All of it: 5% & more_or_less") for each in (PAIRS, wide, wide.iloc[:, :2]))
    document = r"\documentclass{article}\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{booktabs,graphicx}"
    (tmp_path / "all.tex").write_text(f"{document}\\begin{{document}}\n{tables}\\end{{document}}\n", encoding="utf-8")
    found = subprocess.run(["pdflatex", "-interaction=nonstopmode", "all.tex"], cwd=tmp_path, capture_output=True, check=False)
    said = found.stdout.decode(errors="replace")
    assert found.returncode == 0, said
    assert "Overfull" not in said
