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
    """`ISOGLOSS_EMBEDDINGS_GIB`: how much disk the kept embeddings may take; beyond it the least recently used go, but none
    that the run in hand has used: one that needs more keeps what it computes first."""
    device: str = "auto"
    """`ISOGLOSS_DEVICE`: `auto`, `cpu`, `cuda` or `cuda:1`."""
    upload_mb: int = 1024
    """`ISOGLOSS_UPLOAD_MB`: the largest file that may be dropped on a page, in MB."""
    import_mb: int = 450
    """`ISOGLOSS_IMPORT_MB`: the most that one import may hold in memory, in MB: its texts, unpacked, and some bytes a value."""
    import_seconds: float = 300.0
    """`ISOGLOSS_IMPORT_SECONDS`: the most that reading the files of one import may take, in seconds."""
    model_roots: tuple[Path, ...] | None = None
    """`ISOGLOSS_MODEL_ROOTS`: folders, between colons, that pages may read models from, beside the workspace's own. Not set:
    any that the server can read, or none where people log in. The command line is free."""
    read_only: bool = False
    """`ISOGLOSS_READ_ONLY=1`: whoever opens the dashboard may look and export, without login, and change nothing."""
    viewers: tuple[str, ...] = ()
    """`ISOGLOSS_VIEWERS`: who may look, export, pin and write notes; `docs/sharing.md` says how people are named."""
    editors: tuple[str, ...] = ()
    """`ISOGLOSS_EDITORS`: who may also start runs, add to the Library and rename."""
    admins: tuple[str, ...] = ()
    """`ISOGLOSS_ADMINS`: who may also remove what is kept, and cancel the runs of others."""
    groups_claim: str = "groups"
    """`ISOGLOSS_GROUPS_CLAIM`: what the provider's identity tokens call the groups of a person."""
    login_hours: float = 12.0
    """`ISOGLOSS_LOGIN_HOURS`: how long a login counts; then the provider is asked again."""
    silence_seconds: float = 60.0
    """`ISOGLOSS_SILENCE_SECONDS`: how long a worker on another machine says nothing before its work is taken up."""
    worker_nice: int | None = None
    """`ISOGLOSS_WORKER_NICE`: how far workers give way to the dashboard and all else on their machine, from 0 (not at all) to
    19. Not set: 5, and 0 with a GPU."""

    @property
    def workspaces(self) -> list[Path]:
        """The user's workspace first, then the demo that ships with the repository."""
        return [self.workspace] + ([self.demo] if self.demo and self.demo != self.workspace else [])

    @property
    def names_members(self) -> bool:
        """Return whether any role is given to anybody: then nobody is let in without a login."""
        return bool(self.viewers or self.editors or self.admins)

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


def _positive(name: str, default: float, unit: str) -> float:
    number = _number(name, default, unit)
    if not 0 < number < float("inf"):
        raise SpecError(f"{name} is {number:g}. Set it to {unit} above 0, such as {default:g}, or leave it out.")
    return number


def _niceness(name: str) -> int | None:
    text = os.environ.get(name, "").strip()
    if text and (not text.isdecimal() or int(text) > 19):
        raise SpecError(f"{name} is '{text}'. Set it to a whole number from 0 to 19, or leave it out.")
    return int(text) if text else None


def _members(name: str) -> tuple[str, ...]:
    """Return the entries of a role, between commas. Raises `SpecError` where one can mean nobody."""
    entries = tuple(each.strip() for each in os.environ.get(name, "").split(",") if each.strip())
    for each in entries:
        means = each.removeprefix("group:").strip() if each.startswith("group:") else "@" in each or each == "*"
        if not means:
            raise SpecError(
                f"{name} has '{each}', which means nobody. Write e-mail addresses, @domain, group:NAME or *, between commas."
            )
    return entries


def _roots(name: str) -> tuple[Path, ...] | None:
    text = os.environ.get(name)
    if text is None:
        return None
    return tuple(Path(each).expanduser().absolute() for each in text.split(os.pathsep) if each.strip())


def settings() -> Settings:
    """Return the settings in force, read from the environment now (cheap: call it where they are needed).

    Raises `SpecError` where a number is none, or a role is given to what means nobody.
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
        upload_mb=max(1, int(_positive("ISOGLOSS_UPLOAD_MB", default.upload_mb, "MB"))),
        import_mb=max(1, int(_positive("ISOGLOSS_IMPORT_MB", default.import_mb, "MB"))),
        import_seconds=_positive("ISOGLOSS_IMPORT_SECONDS", default.import_seconds, "seconds"),
        model_roots=_roots("ISOGLOSS_MODEL_ROOTS"),
        read_only=env.get("ISOGLOSS_READ_ONLY", "").strip().casefold() not in {"", "0", "false", "no", "off"},  # doubt closes
        viewers=_members("ISOGLOSS_VIEWERS"),
        editors=_members("ISOGLOSS_EDITORS"),
        admins=_members("ISOGLOSS_ADMINS"),
        groups_claim=env.get("ISOGLOSS_GROUPS_CLAIM") or default.groups_claim,
        login_hours=_positive("ISOGLOSS_LOGIN_HOURS", default.login_hours, "hours"),
        silence_seconds=_number("ISOGLOSS_SILENCE_SECONDS", default.silence_seconds, "seconds"),
        worker_nice=_niceness("ISOGLOSS_WORKER_NICE"),
    )
