"""What tells numbers of one family apart that its rows do not: files say it of themselves, and queries read it beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.backend.files import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from isogloss.backend.store.shard_files import ShardFile

ON_ALL = ("_baseline", "language_probe")
"""What the metrics end in that hang on every language of a run: ABX's control, and the probe of the language."""


MORE = re.compile("/(drawn by seed|seeds|trained on|sentences of|among) .*", re.DOTALL)


def without_more(variant: str) -> str:
    """Return a variant without what `more` adds."""
    return MORE.sub("", variant)


def more(folder: str, metadata: Mapping[str, Any]) -> str:
    """Return what else a file's numbers depend on, that neither its rows' `variant` nor another column says: mostly nothing."""
    parts = []
    if "runs" in metadata and metadata.get("seed"):
        parts.append(f"drawn by seed {metadata['seed']}")  # rows are numbered by their runs
    if folder == "probing":
        seeds = metadata["options"].get("seeds")
        usual = not isinstance(seeds, list) or seeds == list(range(len(seeds)))
        parts += [] if usual else [f"seeds {', '.join(map(str, seeds))}"]
        parts += [f"trained on {metadata['corpus_test']}"] if metadata.get("tested") and metadata.get("corpus_test") else []
    if metadata.get("complete") is False and "languages" in metadata:
        parts.append(f"sentences of {_counted(metadata['languages'])}")
    if "LSAR" in str(metadata.get("variant")).split("/"):
        parts.append(_among(metadata))
    return "/".join(parts)


def more_of_baseline(folder: str, metadata: Mapping[str, Any]) -> str:
    """Return the same of what hangs on every language of the run (`ON_ALL`)."""
    if not (metadata.get("baseline") or folder == "geometry") or metadata.get("complete") is False:
        return more(folder, metadata)
    return "/".join(dict.fromkeys([*filter(None, [more(folder, metadata)]), _among(metadata)]))


def _among(metadata: Mapping[str, Any]) -> str:
    """Say which languages numbers were computed among, where they hang on all of them."""
    return f"among {_counted(sorted({tag for pair in metadata.get('pairs') or () for tag in pair}) or metadata['languages'])}"


def _counted(languages: Sequence[str]) -> str:
    return f"{len(languages)} languages ({digest(list(languages))[:4]})"


def dictionaries(said: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Return what paired the words of each directed pair of languages: a dictionary's id, or a word alignment's."""
    of_words = [pair for pair in said.get("pairs") or () if len(pair) == 3]
    return {ends: id_ for one, other, id_ in of_words for ends in ((one, other), (other, one))}


@dataclass(frozen=True)
class Apart:
    """What files say of their rows that the rows do not."""

    variants: tuple[tuple[str, str, str], ...] = ()
    """Run, what its variants go on with, and those of what hangs on all languages."""
    dictionaries: tuple[tuple[str, str, str, str], ...] = ()
    """Run, source, target, and what paired their words."""


NOTHING = Apart()


def of(files: Iterable[ShardFile]) -> Apart:
    """Return what tells the numbers of some files from others that have the same columns, by what they say of themselves."""
    variants, paired = [], []
    for file in files:
        folder, said = file.path.parent.name, file.provenance
        of_all, of_baseline = more(folder, said), more_of_baseline(folder, said)
        if of_all or of_baseline:
            variants.append((file.run, of_all, of_baseline))
        paired += [(file.run, *ends, each) for ends, each in dictionaries(said).items()]
    return Apart(tuple(variants), tuple(paired))


def as_tables(apart: Apart, *, dictionaries: bool) -> tuple[dict[str, Any], list[str]]:
    """Return parameters of a query that hold `apart`, and the two tables made of them; empty for one without rows."""
    values: dict[str, Any] = {}
    made = []
    wanted = {"variants": apart.variants, "dictionaries": apart.dictionaries if dictionaries else ()}
    names = {"variants": ("run", "more", "of_baseline"), "dictionaries": ("run", "source", "target", "dictionary")}
    for table, rows in wanted.items():
        columns = dict(zip(names[table], zip(*rows, strict=True), strict=False))
        values |= {f"{table}_{name}": list(column) for name, column in columns.items()}
        listed = ", ".join(f"unnest(${table}_{name}) AS {name}" for name in columns)
        made.append(f"(SELECT {listed})" if rows else "")
    return values, made


def told(source: str, apart: Sequence[str]) -> str:
    """Return a table expression of the rows of `source`, told apart by the two tables of `as_tables`."""
    of_runs, of_words = [*apart, ""][:2]
    variant, joins = "rows.variant", ""
    if of_runs:
        joins = f" LEFT JOIN {of_runs} AS more ON more.run = rows.run"
        on_all = " OR ".join(f"ends_with(rows.metric, '{ending}')" for ending in ON_ALL)
        variant = f"CASE WHEN {on_all} THEN more.of_baseline ELSE more.more END"
        variant = f"CASE WHEN coalesce({variant}, '') = '' THEN rows.variant ELSE concat_ws('/', rows.variant, {variant}) END"
    if of_words:
        same = " AND ".join(f"known.{name} = rows.{name}" for name in ("run", "source", "target"))
        joins += f" LEFT JOIN {of_words} AS known ON {same}"
    named = "known.dictionary" if of_words else "NULL::VARCHAR"
    return f"(SELECT rows.* REPLACE ({variant} AS variant), {named} AS dictionary FROM {source} AS rows{joins})"
