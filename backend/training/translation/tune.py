"""Tune a pre-trained translation model on parallel text and score its translations."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from isogloss.backend.files import file_digest
from isogloss.backend.training.resumable.checkpoint import WEIGHTS
from isogloss.backend.training.resumable.run import TrainingControls, run_training
from isogloss.backend.training.translation.evaluate import Example, bleu, chrf, translate
from isogloss.backend.training.translation.model import freeze, load_model
from isogloss.backend.training.translation.run import begin_tuning, fresh_model, with_fresh_embeddings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Unpack

    import torch

    from isogloss.backend.training.translation.options import Setting, TranslationOptions
    from isogloss.backend.training.translation.pairs import TranslationText
    from isogloss.backend.training.translation.run import TranslationRun

EXAMPLES = 5
"""Translations that are kept to be looked at: the first of the test."""


@dataclass(frozen=True)
class TranslatedScore:
    """What tuning gave. The tuned model is not kept."""

    finished: bool
    """False where it was asked to stop; the same call goes on."""
    step: int
    steps: int
    chrf: dict[int, float] | None
    """By width of the beam, 0 to 100; None where it has not finished. Higher is better."""
    bleu: dict[int, float] | None
    """As `chrf`."""
    examples: tuple[Example, ...]
    """A few sentences with the reference and the translation by the narrowest beam."""


def tune(
    base: Path | None,
    text: TranslationText,
    setting: Setting,
    options: TranslationOptions,
    folder: Path,
    **following: Unpack[TrainingControls],
) -> TranslatedScore:
    """Give a model fresh embeddings, tune it on pairs and score it, or go on where a run was stopped or killed.

    `text` is from `backend.training.translation.pairs.translation_text`, with the same options. `setting` is what is tuned: the
    budget and the learning rate of `reduced` are in the options. Other arguments, and what is raised, as for
    `backend.training.language_model.tune.tune`.
    """
    provenance = {
        "weights": file_digest(base / WEIGHTS) if base else None,
        "data": text.digest(),
        "setting": setting,
        "options": options.model_dump(mode="json", exclude={"pretraining", "infilling"}),
    }

    def begin(device: torch.device) -> TranslationRun:
        model = load_model(base, options.architecture) if base else fresh_model(options.architecture, options.seed)
        freeze(with_fresh_embeddings(model, options.architecture, options.seed), setting)
        return begin_tuning(model, text, options, device)

    def finish(run: TranslationRun) -> dict[str, Any]:
        return _scores(run, text, options, following.get("should_stop"))

    end = run_training(folder, provenance, "tuning run of a translation model", options.tuning, begin, finish, following)
    steps = options.tuning.steps(len(text.sources))
    if end.found is None:
        return TranslatedScore(False, end.step, steps, None, None, ())
    chrfs, bleus = ({int(beam): float(value) for beam, value in end.found[metric].items()} for metric in ("chrf", "bleu"))
    return TranslatedScore(True, end.step, steps, chrfs, bleus, tuple(Example(**each) for each in end.found["examples"]))


def _scores(
    run: TranslationRun, text: TranslationText, options: TranslationOptions, should_stop: Callable[[], bool] | None
) -> dict[str, Any]:
    """Scores chrF and BLEU by the width of the beam, and the first translations by the narrowest."""
    scores: dict[str, Any] = {"chrf": {}, "bleu": {}}
    for beam in options.beams:
        hypotheses = translate(run.model, text, beam, options, precision=run.precision, should_stop=should_stop)
        scores["chrf"][str(beam)] = chrf(hypotheses, text.references)
        scores["bleu"][str(beam)] = bleu(hypotheses, text.references)
        if "examples" not in scores:
            triples = zip(text.test_sources, text.references, hypotheses, strict=True)
            scores["examples"] = [asdict(Example(*triple)) for triple in list(triples)[:EXAMPLES]]
    return scores
