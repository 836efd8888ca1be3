"""Labelled tasks from the Hugging Face Hub: XNLI and PAWS-X, at a commit that the report names.

| data set | configurations | columns |
|---|---|---|
| `facebook/xnli` (Conneau et al. 2018) | all_languages | premise {language: text}, hypothesis {language: […], …}, label 0–2 |
| `google-research-datasets/paws-x` (Yang et al. 2019) | a language each | id, sentence1, sentence2, label 0–1 |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import hub
from isogloss.backend.corpora.tasks import layouts as task_layouts
from isogloss.backend.corpora.tasks import rows as task_rows
from isogloss.backend.errors import CorpusError, IsoglossError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.tasks.rows import PartName, Piece
    from isogloss.backend.corpora.tasks.task import LabelledTask

HubTask = Literal["facebook/xnli", "google-research-datasets/paws-x"]
HUB_TASKS: tuple[HubTask, ...] = get_args(HubTask)
HubSplit = Literal["train", "validation", "test"]
HUB_SPLITS: tuple[HubSplit, ...] = get_args(HubSplit)

LANGUAGES: dict[HubTask, tuple[str, ...]] = {
    "facebook/xnli": ("ar", "bg", "de", "el", "en", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur", "vi", "zh"),
    "google-research-datasets/paws-x": ("de", "en", "es", "fr", "ja", "ko", "zh"),
}


def load(
    dataset: HubTask,
    languages: Sequence[str] = (),
    *,
    split: HubSplit = "validation",
    validation: HubSplit | None = None,
    test: HubSplit | None = None,
    revision: str = "main",
    limit: int | None = None,
) -> LabelledTask:
    """Return a task from the Hub in some of its languages (none named: all).

    `split` is trained on, `validation`, where it is given, validates, and `test` is kept beside them, for probes. The default,
    the data set's own validation split, is what people translated (the training splits are machine translations). `revision`
    is resolved to a commit first, which is what is loaded and what the report's `source` names. `limit` keeps the first rows
    of each split. Raises `CorpusError`: no network, no such data set, split or language, and what `task_rows.assemble` refuses.
    """
    if dataset not in HUB_TASKS:
        raise CorpusError(f"The data set '{dataset}' is not a task that is read.", remedy=did_you_mean(dataset, HUB_TASKS))
    for each in (split, validation, test):
        if each is not None and each not in HUB_SPLITS:
            raise CorpusError(f"{dataset} has no split '{each}'.", remedy=did_you_mean(each, HUB_SPLITS))
    if split == validation:
        raise CorpusError("Training and validation are the same split.", remedy="Choose two, or one and a share of its rows.")
    if test in (split, validation) and test is not None:
        raise CorpusError("The test part is one of the others.", remedy="Choose a split of its own for it.")
    if test and not validation:
        raise CorpusError("There is a test part but none for validation.", remedy="Name the split that validates, too.")
    wanted = _wanted(dataset, languages)
    try:
        commit = hub.commit_of(dataset, revision)
        pieces = _pieces(dataset, wanted, split, "train", commit, limit)
        if validation:
            pieces += _pieces(dataset, wanted, validation, "dev", commit, limit)
        if test:
            pieces += _pieces(dataset, wanted, test, "test", commit, limit)
    except IsoglossError:
        raise
    except Exception as error:
        raise hub.explain(error, dataset, revision) from error
    kind = "XNLI" if dataset == "facebook/xnli" else "PAWS-X"
    where = f"{dataset}@{commit}, {' and '.join(each for each in (split, validation, test) if each)}"
    return task_rows.assemble(kind, pieces, source=where, strict=False)


def _wanted(dataset: HubTask, languages: Sequence[str]) -> list[str]:
    known, wanted = LANGUAGES[dataset], []
    for name in languages or known:
        tag = language(name).tag
        if tag not in known:
            raise CorpusError(f"{dataset} has no '{name}'.", remedy=did_you_mean(tag, known))
        wanted.append(tag)
    return sorted(set(wanted))


def _pieces(
    dataset: HubTask, wanted: Sequence[str], split: HubSplit, part: PartName, commit: str, limit: int | None
) -> list[Piece]:
    if dataset == "facebook/xnli":
        table = hub.table(f"{dataset} {split}", hub.rows_of(dataset, "all_languages", split, commit, limit))
        return [p for p in task_layouts.pieces("XNLI, all languages", table, part, None, []) if p.name in wanted]
    pieces = []
    for name in wanted:
        table = hub.table(f"{dataset} {name} {split}", hub.rows_of(dataset, name, split, commit, limit))
        pieces += task_layouts.pieces("a file per language", table, part, name, [])
    return pieces
