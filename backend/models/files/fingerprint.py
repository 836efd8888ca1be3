"""Fingerprints: what a checkpoint's weights are, whatever their folder is called. Every cached thing is keyed by one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.backend import people
from isogloss.backend.errors import StoreError
from isogloss.backend.files import CONTENT_ID, digest, file_digest, parse_json, publish_json
from isogloss.backend.locks import lock
from isogloss.backend.models.files.weights import tokenizer_files

if TYPE_CHECKING:
    from isogloss.backend.models.files.weights import ModelFiles

# Keys of config.json that change from one save to the next and change nothing that is computed.
_VOLATILE = {"_name_or_path", "transformers_version", "torch_dtype", "dtype"}
MOST = 2000
"""Files that a workspace remembers the hashes of: an archive of 39 checkpoints has some 120."""
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


def tokeniser_fingerprint(files: ModelFiles, *, cache: Path | None = None) -> str:
    """24 hexadecimal digits for a folder's tokeniser alone, with the configuration beside it where there is one."""
    return digest(["tokeniser", _configuration(files) if files.has_config else None, _tokenizer(files, cache)])


def hub_tokeniser_fingerprint(hub_id: str, commit: str) -> str:
    """24 hexadecimal digits for the tokeniser alone of a Hub model."""
    return digest(["tokeniser", "hub", hub_id, commit])


def untrained_fingerprint(fingerprint: str, seed: int) -> str:
    """24 hexadecimal digits for random weights, drawn by `seed`, in the shape of what has this fingerprint."""
    return digest(["untrained", fingerprint, seed])


def folder_fingerprint(files: ModelFiles, *, cache: Path | None = None) -> str:
    """24 hexadecimal digits for a `transformers` folder: its weights, configuration and tokeniser, but not its name.

    `cache` is a file that remembers hashes by path, size and time of change, so that gigabytes are read once. Raises
    `ModelError` where there are no weights that may be loaded.
    """
    weights = [file_hash(path, cache) for path in files.weights]
    return digest(["folder", _configuration(files), weights, _tokenizer(files, cache)])


def _configuration(files: ModelFiles) -> dict[str, Any]:
    return {key: value for key, value in files.config.items() if key not in _VOLATILE}


def _tokenizer(files: ModelFiles, cache: Path | None) -> list[list[str]]:
    """Return the tokeniser's files, by name and hash."""
    return [[path.name, file_hash(path, cache)] for path in files.tokenizer]


def fairseq_fingerprint(path: Path, *, cache: Path | None = None) -> str:
    """24 hexadecimal digits for a fairseq `.pt` file with the dictionary and tokeniser that lie beside it."""
    beside = [path.parent / "dict.txt", *tokenizer_files(path.parent)]
    return digest(["fairseq", file_hash(path, cache), [[p.name, file_hash(p, cache)] for p in beside if p.is_file()]])


def file_hash(path: Path, cache: Path | None = None) -> str:
    """Return the hash of a file's bytes, remembered in this process and in `cache` until its size or times change."""
    key = _key(path)
    if key in _seen:
        return _seen[key]
    remembered = _read(cache).get(key) or file_digest(path)
    if cache is not None:
        with suppress(StoreError, OSError):  # a workspace that cannot be written loses the memory, not the answer
            _remember(cache, key, remembered)
    _seen[key] = remembered
    return remembered


def _remember(cache: Path, key: str, hash_: str) -> None:
    """Put a hash last in the file, and leave out of it those of files that are gone or changed, and the least used.

    One process does so at a time: two would each lose what the other learned.
    """
    if people.only_looks() or list(_read(cache))[-1:] == [key]:
        return
    cache.parent.mkdir(parents=True, exist_ok=True)
    with open(cache.with_suffix(".lock"), "a", encoding="utf-8") as handle:
        lock(handle)
        others = {name: each for name, each in _read(cache).items() if name != key and _is_as(name)}
        publish_json(cache, dict(list(others.items())[-MOST:]) | {key: hash_})


def _is_as(key: str) -> bool:
    """Return whether a file is still there and as it was when it was hashed."""
    try:
        return _key(Path(key.split("|")[0])) == key
    except (OSError, ValueError):
        return False


def _key(path: Path) -> str:
    """Name a file and its state: tools that copy times can set back that of modification, and not that of change."""
    status = path.stat()
    return f"{path.resolve()}|{status.st_size}|{status.st_mtime_ns}|{status.st_ctime_ns}"


def _read(cache: Path | None) -> dict[str, str]:
    try:
        read = parse_json(cache.read_bytes()) if cache is not None else {}
    except (OSError, ValueError):
        return {}  # a cache: what it cannot tell is computed again
    return {key: each for key, each in read.items() if CONTENT_ID.fullmatch(str(each))} if isinstance(read, dict) else {}
