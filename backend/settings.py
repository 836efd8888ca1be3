"""What the operator of a server may set, each with an environment variable and a default that works on a laptop."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import platformdirs
from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationError

import isogloss
from isogloss.backend.errors import SpecError

PREFIX = "ISOGLOSS_"
PACKAGE = Path(isogloss.__file__).parent
ROOT = PACKAGE.resolve().parent
"""Where Python finds `isogloss`: the checkout, or the folder of installed packages."""
IN_CHECKOUT = (ROOT / "pyproject.toml").is_file() and (ROOT / "app.py").is_file()
APP = ROOT / "app.py" if IN_CHECKOUT else PACKAGE / "app.py"
DEMO = (PACKAGE / "demo").resolve()
SAID_EMPTY = {"demo", "model_roots"}
"""Settings that are not left out where their variable is empty: it says that there is none."""
ATLASES, ATLAS = "atlases", re.compile("[0-9a-f]{24}")
"""The folder of a workspace that imported atlases lie in, and what each is called there."""
UNITS = {
    "embeddings_gib": "GiB",
    "memory_gib": "GiB",
    "upload_mb": "MB",
    "import_mb": "MB",
    "import_seconds": "seconds",
    "login_hours": "hours",
    "silence_seconds": "seconds",
}
"""What numbers count."""


def _between(separator: str) -> BeforeValidator:
    """Validate what stands between the separators of a text; the rest of a setting is checked in the values it gives."""
    return BeforeValidator(lambda text: [each.strip() for each in text.split(separator) if each.strip()])


def _member(entry: str) -> str:
    """Return an entry of a role. Raises ValueError where it can mean nobody."""
    means = entry.removeprefix("group:").strip() if entry.startswith("group:") else "@" in entry or entry == "*"
    if not means:
        raise ValueError(
            f"has '{entry}', which means nobody. Write e-mail addresses, @domain, group:NAME or *, between commas."
        )
    return entry


def _whole(text: str) -> int | float:
    """Return the whole number below, 1 at least; of what is no length as it is, which is then refused."""
    number = float(text)
    return max(1, math.floor(number)) if 0 < number < math.inf else number


Folder = Annotated[Path, AfterValidator(lambda path: path.expanduser().resolve())]
Roots = Annotated[tuple[Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())], ...], _between(os.pathsep)]
Members = Annotated[tuple[Annotated[str, AfterValidator(_member)], ...], _between(",")]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Megabytes = Annotated[int, BeforeValidator(_whole), Field(gt=0)]


@dataclass(frozen=True)
class Settings:
    """The settings of one server, read from the environment by `settings()`.

    Yes and no are `1` and `0`, or whatever else pydantic takes for them: `true`, `yes`, `on` …
    """

    workspace: Folder = ROOT / "cache" if IN_CHECKOUT else platformdirs.user_data_path("isogloss", appauthor=False)
    """`ISOGLOSS_WORKSPACE`: where corpora, embeddings, scores and the queue are kept. Not set: `cache` in a checkout, else the
    user's own folder for data."""
    demo: Annotated[Folder | None, BeforeValidator(lambda text: text or None)] = DEMO
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
    memory_gib: Positive | None = None
    """`ISOGLOSS_MEMORY_GIB`: the memory of its device that a model may take, in GiB. Not set: what is free. Of one that needs
    more, vectors are computed layer by layer."""
    upload_mb: Megabytes = 1024
    """`ISOGLOSS_UPLOAD_MB`: the largest file that may be dropped on a page, in MB."""
    import_mb: Megabytes = 450
    """`ISOGLOSS_IMPORT_MB`: the most that the files of one import may be, unpacked, and that is kept of them, in MB."""
    import_seconds: Positive = 300.0
    """`ISOGLOSS_IMPORT_SECONDS`: the most that reading the files of one import may take, in seconds."""
    model_roots: Roots | None = None
    """`ISOGLOSS_MODEL_ROOTS`: folders, between colons, that pages may read models from, beside the workspace's own. Not set:
    any that the server can read, or none where people log in. The command line is free."""
    read_only: bool = False
    """`ISOGLOSS_READ_ONLY=1`: whoever opens the dashboard may look and export, without login, and change nothing."""
    viewers: Members = ()
    """`ISOGLOSS_VIEWERS`: who may look, export, pin and write notes; `docs/sharing.md` says how people are named."""
    editors: Members = ()
    """`ISOGLOSS_EDITORS`: who may also start runs, add to the Library and rename."""
    admins: Members = ()
    """`ISOGLOSS_ADMINS`: who may also remove what is kept, and cancel the runs of others."""
    groups_claim: str = "groups"
    """`ISOGLOSS_GROUPS_CLAIM`: what the provider's identity tokens call the groups of a person."""
    login_hours: Positive = 12.0
    """`ISOGLOSS_LOGIN_HOURS`: how long a login counts; then the provider is asked again."""
    silence_seconds: float = 60.0
    """`ISOGLOSS_SILENCE_SECONDS`: how long a worker on another machine says nothing before its work is taken up."""
    watch_command: str | None = None
    """`ISOGLOSS_WATCH_COMMAND`: what workers run by a shell when a rule of a watch says something, told by `ISOGLOSS_NOTE`."""
    worker_nice: Annotated[int, Field(ge=0, le=19)] | None = None
    """`ISOGLOSS_WORKER_NICE`: how far workers give way to the dashboard and all else on their machine, from 0 (not at all) to
    19. Not set: 5, and 0 with a GPU."""

    @property
    def workspaces(self) -> list[Path]:
        """The user's workspace first, then the demo that ships with the repository, then imported atlases."""
        demo = [self.demo] if self.demo and self.demo != self.workspace else []
        return [self.workspace, *demo, *atlases(self.workspace)]

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


