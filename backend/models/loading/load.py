"""Weights into memory: the part of a model that is run, its tokeniser, and how it runs here."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from transformers import AutoConfig, AutoModel
from transformers.utils import logging as transformers_logging

from isogloss.backend.device_memory import is_short
from isogloss.backend.errors import ModelError
from isogloss.backend.models.device import choose_device, choose_dtype
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.encoding.tokens import tokenize
from isogloss.backend.models.files import hub
from isogloss.backend.models.files.fingerprint import (
    cache_file,
    decoder_fingerprint,
    fairseq_fingerprint,
    folder_fingerprint,
    tokeniser_fingerprint,
    untrained_fingerprint,
)
from isogloss.backend.models.files.fits import check_fits
from isogloss.backend.models.files.quantised import is_quantised
from isogloss.backend.models.files.shapes import read_shape
from isogloss.backend.models.files.weights import ModelFiles, check_weights, has_weights
from isogloss.backend.models.layered.choice import SCRATCH, Layered, why_in_layers
from isogloss.backend.models.layered.skeleton import Skeleton, build
from isogloss.backend.models.loading.blueprint import check_size
from isogloss.backend.models.loading.decoder import Decoder
from isogloss.backend.models.loading.drawn import drawn
from isogloss.backend.models.loading.tokenizer import configured_longest, reason, tokenizer_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.settings import Settings

transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]

TRIAL = ("a", "One sentence of a few words, to see whether the model runs.")


@dataclass(frozen=True)
class Loaded:
    """A checkpoint ready to run."""

    module: Any
    """An `nn.Module` of `transformers` in eval mode: the encoder, the encoder of an encoder-decoder, or the decoder
    without its language-modelling head; of mBART the decoder, where the checkpoint says so (`decoder.Decoder`)."""
    tokenizer: Any
    """May be shared with other checkpoints."""
    tokenizer_identity: str
    """Equal for two checkpoints whose tokenisers have the same content (`backend.models.loading.tokenizer.identity`)."""
    layers: int
    """Hidden layers; there are `layers + 1` hidden states, 0 being the input embedding."""
    dims: int
    max_tokens: int
    """The longest input in tokens, special ones included."""
    device: torch.device
    dtype: torch.dtype
    why_dtype: str
    """The precision and the reason for it, for people to read."""
    shown: str
    """What to call it in messages."""
    layered: Layered | None = None
    """What it is run by where its weights are not in memory: `encode` runs it layer by layer, and nothing else can run it."""


def load(checkpoint: Checkpoint, settings: Settings, *, full_precision: bool = False, layered: bool = False) -> Loaded:
    """Load a checkpoint on the device that `settings.device` names, in the precision that suits it.

    `full_precision` gives float32 on every device: weights that are to be trained keep all their digits. `layered` says that
    the caller does no more than `encode`: what does not fit into the memory there is may then be run layer by layer.

    safetensors first; pickles only where `settings.allow_pickle`, and then with `weights_only`; code that comes with a
    model is never run. Raises `ModelError` where the files changed since the model was added, are missing or damaged,
    are of an unknown architecture, cannot be run, or do not fit on the device.
    """
    shown = f"'{checkpoint.label}'"
    device = choose_device(settings.device)
    dtype, why_dtype = (torch.float32, "float32: weights to be trained") if full_precision else choose_dtype(device)
    by_layers: Layered | None = None
    module: Any
    if checkpoint.source == "fairseq":
        from isogloss.backend.models.loading.fairseq import load_fairseq

        verify(checkpoint, settings)
        module, tokenizer, identity = load_fairseq(Path(checkpoint.location), dtype)
        if checkpoint.untrained is not None:
            module = drawn(module.config, checkpoint.untrained, dtype)
    else:
        files = hub_files(checkpoint, settings) if checkpoint.source == "hub" else local_files(checkpoint, settings)
        if checkpoint.part == "decoder" and full_precision:
            raise ModelError(
                f"{shown} is the decoder of an encoder-decoder: it can be measured, not trained. Train the encoder."
            )
        if full_precision and is_quantised(files.config):
            raise ModelError(f"{shown} is quantised: it can be measured, not trained. Train the model in bfloat16 or float32.")
        whole, seed = checkpoint.part == "decoder", checkpoint.untrained
        can_be = layered and not whole and seed is None
        if in_layers := why_in_layers(files, device, dtype, settings, can_be=can_be):
            by_layers = Layered(_skeleton(files, dtype), settings.workspace / SCRATCH, in_layers)
        if by_layers is not None:
            module = by_layers.skeleton.module
        elif seed is not None:
            module = _untrained(files, seed, dtype, decoder=whole)
        else:
            module = _module(files, dtype, device, decoder=whole)
        tokenizer, identity = tokenizer_of(files, checkpoint)
    module = place(module, device, shown) if by_layers is None else module
    if hasattr(module.config, "use_cache"):
        module.config.use_cache = False  # keys and values are for generating, and would only take memory
    shape = read_shape(module.config.to_dict(), shown)
    loaded = Loaded(
        module=module,
        tokenizer=tokenizer,
        tokenizer_identity=identity,
        layers=(checkpoint.part == "decoder" and shape.decoder_layers) or shape.layers,
        dims=shape.dims,
        max_tokens=longest_input(module, tokenizer),
        device=device,
        dtype=dtype,
        why_dtype=why_dtype,
        shown=shown,
        layered=by_layers,
    )
    if by_layers is None:  # else it would be read for it, and one that cannot be run says so at its first layer
        _try_out(loaded)
    return loaded


def _try_out(loaded: Loaded) -> None:
    """Run two short texts: what cannot be run is told now, and not in the middle of a training. Raises `ModelError`."""
    try:
        tokens = tokenize(loaded.tokenizer, TRIAL, loaded.max_tokens)
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # whatever a damaged or hostile tokeniser raises; a panic is no `Exception`
        raise ModelError(reason(f"The tokeniser of {loaded.shown}", error, "used")) from error
    encode(loaded, tokens, ("mean",))


def local_files(checkpoint: Checkpoint, settings: Settings) -> ModelFiles:
    """Return the files of a `transformers` folder on this machine, verified. Raises `ModelError` as `verify` does."""
    files = ModelFiles(Path(checkpoint.location), f"'{checkpoint.label}'", settings.allow_pickle)
    verify(checkpoint, settings, files)
    return files


def verify(checkpoint: Checkpoint, settings: Settings, files: ModelFiles | None = None) -> None:
    """Check that a local checkpoint's content is what it was when the model was added; a fairseq one has no `files`.

    Raises `ModelError` where it is gone or has changed: what is computed would be kept under the wrong fingerprint.
    """
    path, cache = Path(checkpoint.location), cache_file(settings.workspace)
    shown = f"'{checkpoint.label}'"
    if not path.exists():
        raise ModelError(f"{shown} is no longer at {path}. Put it back, or add the model again.")
    if files is None and not settings.allow_pickle:
        raise ModelError(f"{shown} is a fairseq checkpoint, a pickle. The operator must set ISOGLOSS_ALLOW_PICKLE=1.")
    if files is None:
        now = fairseq_fingerprint(path, cache=cache)
    else:
        fingerprint_of = tokeniser_fingerprint if checkpoint.part == "tokeniser" else folder_fingerprint
        now = fingerprint_of(files, cache=cache)
    now = decoder_fingerprint(now) if checkpoint.part == "decoder" else now
    now = now if checkpoint.untrained is None else untrained_fingerprint(now, checkpoint.untrained)
    if now != checkpoint.fingerprint:
        raise ModelError(f"The files of {shown} have changed since the model was added. Add the model again to use them.")


def check_unchanged(checkpoint: Checkpoint, settings: Settings) -> None:
    """Check again, once its weights were used, that a local checkpoint is the one that was meant; the Hub's do not change.

    A training may write over a file while it is read. Asks the file system alone where nothing changed. Raises as `verify`.
    """
    if checkpoint.source == "fairseq":
        verify(checkpoint, settings)
    elif checkpoint.source == "folder":
        local_files(checkpoint, settings)


def longest_input(module: Any, tokenizer: Any) -> int:
    """Return the most tokens that fit: by the position table, by the tokeniser's own limit, and by `LONGEST`."""
    limits = [configured_longest(module.config, tokenizer)]
    for name, table in module.named_modules():
        # RoBERTa and its kin number positions from the padding index plus one, so that many rows are never used.
        if name.endswith("position_embeddings") and isinstance(table, torch.nn.Embedding) and table.padding_idx is not None:
            limits.append(table.num_embeddings - table.padding_idx - 1)
    return min(limits)


