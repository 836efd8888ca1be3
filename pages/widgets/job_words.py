"""Where a run stands, as text. What a run computes is in its family's words. No Streamlit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.experiments import registry
from backend.experiments.words import count

if TYPE_CHECKING:
    from backend.jobs.client import Job


def outcome(job: Job) -> str:
    """Where the run stands, in one line. A run of one piece has no checkpoints to count."""
    piece = registry.piece(job.spec)
    if piece is None:
        return _outcome_of_one(job)
    of = f"{job.done} of {count(job.total, piece)} done"
    match job.state:
        case "waiting":
            return "Waiting for a worker"
        case "running":
            return of + (f", now {job.doing}" if job.doing else "")
        case "done":
            return of
        case "failed":
            return f"{of}, {len(job.failures)} failed"
        case "cancelled":
            return f"{of} before it was cancelled"


def _outcome_of_one(job: Job) -> str:
    match job.state:
        case "waiting":
            return "Waiting for a worker"
        case "running":
            return f"Now {job.doing}" if job.doing else "Started"
        case "done":
            return "Computed"
        case "failed":
            return "Not computed"
        case "cancelled":
            return "Cancelled before it was computed"
