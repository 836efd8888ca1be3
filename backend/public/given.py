"""What people give to `isogloss.measure` (a model object, a path, lists of texts) as what a workspace keeps: by its content."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import CorpusError, ModelError, did_you_mean
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library as models

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from isogloss.backend.settings import Settings

IN_MEMORY = "It was measured in memory, from Python; its weights are not kept. To measure more, save it and add its folder."


@dataclass(frozen=True)
class Called:
    """What a model object is kept as."""

    name: str | None = None
    label: str | None = None
    step: int | None = None


@dataclass(frozen=True)
class Given:
    """A model as a spec can name it."""

    name: str
    """That of its entry in the workspace."""
    here: Mapping[str, str]
    """Fingerprint → where the weights lie for now, of what is in memory alone."""
    label: str = ""
    """The checkpoint that was given; empty for all that the entry has."""


@contextmanager
def model(given: Any, tokenizer: Any, called: Called, settings: Settings) -> Iterator[Given]:
    """Yield the entry of a model: a name of the workspace, a path, a Hub id (`owner/name@revision`), or an object.

    An object's weights lie in a temporary folder meanwhile, as `save_pretrained` writes them: so they have the fingerprint of
    that same folder, and whatever was measured of either is found again; and they are loaded, checked and run as any others.

    Raises `ModelError` where there is no such model, or it is none.
    """
    if isinstance(given, str | PathLike):
        yield Given(_kept(str(given), settings), {})
    elif hasattr(given, "save_pretrained") and hasattr(given, "config"):
        if not hasattr(tokenizer, "save_pretrained"):
            raise ModelError("A model object needs its tokeniser beside it: tokenizer=AutoTokenizer.from_pretrained(…).")
        import torch

        # Loading draws numbers: a training in this process goes on with those that it would have drawn.
        devices = range(torch.cuda.device_count())
        with TemporaryDirectory(prefix="isogloss-") as folder, torch.random.fork_rng(devices):
            yield _in_memory(given, _saved(given, tokenizer, Path(folder), settings), called, settings)
    else:
        raise ModelError(f"{type(given).__name__} is no model: give a name, a path, a Hub id, or a model of transformers.")


def _kept(typed: str, settings: Settings) -> str:
    """Return the name of what was typed: as the workspace calls it, or found, fingerprinted and kept now."""
    from isogloss.backend.models.files.fingerprint import cache_file
    from isogloss.backend.models.library.discover import discover

    names = [entry.name for entry in models.entries(settings.workspaces)]
    if typed in names:
        return typed
    folder = Path(typed).expanduser()
    if not folder.exists() and "/" not in typed and names:
        raise ModelError(f"There is no model and no folder '{typed[:120]}'. {did_you_mean(typed, names)}")
    shown = str(folder.resolve()) if folder.exists() else typed
    found = discover(shown, allow_pickle=settings.allow_pickle, cache=cache_file(settings.workspace))
    fingerprints = {each.fingerprint for each in found.checkpoints}
    for entry in models.entries(settings.workspaces):
        if fingerprints == {each.fingerprint for each in entry.checkpoints}:
            return entry.name
    if found.name in names:
        found = found.model_copy(update={"name": f"{found.name} ({found.checkpoints[-1].fingerprint[:6]})"})
    models.keep(found, settings.workspace)
    return found.name


def _saved(given: Any, tokenizer: Any, folder: Path, settings: Settings) -> Path:
    """Save an object in `folder`, without its pooler where these very weights are not known.

    A pooler is not run, and `AutoModel` draws one at random wherever the weights lack it: the same model would be another one
    each time it is loaded.
    """
    from transformers.utils import logging as transformers_logging

    bars = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        given.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        state = given.state_dict()
        kept = {name: tensor for name, tensor in state.items() if "pooler" not in name.split(".")}
        if len(kept) < len(state) and _known(folder, settings) is None:
            for file in folder.glob("*.safetensors*"):
                file.unlink()
            given.save_pretrained(folder, state_dict=kept)
    finally:
        if bars:
            transformers_logging.enable_progress_bar()  # type: ignore[no-untyped-call]
    return folder


def _known(folder: Path, settings: Settings) -> str | None:
    """Return the model of the workspace that has the checkpoint in `folder`."""
    from isogloss.backend.models.files.fingerprint import folder_fingerprint
    from isogloss.backend.models.files.weights import ModelFiles

    fingerprint = folder_fingerprint(ModelFiles(folder, "the model", settings.allow_pickle))
    known = models.entries(settings.workspaces)
    return next((entry.name for entry in known if fingerprint in [each.fingerprint for each in entry.checkpoints]), None)


def _in_memory(given: Any, folder: Path, called: Called, settings: Settings) -> Given:
    """Keep an entry for what was saved in `folder`, or find the one that has these weights already."""
    from isogloss.backend.models.library.discover import discover

    found = discover(str(folder), allow_pickle=settings.allow_pickle)
    (saved,) = found.checkpoints
    here = {saved.fingerprint: saved.location}
    for entry in models.entries(settings.workspaces):
        known = next((each for each in entry.checkpoints if each.fingerprint == saved.fingerprint), None)
        if known is not None and called.name in (None, entry.name):
            return Given(entry.name, here, known.label)
    short = saved.fingerprint[:6]
    base = Path(str(getattr(given.config, "_name_or_path", "") or found.architecture)).name
    name = called.name or f"{base} {short}"
    label = called.label or (f"step-{called.step}" if called.step is not None else short)
    # Its folder is gone as soon as it is measured; a place in the workspace says so wherever the workspace is moved.
    nowhere = settings.workspace / "models" / "in-memory" / saved.fingerprint
    own = saved.model_copy(update={"label": label, "step": called.step, "location": str(nowhere)})
    models.keep(_with(found, own, name, settings.workspaces), settings.workspace)
    return Given(name, here, label)


def _with(found: Model, own: Checkpoint, name: str, workspaces: Sequence[Path]) -> Model:
    """Return the entry called `name` with one checkpoint more, in its place. Raises `ModelError` where it does not fit."""
    before = next((entry for entry in models.entries(workspaces) if entry.name == name), None)
    if before is None:
        return found.model_copy(update={"name": name, "checkpoints": (own,), "note": IN_MEMORY})
    if (before.architecture, before.layers, before.dims) != (found.architecture, found.layers, found.dims):
        raise ModelError(f"The model '{name}' of this workspace is of another shape. Choose another name.")
    if own.label in [each.label for each in before.checkpoints]:
        raise ModelError(f"'{name}' has a checkpoint '{own.label}' of other weights. Give another label, or a step.")
    steps = [each.step for each in before.checkpoints]
    later = (place for place, step in enumerate(steps) if None not in (step, own.step) and step > own.step)  # type: ignore[operator]
    place = next(later, len(steps))
    checkpoints = (*before.checkpoints[:place], own, *before.checkpoints[place:])
    return before.model_copy(update={"checkpoints": checkpoints})


def corpus(texts: Mapping[str, Sequence[str | None]], name: str | None, settings: Settings) -> str:
    """Keep lists of texts as a parallel corpus and return its id: the same lists are the same corpus, however often given.

    Raises `CorpusError` for lists of different lengths, unknown languages, fewer than two of them, or what is no text.
    """
    from isogloss.backend.corpora.parallel import library as corpora
    from isogloss.backend.corpora.parallel.assemble import Column, assemble
    from isogloss.backend.corpora.shared.cells import numbered

    lists = {str(tag): list(of_language) for tag, of_language in texts.items()}
    if wrong := [tag for tag, of_language in texts.items() if isinstance(of_language, str)]:
        raise CorpusError(f"'{wrong[0]}' has one text, not a list of them.", remedy="Put it between brackets.")
    if len({len(each) for each in lists.values()}) > 1:
        counted = ", ".join(f"{tag} {len(each):,}" for tag, each in lists.items())
        raise CorpusError(f"The lists differ in length: {counted}.", remedy="Text i is the same one in all; use None for gaps.")
    count = max(map(len, lists.values()), default=0)
    columns = [Column(tag, "corpus", numbered(count, ""), each, range(1, count + 1)) for tag, each in lists.items()]
    made = assemble("Lists of texts", columns)
    found = corpora.content_id(made.table)
    if any(entry.id == found for entry in corpora.entries(settings.workspaces)):
        return found
    own = name or f"Texts in {', '.join(sorted(lists)[:4])}{', …' if len(lists) > 4 else ''} ({found[:6]})"
    return corpora.keep(made, own, settings.workspace).id
