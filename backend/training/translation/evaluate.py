"""How well a model translates: beam search by `transformers`, chrF and BLEU by sacrebleu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import sacrebleu
import torch
from tokenizers import decoders

from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.translation.model import table_of
from isogloss.backend.training.translation.options import END, PADDING, START
from isogloss.backend.training.translation.run import pad

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokenizers import Tokenizer
    from transformers import BartForConditionalGeneration

    from isogloss.backend.training.translation.options import TranslationOptions
    from isogloss.backend.training.translation.pairs import TranslationText

AT_ONCE = {"cpu": 256}
"""Beams that are written together, by type of device; elsewhere 1,024."""


@dataclass(frozen=True)
class Example:
    """One translation, to be looked at."""

    source: str
    reference: str
    hypothesis: str
    """Of the narrowest beam."""


def translate(
    model: BartForConditionalGeneration,
    text: TranslationText,
    beam: int,
    options: TranslationOptions,
    *,
    precision: torch.dtype = torch.float32,
    should_stop: Callable[[], bool] | None = None,
) -> list[str]:
    """Return the translations of the test sentences, in their order.

    Beam search as `transformers` has it by default: the score of a translation is the mean log-likelihood of its tokens, and a
    search ends when no unfinished one can get better by its present score. Raises `StoppedError` where `should_stop`, asked
    before every batch, said so.
    """
    device = table_of(model).device
    padding, end = options.architecture.symbols + PADDING, options.architecture.symbols + END
    search = {
        "num_beams": beam,
        "do_sample": False,
        "max_new_tokens": options.translation_tokens,
        "decoder_start_token_id": options.architecture.symbols + START,
        "eos_token_id": end,
        "pad_token_id": padding,
    }
    generate = cast("Any", model).generate
    translations = [""] * len(text.test)
    order = np.argsort(text.test.lengths, kind="stable")  # little padding
    at_once = max(1, AT_ONCE.get(device.type, 1024) // beam)
    training = model.training
    model.train(False)
    try:
        with torch.inference_mode(), torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == torch.bfloat16):
            for first in range(0, len(order), at_once):
                if should_stop is not None and should_stop():
                    raise StoppedError("Stopped during an evaluation. Start it again to go on.")
                chosen = order[first : first + at_once]
                read = torch.from_numpy(pad(text.test, chosen, padding)).to(device)
                written = generate(input_ids=read, attention_mask=torch.ne(read, padding).long(), **search)
                for place, ids in zip(chosen, written[:, 1:].tolist(), strict=True):
                    translations[place] = readable(ids, text.tokenizer, end)
    finally:
        model.train(training)
    return translations


def readable(ids: Sequence[int], tokenizer: Tokenizer, end: int) -> str:
    """Decode token ids up to the first `end`, without spaces around it; ids that the tokeniser lacks are left out."""
    until = list(ids).index(end) if end in ids else len(ids)
    tokens = [token for token in map(tokenizer.id_to_token, ids[:until]) if token is not None]
    text: str = decoders.ByteLevel().decode(tokens)
    return text.strip()


def chrf(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """chrF2 of a corpus (Popović 2015), 0 to 100: sacrebleu's with its defaults, characters up to 6, no words, β = 2."""
    return float(sacrebleu.corpus_chrf(list(hypotheses), [list(references)]).score)


def bleu(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of a corpus, 0 to 100: sacrebleu's (Post 2018) with its defaults, tokenised by `13a`, exponential smoothing."""
    return float(sacrebleu.corpus_bleu(list(hypotheses), [list(references)]).score)
