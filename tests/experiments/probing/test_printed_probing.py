"""Table 1 as printed: every row read, and nothing else."""

from __future__ import annotations

import csv

import numpy as np

from backend.experiments.probing.printed import tables


def test_every_cell_is_what_the_table_prints() -> None:
    with open(tables.FOLDER / "table1_regressions.csv", encoding="utf-8", newline="") as file:
        printed = list(csv.DictReader(file))
    found = tables.regressions()
    assert len(found) == len(printed) == 9
    for row, text in zip(found.to_dict("records"), printed, strict=True):
        assert row["setting"] == {"Prob.": "monolingual", "CL": "cross-lingual"}[text["setting"]]
        assert row["checkpoint"] == ("mean" if text["checkpoint"].startswith("Avg") else "last")
        assert (row["task"], row["r2"]) == (text["task"], float(text["r2"]))
        for name in tables.TERMS:
            p = row[f"{name}_p"]
            assert f"{row[name]:g}" == text[name].split(" (")[0].lstrip("+")
            assert text[name].endswith(f" ({p})")
            below = row[f"{name}_below"]
            assert np.isnan(below) if p == "n.s." else p == f"p < {below:g}".replace("0.", ".")
    assert not found.drop(columns=[f"{name}_below" for name in tables.TERMS]).isna().any(axis=None)
