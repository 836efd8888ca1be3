"""What fine-tuning with a dense record costs; both sides of each comparison from one run.

    python -m benchmarks.finetune [--seeds 1] [--pairs 2000] [--rounds 5]
        [--device cpu] [--threads 2] [--vocabularies 4500 250002]

1. The demo model on pairs of demo sentences in ten languages, as many as the paper trains on (XNLI: 1,992; PAWS-X: 1,600): what
   it takes to get the same IGap with target languages evaluated where the windows say, and at every record point.
2. A training step and an evaluated example against the `transformers` `Trainer`: the same weights, examples, batch size,
   optimiser and precision, by turns. The Trainer needs the package accelerate, which Isogloss does not: install it for this
   (`pip install --target FOLDER --no-deps accelerate`, then `PYTHONPATH=FOLDER`). Without it, ours alone is measured.
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

from isogloss.backend.metrics.transfer.igap import igap
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import Loaded, load
from isogloss.backend.settings import Settings
from isogloss.backend.training.finetune.data import ClassificationData
from isogloss.backend.training.finetune.evaluate import computing_in, evaluating, predict, stream_of
from isogloss.backend.training.finetune.loop import FinetuneResult, finetune
from isogloss.backend.training.finetune.options import FinetuneOptions
from isogloss.backend.training.finetune.run import Run, begin, inputs_of, train_step

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "cache" / "demo" / "models" / "contrast" / "checkpoint-2000"
WINDOWS = ((0.0, 0.001), *((round(0.05 * place, 2), 0.025) for place in range(1, 9)))
STEPS = 40


def demo_task(seed: int, examples: int) -> ClassificationData:
    """Random pairs of demo sentences in ten languages, all pairs of a first sentence with the same random label."""
    rows = [line.split("\t") for line in (ROOT / "cache" / "demo" / "sentences.tsv").read_text("utf-8").strip().split("\n")]
    random = np.random.default_rng([seed, 9])
    chosen = random.integers(1, len(rows), (examples * 5 // 4, 2)).tolist()
    of_sentence = random.integers(0, 2, len(rows))
    labels = np.array([of_sentence[first] for first, _ in chosen])
    pairs = {tag: [(rows[a][i], rows[b][i]) for a, b in chosen] for i, tag in enumerate(rows[0]) if i > 0}
    train = {tag: column[:examples] for tag, column in pairs.items()}
    validation = {tag: column[examples:] for tag, column in pairs.items()}
    return ClassificationData("en", train, labels[:examples], validation, dict.fromkeys(validation, labels[examples:]))


def loaded_from(folder: Path, device: str) -> Loaded:
    settings = Settings(workspace=folder.parent / "workspace", device=device)
    return load(discover(str(folder)).checkpoints[0], settings, full_precision=True)


def igap_of(result: FinetuneResult, languages: list[str], at: float, epsilon: float) -> np.ndarray:
    """IGap of each target language over the records of one run; unmeasured gaps are nan."""
    errors = {(one.step, one.language): one.error for one in result.records if one.split == "train"}
    steps = sorted({one.step for one in result.records})
    train = np.array([errors[step, "en"] for step in steps])
    gaps = [[errors.get((step, tag), np.nan) - errors[step, "en"] for tag in languages] for step in steps]
    return igap(train, np.array(gaps), at, epsilon)


def windowed(options: argparse.Namespace, folder: Path) -> None:
    """Part 1."""
    examples: dict[str, int] = {"window": 0, "always": 0}
    seconds, processor = dict.fromkeys(examples, 0.0), dict.fromkeys(examples, 0.0)
    for seed in range(options.seeds):
        task, found = demo_task(seed, options.pairs), {}
        targets = [tag for tag in task.train if tag != "en"]
        for name, asked in (("window", WINDOWS), ("always", "all")):
            loaded = loaded_from(MODEL, options.device)
            chosen = FinetuneOptions(learning_rate=options.learning_rate, epochs=options.epochs, windows=asked, seed=seed)
            began, worked = time.perf_counter(), time.process_time()
            result = finetune(loaded, task, chosen, folder / f"{name}-{seed}", fingerprint="demo")
            taken = time.perf_counter() - began
            seconds[name], processor[name] = seconds[name] + taken, processor[name] + time.process_time() - worked
            trained, evaluated = result.step * chosen.batch, sum(one.n for one in result.records)
            examples[name] += trained + evaluated
            found[name] = np.stack([igap_of(result, targets, *window) for window in WINDOWS])
            print(
                f"seed {seed}, {name:6}: {result.step} steps ({result.reason}), {trained:,} examples trained on and "
                f"{evaluated:,} evaluated, {taken:.1f} s; IGap known in {np.isfinite(found[name]).all(1).sum()} of "
                f"{len(WINDOWS)} windows, mean {np.nanmean(found[name]):.4f}"
            )
        assert np.array_equal(found["window"], found["always"], equal_nan=True), "the two differ"
        assert np.isfinite(found["window"]).any(), "nothing was measured"
    fewer = {
        "forward passes (training's counted once)": examples,
        "seconds": seconds,
        "seconds of the processor": processor,
    }
    for what, of in fewer.items():
        print(f"{what}: {of['always'] / of['window']:.1f} times fewer   (goal: 4)")


def small_model(folder: Path, vocabulary: int) -> Path:
    """The demo model's shape with fresh weights and a table of `vocabulary` word embeddings."""
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

    torch.manual_seed(0)
    config = AutoConfig.from_pretrained(MODEL, vocab_size=vocabulary, num_labels=2)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.1
    AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(MODEL).save_pretrained(folder)
    return folder


