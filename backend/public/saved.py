"""`isogloss.scores`: the workspace's table of scores, filtered, with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.public.place import at

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.public.rows import Names
    from isogloss.backend.store.scores import ShardFile

Texts = str | Sequence[str] | None
Numbers = int | Sequence[int] | None
Places = str | int | Sequence[str | int] | None


def scores(
    measure: Texts = None,
    *,
    model: Texts = None,
    checkpoint: Places = None,
    corpus: Texts = None,
    languages: Texts = None,
    layers: Numbers = None,
    variant: Texts = None,
    own: bool = True,
    workspace: str | PathLike[str] | None = None,
) -> pd.DataFrame:
    """Return the scores of a workspace that meet every filter given; each takes one value or several.

    Args:
        measure: As `metric` names it: `abx_meaning`, `sentence_weak`, `probe_accuracy` …
        model: Models, by the name that they have now or had when they were measured.
        checkpoint: Labels of checkpoints, or training steps.
        corpus: Data, by name or id.
        languages: BCP-47 tags; both languages of a score are among them.
        layers: 0 is the input embedding.
        variant: As `variant` says what makes two values of one metric not comparable.
        own: Only the workspace's own; else the demo's, too.
        workspace: Its folder; by default that of the command line and the dashboard.

    Returns:
        A row a score, the newest where one was computed twice; columns and units as of `isogloss.measure`. No row where nothing
        meets the filters. A filter is asked of the files (Parquet), and a million rows take less than a second.

    Raises:
        SpecError: No measure, model or corpus of the workspace is called so: the nearest name is said.
        StoreError: The workspace cannot be read.
    """
    from isogloss.backend.public import rows
    from isogloss.backend.store import scores as store

    with at(workspace) as settings:
        places = [settings.workspace] if own else settings.workspaces
        models = _several(model)
        files = store.shards(places)
        names = rows.Names.of(settings.workspaces, models or ())
        of_model = _fingerprints(models, names, files)
        of_corpus = _ids(_several(corpus), names, files)
        conditions: dict[str, tuple[str, Any]] = {
            "measures": ("list_contains($measures, metric)", _several(measure)),
            "models_asked": ("list_contains($models_asked, rows.checkpoint)", of_model),
            "corpora_asked": ("list_contains($corpora_asked, rows.corpus)", of_corpus),
            "states": (
                "(list_contains($states, names.label) OR list_contains($states, rows.step::VARCHAR))",
                _texts(checkpoint),
            ),
            "tags": ("list_contains($tags, source) AND list_contains($tags, target)", _several(languages)),
            "layers": ("list_contains($layers, layer)", _several(layers)),
            "variants": ("list_contains($variants, variant)", _several(variant)),
        }
        given = {name: list(value) for name, (_, value) in conditions.items() if value is not None}
        chosen = [file for file in files if _may_have(file, of_model, of_corpus)]
        frame = rows.found(chosen, names, [conditions[name][0] for name in given], given)
        if frame.empty and (asked := _several(measure)):
            _check_measures(asked, places)
        return frame


def _several(value: Any) -> list[Any] | None:
    """Return one value or several as a list; None for no filter."""
    if value is None:
        return None
    return [value] if isinstance(value, str | int) else list(value)


def _texts(value: Places) -> list[str] | None:
    """Return labels and steps alike as texts: a step is found by its number."""
    found = _several(value)
    return None if found is None else [str(each) for each in found]


def _may_have(file: ShardFile, checkpoints: Sequence[str] | None, corpora: Sequence[str] | None) -> bool:
    """Return whether a file may have scores of these weights and data, by its footer: it says neither where it has several."""
    asked = (("fingerprint", checkpoints), ("corpus", corpora))
    return all(wanted is None or str(file.provenance.get(name, "")) in ("", *wanted) for name, wanted in asked)


def _fingerprints(wanted: Sequence[str] | None, names: Names, files: Iterable[ShardFile]) -> list[str] | None:
    """Return the checkpoints of these models, and those that were measured as theirs."""
    if wanted is None:
        return None
    measured = {str(file.provenance.get("fingerprint")): str(file.provenance.get("model")) for file in files}
    of_model = {fingerprint: model for fingerprint, (model, _) in names.checkpoints.items()}
    _check("model", wanted, {*of_model.values(), *measured.values()} - {"None"})
    return sorted({each for known in (of_model, measured) for each, model in known.items() if model in wanted})


def _ids(wanted: Sequence[str] | None, names: Names, files: Iterable[ShardFile]) -> list[str] | None:
    """Return the ids of these data, which may be of corpora that are forgotten."""
    if wanted is None:
        return None
    measured = {str(file.provenance.get("corpus")) for file in files} - {"None"}
    _check("corpus", wanted, set(names.corpora.values()), {*names.corpora, *measured})
    return sorted({each for each in {*names.corpora, *measured} if each in wanted or names.corpora.get(each) in wanted})


def _check(what: str, wanted: Iterable[str], known: set[str], ids: Iterable[str] = ()) -> None:
    for each in wanted:
        if each not in {*known, *ids}:
            raise SpecError(f"There is no {what} '{each[:80]}' in this workspace. {did_you_mean(each, known) if known else ''}")


def _check_measures(asked: Iterable[str], places: Sequence[Path]) -> None:
    """Raise `SpecError` for a measure that nobody knows: neither a family nor a score."""
    from isogloss.backend.experiments import registry
    from isogloss.backend.store import scores as store

    listed = store.query("SELECT DISTINCT metric FROM {scores}", {}, [file.path for file in store.shards(places)])
    _check("measure", asked, {*registry.MEASURES, *map(str, listed["metric"])})
