"""A small sub-word tokeniser with XLM-R's special tokens, trained on a corpus.

Byte-pair encoding (Sennrich et al. 2016) over words marked as SentencePiece marks them. XLM-R's own is a unigram model, but
the trainer of `tokenizers` gives a different unigram model at each run of the same text (measured with 0.23), and a recipe
has to give the same model twice.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

if TYPE_CHECKING:
    from collections.abc import Sequence

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
"""Ids 0 to 3, as in XLM-R; `<mask>` is the last id, as there."""


def alphabet(texts: Sequence[str], most: int) -> set[str]:
    """Return the `most` most frequent characters of `texts` after NFKC; ties go to the lower code point.

    Chinese and Japanese have thousands; without a limit a small vocabulary would be nothing but them.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(unicodedata.normalize("NFKC", text))
    ranked = sorted(counts, key=lambda character: (-counts[character], character))
    return set(ranked[:most])


def train_tokenizer(texts: Sequence[str], vocabulary: int, max_tokens: int) -> PreTrainedTokenizerFast:
    """Train on `texts`; at most `vocabulary` entries, half of them single characters at most.

    The same texts in the same order give the same tokeniser. `max_tokens` is what `truncation=True` will cut to.
    """
    kept = alphabet(texts, vocabulary // 2)
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=vocabulary - 1, special_tokens=list(SPECIAL), show_progress=False)
    known = ("".join(c for c in unicodedata.normalize("NFKC", text) if c in kept or c.isspace()) for text in texts)
    tokenizer.train_from_iterator(known, trainer)
    tokenizer.add_special_tokens(["<mask>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")],
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=max_tokens,
        model_input_names=["input_ids", "attention_mask"],
    )