def synchronised(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def trainer_of(folder: Path, loaded: Loaded, run: Run, scratch: Path) -> tuple[Any, Any, Any]:
    """A Trainer doing the same work, its training set and its evaluation set."""
    import transformers
    from transformers import AutoModelForSequenceClassification, DataCollatorWithPadding, Trainer, TrainingArguments

    transformers.logging.set_verbosity_error()
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    arguments = TrainingArguments(
        output_dir=str(scratch),
        max_steps=STEPS,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=64,
        learning_rate=2e-5,
        lr_scheduler_type="constant_with_warmup",
        warmup_steps=4,
        weight_decay=0.0,
        max_grad_norm=1.0,
        bf16=run.precision == torch.bfloat16,
        use_cpu=loaded.device.type == "cpu",
        report_to=[],
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
    )

    def rows(examples: Any, labels: Any) -> list[dict[str, Any]]:
        starts = examples.starts
        return [
            {"input_ids": examples.ids[starts[i] : starts[i + 1]].tolist(), "labels": int(label)}
            for i, label in enumerate(labels)
        ]

    train = rows(run.inputs.train, run.inputs.labels)
    evaluation = [row for part in run.others.parts for row in rows(part.examples, part.labels)]
    collate = DataCollatorWithPadding(loaded.tokenizer)
    return Trainer(model=model, args=arguments, train_dataset=train, data_collator=collate), train, evaluation


def against_trainer(options: argparse.Namespace, folder: Path, vocabulary: int) -> None:
    """Part 2 for one size of vocabulary."""
    place = small_model(folder / f"model-{vocabulary}", vocabulary)
    loaded, task = loaded_from(place, options.device), demo_task(0, options.pairs)
    chosen = FinetuneOptions(epochs=200)
    run = begin(loaded, inputs_of(loaded, task, chosen), chosen, 2)
    runs: dict[str, list[float]] = {}
    compared = importlib.util.find_spec("accelerate") is not None
    began = synchronised(loaded.device)
    stream_of(run.inputs.others, loaded)
    prepared = synchronised(loaded.device) - began
    agree = None
    for turn in range(options.rounds + 1):  # the first is to warm up
        began = synchronised(loaded.device)
        for step in range(1, STEPS + 1):
            train_step(run, step)
        middle = synchronised(loaded.device)
        predict(run.classifier, run.others, run.precision)
        one = {"step, ours": (middle - began) / STEPS}
        one["example, ours"] = (synchronised(loaded.device) - middle) / len(run.others.order)
        if compared:
            trainer, _, evaluation = trainer_of(place, loaded, run, folder / "scratch")
            began = synchronised(loaded.device)
            trainer.train()
            middle = synchronised(loaded.device)
            logits = trainer.predict(evaluation).predictions
            one["step, Trainer"] = (middle - began) / STEPS
            one["example, Trainer"] = (synchronised(loaded.device) - middle) / len(evaluation)
            agree = agreement(run, trainer.model, logits)
        for name, value in one.items():
            runs.setdefault(name, []).extend([value] if turn else [])
    print(
        f"vocabulary of {vocabulary:,}; median (all {options.rounds}) in ms; preparing the stream once: {prepared * 1e3:.0f} ms"
    )
    for name, values in sorted(runs.items(), reverse=True):
        print(f"  {name:17} {statistics.median(values) * 1e3:8.3f}   ({', '.join(f'{value * 1e3:.3f}' for value in values)})")
    if compared:
        for what in ("step", "example"):
            ours, theirs = (statistics.median(runs[f"{what}, {side}"]) for side in ("ours", "Trainer"))
            print(f"  {what}: {theirs / ours:.2f} times faster than the Trainer   (goal: at least 1)")
        print(f"  with the Trainer's weights, our logits are off by at most {agree:.1e}\n")


def agreement(run: Run, model: Any, logits: np.ndarray) -> float:
    """The largest difference between our logits and theirs, of one and the same weights."""
    classifier = run.classifier
    theirs, head = model.state_dict(), [layer for layer in classifier.head if isinstance(layer, torch.nn.Linear)]
    own = {name: value.clone() for name, value in classifier.state_dict().items()}
    with torch.no_grad():
        for name, parameter in classifier.encoder.named_parameters():
            if not name.endswith("word_embeddings.rows"):
                parameter.copy_(theirs[f"roberta.{name}"])
        classifier.words.rows.copy_(theirs["roberta.embeddings.word_embeddings.weight"][classifier.words.met])
        for layer, name in zip(head, ("dense", "out_proj"), strict=True):
            layer.weight.copy_(theirs[f"classifier.{name}.weight"])
            layer.bias.copy_(theirs[f"classifier.{name}.bias"])
        with evaluating(classifier), computing_in(run.precision, run.others):
            ours = torch.cat([classifier(**batch) for batch in run.others.batches]).cpu().numpy()
        classifier.load_state_dict(own)
    return float(np.abs(ours - logits[run.others.order]).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1, help="of part 1")
    parser.add_argument("--learning-rate", type=float, default=3e-4, help="of part 1")
    parser.add_argument("--epochs", type=int, default=4, help="of part 1")
    parser.add_argument("--pairs", type=int, default=2000, help="training examples; a quarter as many for validation")
    parser.add_argument("--rounds", type=int, default=5, help="the median counts")
    parser.add_argument("--vocabularies", type=int, nargs="*", default=[4500, 250_002])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as name:
        on_gpu = torch.cuda.is_available() and options.device != "cpu"
        print(f"{torch.cuda.get_device_name() if on_gpu else f'{options.threads} threads'}; torch {torch.__version__}\n")
        if options.seeds:
            windowed(options, Path(name))
        for vocabulary in options.vocabularies:
            against_trainer(options, Path(name), vocabulary)


if __name__ == "__main__":
    main()
