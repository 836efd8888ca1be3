"""A small encoder, trained by `transformers.Trainer`; run in a process of its own: `FOLDER STEPS SAVE LIMIT`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from transformers import Trainer


def small_trainer(folder: Path, steps: int, save: int, limit: int | None = None, *, tokenised: bool = True) -> Trainer:
    """Masked language modelling of a few sentences, a checkpoint every `save` steps, the newest `limit` of which are left."""
    import torch
    from transformers import (
        AutoModelForMaskedLM,
        AutoTokenizer,
        DataCollatorForLanguageModeling,
        Trainer,
        TrainingArguments,
    )

    torch.manual_seed(0)
    start = tiny_model(folder.parent / "start", "xlm-roberta")
    tokenizer = AutoTokenizer.from_pretrained(start)
    rows = [{"input_ids": ids} for ids in tokenizer(SENTENCES * 4)["input_ids"]]
    arguments = TrainingArguments(
        output_dir=str(folder),
        max_steps=steps,
        save_steps=save,
        save_total_limit=limit,
        per_device_train_batch_size=4,
        learning_rate=5e-3,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        logging_steps=5,
    )
    return Trainer(
        model=AutoModelForMaskedLM.from_pretrained(start),
        args=arguments,
        train_dataset=rows,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.3),
        processing_class=tokenizer if tokenised else None,
    )


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    small_trainer(Path(sys.argv[1]), *map(int, sys.argv[2:5])).train()
