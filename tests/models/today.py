"""Tiny, randomly initialised models of architectures that are read today, beside those of `tests.models.tiny`.

Windows of attention are shorter than sentences, layers are of both kinds where there are two, and embeddings are scaled: what
could be read wrongly is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from tests.models.tiny import SENTENCES, byte_level, save_noisy, unigram, wrapped_unigram

if TYPE_CHECKING:
    from pathlib import Path

Today = Literal["mistral", "olmo2", "apertus", "gemma3_text", "modernbert", "eurobert", "t5", "m2m_100"]
TODAY: tuple[Today, ...] = get_args(Today)
DIMS = 32


def todays_model(folder: Path, architecture: Today, *, layers: int = 4, dims: int = DIMS, seed: int = 0) -> Path:
    """Save a random model of `architecture` with its tokeniser to `folder` and return it. Equal arguments, equal weights."""
    import torch

    tokenizer = _tokenizer(architecture)
    torch.manual_seed(seed)
    return save_noisy(folder, _model(architecture, layers, dims, tokenizer), tokenizer)


def _model(architecture: Today, layers: int, dims: int, tokenizer: Any) -> Any:
    import transformers as hf

    ids = {
        "vocab_size": len(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
    shape = {"hidden_size": dims, "num_hidden_layers": layers, "num_attention_heads": 4, "intermediate_size": 2 * dims, **ids}
    of_decoders = {**shape, "num_key_value_heads": 2, "max_position_embeddings": 128}
    kinds = ["full_attention" if i % 3 == 0 else "sliding_attention" for i in range(layers)]
    match architecture:
        case "mistral":
            return hf.MistralForCausalLM(hf.MistralConfig(**of_decoders, head_dim=8, sliding_window=8))
        case "olmo2":
            return hf.Olmo2ForCausalLM(hf.Olmo2Config(**of_decoders))
        case "apertus":
            return hf.ApertusForCausalLM(hf.ApertusConfig(**of_decoders))
        case "gemma3_text":
            own = {"head_dim": 8, "query_pre_attn_scalar": 8, "sliding_window": 8, "layer_types": kinds}
            return hf.Gemma3ForCausalLM(hf.Gemma3TextConfig(**of_decoders, **own))
        case "modernbert":
            ends = {"cls_token_id": tokenizer.bos_token_id, "sep_token_id": tokenizer.eos_token_id}
            local = {"local_attention": 8, "layer_types": kinds, "max_position_embeddings": 128}
            return hf.ModernBertForMaskedLM(hf.ModernBertConfig(**shape, **ends, **local))
        case "eurobert":
            return hf.EuroBertForMaskedLM(hf.EuroBertConfig(**of_decoders, head_dim=8, mask_token_id=3))
        case "t5":
            sizes = {"d_model": dims, "d_kv": 8, "d_ff": 2 * dims, "num_heads": 4, "feed_forward_proj": "gated-gelu"}
            of_both = {"num_layers": layers, "num_decoder_layers": layers + 1, "tie_word_embeddings": False}
            return hf.T5ForConditionalGeneration(hf.T5Config(**sizes, **of_both, **ids))
        case "m2m_100":
            heads = {"encoder_attention_heads": 4, "decoder_attention_heads": 4}
            widths = {"d_model": dims, "encoder_ffn_dim": 2 * dims, "decoder_ffn_dim": 2 * dims}
            depths = {"encoder_layers": layers, "decoder_layers": layers + 1, "max_position_embeddings": 128}
            return hf.M2M100ForConditionalGeneration(hf.M2M100Config(**heads, **widths, **depths, **ids))


def _tokenizer(architecture: Today) -> Any:
    import transformers as hf

    match architecture:
        case "olmo2":
            return byte_level(bos=None, pad="<|pad|>", template=False)
        case "mistral" | "apertus":
            return byte_level(bos="<s>", pad="<pad>", template=True)
        case "gemma3_text":
            return wrapped_unigram(["<pad>", "</s>", "<s>", "<unk>"], "<s> $A")
        case "modernbert":  # mmBERT has the pieces and the ends of Gemma 2
            return wrapped_unigram(["<pad>", "</s>", "<s>", "<unk>", "<mask>"], "<s> $A </s>")
        case "eurobert":
            return wrapped_unigram(["<s>", "</s>", "<pad>", "<unk>"], "<s> $A </s>")
        case "t5":
            return hf.T5Tokenizer(vocab=[("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *unigram()], extra_ids=0)
        case "m2m_100":
            return _nllb()


def _nllb() -> Any:
    """NLLB's: a text begins with the code of its language and ends with `</s>`."""
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import NllbTokenizer

    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    trained = Tokenizer(models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=300, show_progress=False, special_tokens=specials)
    trained.train_from_iterator(SENTENCES, trainer)
    model = json.loads(trained.to_str())["model"]
    merges = [tuple(pair) for pair in model["merges"]]
    codes = ["eng_Latn", "deu_Latn", "rus_Cyrl"]
    return NllbTokenizer(vocab=model["vocab"], merges=merges, additional_special_tokens=codes)
