"""Prompts through a model and its head: what every layer tells at the place of the answer. Imports torch once it reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.models.encoding.tokens import Tokens
    from isogloss.backend.models.loading.language_model import LanguageModel

AT_ONCE = 1 << 24
"""Logits held at a time, of some words in one layer: 64 MiB in float32."""
LONGEST_TOKEN = 40
"""Characters of a token that are kept to be shown."""
ENCODING = 0.6
"""How much of the time the forward pass takes, for progress."""


@dataclass(frozen=True, eq=False)
class Readings:
    """What every layer told of every word."""

    mass: NDArray[np.float32]
    """`[words, layers + 1, languages]`."""
    entropy: NDArray[np.float32]
    """`[words, layers + 1]`, in bits."""
    top: list[list[str]]
    """`[words][layers + 1]`: the likeliest token as text."""
    top_probability: NDArray[np.float32]
    """`[words, layers + 1]`."""


class Reader:
    """A model that answers prompts, layer by layer."""

    def __init__(self, model: LanguageModel) -> None:
        import torch

        self.model = model
        self.vocabulary = int(model.head(torch.zeros(1, model.loaded.dims, device=model.loaded.device)).shape[-1])
        """How many logits the head gives; a tokeniser may have more tokens."""
        self.texts = self.tokens = 0

    def read(
        self,
        prompts: Sequence[str],
        sets: Sequence[Sequence[Sequence[int]]],
        language: str,
        step: Callable[[float], None],
        should_stop: Callable[[], bool],
    ) -> Readings:
        """Return what the layers tell where each of `prompts` ends, of the `sets` of tokens of its word, `[words][languages]`.

        A masked model gets its mask there, and the closing quotation mark after it. `language` is that of the answer, for
        models with embeddings of languages. Raises `ModelError` for a prompt that is longer than the model takes in.
        """
        from isogloss.backend.models.encoding.encode import encode
        from isogloss.backend.models.encoding.words import WordTokens

        loaded = self.model.loaded
        tokens = self._tokens(prompts, language)
        places = WordTokens([[np.array([self._place(tokens, row)])] for row in range(len(prompts))], 0, 0)
        encoded = encode(
            loaded,
            tokens,
            (),
            words=places,
            language=language,
            progress=lambda done, all_: step(ENCODING * done / all_),
            should_stop=should_stop,
        )
        self.texts, self.tokens = self.texts + len(prompts), self.tokens + encoded.tokens
        return self._read(encoded.vectors["words"], encoded.exponents["words"], sets, step)

    def _read(
        self,
        vectors: NDArray[np.float16],
        exponents: NDArray[np.int16],
        sets: Sequence[Sequence[Sequence[int]]],
        step: Callable[[float], None],
    ) -> Readings:
        """Read the hidden states `[words, layers + 1, dims]` of all words, as `encode` gives them."""
        import torch

        from isogloss.backend.metrics.latent.lens import read

        words, layers = vectors.shape[:2]
        mass = np.empty((words, layers, len(sets[0])), np.float32)
        entropy, chance = np.empty((words, layers), np.float32), np.empty((words, layers), np.float32)
        likeliest = np.empty((words, layers), np.int64)
        for layer in range(layers):
            step(ENCODING + (1 - ENCODING) * layer / layers)
            for rows in self._groups(words):
                hidden = torch.ldexp(
                    torch.from_numpy(vectors[rows, layer].astype(np.float32)),
                    torch.from_numpy(exponents[rows, layer].astype(np.int32)).unsqueeze(1),
                ).to(self.model.loaded.device)
                norm = None if layer == layers - 1 else self.model.normed  # the last state comes through the norm already
                found = read(hidden, norm, self.model.head, sets[rows])
                mass[rows, layer], entropy[rows, layer] = found.mass.cpu().numpy(), found.entropy.cpu().numpy()
                likeliest[rows, layer], chance[rows, layer] = found.top.cpu().numpy(), found.top_probability.cpu().numpy()
        text = {int(each): self._text(int(each)) for each in np.unique(likeliest)}
        return Readings(mass, entropy, [[text[int(each)] for each in row] for row in likeliest], chance)

    def _groups(self, words: int) -> list[slice]:
        size = max(1, AT_ONCE // self.vocabulary)
        return [slice(start, start + size) for start in range(0, words, size)]

    def _tokens(self, prompts: Sequence[str], language: str) -> Tokens:
        from isogloss.backend.models.encoding.tokens import tokenize

        loaded = self.model.loaded
        texts: Sequence[str] = prompts
        if self.model.tells == "masked":
            if loaded.tokenizer.mask_token is None:
                raise ModelError(f"The tokeniser of {loaded.shown} has no mask, at which a masked model tells a token.")
            texts = [f'{prompt}{loaded.tokenizer.mask_token}"' for prompt in prompts]
        tokens = tokenize(loaded.tokenizer, texts, loaded.max_tokens, language=language)
        if tokens.truncated.any():
            raise ModelError(
                f"{loaded.shown} takes {loaded.max_tokens} tokens, and a prompt has more. Ask with fewer examples."
            )
        return tokens

    def _place(self, tokens: Tokens, row: int) -> int:
        """Return where the answer is told: at the mask, or at the last token of the text."""
        if self.model.tells == "masked":
            masks = np.flatnonzero(tokens.ids[row] == self.model.loaded.tokenizer.mask_token_id)
            if len(masks) != 1:
                raise ModelError(f"The tokeniser of {self.model.loaded.shown} gives {len(masks)} masks where one was written.")
            return int(masks[0])
        own = np.flatnonzero(~tokens.special[row])
        return int(own[-1]) if len(own) else len(tokens.ids[row]) - 1

    def _text(self, token: int) -> str:
        """Return a token as people read it: its text, or the piece itself where that is no whole character."""
        tokenizer: Any = self.model.loaded.tokenizer
        text = str(tokenizer.decode([token])).strip()
        if not text.isprintable() or not text or "\ufffd" in text:
            text = str(tokenizer.convert_ids_to_tokens(token))
        return text[:LONGEST_TOKEN]
