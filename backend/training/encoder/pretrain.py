"""Pre-train a small encoder of XLM-R's architecture on any parallel corpus, keeping checkpoints on the way.

Conneau et al. 2020 for architecture and masked language modelling; Chi et al. 2021 (InfoXLM) for the translation contrast.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import functional
from transformers import AutoTokenizer, PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaForMaskedLM

from isogloss.backend.errors import ModelError, SpecError
from isogloss.backend.models.device import choose_device
from isogloss.backend.models.encoding.batch_loop import to_device
from isogloss.backend.training.encoder.contrast import mean_pooled, translation_contrast
from isogloss.backend.training.encoder.masking import IGNORED, mask
from isogloss.backend.training.encoder.schedule import Task, learning_rate_factor, randomness, tasks_of
from isogloss.backend.training.encoder.text import Split, Tokens, split
from isogloss.backend.training.encoder.vocabulary import SPECIAL, train_tokenizer
from isogloss.backend.training.resumable.checkpoint import save_checkpoint, save_tokenizer
from isogloss.backend.training.resumable.folder import STATE, RunFolder, claim
from isogloss.backend.training.resumable.progress import Progress
from isogloss.backend.training.resumable.reproducible import fitting, reproducible

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.training.encoder.options import PretrainOptions


@dataclass(frozen=True)
class PretrainProgress(Progress):
    """Where a run is."""

    losses: dict[Task, float]
    """The loss of each task before its update, in nats."""
    tokens_per_second: float

    @property
    def loss(self) -> float:
        """The sum of the tasks' losses."""
        return sum(self.losses.values())


@dataclass(frozen=True)
class PretrainResult:
    """What a run left in its folder."""

    finished: bool
    """False where it was asked to stop; the same call goes on."""
    step: int
    checkpoints: tuple[Path, ...]
    """The folders written so far, by step."""
    held_out: tuple[str, ...]
    """Ids of the sentences never trained on."""


@dataclass(frozen=True)
class _Run:
    options: PretrainOptions
    folder: RunFolder
    tokenizer: PreTrainedTokenizerFast
    tokens: Tokens
    model: XLMRobertaForMaskedLM
    optimizer: torch.optim.AdamW
    device: torch.device


