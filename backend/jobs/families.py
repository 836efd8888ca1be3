"""The families of experiments by name: how to read a spec, list its shards and compute one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from backend.errors import SpecError, did_you_mean
from backend.experiments.abx import confusions
from backend.experiments.abx import shard as abx
from backend.experiments.alignment import sentences as sentence_alignment
from backend.experiments.alignment import static as static_alignment
from backend.experiments.alignment.words import distributions as word_distributions
from backend.experiments.alignment.words import errors as word_errors
from backend.experiments.alignment.words import pair_precision
from backend.experiments.alignment.words import shard as word_alignment
from backend.experiments.alignment.words import spec as word_alignment_spec
from backend.experiments.emergent.game import shard as language_game
from backend.experiments.library import wikipedia
from backend.experiments.spec import first_problem
from backend.experiments.transfer import shard as transfer
from backend.experiments.transfer import similarity as language_similarity
from backend.experiments.transfer import spec as transfer_spec
from backend.experiments.transfer import weights as transfer_weights
from backend.experiments.translation import shard as translation
from backend.experiments.translation import spec as translation_spec
from backend.experiments.xferbench import shard as xferbench
from backend.experiments.xferbench import spec as xferbench_spec

if TYPE_CHECKING:
    from backend.experiments.spec import Context

AnySpec = (
    abx.AbxSpec
    | confusions.ConfusionsSpec
    | language_game.LanguageGameSpec
    | word_alignment_spec.WordAlignmentSpec
    | word_errors.WordErrorsSpec
    | word_distributions.WordDistributionsSpec
    | pair_precision.PairPrecisionSpec
    | sentence_alignment.SentenceAlignmentSpec
    | static_alignment.StaticAlignmentSpec
    | language_similarity.LanguageSimilaritySpec
    | transfer_spec.TransferSpec
    | transfer_weights.TransferWeightsSpec
    | translation_spec.TranslationSpec
    | wikipedia.WikipediaSpec
    | xferbench_spec.XferBenchSpec
)

SPECS: dict[str, type[AnySpec]] = {
    "abx": abx.AbxSpec,
    "confusions": confusions.ConfusionsSpec,
    "language_game": language_game.LanguageGameSpec,
    "word_alignment": word_alignment_spec.WordAlignmentSpec,
    "word_errors": word_errors.WordErrorsSpec,
    "word_distributions": word_distributions.WordDistributionsSpec,
    "pair_precision": pair_precision.PairPrecisionSpec,
    "sentence_alignment": sentence_alignment.SentenceAlignmentSpec,
    "static_alignment": static_alignment.StaticAlignmentSpec,
    "language_similarity": language_similarity.LanguageSimilaritySpec,
    "transfer": transfer_spec.TransferSpec,
    "transfer_weights": transfer_weights.TransferWeightsSpec,
    "translation": translation_spec.TranslationSpec,
    "wikipedia": wikipedia.WikipediaSpec,
    "xferbench": xferbench_spec.XferBenchSpec,
}


def parse(value: dict[str, Any]) -> AnySpec:
    """A spec from JSON. Raises `SpecError` naming the field that is wrong."""
    family = str(value.get("experiment"))
    if family not in SPECS:
        raise SpecError(f"There is no experiment '{family}'. {did_you_mean(family, SPECS)}")
    try:
        return SPECS[family].model_validate(value)
    except ValidationError as error:
        raise first_problem(error) from error


def compute(spec: AnySpec, shard: str, context: Context) -> None:
    """Compute one shard of `spec` and publish it; returns at once where it is there already."""
    match spec:
        case abx.AbxSpec():
            abx.compute(spec, shard, context)
        case confusions.ConfusionsSpec():
            confusions.compute(spec, shard, context)
        case language_game.LanguageGameSpec():
            language_game.compute(spec, shard, context)
        case word_alignment_spec.WordAlignmentSpec():
            word_alignment.compute(spec, shard, context)
        case word_errors.WordErrorsSpec():
            word_errors.compute(spec, shard, context)
        case word_distributions.WordDistributionsSpec():
            word_distributions.compute(spec, shard, context)
        case pair_precision.PairPrecisionSpec():
            pair_precision.compute(spec, shard, context)
        case sentence_alignment.SentenceAlignmentSpec():
            sentence_alignment.compute(spec, shard, context)
        case static_alignment.StaticAlignmentSpec():
            static_alignment.compute(spec, shard, context)
        case language_similarity.LanguageSimilaritySpec():
            language_similarity.compute(spec, shard, context)
        case transfer_spec.TransferSpec():
            transfer.compute(spec, shard, context)
        case transfer_weights.TransferWeightsSpec():
            transfer_weights.compute(spec, shard, context)
        case translation_spec.TranslationSpec():
            translation.compute(spec, shard, context)
        case wikipedia.WikipediaSpec():
            wikipedia.compute(spec, shard, context)
        case xferbench_spec.XferBenchSpec():
            xferbench.compute(spec, shard, context)
