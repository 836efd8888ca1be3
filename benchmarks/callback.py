"""What the callback of a training takes of it: announced to a watch, and measured in the process within a share. Prints both.

`python -m benchmarks.callback [STEPS]`: masked language modelling of the demo's encoder on the demo's sentences, a checkpoint
every tenth of the steps; then the same training, from the same weights, without a callback.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import isogloss
from isogloss.backend.jobs import slots
from isogloss.backend.settings import DEMO, settings

START = DEMO / "models" / "mlm" / "checkpoint-2000"


def trained(folder: Path, steps: int, **how: Any) -> tuple[float, Any]:
    """Train; return the seconds it took and what followed it, None for nothing."""
    from transformers import (
        AutoModelForMaskedLM,
        AutoTokenizer,
        DataCollatorForLanguageModeling,
        PrinterCallback,
        Trainer,
        TrainingArguments,
    )

    tokenizer = AutoTokenizer.from_pretrained(START)
    texts = (DEMO / "sentences.tsv").read_text(encoding="utf-8").split("\n")[1:400]
    rows = [{"input_ids": ids} for ids in tokenizer(texts, truncation=True, max_length=64)["input_ids"]]
    arguments = TrainingArguments(
        output_dir=str(folder),
        max_steps=steps,
        save_steps=steps // 10,
        per_device_train_batch_size=8,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        logging_steps=10,
    )
    trainer = Trainer(
        model=AutoModelForMaskedLM.from_pretrained(START),
        args=arguments,
        train_dataset=rows,
        data_collator=DataCollatorForLanguageModeling(tokenizer),
        processing_class=tokenizer,
    )
    trainer.remove_callback(PrinterCallback)
    callback = isogloss.trainer_callback(trainer, "abx", corpus="Demo sentences", **how) if how else None
    if callback is not None:
        trainer.add_callback(callback)
    began = time.perf_counter()
    trainer.train()
    return time.perf_counter() - began, callback and callback.follower


def main(steps: int) -> None:
    """Print seconds, and what the callbacks count as spent."""
    with TemporaryDirectory() as folder:
        os.environ["ISOGLOSS_WORKSPACE"] = str(Path(folder) / "workspace")
        for title, how in (
            ("without a callback", {}),
            ("announced to a watch, a worker beside it", {"name": "Announced", "here": False}),
            ("in the process, max_share=0.01", {"name": "Here", "here": True, "max_share": 0.01}),
            ("in the process, max_share=0.10", {"name": "Here too", "here": True, "max_share": 0.10}),
        ):
            took, follower = trained(Path(folder) / title.replace(" ", "-"), steps, **how)
            share = "" if follower is None else f", of it {follower.spent:.2f} s ({follower.spent / took:.2%}) for the callback"
            skipped = getattr(follower, "skipped", None)
            print(f"{title}: {took:.1f} s{share}" + (f", {skipped} of 10 skipped" if skipped is not None else ""), flush=True)
            for report in slots.alive(settings().workspace):
                if report.pid:
                    os.kill(report.pid, signal.SIGTERM)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
