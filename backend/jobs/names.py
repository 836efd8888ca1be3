"""Names that the worker and the processes that submit to it share."""

RUNS, SHARDS = "isogloss-runs", "isogloss-shards"
RUN, SHARD = "run", "shard"
APPLICATION, VERSION = "isogloss", "1"
"""One version for all releases: shards are idempotent, so that newer code may finish what older code began."""
