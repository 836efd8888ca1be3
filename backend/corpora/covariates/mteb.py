"""Results of MTEB: `results/<model>/<revision>/<task>.json`, with `scores` → split → a row a subset, and `model_meta.json`."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.covariates.outcome import Found
from isogloss.backend.corpora.covariates.plain import number, rows, table, text

if TYPE_CHECKING:
    from collections.abc import Mapping

META = "model_meta.json"
NO_REVISION = frozenset({"", "no_revision_available", "external", "main"})
FOLDERS = re.compile(r"[/\\]")
OWN_CODES = {"cmo-Hans": "cmn-Hans", "cmo-Hant": "cmn-Hant"}
"""Languages that MTEB writes by a code which is another's: cmo is Central Mnong, and what it writes so is Chinese."""


def is_one(content: Any) -> bool:
    """Return whether JSON is the results of a task."""
    return isinstance(content, dict) and "task_name" in content and isinstance(content.get("scores"), dict)


def folder(file: str) -> str:
    """Return the folder of a file's name, as dropped."""
    return "/".join(FOLDERS.split(file)[:-1])


def model_of(file: str, metas: Mapping[str, Mapping[str, Any]]) -> tuple[str, str]:
    """Return the model and revision of a file: by the `model_meta.json` beside it, else by its folders, else nothing.

    `metas` are what the files of that name say, by their folders. One that was dropped without folders is of all files.
    """
    meta = metas.get(folder(file))
    if meta is not None:
        revision = text(meta.get("revision"))
        return text(meta.get("name")), "" if revision in NO_REVISION else revision
    parts = FOLDERS.split(file)
    if len(parts) < 3 or "__" not in parts[-3]:
        return "", ""
    return parts[-3].replace("__", "/", 1), "" if parts[-2] in NO_REVISION else parts[-2]


def read(content: Mapping[str, Any], file: str, model: str, revision: str) -> list[Found]:
    """Return the main score of each subset and split of the task. MTEB tells neither n nor errors.

    Subsets of one language, as `en` and `en-ext`, are told apart by their names.
    """
    version = text(content.get("mteb_version"))
    found: list[Found] = []
    for split, subsets in table(content["scores"]).items():
        of_split = [(row, _languages(row)) for row in rows(subsets)]
        amounts = Counter(languages for _, languages in of_split)
        for row, languages in of_split:
            value = number(row.get("main_score"))
            if value is None:
                continue
            subset = [text(row.get("hf_subset"))] if amounts[languages] > 1 else []
            found.append(
                Found(
                    task=text(content.get("task_name")),
                    metric="main_score",
                    value=value,
                    file=file,
                    model=model,
                    revision=revision,
                    tool=f"MTEB {version}".strip(),
                    setting=", ".join([text(split), *subset]),
                    languages=languages,
                    better="higher",
                )
            )
    return found


def _languages(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the languages of a subset: as it says them, else by its name."""
    said = row.get("languages")
    names = [text(each) for each in said] if isinstance(said, list) else []
    return tuple(dict.fromkeys(OWN_CODES.get(name, name) for name in names)) or (text(row.get("hf_subset")),)
