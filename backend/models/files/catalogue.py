"""Well-known multilingual models, by the Hub ids people use. A plain table: any other Hub id or folder works as well.

Parameters are those of what is run (the encoder alone of an encoder-decoder, no language-modelling head), counted from
each architecture built with the published configuration. `parameters` and `layers` are for display and cost estimates
before a model is added; what is loaded is always read from its own configuration.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

Kind = Literal["encoder", "encoder-decoder", "decoder"]


@dataclass(frozen=True)
class Known:
    """One line of the catalogue."""

    name: str
    hub_id: str
    kind: Kind
    layers: int
    dims: int
    parameters: int
    note: str
    checkpoints: str | None = None
    """A Hub repository whose branches or tags hold checkpoints of its pre-training."""

    @property
    def link(self) -> str:
        """Address of the model's page on the Hub."""
        return f"https://huggingface.co/{self.hub_id}"


_BLOOM = "Decoder, 46 languages; its steps are branches of the -intermediate repository."
_QWEN = "Decoder, over a hundred languages; adds no token before the text."

CATALOGUE: tuple[Known, ...] = (
    Known("mBERT", "google-bert/bert-base-multilingual-cased", "encoder", 12, 768, 177_853_440, "104 Wikipedias, WordPiece."),
    Known("XLM-100", "FacebookAI/xlm-mlm-100-1280", "encoder", 16, 1280, 571_496_960, "100 Wikipedias, masked LM alone."),
    Known("XLM-17", "FacebookAI/xlm-mlm-17-1280", "encoder", 16, 1280, 571_496_960, "17 Wikipedias, masked LM alone."),
    Known("XLM-15 (MLM)", "FacebookAI/xlm-mlm-xnli15-1024", "encoder", 12, 1024, 248_976_384, "XNLI's languages, masked LM."),
    Known(
        "XLM-15 (MLM+TLM)",
        "FacebookAI/xlm-mlm-tlm-xnli15-1024",
        "encoder",
        12,
        1024,
        248_976_384,
        "XNLI's 15 languages, masked and translation LM; adds a language embedding to every token.",
    ),
    Known("XLM-R base", "FacebookAI/xlm-roberta-base", "encoder", 12, 768, 278_043_648, "100 languages of CommonCrawl."),
    Known("XLM-R large", "FacebookAI/xlm-roberta-large", "encoder", 24, 1024, 559_890_432, "100 languages of CommonCrawl."),
    Known("InfoXLM base", "microsoft/infoxlm-base", "encoder", 12, 768, 278_043_648, "XLM-R and a cross-lingual contrast."),
    Known("InfoXLM large", "microsoft/infoxlm-large", "encoder", 24, 1024, 559_890_432, "XLM-R and a cross-lingual contrast."),
    Known(
        "mBART-50",
        "facebook/mbart-large-50",
        "encoder-decoder",
        12,
        1024,
        408_264_704,
        "The encoder of a denoising sequence-to-sequence model; every text begins with a language code.",
    ),
    Known("mT5 small", "google/mt5-small", "encoder-decoder", 8, 512, 146_940_608, "The encoder; 101 languages of mC4."),
    Known("mT5 base", "google/mt5-base", "encoder-decoder", 12, 768, 277_040_256, "The encoder; 101 languages of mC4."),
    Known("mT5 large", "google/mt5-large", "encoder-decoder", 24, 1024, 564_446_720, "The encoder; 101 languages of mC4."),
    Known("mT5 XL", "google/mt5-xl", "encoder-decoder", 24, 2048, 1_669_958_656, "The encoder; 101 languages of mC4."),
    Known("mDeBERTa v3", "microsoft/mdeberta-v3-base", "encoder", 12, 768, 278_218_752, "Replaced-token detection on CC100."),
    Known("LaBSE", "sentence-transformers/LaBSE", "encoder", 12, 768, 470_926_848, "Trained to match translations."),
    Known(
        "multilingual E5 small",
        "intfloat/multilingual-e5-small",
        "encoder",
        12,
        384,
        117_653_760,
        "Retrieval model; trained with 'query: ' or 'passage: ' before each text, which Isogloss does not add.",
    ),
    Known("multilingual E5 base", "intfloat/multilingual-e5-base", "encoder", 12, 768, 278_043_648, "As the small one."),
    Known("multilingual E5 large", "intfloat/multilingual-e5-large", "encoder", 24, 1024, 559_890_432, "As the small one."),
    Known(
        "BLOOM 560M", "bigscience/bloom-560m", "decoder", 24, 1024, 559_214_592, _BLOOM, "bigscience/bloom-560m-intermediate"
    ),
    Known(
        "BLOOM 1.1B", "bigscience/bloom-1b1", "decoder", 24, 1536, 1_065_314_304, _BLOOM, "bigscience/bloom-1b1-intermediate"
    ),
    Known(
        "BLOOM 1.7B", "bigscience/bloom-1b7", "decoder", 24, 2048, 1_722_408_960, _BLOOM, "bigscience/bloom-1b7-intermediate"
    ),
    Known("BLOOM 3B", "bigscience/bloom-3b", "decoder", 30, 2560, 3_002_557_440, _BLOOM, "bigscience/bloom-3b-intermediate"),
    Known(
        "BLOOM 7.1B", "bigscience/bloom-7b1", "decoder", 30, 4096, 7_069_016_064, _BLOOM, "bigscience/bloom-7b1-intermediate"
    ),
    Known("XGLM 564M", "facebook/xglm-564M", "decoder", 24, 1024, 564_463_616, "Decoder, 30 languages, balanced sampling."),
    Known("Qwen2.5 0.5B", "Qwen/Qwen2.5-0.5B", "decoder", 24, 896, 494_032_768, _QWEN),
    Known("Qwen2.5 1.5B", "Qwen/Qwen2.5-1.5B", "decoder", 28, 1536, 1_543_714_304, _QWEN),
    Known("Qwen3 0.6B", "Qwen/Qwen3-0.6B-Base", "decoder", 28, 1024, 596_049_920, _QWEN),
    Known("Qwen3 1.7B", "Qwen/Qwen3-1.7B-Base", "decoder", 28, 2048, 1_720_574_976, _QWEN),
    Known("Qwen3 4B", "Qwen/Qwen3-4B-Base", "decoder", 36, 2560, 4_022_468_096, _QWEN),
    Known("Llama 3.2 1B", "meta-llama/Llama-3.2-1B", "decoder", 16, 2048, 1_235_814_400, "Decoder; gated: needs a token."),
    Known("Llama 3.2 3B", "meta-llama/Llama-3.2-3B", "decoder", 28, 3072, 3_212_749_824, "Decoder; gated: needs a token."),
    Known("Llama 3.1 8B", "meta-llama/Llama-3.1-8B", "decoder", 32, 4096, 7_504_924_672, "Decoder; gated: needs a token."),
    Known(
        "SmolLM3 3B",
        "HuggingFaceTB/SmolLM3-3B-Base",
        "decoder",
        36,
        2048,
        3_075_000_000,
        "Decoder, six European languages; a checkpoint every 40,000 steps as branches (stage1-step-40000).",
        "HuggingFaceTB/SmolLM3-3B-checkpoints",
    ),
)


def find_entry(hub_id: str) -> Known | None:
    """Return the catalogue's line for a Hub id (or for the repository of its checkpoints), or None."""
    return next((line for line in CATALOGUE if hub_id in (line.hub_id, line.checkpoints)), None)


def nearest(typed: str) -> str | None:
    """The Hub id of the catalogue nearest to what was typed, by id, by its part after the slash or by name; None if far."""
    spellings: dict[str, str] = {}
    for line in CATALOGUE:
        for spelling in (line.hub_id, line.hub_id.split("/")[-1], line.name):
            spellings[spelling.casefold()] = line.hub_id
        if line.checkpoints:
            spellings[line.checkpoints.casefold()] = line.checkpoints
    near = get_close_matches(typed.casefold(), spellings, n=1, cutoff=0.7)
    return spellings[near[0]] if near else None
