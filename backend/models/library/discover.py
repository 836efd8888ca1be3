"""Model discovery from typed text: Hub ids with revisions, folders, folders of checkpoints, fairseq files. No torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from isogloss.backend import people
from isogloss.backend.errors import ModelError
from isogloss.backend.models.entry import Model
from isogloss.backend.models.files import hub
from isogloss.backend.models.files.catalogue import find_entry
from isogloss.backend.models.files.fingerprint import (
    decoder_fingerprint,
    fairseq_fingerprint,
    folder_fingerprint,
)
from isogloss.backend.models.files.fits import check_fits
from isogloss.backend.models.files.quantised import check_quantised
from isogloss.backend.models.files.shapes import Shape, read_config, read_shape
from isogloss.backend.models.files.steps import in_order, natural_key, parse
from isogloss.backend.models.files.weights import CONFIG, ModelFiles, check_weights, tokenizer_files
from isogloss.backend.models.library import checkpoint_of, tokeniser_alone
from isogloss.backend.models.library import roots as model_roots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.models.library.checkpoint_of import Found


def discover(
    typed: str,
    *,
    name: str | None = None,
    revisions: Sequence[str] | Literal["steps"] | None = None,
    allow_pickle: bool = False,
    cache: Path | None = None,
    roots: Sequence[Path] | None = None,
) -> Model:
    """Return the model that `typed` means, its checkpoints found, in the training's order and fingerprinted.

    Args:
        typed: A line a checkpoint; the forms of a line: `docs/definitions.md`, "Models".
        name: By default the catalogue's name, or the last part of the id or path.
        revisions: Of a Hub id: branches, tags or commits, or `steps` for all whose name tells a place in the training.
        allow_pickle: Whether weights may be pickles (`.bin`, fairseq's `.pt`).
        cache: A file of hashes (`backend.models.files.fingerprint.cache_file`).
        roots: Folders that paths may lie in; None: any.

    Raises:
        RefusedError: Whoever asks may not add models.
        ModelError: What was typed is missing, misspelled, gated, no model, without loadable weights, or of checkpoints of
            different shapes; or there is no network.
    """
    people.require("import")
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    if not lines:
        raise ModelError("No model was named. Type a Hub id such as FacebookAI/xlm-roberta-base, or the path of a folder.")
    found = [one for line in lines for one in _find(line, revisions, allow_pickle=allow_pickle, cache=cache, roots=roots)]
    shape, parameters = _common_shape(found)
    distinct = _distinct([checkpoint for checkpoint, _, _ in found])
    checkpoints = in_order(distinct, lambda checkpoint: checkpoint_of.place_name(checkpoint.location, checkpoint.revision))
    return Model(
        name=(name or "").strip() or _default_name(lines, roots),
        architecture=shape.architecture,
        layers=shape.layers,
        dims=shape.dims,
        parameters=parameters,
        checkpoints=tuple(checkpoints),
        note=tokeniser_alone.NOTE if checkpoints[0].part == "tokeniser" else "",
    )


DECODER = "#decoder"
"""What a line ends in that means an encoder-decoder's decoder: `facebook/mbart-large-50#decoder`."""
DECODERS = ("mbart", "bart")
"""Architectures that make the decoder's input of the encoder's: shifted by one, the last token first."""


def _find(
    line: str,
    revisions: Sequence[str] | str | None,
    *,
    allow_pickle: bool,
    cache: Path | None,
    roots: Sequence[Path] | None,
) -> list[Found]:
    whole = line.removesuffix(DECODER)
    try:
        if line.endswith(tokeniser_alone.SUFFIX):
            return tokeniser_alone.find(line.removesuffix(tokeniser_alone.SUFFIX), revisions, cache, roots)
        found = _local_or_hub(whole, revisions, allow_pickle=allow_pickle, cache=cache, roots=roots)
        return found if whole == line else [_decoder(*each) for each in found]
    except (OSError, ValueError, RuntimeError) as error:  # no permission, a name too long or with a NUL, no such home
        raise ModelError(
            f"'{line[:200]}' cannot be read on the server ({error}). Check the path and its permissions."
        ) from error


def _decoder(checkpoint: Checkpoint, shape: Shape, parameters: int | None) -> Found:
    """Return the decoder of what was found. Raises `ModelError` where it is none of mBART's kind."""
    if shape.architecture not in DECODERS or shape.decoder_layers is None:
        raise ModelError(
            f"'{checkpoint.label}' ({shape.architecture}) has no decoder that is read beside its encoder. "
            f"Leave out {DECODER}: it is for {' and '.join(DECODERS)}."
        )
    changes = {"part": "decoder", "fingerprint": decoder_fingerprint(checkpoint.fingerprint)}
    # Parameters are those of the encoder: with the decoder, both are run.
    more = None if parameters is None else parameters * 2
    return checkpoint.model_copy(update=changes), replace(shape, layers=shape.decoder_layers), more


def _local_or_hub(
    line: str,
    revisions: Sequence[str] | str | None,
    *,
    allow_pickle: bool,
    cache: Path | None,
    roots: Sequence[Path] | None,
) -> list[Found]:
    path = model_roots.folder_below_roots(line, roots)
    if path is not None:
        if path.is_file():
            return _fairseq([path], line, allow_pickle=allow_pickle, cache=cache)
        return _folder(path, line, allow_pickle=allow_pickle, cache=cache, roots=roots)
    hub_id, revision = model_roots.hub_id_of(line, roots)
    return _hub(hub_id, [revision] if revision else revisions, allow_pickle=allow_pickle)


def _hub(hub_id: str, revisions: Sequence[str] | str | None, *, allow_pickle: bool) -> list[Found]:
    chosen = hub.chosen_revisions(hub_id, revisions)
    # The first and the last speak for those between: every one is checked again when it is loaded.
    online = True
    for revision in dict.fromkeys([chosen[0], chosen[-1]]):
        listing = hub.listing(hub_id, revision.commit)
        check_weights(listing.names, f"'{hub_id}' at '{revision.name}'", allow_pickle=allow_pickle)
        online = online and listing.online
    config = read_config(hub.config_path(hub_id, chosen[0].commit), f"'{hub_id}'")
    check_quantised(config, f"'{hub_id}'")
    shape = read_shape(config, f"'{hub_id}'")
    parameters = None
    if online:
        parameters = hub.count_parameters(hub_id, chosen[0].commit, encoder_decoder=shape.encoder_decoder)
    if parameters is None and (line := find_entry(hub_id)) is not None:
        parameters = line.parameters
    return [(checkpoint_of.hub(hub_id, revision), shape, parameters) for revision in chosen]


def _folder(folder: Path, shown: str, *, allow_pickle: bool, cache: Path | None, roots: Sequence[Path] | None) -> list[Found]:
    _refuse_links_out(folder, shown, roots)
    inside = sorted((p for p in folder.iterdir() if p.is_dir() and (p / CONFIG).is_file()), key=lambda p: natural_key(p.name))
    for each in inside:
        _refuse_links_out(each, f"{shown}/{each.name}", roots)
    if (folder / CONFIG).is_file():
        # A training run's folder: the checkpoints within, and what was saved at its end unless it is one of them.
        children = [_one_folder(p, allow_pickle=allow_pickle, cache=cache) for p in inside if parse(p.name).is_counted]
        own = _one_folder(folder, allow_pickle=allow_pickle, cache=cache)
        return children if own[0].fingerprint in {c.fingerprint for c, _, _ in children} else [*children, own]
    if inside:
        return [_one_folder(path, allow_pickle=allow_pickle, cache=cache) for path in inside]
    if files := sorted(folder.glob("*.pt"), key=lambda p: natural_key(p.name)):
        return _fairseq(files, shown, allow_pickle=allow_pickle, cache=cache)
    if tokenizer_files(folder):
        return [tokeniser_alone.of_folder(folder, cache)]
    raise ModelError(
        f"'{shown}' is not a transformers folder: it has no config.json, and none of its folders has one. "
        "Choose a folder saved with save_pretrained, or a folder of such folders."
    )


def _refuse_links_out(folder: Path, shown: str, roots: Sequence[Path] | None) -> None:
    """Raise `ModelError` where something in a folder is a link that leads out of the roots, whether to something or not."""
    inside = [path for each in folder.iterdir() for path in (each, each / CONFIG)]  # of a checkpoint within, its config alone
    if out := sorted({str(path.relative_to(folder)) for path in inside if not model_roots.is_within(path, roots)}):
        raise ModelError(
            f"'{shown}' has links out of the folders that pages may read models from: {', '.join(out[:5])}. "
            "Put the files themselves in their places."
        )


def _one_folder(folder: Path, *, allow_pickle: bool, cache: Path | None) -> Found:
    files = ModelFiles(folder, f"'{folder.name}'", allow_pickle)
    shape = files.shape
    check_fits(files)
    files.check_tokenizer()
    return checkpoint_of.folder(folder, folder_fingerprint(files, cache=cache)), shape, files.parameters


def _fairseq(files: list[Path], shown: str, *, allow_pickle: bool, cache: Path | None) -> list[Found]:
    from isogloss.backend.models.library.describe import describe_fairseq

    if files[0].suffix != ".pt":
        raise ModelError(f"'{shown}' is a file but not a fairseq .pt checkpoint. Give a folder saved by transformers.")
    if not allow_pickle:
        raise ModelError(
            f"'{shown}' is a fairseq checkpoint, a pickle, which this server does not load. "
            "Save it as a transformers folder with safetensors, or have the operator set ISOGLOSS_ALLOW_PICKLE=1."
        )
    shape, parameters = describe_fairseq(files[0])
    return [(checkpoint_of.fairseq(file, fairseq_fingerprint(file, cache=cache)), shape, parameters) for file in files]


def _common_shape(checkpoints: list[Found]) -> tuple[Shape, int | None]:
    """Return the one shape of all checkpoints, and the first number of parameters known."""
    first = checkpoints[0]
    for checkpoint, shape, _ in checkpoints[1:]:
        if shape != first[1]:
            raise ModelError(
                f"'{first[0].label}' and '{checkpoint.label}' are of different shapes, so not checkpoints of one model. "
                "Add them as two models."
            )
    return first[1], next((parameters for _, _, parameters in checkpoints if parameters is not None), None)


def _distinct(checkpoints: list[Checkpoint]) -> list[Checkpoint]:
    """Return the checkpoints with labels of their own. Raises `ModelError` where two are the same weights."""
    seen: dict[str, Checkpoint] = {}
    labels: set[str] = set()
    for checkpoint in checkpoints:
        if (same := seen.get(checkpoint.fingerprint)) is not None:
            raise ModelError(f"'{same.label}' and '{checkpoint.label}' are the same weights. Leave one of them out.")
        if checkpoint.label in labels:
            longer = f"{checkpoint.location}@{checkpoint.revision}" if checkpoint.revision else checkpoint.location
            checkpoint = checkpoint.model_copy(update={"label": longer})
        labels.add(checkpoint.label)
        seen[checkpoint.fingerprint] = checkpoint
    return list(seen.values())


def _default_name(lines: list[str], roots: Sequence[Path] | None) -> str:
    for ending, word in ((DECODER, "decoder"), (tokeniser_alone.SUFFIX, "tokeniser")):
        if lines[0].endswith(ending):
            return f"{_default_name([line.removesuffix(ending) for line in lines], roots)} {word}"
    path = model_roots.folder_below_roots(lines[0], roots)
    if path is not None:
        several = len(lines) > 1 or (path.is_file() and parse(path.name).is_counted)
        return path.parent.name if several else path.stem if path.is_file() else path.name
    hub_id = lines[0].removeprefix("https://huggingface.co/").partition("@")[0]
    line = find_entry(hub_id)
    return line.name if line is not None else hub_id.split("/")[-1]
