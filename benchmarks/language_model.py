"""Tokens a second of language-model training; both sides of each comparison from one run.

    python -m benchmarks.language_model [--presets quick paper] [--rounds 5] [--steps 4] [--batch 32]
        [--precisions float32 bfloat16] [--device cpu] [--threads 2]

Pre-training on random symbols and tuning on random tokens, against the `transformers` `Trainer`: the same weights, windows,
batch, dropout, optimiser and precision, by turns. (The two stages cost the same a token: only what the ids are differs.) The
Trainer needs the package accelerate, which Isogloss does not: install it for this (`pip install --target FOLDER --no-deps
accelerate`, then `PYTHONPATH=FOLDER`). Without it, ours alone is measured.

On a GPU: with `torch.compile` too, the share of the card's peak (`--peak`, in TFLOP/s), and how long a run of `paper` takes at
that speed.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from isogloss.backend.training.language_model.evaluate import cross_entropy
from isogloss.backend.training.language_model.options import LanguageModelOptions, preset
from isogloss.backend.training.language_model.run import Run, begin, fresh_model, train_step
from isogloss.backend.training.language_model.weights import save_model
from isogloss.backend.training.resumable.options import Stage, Training
from isogloss.backend.training.resumable.reproducible import precision_on

SYMBOLS = 27
"""Of a source; a target uses the whole vocabulary."""
TARGETS = 10
"""Of a whole run."""


def asked_options(options: argparse.Namespace, name: Any, precision: str, compiled: bool) -> LanguageModelOptions:
    """A preset with a budget of `--steps` steps."""
    chosen = preset(name)
    changes: dict[str, Any] = {"precision": precision, "compile": compiled}
    for training in ("pretraining", "tuning"):
        stage: Stage = getattr(chosen, training)
        batch = options.batch or stage.batch
        tokens = options.steps * batch * chosen.architecture.context
        changes[training] = stage.model_copy(update={"tokens": tokens, "epochs": 1, "batch": batch})
    return chosen.model_copy(update=changes)


def random_windows(options: LanguageModelOptions, training: Training) -> np.ndarray:
    shape, stage = options.architecture, options.pretraining if training == "pre-training" else options.tuning
    symbols = SYMBOLS if training == "pre-training" else shape.vocabulary
    return np.random.default_rng(0).integers(0, symbols, (stage.tokens // shape.context, shape.context), np.int32)


def synchronised(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def stamp(device: torch.device) -> tuple[float, float]:
    """Seconds, and seconds of a processor: with one thread, what other programs hardly change."""
    return synchronised(device), time.process_time()


def between(stamps: list[tuple[float, float]]) -> tuple[float, float]:
    """From the end of the first step to the end of the last: what is done but once is left out on both sides."""
    return stamps[-1][0] - stamps[0][0], stamps[-1][1] - stamps[0][1]


def ours(run: Run) -> tuple[float, float]:
    stamps = []
    for step in range(1, run.steps + 1):
        train_step(run, step)
        stamps.append(stamp(run.device))
    return between(stamps)


def theirs(trainer: Any, device: torch.device) -> tuple[float, float]:
    from transformers import TrainerCallback

    stamps = []

    class Stamps(TrainerCallback):
        def on_step_end(self, *_: Any, **__: Any) -> None:
            stamps.append(stamp(device))

    trainer.add_callback(Stamps())
    trainer.train()
    return between(stamps)


def trainer_of(folder: Path, stage: Stage, windows: np.ndarray, precision: torch.dtype, device: torch.device) -> Any:
    """A Trainer that takes the same steps from the same weights."""
    import transformers
    from transformers import GPT2LMHeadModel, Trainer, TrainingArguments, default_data_collator

    transformers.logging.set_verbosity_error()
    arguments = TrainingArguments(
        output_dir=str(folder / "scratch"),
        num_train_epochs=1,
        per_device_train_batch_size=stage.batch,
        learning_rate=stage.learning_rate,
        lr_scheduler_type="linear",
        weight_decay=stage.weight_decay,
        max_grad_norm=stage.largest_gradient,
        bf16=precision == torch.bfloat16,
        use_cpu=device.type == "cpu",
        report_to=[],
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
    )
    rows = [{"input_ids": row, "labels": row, "attention_mask": [1] * len(row)} for row in windows.tolist()]
    model = GPT2LMHeadModel.from_pretrained(folder / "model")
    return Trainer(model=model, args=arguments, train_dataset=rows, data_collator=default_data_collator)


def compare(options: argparse.Namespace, name: str, precision: str, device: torch.device, compiled: bool) -> None:
    """Both stages of one preset in one precision."""
    chosen = asked_options(options, name, precision, compiled)
    shape = chosen.architecture
    speeds: dict[Training, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        save_model(folder / "model", fresh_model(shape, 0), shape)
        for training in ("pre-training", "tuning"):
            stage = chosen.pretraining if training == "pre-training" else chosen.tuning
            windows = random_windows(chosen, training)
            run = begin(training, fresh_model(shape, 0), windows, chosen, device)
            taken: dict[str, list[tuple[float, float]]] = {"ours": []}
            compared = importlib.util.find_spec("accelerate") is not None and not options.alone
            for turn in range(options.rounds + 1):  # the first is to warm up
                one = ours(run)
                taken["ours"] += [one] if turn else []
                if compared:
                    one = theirs(trainer_of(folder, stage, windows, run.precision, device), device)
                    taken.setdefault("Trainer", []).extend([one] if turn else [])
            tokens = windows.size * (run.steps - 1) // run.steps
            precise = str(run.precision).removeprefix("torch.")
            tell(f"{name}, {training}, {precise}{', compiled' if compiled else ''}", tokens, taken)
            speeds[training] = tokens / statistics.median(seconds for seconds, _ in taken["ours"])
        if device.type == "cuda":
            whole_run(options, name, speeds, run.model, device)


def tell(what: str, tokens: int, taken: dict[str, list[tuple[float, float]]]) -> None:
    for side, found in taken.items():
        seconds = [one for one, _ in found]
        shown = ", ".join(f"{tokens / each:,.0f}" for each in seconds)
        print(f"  {what}: {side:8} {tokens / statistics.median(seconds):10,.0f} tokens/s   ({shown})", flush=True)
    if "Trainer" in taken:
        for kind, which in (("seconds", 0), ("processor seconds", 1)):
            own, other = ([one[which] for one in taken[side]] for side in ("ours", "Trainer"))
            pairs = [b / a for a, b in zip(own, other, strict=True)]
            print(
                f"  {what}: {statistics.median(other) / statistics.median(own):.2f} times the Trainer's speed in {kind}; "
                f"by turns {min(pairs):.2f} to {max(pairs):.2f}   (goal on a CPU: 1.3)",
                flush=True,
            )


def whole_run(options: argparse.Namespace, name: Any, speeds: dict[Training, float], model: Any, device: torch.device) -> None:
    """Share of the card's peak, and how long the preset takes with ten targets."""
    chosen = preset(name)
    achieved = chosen.architecture.training_flop * speeds["pre-training"] / 1e12
    print(f"  {name}: {achieved:.0f} TFLOP/s, {achieved / options.peak:.0%} of the card's {options.peak:.0f}")
    ids = np.random.default_rng(1).integers(0, chosen.architecture.vocabulary, 200_000, np.int32)
    for _ in range(2):
        began = synchronised(device)
        cross_entropy(model, ids, chosen.architecture.context, "correct", precision=precision_on(device, "auto"))
        scored = len(ids) / (synchronised(device) - began)
    first, each = chosen.pretraining, chosen.tuning
    seconds = first.tokens * first.epochs / speeds["pre-training"]
    seconds += TARGETS * (each.tokens * each.epochs / speeds["tuning"] + chosen.evaluation_tokens / scored)
    print(f"  {name}: a whole run of one source and {TARGETS} targets in {seconds / 60:.1f} minutes\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presets", nargs="*", default=["quick", "paper"])
    parser.add_argument("--precisions", nargs="*", default=["auto"])
    parser.add_argument("--rounds", type=int, default=5, help="the median counts")
    parser.add_argument("--steps", type=int, default=4, help="of a round, two at least")
    parser.add_argument("--batch", type=int, default=0, help="windows of a step, where not the preset's")
    parser.add_argument("--alone", action="store_true", help="without the Trainer")
    parser.add_argument("--peak", type=float, default=989.0, help="of the GPU in bfloat16, TFLOP/s; 989 is an H100's")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    on_gpu = torch.cuda.is_available() and options.device != "cpu"
    print(f"{torch.cuda.get_device_name() if on_gpu else f'{options.threads} threads'}; torch {torch.__version__}\n")
    for name in options.presets:
        for precision in options.precisions:
            for compiled in (False, True) if on_gpu else (False,):
                compare(options, name, precision, torch.device("cuda" if on_gpu else "cpu"), compiled)


if __name__ == "__main__":
    main()