def pretrain(
    corpus: ParallelCorpus,
    options: PretrainOptions,
    folder: Path,
    *,
    progress: Callable[[PretrainProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    state_every: int = 100,
    device: str = "auto",
) -> PretrainResult:
    """Train, or resume a run, and leave `checkpoint-<step>` folders in `folder`.

    The folder also gets `tokenizer/` and `log.jsonl` (losses and learning rate of every step). Arguments of all trainings and
    what they raise: `docs/definitions.md`, "Trainings".

    `corpus` has sentences in one language or more; the contrast needs two. The state is saved every `state_every` steps, the
    most that a kill can lose.

    Raises:
        CorpusError: Too few sentences, or a language that the corpus lacks.
        SpecError: A contrast without translations; the folder belongs to another run, or another process trains in it.
    """
    data = split(corpus, options)
    provenance = {"options": options.model_dump(mode="json"), "corpus": data.digest()}
    beside = {"languages": list(data.languages), "held_out": list(data.held_out)}
    with claim(folder, provenance, what="run", beside=beside) as claimed:
        paths = tuple(folder / f"checkpoint-{step}" for step in options.kept())
        if all(path.exists() for path in paths) and not (folder / STATE).exists():
            return PretrainResult(True, options.steps, paths, data.held_out)
        place = choose_device(device)
        with reproducible(place), fitting(f"Pre-training with batches of {options.batch}", place):
            run = _prepare(options, claimed, data, place)
            step = _train(run, progress, should_stop, state_every)
    return PretrainResult(step == options.steps, step, tuple(path for path in paths if path.exists()), data.held_out)


def _prepare(options: PretrainOptions, folder: RunFolder, data: Split, place: torch.device) -> _Run:
    tokenizer = _tokenizer(options, folder.path, data)
    encoded = tokenizer(list(data.texts), truncation=True, max_length=options.max_tokens)["input_ids"]
    tokens = Tokens.of(data.sentence_ids, encoded, tokenizer.pad_token_id)
    if options.objective == "mlm+contrast" and len(tokens.translations) < 2:
        raise SpecError("The translation contrast needs sentences in at least two languages. Add a language, or choose 'mlm'.")
    torch.manual_seed(options.seed)
    model = XLMRobertaForMaskedLM(_config(options, len(tokenizer)))
    model.to(place)  # type: ignore[arg-type]
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay)
    return _Run(options, folder, tokenizer, tokens, model, optimizer, place)


def _tokenizer(options: PretrainOptions, folder: Path, data: Split) -> PreTrainedTokenizerFast:
    """Train the tokeniser, or load the one an earlier start of this run trained."""
    path = folder / "tokenizer"
    if not path.exists():
        save_tokenizer(path, train_tokenizer(data.texts, options.vocabulary, options.max_tokens))
    tokenizer: PreTrainedTokenizerFast = AutoTokenizer.from_pretrained(path, local_files_only=True)  # type: ignore[assignment]
    return tokenizer


def _config(options: PretrainOptions, vocabulary: int) -> XLMRobertaConfig:
    return XLMRobertaConfig(
        vocab_size=vocabulary,
        hidden_size=options.dims,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        intermediate_size=options.feed_forward or 4 * options.dims,
        hidden_dropout_prob=options.dropout,
        attention_probs_dropout_prob=options.dropout,
        max_position_embeddings=options.max_tokens + 2,  # RoBERTa counts positions from the padding id plus one
        type_vocab_size=1,
        layer_norm_eps=1e-5,
    )


def _train(
    run: _Run, progress: Callable[[PretrainProgress], None] | None, should_stop: Callable[[], bool] | None, state_every: int
) -> int:
    """Take the steps that are left; return the last step taken."""
    options, folder = run.options, run.folder
    first = folder.load(run.model, run.optimizer)
    if first == 0:
        _keep(run, 0)
    for step in range(first + 1, options.steps + 1):
        began = time.perf_counter()
        losses, tokens = _step(run, step)
        if not all(math.isfinite(loss) for loss in losses.values()):
            raise ModelError(f"The loss is no longer a number at step {step}. Choose a lower learning rate and a new folder.")
        speed = tokens / (time.perf_counter() - began)
        rate = run.optimizer.param_groups[0]["lr"]
        rounded: dict[str, float] = {task: round(loss, 5) for task, loss in losses.items()}
        folder.note({"step": step, **rounded, "learning_rate": rate})
        _keep(run, step)
        stopping = should_stop is not None and should_stop()
        if step < options.steps and (stopping or step % state_every == 0):
            folder.save(run.model, run.optimizer, step)
        if progress is not None:
            progress(PretrainProgress(step, options.steps, losses, speed))
        if stopping and step < options.steps:
            return step
    folder.remove_state()
    return options.steps


def _keep(run: _Run, step: int) -> None:
    if step in run.options.kept():
        save_checkpoint(run.folder.path / f"checkpoint-{step}", run.model, run.tokenizer, precision=run.options.precision)


def _step(run: _Run, step: int) -> tuple[dict[Task, float], int]:
    """Take one update of the weights for each task: the losses before them, and how many tokens they saw."""
    options, random = run.options, randomness(run.options.seed, step)
    torch.manual_seed(int(random.integers(2**31)))  # dropout
    for group in run.optimizer.param_groups:
        group["lr"] = options.learning_rate * learning_rate_factor(step, options.steps, min(options.warmup, options.steps))
    losses: dict[Task, float] = {}
    seen = 0
    for task in tasks_of(options.objective):
        match task:
            case "mlm":
                loss, tokens = _masked_loss(run, random)
            case "contrast":
                loss, tokens = _contrast_loss(run, random)
        run.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(run.model.parameters(), 1.0)
        run.optimizer.step()
        losses[task], seen = loss.item(), seen + tokens
    return losses, seen


def _masked_loss(run: _Run, random: np.random.Generator) -> tuple[torch.Tensor, int]:
    ids = run.tokens.pad(run.tokens.draw(run.options.batch, random))
    ordinary = range(len(SPECIAL), run.tokenizer.mask_token_id)
    hidden, labels = mask(
        ids, _words(ids), share=run.options.masked, mask_id=run.tokenizer.mask_token_id, ordinary=ordinary, random=random
    )
    hidden, labels, present = (to_device(value, run.device) for value in (hidden, labels, ids != run.tokens.padding))
    states = run.model.roberta(input_ids=hidden, attention_mask=present.long()).last_hidden_state
    chosen = labels != IGNORED  # scoring the vocabulary for the other tokens would be most of the work, for nothing
    return functional.cross_entropy(run.model.lm_head(states[chosen]), labels[chosen]), int(present.sum())


def _contrast_loss(run: _Run, random: np.random.Generator) -> tuple[torch.Tensor, int]:
    one, other = run.tokens.draw_pairs(run.options.batch, random)
    ids = run.tokens.pad([*one, *other])
    words, ids = to_device(_words(ids), run.device), to_device(ids, run.device)
    present = ids != run.tokens.padding
    output = run.model.roberta(input_ids=ids, attention_mask=present.long(), output_hidden_states=True)
    vectors = mean_pooled(output.hidden_states[run.options.contrast_layer], words)
    loss = translation_contrast(vectors[: len(one)], vectors[len(one) :], run.options.temperature)
    return loss, int(present.sum())


def _words(ids: torch.Tensor) -> torch.Tensor:
    """Return True for tokens of the text: neither padding, `<s>` nor `</s>`; an unknown one is still text."""
    return ids > SPECIAL.index("</s>")
