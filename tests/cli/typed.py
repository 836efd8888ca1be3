"""Commands as a person types them, run within the test's process."""

from __future__ import annotations

import functools
import io
import json
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, TypeVar

import pytest
from click.testing import Result
from typer.testing import CliRunner

from isogloss.backend.cli import app
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Spec
from tests.pages.made_once import made_once

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Kind = TypeVar("Kind", bound=Spec)


def made_by_typing(fill: Callable[[Path], None]) -> Callable[[Path], None]:
    """`fill(workspace)`, which types commands and may leave files beside what they make: typed once, then copied."""

    @functools.wraps(fill)
    def typed(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as there, redirect_stdout(io.StringIO()):
            there.setenv("ISOGLOSS_WORKSPACE", str(folder))
            fill(folder)

    return made_once(typed)


def run(*arguments: str) -> None:
    """Run a command as `isogloss` does: what it says goes to the standard streams, a failure is a SystemExit."""
    try:
        app(list(arguments), prog_name="isogloss")
    except SystemExit as end:
        if end.code:
            raise


def output(*arguments: str) -> str:
    """What a command that succeeds says. An error of the project is raised as it is, not as its sentence."""
    return _done(*arguments).output


def _done(*arguments: str) -> Result:
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def spec_of(kind: type[Kind], *arguments: str) -> Kind:
    """The spec that `run` makes of the flags `arguments`."""
    found = registry.parse(json.loads(_done("run", *arguments, "--print-spec").stdout))  # notes go to the other stream
    assert isinstance(found, kind)
    return found
