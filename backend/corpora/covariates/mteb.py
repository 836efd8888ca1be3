"""Results of MTEB: `results/<model>/<revision>/<task>.json`, with `scores` → split → a row a subset, and `model_meta.json`.

Before version 1.11 a split was a key of its own, with scores by subset, or with scores alone.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.covariates.outcome import Found
from isogloss.backend.corpora.covariates.plain import table, text, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

META = "model_meta.json"
FOLDERS = re.compile(r"[/\\]")
OWN_CODES = {"cmo-Hans": "cmn-Hans", "cmo-Hant": "cmn-Hant"}
"""Languages that MTEB writes by a code which is another's: cmo is Central Mnong, and what it writes so is Chinese."""
PAIR = re.compile(r"([a-z]{2})-([a-z]{2})|([a-z]{3})-([a-z]{3})|([a-z]{3}[-_][A-Z][a-z]{3})-([a-z]{3}[-_][A-Z][a-z]{3})")
"""A subset of two languages, by its name."""
NO_SUBSETS = frozenset({"v_measures", "cos_sim", "euclidean", "manhattan", "dot", "max", "similarity"})
"""What has scores of its own below a split, and is no subset."""


def is_one(content: Any) -> bool:
    """Return whether JSON is the results of a task."""
    if not isinstance(content, dict):
        return False
    return "mteb_dataset_name" in content or ("task_name" in content and isinstance(content.get("scores"), dict))


def folder(file: str) -> str:
    """Return the folder of a file's name, as dropped."""
    return "/".join(FOLDERS.split(file)[:-1])


def model_of(file: str, metas: Mapping[str, Mapping[str, Any]]) -> tuple[str, str]:
    """Return the model and revision of a file: by the `model_meta.json` beside it, else by its folders, else nothing.

    `metas` are what the files of that name say, by their folders. One that was dropped without folders is of all files.
    """
    meta = metas.get(folder(file))
    if meta is not None:
        return text(meta.get("name")), text(meta.get("revision"))
    parts = FOLDERS.split(file)
    if len(parts) < 3 or "__" not in parts[-3]:
        return "", ""
    return parts[-3].replace("__", "/", 1), parts[-2]


def read(content: Mapping[str, Any], file: str, model: str, revision: str) -> list[Found]:
    """Return the main score of each subset and split of the task. MTEB tells neither n nor errors.

    Subsets of one language, as `en` and `en-ext`, are told apart by their names.
    """
    version = text(content.get("mteb_version"))
    found: list[Found] = []
    for split, subsets in _splits(content):
        of_split = [(row, _languages(row)) for row in subsets]
        amounts = Counter(languages for _, languages in of_split)
        for row, languages in of_split:
            subset = [text(row.get("hf_subset"))] if languages and amounts[languages] > 1 else []
            found.append(
                Found(
                    task=text(content.get("mteb_dataset_name", content.get("task_name"))),
                    metric="main_score",
                    value=value_of(row.get("main_score")),
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


def _splits(content: Mapping[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield each split with its subsets, a row each; one that is no row is an empty one."""
    if "mteb_dataset_name" not in content:
        for split, subsets in table(content["scores"]).items():
            yield split, [table(row) for row in (subsets if isinstance(subsets, list) else [subsets])]
        return
    for split, scores in content.items():
        if isinstance(scores, dict):
            subsets = {name: own for name, own in scores.items() if isinstance(own, dict) and name not in NO_SUBSETS}
            yield split, [own | {"hf_subset": name} for name, own in (subsets or {"": scores}).items()]


def _languages(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the languages of a subset: as it says them, else by its name; none of the whole of a task."""
    said = row.get("languages")
    names = [text(each) for each in said] if isinstance(said, list) else []
    own = text(row.get("hf_subset"))
    if not names and own not in ("", "default"):
        pair = PAIR.fullmatch(own)
        names = [each for each in pair.groups() if each] if pair else [own]
    return tuple(dict.fromkeys(OWN_CODES.get(name, name) for name in names))
