"""A figure's rows as files that say what they are of: CSV for spreadsheets and pandas, Parquet, and names for files."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from isogloss.backend.files import digest

if TYPE_CHECKING:
    from isogloss.backend.boards.provenance import Provenance

PREFIX = "provenance_"
"""Of the columns that say what rows are of."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a spreadsheet takes for the beginning of a formula."""
METADATA = b"isogloss"
LONGEST = 100
"""Characters of a file's name."""


def words(rests_on: Provenance, link: str = "") -> dict[str, str]:
    """Return what an export says of itself, by name: the provenance in few words, the day, and a link to the view."""
    said = rests_on.words | {"exported": datetime.now(UTC).date().isoformat(), "link": link}
    return {name: text for name, text in said.items() if text}


def about(title: str, rests_on: Provenance, link: str = "") -> dict[str, str]:
    """Return the metadata of a picture: its title, and everything else in a description."""
    said = [f"{name.replace('_', ' ')}: {text}" for name, text in words(rests_on, link).items()]
    return {
        "Title": title,
        "Description": "; ".join(said),
        "Software": f"Isogloss {rests_on.versions.get('isogloss', '')}".strip(),
    }


def to_csv(data: pd.DataFrame, facts: Mapping[str, str]) -> bytes:
    """Return `data` as CSV, what is `facts` of it in columns at the right.

    In UTF-8 with a byte order mark, without which Excel takes it for another encoding; pandas reads both. Texts that a
    spreadsheet would run as formulas begin with an apostrophe; numbers stay numbers.
    """
    shown = _beside(data, facts)
    texts = [
        place
        for place, kind in enumerate(shown.dtypes)
        if kind.kind not in "iufbmM" and not pd.api.types.is_numeric_dtype(kind)
    ]
    for place in texts:
        shown.isetitem(place, [_defused(value) for value in shown.iloc[:, place]])
    shown.columns = pd.Index([_defused(str(name)) for name in shown.columns])
    return shown.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def to_parquet(data: pd.DataFrame, said: Mapping[str, str], full: Mapping[str, Any]) -> bytes:
    """Return `data` as Parquet, what is `said` of it in columns at the right and, in `full`, as JSON in its metadata."""
    table = pa.Table.from_pandas(_beside(data, said), preserve_index=False)
    text = json.dumps({**said, "provenance": full}, ensure_ascii=False)
    buffer = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({**(table.schema.metadata or {}), METADATA: text.encode("utf-8")}), buffer)
    return buffer.getvalue()


def file_name(title: str, rests_on: Provenance) -> str:
    """Return a short name, safe on every system and without an ending, that says measure, corpus and model."""
    parts = [slug(title)]
    models = list(rests_on.models)
    corpora = [str(each["name"]) for each in rests_on.corpora[:1]]
    for part in (*corpora, *(models if len(models) == 1 else [f"{len(models)} models"] if models else [])):
        if (made := slug(part)[:30].strip("-")) and made not in parts[0]:
            parts.append(made)
    whole = "-".join(parts)
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 7].rstrip('-')}-{digest(whole)[:6]}"


def slug(name: str) -> str:
    """Return a name made of a–z, 0–9 and hyphens. Where letters of other scripts would go, its hash tells it apart."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    harmless = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    lost = any(each.isalnum() and not unicodedata.normalize("NFKD", each)[0].isascii() for each in name)
    return f"{harmless}-{digest(name)[:6]}".strip("-") if lost else harmless


def _beside(data: pd.DataFrame, said: Mapping[str, str]) -> pd.DataFrame:
    known = {f"{PREFIX}{name}": text for name, text in said.items()}
    return pd.concat([data.reset_index(drop=True), pd.DataFrame(known, index=range(len(data)))], axis=1)


def _defused(value: Any) -> Any:
    """Return a text that no spreadsheet runs; anything else as it is."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
