"""Whether a model's files have a head that tells tokens, and of which kind. No torch: pages ask before a job starts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files import hub
from isogloss.backend.models.files.shapes import read_config
from isogloss.backend.models.files.weights import CONFIG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.models.entry import Checkpoint

Head = Literal["next", "masked"]
"""What the head tells: the next token, as a decoder's, or the one that a mask stands for."""
_NEXT = ("ForCausalLM", "GPT2LMHeadModel", "OpenAIGPTLMHeadModel")
_MASKED = ("ForMaskedLM", "ForPreTraining", "XLMWithLMHeadModel", "FlaubertWithLMHeadModel")
NEEDS = "The logit lens needs a decoder or a masked language model saved with its head."


def head_of(config: Mapping[str, Any], shown: str) -> Head:
    """Return what the head tells by `config.json`. Raises `ModelError` where the model has none, or is of two parts."""
    if config.get("is_encoder_decoder"):
        raise ModelError(f"{shown} is an encoder-decoder, whose encoder has no head. {NEEDS}")
    names = [name for name in config.get("architectures") or () if isinstance(name, str)]
    if any(name.endswith(_NEXT) for name in names):
        return "next"
    if any(name.endswith(_MASKED) for name in names):
        return "masked"
    saved = f"was saved as {names[0][:60]}" if names else "names no architecture in its config.json"
    raise ModelError(f"{shown} {saved}: it has no head that tells tokens. {NEEDS}")


def check_head(checkpoint: Checkpoint) -> None:
    """Raise `ModelError` where what is on this machine shows that a checkpoint has no head; the Hub is not asked."""
    shown = f"'{checkpoint.label}'"
    if checkpoint.source == "fairseq":
        raise ModelError(f"{shown} is a fairseq checkpoint, which is read without its head. {NEEDS}")
    if checkpoint.part == "decoder":
        raise ModelError(f"{shown} is the decoder of an encoder-decoder, which is run without its head. {NEEDS}")
    folder: Path | None = Path(checkpoint.location)
    if checkpoint.source == "hub":
        folder = hub.cached_folder(checkpoint.location, checkpoint.commit or checkpoint.revision or "main")
    if folder is not None and (folder / CONFIG).is_file():
        head_of(read_config(folder / CONFIG, shown), shown)
