"""A checkpoint's tokeniser without its weights: of a model on the Hub, only the tokeniser's files are downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files import hub
from isogloss.backend.models.files.weights import ModelFiles
from isogloss.backend.models.loading.tokenizer import configured_longest, reason, tokenizer_of

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.settings import Settings

FROM_PADDING = frozenset(
    {"camembert", "data2vec-text", "esm", "ibert", "longformer", "mpnet", "roberta", "roberta-prelayernorm"}
    | {"xlm-roberta", "xlm-roberta-xl", "xmod"}
)
"""Architectures that number positions from the padding index plus one, so that many rows of their table are never used."""


@dataclass(frozen=True)
class Tokeniser:
    """A tokeniser, and the longest input of its model."""

    tokenizer: Any
    """Of `transformers`; may be shared with others."""
    max_tokens: int
    """Special tokens included."""


def tokeniser_of(checkpoint: Checkpoint, settings: Settings) -> Tokeniser:
    """Return the tokeniser of a checkpoint; no weights are downloaded (fairseq's are looked at), and no model's code is run.

    Raises `ModelError` where there is none, it cannot be read, or a local checkpoint's files changed since it was added.
    """
    from isogloss.backend.models.loading.load import local_files, verify

    shown = f"'{checkpoint.label}'"
    if checkpoint.source == "fairseq":
        from transformers import XLMRobertaConfig

        from isogloss.backend.models.loading.fairseq import read_fairseq, sizes, tokenizer_beside

        verify(checkpoint, settings)
        path = Path(checkpoint.location)
        tokenizer, _ = tokenizer_beside(path, shown)
        # How long its inputs are stands among the weights alone.
        return Tokeniser(tokenizer, _longest(XLMRobertaConfig(**sizes(*read_fairseq(path), shown)), tokenizer))
    if checkpoint.source == "hub":
        commit = checkpoint.commit or checkpoint.revision
        files = ModelFiles(hub.download_tokenizer(checkpoint.location, commit), shown, allow_pickle=False)
    else:
        files = local_files(checkpoint, settings)
    tokenizer, _ = tokenizer_of(files, checkpoint)
    alone = checkpoint.part == "tokeniser" and not files.has_config
    return Tokeniser(tokenizer, _longest(None if alone else _configuration(files), tokenizer))


def _configuration(files: ModelFiles) -> Any:
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(files.folder, trust_remote_code=False, local_files_only=True)
    except Exception as error:  # whatever a damaged or hostile folder makes transformers raise
        raise ModelError(reason(files.shown, error)) from error


def _longest(config: Any | None, tokenizer: Any) -> int:
    if config is not None and config.model_type in FROM_PADDING and isinstance(config.pad_token_id, int):
        config.max_position_embeddings -= config.pad_token_id + 1
    return configured_longest(config, tokenizer)
