"""The numbers printed in Gaschi et al. 2022: percent, over 10 runs of 5,000 word pairs in WMT19 sentences."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import pandas as pd

FOLDER = Path(__file__).parent
PAPER = "Gaschi et al. 2022"
TABLES = {"weak": "table3_weak.csv", "strong": "table4_strong.csv"}
LANGUAGES = ("de", "ru", "zh")
"""Of the tables; the other end is English throughout."""


@cache
def words(measure: Literal["weak", "strong"]) -> pd.DataFrame:
    """Read table III or IV, a row a model, layer and pair. Read once: not to be changed.

    Columns: model, layer (first, best or last; empty for FastText), source, target, value and deviation (shares, 0 to 1).
    """
    return _long(pd.read_csv(FOLDER / TABLES[measure], keep_default_na=False), "model")


@cache
def sentences() -> pd.DataFrame:
    """Table I (the model is mBERT), likewise; `model` is the kind of sentence vector: `CLS`, `avg`, `FastText average`."""
    return _long(pd.read_csv(FOLDER / "table1_sentence_retrieval.csv", keep_default_na=False), "method")


def pair_precision() -> pd.DataFrame:
    """Table II: the precision of each source of word pairs, in percent."""
    return pd.read_csv(FOLDER / "table2_pair_precision.csv")


def pair_counts() -> pd.DataFrame:
    """Section V-B: how many word pairs the dictionary and FastAlign give in 10,000 sentences of WMT19."""
    return pd.read_csv(FOLDER / "section5b_pair_counts.csv")


def errors() -> pd.DataFrame:
    """Table V: the German word, the right English one, the one retrieved, and the authors' category."""
    return pd.read_csv(FOLDER / "table5_errors.csv", keep_default_na=False)


@cache
def masked() -> str:
    """Return what the paper prints of masked words: how much lower accuracy is, in words, and where it says so."""
    [row] = pd.read_csv(FOLDER / "section6_masked.csv").to_dict("records")
    return f"{PAPER}, {row['where']}: {row['quantity']}: {row['value']}"


def _long(wide: pd.DataFrame, name: str) -> pd.DataFrame:
    rows = [
        {
            "model": row[name],
            "layer": row["layer"],
            "source": tag,
            "target": "en",
            "value": float(row[f"{tag}-en"]) / 100,
            "deviation": float(row[f"{tag}-en_std"]) / 100,
        }
        for _, row in wide.iterrows()
        for tag in LANGUAGES
    ]
    return pd.DataFrame(rows)
