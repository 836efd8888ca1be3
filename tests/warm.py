"""Processes that tests start and kill, forked from one that has imported what they need: imports are most of a start.

A process of tests has one such server for all that it forks, hence one list of modules.
"""

from __future__ import annotations

import multiprocessing

MODULES = [
    "isogloss.backend.cli",
    "isogloss.backend.experiments.transfer.shard",
    "isogloss.backend.jobs.device",
    "isogloss.backend.jobs.workflows",
    "isogloss.backend.models.encoding.encode",
    "isogloss.backend.training.encoder.pretrain",
    "isogloss.backend.training.finetune.loop",
    "isogloss.backend.training.language_model.tune",
    "isogloss.backend.training.signalling_game.loop",
    "isogloss.backend.training.translation.tune",
    "tests.models.tiny",
    "torch._dynamo",  # what the first optimiser of a process imports, for seconds
    "transformers.models.xlm_roberta.modeling_xlm_roberta",
]
WARM = multiprocessing.get_context("forkserver")
WARM.set_forkserver_preload(MODULES)
