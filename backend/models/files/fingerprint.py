"""Fingerprints: what a checkpoint's weights are, whatever their folder is called. Every cached thing is keyed by one."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from backend.errors import StoreError
from backend.files import digest, file_digest, publish_json
from backend.models.files.weights import tokenizer_files

if TYPE_CHECKING:
    from pathlib import Path

    from backend.models.files.weights import ModelFiles

# Keys of config.json that change from one save to the next and change nothing that is computed.
_VOLATILE = {"_name_or_path", "transformers_version", "torch_dtype", "dtype"}
_seen: dict[str, str] = {}


def cache_file(workspace: Path) -> Path:
    """Return where a workspace remembers the hashes of large files (in a folder of its own, beside the kept models)."""
    return workspace / "models" / "hashes" / "files.json"


def hub_fingerprint(hub_id: str, commit: str) -> str:
    """24 hexadecimal digits for a Hub model: its commit names its content."""
    return digest(["hub", hub_id, commit])


def decoder_fingerprint(fingerprint: str) -> str:
    """24 hexadecimal digits for the decoder of the encoder-decoder that has this fingerprint."""
    return digest(["decoder", fingerprint])


def folder_fingerprint(files: ModelFiles, *, cache: Path | None = None) -> str:
    """24 hexadecimal digits for a `transformers` folder: its weights, configuration and tokeniser, but not its name.

    `cache` is a file that remembers hashes by path, size and time of change, so that gigabytes are read once. Raises
    `ModelError` where there are no weights that may be loaded.
    """
    config = {k: v for k, v in files.config.items() if k not in _VOLATILE}
    weights = [file_hash(path, cache) for path in files.weights]
    words = [[path.name, file_hash(path, cache)] for path in files.tokenizer]
    return digest(["folder", config, weights, words])


def fairseq_fingerprint(path: Path, *, cache: Path | None = None) -> str:
    """24 hexadecimal digits for a fairseq `.pt` file with the dictionary and tokeniser that lie beside it."""
    beside = [path.parent / "dict.txt", *tokenizer_files(path.parent)]
    return digest(["fairseq", file_hash(path, cache), [[p.name, file_hash(p, cache)] for p in beside if p.is_file()]])


def file_hash(path: Path, cache: Path | None = None) -> str:
    """Return the hash of a file's bytes, remembered in this process and in `cache` until its size or times change."""
    status = path.stat()
    # The time of change cannot be set back by tools that copy times, unlike the time of modification.
    key = f"{path.resolve()}|{status.st_size}|{status.st_mtime_ns}|{status.st_ctime_ns}"
    if key in _seen:
        return _seen[key]
    remembered = _read(cache)
    if key not in remembered:
        remembered[key] = file_digest(path)
        if cache is not None:
            with suppress(StoreError):  # a workspace that cannot be written loses the memory, not the answer
                publish_json(cache, _read(cache) | {key: remembered[key]})
    _seen[key] = remembered[key]
    return remembered[key]


def _read(cache: Path | None) -> dict[str, str]:
    try:
        read = json.loads(cache.read_text(encoding="utf-8")) if cache is not None else {}
    except (OSError, ValueError):
        return {}  # a cache: what it cannot tell is computed again
    return read if isinstance(read, dict) else {}
