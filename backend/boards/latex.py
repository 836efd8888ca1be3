"""A figure's rows as a LaTeX table (booktabs): wide where they are a grid, numbers in line, every text escaped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isogloss.backend.boards.export import slug
from isogloss.backend.boards.readable import decimals, heading, is_of_pairs, named, numeric, told

if TYPE_CHECKING:
    from collections.abc import Mapping

ROWS, COLUMNS = 40, 12
"""Most of a table on a page; what is cut is said."""
KEYS = (
    "metric",
    "measure",
    "model",
    "variant",
    "line",
    "control",
    "source",
    "target",
    "language",
    "pair",
    "layer",
    "layer_name",
    "label",
    "step",
)
ACROSS = ("label", "step", "layer", "target", "language", "metric", "measure", "model")
"""What columns are made of, the first that fits."""
TITLED = ("metric", "measure", "variant")
"""What a figure's title says in the field's words, and these columns in the store's: left out of captions."""
HEADINGS = {"n": "n", "low": "low (95%)", "high": "high (95%)", "label": "checkpoint", "layer_name": "layer"}
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""Begins what is made smaller where it is wider than the text, and is as it is elsewhere."""
BOUNDS = " (95%)"
"""Ends the heading of estimates with their bounds."""
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "—": "---",
    "−": "$-$",
    "×": r"$\times$",
    "→": r"$\rightarrow$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
    "’": "'",
    "‘": "`",
    "“": "``",
    "”": "''",
    "ε": r"$\varepsilon$",
    "ρ": r"$\rho$",
    "±": r"$\pm$",
    '"': r"\textquotedbl{}",
}


def table(data: pd.DataFrame, caption: str, facts: Mapping[str, str] | None = None) -> str:
    """Return `data` as a `table` with this caption and a label made of it; what is `facts` of it is in comments above.

    Rows that are a grid become one: layers down and checkpoints across, say. Columns with one value are left to the caption.
    """
    shown, same, across = wide(data)
    rows, columns = shown.iloc[:ROWS, :COLUMNS], list(shown.columns[:COLUMNS])
    whole = max((decimals(rows[name]) or 0 for name in columns if name in across), default=None)  # a grid has one form
    texts = [_cells(rows.iloc[:, place], whole if name in across else None) for place, name in enumerate(columns)]
    right = [numeric(rows.iloc[:, place]) or str(name).endswith(BOUNDS) for place, name in enumerate(columns)]
    kinds = "".join("r" if each else "l" for each in right)
    body = [" & ".join(line) + r" \\" for line in zip(*texts, strict=True)]
    fixed = "; ".join(
        f"{escaped(_heading(name))}: {escaped(text)}"
        for name, text in same.items()
        if name not in TITLED and text not in caption
    )
    lines = [
        *(f"% {name}: {' '.join(text.split())}" for name, text in (facts or {}).items()),
        r"% needs \usepackage{booktabs,graphicx}" + _scripts(f"{caption}{shown.to_csv()}{fixed}"),
        r"\begin{table}[t]",
        r"\centering\small",
        rf"\caption{{{escaped(caption)}{'. ' + fixed if fixed else ''}}}",
        rf"\label{{tab:{slug(caption)}}}",
        FITTED,
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        *_above(columns, across),
        " & ".join(escaped(_heading(str(name))) for name in columns) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        *_cut(shown, len(columns)),
        r"\end{tabular}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def wide(data: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str], dict[str, str]]:
    """Return `data` as a reader wants it, what is the same in all of its rows, and the heading above each column of a grid.

    Both of the latter are by column.
    """
    known = told(data)
    if (matrix := _matrix(known)) is not None:
        return matrix
    if "metric" in known:
        known = known.assign(metric=named(known["metric"])).drop(columns=["measure"] if "measure" in known else [])
    if "step" in known and known["step"].notna().all() and (known["step"] % 1 == 0).all():
        known = known.assign(step=known["step"].astype(int))
    if "label" in known and "step" in known and known["label"].notna().all():
        known = known.drop(columns="step")
    if "layer_name" in known:  # numbers, "mean" and "mix" in one column
        known = known.drop(columns=[name for name in ("layer", "mix") if name in known])
    same = {
        str(name): str(known[name].iloc[0]) for name in known.columns if len(known) > 1 and _one(known[name]) and name in KEYS
    }
    rest = known.drop(columns=list(same))
    keys = [name for name in KEYS if name in rest.columns and rest[name].notna().all()]
    if "value" in rest.columns and len(keys) > 1 and not rest.duplicated(keys).any():
        across = next((name for name in ACROSS if name in keys and rest[name].nunique() <= COLUMNS - len(keys) + 1), None)
        if across is not None:
            order = list(dict.fromkeys(rest[across]))
            if across == "target" and set(order) <= set(rest.get("source", ())):
                order = [name for name in dict.fromkeys(rest["source"]) if name in set(order)]  # a matrix has one order
            down = [name for name in keys if name != across]
            grid = rest.pivot(index=down, columns=across, values="value")[order]
            places = list(dict.fromkeys(rest[down].itertuples(index=False, name=None)))
            grid = grid.reindex(places if len(down) > 1 else [place[0] for place in places])
            names = [str(name).removeprefix("checkpoint-") if across == "label" else str(name) for name in order]
            grid.columns = pd.Index(names if len(set(names)) == len(order) else map(str, order))
            return grid.reset_index(names=down), same, dict.fromkeys(grid.columns, _heading(across))
    return _with_intervals(rest.loc[:, [name for name in rest.columns if not rest[name].map(_nested).any()]]), same, {}


def _matrix(data: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str], dict[str, str]] | None:
    """Return pairs of languages as one matrix, one estimate below the diagonal and another above; None for anything else."""
    tags = sorted({*data["source"], *data["target"]}) if is_of_pairs(data) else []
    estimates = [name for name in data.columns if f"{name}_low" in data]
    if not tags or len(estimates) != 2 or len(tags) > COLUMNS or data.duplicated(["source", "target"]).any():
        return None
    below, above = estimates
    grid = pd.DataFrame(np.nan, index=tags, columns=tags)
    for one, other, *values in data[["source", "target", below, above]].itertuples(index=False):
        grid.loc[other, one], grid.loc[one, other] = values
    same = {name: str(data[name].iloc[0]) for name in ("model", "label", "n") if name in data and _one(data[name])}
    same |= {"below the diagonal": heading(below).lower(), "above": heading(above).lower()}
    return grid.reset_index(names="language"), same, dict.fromkeys(tags, "language")


def _with_intervals(data: pd.DataFrame) -> pd.DataFrame:
    """Return `data` with each estimate's bounds beside it: ± where three decimals tell them symmetric."""
    shown = data.copy()
    for low in [name for name in data.columns if re.fullmatch(r"(.+_)?low", str(name))]:
        start = str(low).removesuffix("low")
        high, value = f"{start}high", f"{start}value" if f"{start}value" in data else start.removesuffix("_")
        if all(name in data and numeric(data[name]) for name in (low, high, value)) and not 0 < data[value].abs().max() < 0.01:
            bounds = zip(*(data[name].to_numpy(np.float64, na_value=np.nan) for name in (value, low, high)), strict=True)
            shown[value] = [_between(*each) for each in bounds]
            shown = shown.drop(columns=[low, high]).rename(columns={value: f"{_heading(value)}{BOUNDS}"})
    return shown


