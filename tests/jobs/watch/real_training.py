"""A small encoder of the product's kind, trained by the Trainer in a process of its own: `FOLDER STEPS SAVE LIMIT`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.models.tiny import SENTENCES, tiny_model


def train(folder: Path, steps: int, save: int, limit: int) -> None:
    """Masked language modelling of a few sentences, a checkpoint every `save` steps, the newest `limit` of which are left."""
    import torch
    from transformers import (
        AutoModelForMaskedLM,
        AutoTokenizer,
        DataCollatorForLanguageModeling,
        Trainer,
        TrainingArguments,
    )

    torch.set_num_threads(1)
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
        logging_steps=save,
    )
    collator = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.3)
    model = AutoModelForMaskedLM.from_pretrained(start)
    Trainer(model=model, args=arguments, train_dataset=rows, data_collator=collator, processing_class=tokenizer).train()


if __name__ == "__main__":
    train(Path(sys.argv[1]), *map(int, sys.argv[2:5]))