def atlases(workspace: Path) -> list[Path]:
    """Return what others published and was imported beside a workspace (`backend.atlas.imported`): workspaces to read."""
    try:
        names = sorted(each.name for each in os.scandir(workspace / ATLASES) if ATLAS.fullmatch(each.name))
    except OSError:
        return []  # mostly there are none
    return [workspace / ATLASES / name for name in names]


def settings() -> Settings:
    """Return the settings in force, read from the environment now (cheap: call it where they are needed).

    Raises `SpecError` naming the variable where a number is none, yes or no is neither, or a role is given to what means
    nobody.
    """
    given = {name: os.environ.get(PREFIX + name.upper()) for name in Settings.__annotations__}
    texts = {name: text.strip() for name, text in given.items() if text is not None}
    try:
        return _READER.validate_python({name: text for name, text in texts.items() if text or name in SAID_EMPTY})
    except ValidationError as error:
        raise _problem(error) from None


_READER = TypeAdapter(Settings)


def _problem(error: ValidationError) -> SpecError:
    """Say pydantic's first complaint in one sentence: which variable, what it has, what it may have."""
    problem = error.errors()[0]
    field, text = str(problem["loc"][0]), problem["input"]
    variable = PREFIX + field.upper()
    if field in UNITS:
        usual = f"{UNITS[field]}{{}}, such as {getattr(Settings, field) or 8:g}, or leave it out."
        try:
            return SpecError(f"{variable} is {float(text):g}. Set it to {usual.format(' above 0')}")
        except ValueError:
            return SpecError(f"{variable} is '{text}', which is no number. Set it to {usual.format('')}")
    match problem["type"]:
        case "bool_parsing":
            return SpecError(f"{variable} is '{text}', which is neither yes nor no. Set it to 1 or 0, or leave it out.")
        case "value_error":
            return SpecError(f"{variable} {str(problem['msg']).removeprefix('Value error, ')}")
        case _:
            return SpecError(f"{variable} is '{text}'. Set it to a whole number from 0 to 19, or leave it out.")
