"""Names that the worker and the processes that submit to it share."""

RUNS, SHARDS = "isogloss-runs", "isogloss-shards"
RUN, SHARD = "run", "shard"
ACTIVE = ["ENQUEUED", "PENDING", "DELAYED"]
"""States of what is not over."""
APPLICATION, VERSION = "isogloss", "1"
"""One version for all releases: shards are idempotent, so that newer code may finish what older code began."""
RUNS_AT_ONCE = 16
"""Runs that a worker waits for; it computes one shard at a time."""
