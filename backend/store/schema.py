"""The one long table of scores that every family of measurements writes."""

from __future__ import annotations

import pyarrow as pa

SCORES = pa.schema(
    [
        ("run", pa.string()),  # hash of the shard that computed the row (also its file's name)
        ("experiment", pa.string()),  # family: abx, alignment, transfer, emergent, probing
        ("metric", pa.string()),  # abx_language, abx_meaning, retrieval_top1 …
        ("model", pa.string()),  # the model's name
        ("checkpoint", pa.string()),  # the checkpoint's fingerprint
        ("step", pa.int64()),  # training step, null where unknown
        ("layer", pa.int16()),  # 0 is the input embedding, null where it does not apply
        ("source", pa.string()),  # BCP-47 language (corpus id for XferBench)
        ("target", pa.string()),  # for symmetric scores source < target
        ("corpus", pa.string()),  # content id of the corpus
        ("variant", pa.string()),  # protocol and options, such as exact/mean/all
        ("seed", pa.int64()),  # null where nothing is random
        ("value", pa.float64()),
        ("low", pa.float64()),  # 95% interval; its method is documented beside the metric
        ("high", pa.float64()),
        ("n", pa.int64()),  # sentences (or examples) the value rests on
        ("created_at", pa.timestamp("us", tz="UTC")),
    ]
)
