"""Processes that tests start and kill, forked from one that has imported what they need: imports are most of a start.

A process of tests has one such server for all that it forks, hence one list of modules.
"""

from __future__ import annotations

import multiprocessing

MODULES = [
    "backend.cli",
    "backend.experiments.transfer.shard",
    "backend.jobs.device",
    "backend.jobs.workflows",
    "backend.models.encoding.encode",
    "backend.training.encoder.pretrain",
    "backend.training.finetune.loop",
    "backend.training.language_model.tune",
    "backend.training.signalling_game.loop",
    "backend.training.translation.tune",
    "tests.models.tiny",
    "torch._dynamo",  # what the first optimiser of a process imports, for seconds
    "transformers.models.xlm_roberta.modeling_xlm_roberta",
]
WARM = multiprocessing.get_context("forkserver")
WARM.set_forkserver_preload(MODULES)