def _between(value: float, low: float, high: float) -> str:
    if not np.isfinite([value, low, high]).all():
        return "--" if np.isnan(value) else f"{value:.3f}".replace("-", "−")
    below, above = f"{value - low:.3f}", f"{high - value:.3f}"
    text = f"{value:.3f} ± {above}" if below == above else f"{value:.3f} [{low:.3f}, {high:.3f}]"
    return text.replace("-", "−")


def escaped(text: object) -> str:
    """Return `text` as LaTeX sets it letter by letter, in one line."""
    return "".join(_ESCAPED.get(each, each) for each in re.sub(r"\s+", " ", str(text)) if each.isprintable())


def _cells(column: pd.Series, places: int | None = None) -> list[str]:
    if not numeric(column):
        return ["" if not _nested(value) and pd.isna(value) else escaped(value) for value in column]
    places = decimals(column) or 0 if places is None else places
    return [_number(value, places) for value in column.to_numpy(np.float64, na_value=np.nan)]


def _number(value: float, decimals: int) -> str:
    if not np.isfinite(value):
        return "--" if np.isnan(value) else r"$\infty$" if value > 0 else r"$-\infty$"
    text = f"{abs(value):.{decimals}f}"
    return f"$-${text}" if value < 0 and float(text) else text


def _above(columns: list[str], across: Mapping[str, str]) -> list[str]:
    """Return the line above the headings that says what the columns of a grid are, with a rule over them."""
    places = [place for place, name in enumerate(columns, 1) if name in across]
    if not places:
        return []
    before, heading = "& " * (places[0] - 1), escaped(across[columns[places[0] - 1]])
    return [
        rf"{before}\multicolumn{{{len(places)}}}{{c}}{{{heading}}} \\",
        rf"\cmidrule(lr){{{places[0]}-{places[-1]}}}",
    ]


def _cut(shown: pd.DataFrame, columns: int) -> list[str]:
    """Return the lines that say what of a table is not printed."""
    parts = [f"The first {ROWS} of {len(shown):,} rows"] if len(shown) > ROWS else []
    parts += [f"{columns} of {len(shown.columns)} columns"] if len(shown.columns) > columns else []
    return [rf"\multicolumn{{{columns}}}{{l}}{{\emph{{{'; '.join(parts)}: all are in the CSV file.}}}} \\"] if parts else []


def _heading(name: str) -> str:
    return HEADINGS.get(name, name.replace("_", " ") if re.fullmatch("[a-z_]+", name) else name)


def _scripts(text: str) -> str:
    """Say which LaTeX is needed where texts have letters that pdfLaTeX lacks."""
    return "; compile with XeLaTeX or LuaLaTeX" if any(ord(each) > 0x24F and each not in _ESCAPED for each in text) else ""


def _one(column: pd.Series) -> bool:
    return not column.map(_nested).any() and bool(column.nunique(dropna=False) == 1)


def _nested(value: Any) -> bool:
    return isinstance(value, list | tuple | dict | np.ndarray)
