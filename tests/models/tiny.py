"""Tiny, randomly initialised models of every architecture that the catalogue names, saved as real `transformers` folders."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from pathlib import Path

Architecture = Literal[
    "bert", "xlm", "xlm-roberta", "mbart", "mt5", "deberta-v2", "bloom", "qwen2", "qwen3", "llama", "gpt2", "xglm"
]
ARCHITECTURES: tuple[Architecture, ...] = get_args(Architecture)

SENTENCES = [
    "The ferry leaves the harbour at nine in the morning.",
    "Nobody had told the children about the storm.",
    "Die Fähre verlässt den Hafen um neun Uhr morgens.",
    "Niemand hatte den Kindern vom Sturm erzählt.",
    "Паром отходит из гавани в девять утра.",
    "Никто не рассказал детям о буре.",
    "渡轮早上九点离开港口。",
    "没有人告诉孩子们暴风雨的事。",
    "تغادر العبارة الميناء في التاسعة صباحا.",
    "لم يخبر أحد الأطفال عن العاصفة.",
]
"""What the tokenisers are trained on; also handy as input."""


def tiny_model(
    folder: Path, architecture: Architecture, layers: int = 2, dims: int = 32, seed: int = 0, positions: int = 64
) -> Path:
    """Save a random model of `architecture` with its tokeniser to `folder` and return it. Equal arguments, equal weights.

    `positions` is the longest input in tokens (mT5 and BLOOM have no such limit).
    """
    import torch

    tokenizer = _tokenizer(architecture)
    torch.manual_seed(seed)
    return save_noisy(folder, _model(architecture, layers, dims, positions, tokenizer), tokenizer)


def save_noisy(folder: Path, model: Any, tokenizer: Any) -> Path:
    """Save a model with its tokeniser to `folder` and return it, noise added to every parameter."""
    import torch

    with torch.no_grad():  # freshly initialised biases are zero and norms one, which would hide a mistake in reading them
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _model(architecture: Architecture, layers: int, dims: int, positions: int, tokenizer: Any) -> Any:
    import transformers as hf

    vocabulary = len(tokenizer)
    shape = {"hidden_size": dims, "num_hidden_layers": layers, "num_attention_heads": 4, "intermediate_size": 2 * dims}
    ids = {"vocab_size": vocabulary, "pad_token_id": tokenizer.pad_token_id}
    match architecture:
        case "bert":
            return hf.BertForMaskedLM(hf.BertConfig(**shape, **ids, max_position_embeddings=positions))
        case "xlm":
            config = hf.XLMConfig(
                emb_dim=dims, n_layers=layers, n_heads=4, max_position_embeddings=positions, **_xlm_ids(tokenizer)
            )
            return hf.XLMWithLMHeadModel(config)
        case "xlm-roberta":
            return hf.XLMRobertaForMaskedLM(
                hf.XLMRobertaConfig(**shape, **ids, max_position_embeddings=positions + 2, type_vocab_size=1)
            )
        case "mbart":
            heads = {"encoder_attention_heads": 4, "decoder_attention_heads": 4}
            widths = {"d_model": dims, "encoder_ffn_dim": 2 * dims, "decoder_ffn_dim": 2 * dims}
            depths = {"encoder_layers": layers, "decoder_layers": layers + 1}
            return hf.MBartForConditionalGeneration(
                hf.MBartConfig(**heads, **widths, **depths, **ids, max_position_embeddings=positions, scale_embedding=True)
            )
        case "mt5":
            sizes = {"d_model": dims, "d_kv": 8, "d_ff": 2 * dims, "num_heads": 4}
            return hf.MT5ForConditionalGeneration(
                hf.MT5Config(**sizes, num_layers=layers, num_decoder_layers=layers + 1, **ids)
            )
        case "deberta-v2":
            relative = {
                "relative_attention": True,
                "position_buckets": 16,
                "pos_att_type": ["p2c", "c2p"],
                "share_att_key": True,
            }
            rest = {"norm_rel_ebd": "layer_norm", "position_biased_input": False, "type_vocab_size": 0}
            return hf.DebertaV2Model(hf.DebertaV2Config(**shape, **ids, **relative, **rest, max_position_embeddings=positions))
        case _:
            return _decoder(architecture, layers, dims, positions, tokenizer)


def _decoder(architecture: Architecture, layers: int, dims: int, positions: int, tokenizer: Any) -> Any:
    import transformers as hf

    vocabulary = len(tokenizer)
    shape = {"hidden_size": dims, "num_hidden_layers": layers, "num_attention_heads": 4, "intermediate_size": 2 * dims}
    ids = {"vocab_size": vocabulary, "pad_token_id": tokenizer.pad_token_id}
    match architecture:
        case "bloom":
            return hf.BloomForCausalLM(hf.BloomConfig(hidden_size=dims, n_layer=layers, n_head=4, **ids))
        case "qwen2":
            return hf.Qwen2ForCausalLM(hf.Qwen2Config(**shape, **ids, num_key_value_heads=2, max_position_embeddings=positions))
        case "qwen3":
            return hf.Qwen3ForCausalLM(
                hf.Qwen3Config(**shape, **ids, num_key_value_heads=2, head_dim=8, max_position_embeddings=positions)
            )
        case "llama":
            return hf.LlamaForCausalLM(hf.LlamaConfig(**shape, **ids, num_key_value_heads=2, max_position_embeddings=positions))
        case "gpt2":
            return hf.GPT2LMHeadModel(
                hf.GPT2Config(n_embd=dims, n_layer=layers, n_head=4, n_positions=positions, vocab_size=vocabulary)
            )
        case "xglm":
            return hf.XGLMForCausalLM(
                hf.XGLMConfig(
                    d_model=dims,
                    num_layers=layers,
                    attention_heads=4,
                    ffn_dim=2 * dims,
                    max_position_embeddings=positions,
                    **ids,
                )
            )
        case _:
            raise ValueError(architecture)


def _xlm_ids(tokenizer: Any) -> dict[str, Any]:
    languages = {"de": 0, "en": 1, "ru": 2}
    return {
        "n_words": len(tokenizer),
        "pad_index": tokenizer.pad_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        "n_langs": len(languages),
        "use_lang_emb": True,
        "lang2id": languages,
        "id2lang": {str(row): code for code, row in languages.items()},
    }


def _tokenizer(architecture: Architecture) -> Any:
    import transformers as hf

    match architecture:
        case "bert":
            specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
            return hf.BertTokenizer(vocab=_word_pieces(specials), do_lower_case=False)
        case "xlm":
            # XLM's own tokeniser needs sacremoses; a tokenizer.json with the same template of special tokens does not.
            return wrapped_unigram(["<s>", "</s>", "<pad>", "<unk>", "<mask>"], "<s> $A </s>")
        case "xlm-roberta":
            pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *unigram(), ("<mask>", 0.0)]
            return hf.XLMRobertaTokenizer(vocab=pieces)
        case "mbart":
            pieces = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *unigram()]  # the order of a sentencepiece model
            return hf.MBart50Tokenizer(vocab=pieces, src_lang="en_XX")
        case "mt5":
            return hf.T5Tokenizer(vocab=[("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *unigram()], extra_ids=0)
        case "deberta-v2":
            specials = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
            pieces = [*((token, 0.0) for token in specials), *unigram(), ("[MASK]", 0.0)]
            return hf.DebertaV2Tokenizer(vocab=pieces, unk_id=3)
        case "llama":
            return byte_level(bos="<|begin_of_text|>", pad=None, template=True)
        case "bloom":
            return byte_level(bos="<s>", pad="<pad>", template=False)
        case "qwen2" | "qwen3":
            return byte_level(bos=None, pad="<|endoftext|>", template=False)
        case "gpt2":
            return byte_level(bos=None, pad=None, template=False)
        case "xglm":
            return wrapped_unigram(["<s>", "<pad>", "</s>", "<unk>"], "</s> $A")


def _word_pieces(specials: list[str]) -> dict[str, int]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(
        SENTENCES, trainers.WordPieceTrainer(vocab_size=400, show_progress=False, special_tokens=specials)
    )
    vocabulary = tokenizer.get_vocab()
    # The trainer's order is not the same from one run to the next; sorted, equal arguments give equal weights.
    return {piece: i for i, piece in enumerate([*specials, *sorted(set(vocabulary) - set(specials))])}


def unigram() -> list[tuple[str, float]]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        SENTENCES, trainers.UnigramTrainer(vocab_size=300, show_progress=False, unk_token="<unk>", special_tokens=["<unk>"])
    )
    pieces = json.loads(tokenizer.to_str())["model"]["vocab"]
    return sorted((str(piece), float(round(score, 3))) for piece, score in pieces if piece != "<unk>")


def wrapped_unigram(specials: list[str], template: str) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    pieces = [*((token, 0.0) for token in specials), *unigram()]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=specials.index("<unk>")))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    ids = [(token, specials.index(token)) for token in specials]
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=ids)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    )


def byte_level(*, bos: str | None, pad: str | None, template: bool) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    eos = "<|endoftext|>"
    specials = list(dict.fromkeys(token for token in (bos, eos, pad) if token))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        SENTENCES,
        trainers.BpeTrainer(vocab_size=400, show_progress=False, special_tokens=specials, initial_alphabet=sorted(alphabet)),
    )
    if template and bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", special_tokens=[(bos, specials.index(bos))]
        )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=bos, eos_token=eos, pad_token=pad)
