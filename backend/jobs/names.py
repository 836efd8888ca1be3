"""What the worker and those who submit to it must call alike."""

RUNS, SHARDS = "isogloss-runs", "isogloss-shards"
APPLICATION, VERSION = "isogloss", "1"
"""One version for all releases: shards are idempotent, so that newer code may finish what older code began."""