def hub_files(checkpoint: Checkpoint, settings: Settings) -> ModelFiles:
    """Return the files of a Hub checkpoint on this machine, downloaded where they are not all here. Raises `ModelError`."""
    commit, label = checkpoint.commit or checkpoint.revision or "main", f"'{checkpoint.label}'"
    if (folder := hub.cached_folder(checkpoint.location, commit)) is not None:
        files = ModelFiles(folder, label, settings.allow_pickle)
        with suppress(ModelError):  # not all of it is here: ask the Hub
            if files.weights:
                return files
    names = hub.listing(checkpoint.location, commit).names
    at_commit = f"'{checkpoint.location}' at '{checkpoint.revision or commit}'"
    check_weights(names, at_commit, allow_pickle=settings.allow_pickle)
    folder = hub.download(checkpoint.location, commit, pickles=not has_weights(names, allow_pickle=False))
    return ModelFiles(folder, label, settings.allow_pickle)


def _config(files: ModelFiles, *, decoder: bool = False) -> Any:
    """Return the configuration of what is run, held against the weights that there are. Raises `ModelError` beside others."""
    check_fits(files)
    config = AutoConfig.from_pretrained(files.folder, trust_remote_code=False, local_files_only=True)
    for name in ("num_decoder_layers", "decoder_layers"):
        if files.shape.encoder_decoder and not decoder and hasattr(config, name):
            setattr(config, name, 0)  # a decoder without layers: its weights are never read
    check_size(config, files)
    return config


