"""A checkpoint's tokeniser, read once for all checkpoints whose tokeniser is the same.

Reading one of 250,000 pieces takes three seconds, more than tokenising a whole corpus with it.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import ModelError
from isogloss.backend.files import digest, parse_json
from isogloss.backend.models.files import hub
from isogloss.backend.models.files.fingerprint import file_hash
from isogloss.backend.models.files.weights import CONFIG, TOKENIZER_FILES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.models.files.weights import ModelFiles

LONGEST = 2048
"""No text is taken longer than this many tokens, whatever the model allows: attention is quadratic in the length."""
KEPT = 2
"""Tokenisers held by this process: a run has one, and two models are often computed by turns."""
# What a config.json says that no tokeniser is read by, and that may differ between the checkpoints of one run.
_IRRELEVANT = {"_name_or_path", "torch_dtype", "dtype"}
_kept: OrderedDict[str, Any] = OrderedDict()


def tokenizer_of(files: ModelFiles, checkpoint: Checkpoint) -> tuple[Any, str]:
    """Return the tokeniser for a `transformers` model, and its identity (`identity`).

    Raises `ModelError` where there is none or it cannot be read.
    """
    folder, shown = files.folder, files.shown
    if checkpoint.source == "hub" and not files.tokenizer:
        place = hub.download_tokenizer(checkpoint.location)  # checkpoints as branches often leave it to the main one
    else:
        files.check_tokenizer()
        place = files.tokenizer[0].parent
    # A tokeniser alone needs no configuration; where there is one it decides, as that of a model does.
    own = _relevant(files.config) if checkpoint.part != "tokeniser" or files.has_config else None
    known = identity(place, "transformers", own, own if place == folder else _config(place))
    return load_once(known, lambda: _read(place, shown, None if own is None else folder)), known


def configured_longest(config: Any, tokenizer: Any) -> int:
    """Return the most tokens of an input by what a configuration and a tokeniser say, and by `LONGEST`."""
    named = ((tokenizer, "model_max_length"), (config, "max_position_embeddings"))
    limits = [getattr(owner, name, None) for owner, name in named]
    return min([LONGEST, *(each for each in limits if isinstance(each, int) and each > 0)])


def identity(place: Path, *read_by: Any) -> str:
    """24 hexadecimal digits for the tokeniser in `place`: the content of its files, and whatever else decides how it is read.

    Two tokenisers of one identity tokenise alike.
    """
    files = [place / name for name in TOKENIZER_FILES if (place / name).is_file()]
    return digest([[[file.name, file_hash(file)] for file in files], *read_by])


def load_once(known: str, read: Callable[[], Any]) -> Any:
    """Return the tokeniser of the identity `known`: the one that this process has, or the one that `read` gives."""
    tokenizer = _kept.pop(known, None)
    if tokenizer is None:
        tokenizer = read()
    _kept[known] = tokenizer
    while len(_kept) > KEPT:
        _kept.popitem(last=False)
    return tokenizer


def _config(folder: Path) -> dict[str, Any] | None:
    """Return what decides the tokeniser's class among other things; None where there is no readable config.json."""
    try:
        config = parse_json((folder / CONFIG).read_bytes())
    except (OSError, ValueError):
        return None
    return _relevant(config) if isinstance(config, dict) else None


def _relevant(config: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in _IRRELEVANT}


def _read(place: Path, shown: str, config_folder: Path | None) -> Any:
    from transformers import AutoConfig, AutoTokenizer

    try:
        config = None
        if config_folder is not None:
            config = AutoConfig.from_pretrained(config_folder, trust_remote_code=False, local_files_only=True)
        return AutoTokenizer.from_pretrained(place, config=config, trust_remote_code=False, local_files_only=True)
    except ImportError as error:
        if "sacremoses" in str(error):
            raise ModelError(
                f"The tokeniser of {shown} needs the Python package sacremoses. Install it on the server."
            ) from error
        raise ModelError(reason(f"The tokeniser of {shown}", error)) from error
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # whatever a damaged or hostile folder makes transformers raise; a panic is no `Exception`
        raise ModelError(reason(f"The tokeniser of {shown}", error)) from error


def reason(shown: str, error: BaseException, done: str = "loaded") -> str:
    """Why `transformers` could not load or run something, in a sentence or two."""
    first = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    if "trust_remote_code" in str(error):
        return f"{shown} needs code that comes with it, which Isogloss never runs. Choose a model that transformers knows."
    if "does not recognize this architecture" in str(error):
        return f"{shown} is of an architecture that this version of transformers does not know. Update it, or choose another."
    return f"{shown} cannot be {done} ({first[:200]}). Download or save the model again."
