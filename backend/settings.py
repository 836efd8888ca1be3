"""What the operator of a server may set, each with an environment variable and a default that works on a laptop."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from backend.errors import SpecError

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "cache" / "demo"


@dataclass(frozen=True)
class Settings:
    """The settings of one server. Read once from the environment by `settings()`."""

    workspace: Path = ROOT / "cache"
    """`ISOGLOSS_WORKSPACE`: where corpora, embeddings, scores and the queue are kept."""
    demo: Path | None = DEMO
    """`ISOGLOSS_DEMO`: a second, read-only workspace shown beside the first; empty to show none."""
    queue_url: str | None = None
    """`ISOGLOSS_QUEUE_URL`: a Postgres URL when several machines share the queue; SQLite in the workspace otherwise."""
    allow_pickle: bool = False
    """`ISOGLOSS_ALLOW_PICKLE=1`: also load `.bin` and `.pt` weights (with `weights_only`). Off: safetensors alone."""
    embeddings_gib: float = 20.0
    """`ISOGLOSS_EMBEDDINGS_GIB`: how much disk the kept embeddings may take; beyond it the least recently used go."""
    device: str = "auto"
    """`ISOGLOSS_DEVICE`: `auto`, `cpu`, `cuda` or `cuda:1`."""
    silence_seconds: float = 60.0
    """`ISOGLOSS_SILENCE_SECONDS`: how long a worker on another machine says nothing before its work is taken up."""

    @property
    def workspaces(self) -> list[Path]:
        """The user's workspace first, then the demo that ships with the repository."""
        return [self.workspace] + ([self.demo] if self.demo and self.demo != self.workspace else [])

    @property
    def sqlite_path(self) -> Path:
        """The file of the durable queue where no server is named."""
        return self.workspace / "jobs" / "queue.sqlite"

    @property
    def system_database_url(self) -> str:
        """The SQLAlchemy URL of the durable queue."""
        return self.queue_url or f"sqlite:///{self.sqlite_path}"


def _number(name: str, default: float, unit: str) -> float:
    text = os.environ.get(name) or str(default)
    try:
        return float(text)
    except ValueError:
        raise SpecError(
            f"{name} is '{text}', which is no number. Set it to {unit}, such as {default:g}, or leave it out."
        ) from None


def settings() -> Settings:
    """Return the settings in force, read from the environment now (cheap: call it where they are needed).

    Raises `SpecError` where ISOGLOSS_EMBEDDINGS_GIB or ISOGLOSS_SILENCE_SECONDS is no number.
    """
    env = os.environ
    default = Settings()
    demo = env.get("ISOGLOSS_DEMO")
    return Settings(
        workspace=Path(env.get("ISOGLOSS_WORKSPACE", default.workspace)).expanduser().resolve(),
        demo=default.demo if demo is None else (Path(demo).expanduser().resolve() if demo else None),
        queue_url=env.get("ISOGLOSS_QUEUE_URL") or None,
        allow_pickle=env.get("ISOGLOSS_ALLOW_PICKLE", "") in {"1", "true", "yes"},
        embeddings_gib=_number("ISOGLOSS_EMBEDDINGS_GIB", default.embeddings_gib, "GiB"),
        device=env.get("ISOGLOSS_DEVICE", default.device),
        silence_seconds=_number("ISOGLOSS_SILENCE_SECONDS", default.silence_seconds, "seconds"),
    )