@contextmanager
def _in_words(shown: str) -> Iterator[None]:
    """Say whatever a damaged or hostile folder makes transformers raise as a `ModelError`."""
    try:
        yield
    except (MemoryError, ModelError):
        raise
    except Exception as error:
        raise ModelError(reason(shown, error)) from error


def _skeleton(files: ModelFiles, dtype: torch.dtype) -> Skeleton:
    """Return what is in memory of a folder's model that is run layer by layer. Raises `ModelError`."""
    with _in_words(files.shown):
        return build(files, _config(files), dtype)


def _module(files: ModelFiles, dtype: torch.dtype, device: torch.device, *, decoder: bool = False) -> Any:
    """Return the part of a folder's model that is run, on the CPU; on `device` where it is quantised, as its kernels need it.

    Every weight must have come from the files. Raises `ModelError`.
    """
    shape, shown = files.shape, files.shown
    placed = {"device_map": {"": str(device)}} if is_quantised(files.config) and device.type != "cpu" else {}
    with _in_words(shown):
        model, report = AutoModel.from_pretrained(
            files.folder,
            config=_config(files, decoder=decoder),
            dtype=dtype,
            trust_remote_code=False,
            local_files_only=True,
            use_safetensors=files.weights[0].suffix == ".safetensors",
            weights_only=True,
            output_loading_info=True,
            **placed,
        )
    module = Decoder(model) if decoder else model.get_encoder() if shape.encoder_decoder else model
    if any("pooler" in str(key) for key in report["missing_keys"]) and hasattr(module, "pooler"):
        module.pooler = None  # drawn at random just now, and differently each time
    # A weight that the files lack was made up at random: the scores would look fine and mean nothing. A pooler is not run.
    lacking = {str(key) for key in report["missing_keys"]} & {name for name, _ in model.named_parameters()}
    lacking = {
        name for name in lacking if "pooler" not in name and (decoder or not shape.encoder_decoder or "decoder." not in name)
    }
    if lacking:
        raise ModelError(
            f"The weights of {shown} do not fit its config.json: {len(lacking)} are missing, {min(lacking)} among them. "
            "Save the model again."
        )
    return module


def _untrained(files: ModelFiles, seed: int, dtype: torch.dtype, *, decoder: bool = False) -> Any:
    """Return the same part of a model of this shape with random weights. Raises `ModelError`."""
    with _in_words(files.shown):
        model = drawn(_config(files, decoder=decoder), seed, dtype)
    return Decoder(model) if decoder else model.get_encoder() if files.shape.encoder_decoder else model


def place(module: Any, device: torch.device, shown: str) -> Any:
    """Return `module` on `device`, not to be trained. Raises `ModelError` where it does not fit into its memory."""
    try:
        ready = module.eval().requires_grad_(False)
        there = {each.device.type for each in ready.parameters()} == {device.type}
        return ready if there else ready.to(device)  # some quantised ones refuse to be moved
    except RuntimeError as error:
        if not is_short(error):
            raise
        raise ModelError(
            f"{shown} does not fit into the memory of {device}. Choose a smaller model or another device."
        ) from error
