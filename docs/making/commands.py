"""The command line's reference, as typer itself writes it from the commands' help."""

from __future__ import annotations

import re

import typer.main
from typer.cli import get_docs_for_click

from isogloss.backend.cli import app


def page() -> str:
    """Return Markdown with a section a command: what it does, how it is called, each option."""
    command = typer.main.get_command(app)
    context = command.context_class(command, info_name="isogloss")
    text = get_docs_for_click(obj=command, ctx=context, name="isogloss", title="All commands and options")
    # One below the page's title, and none so deep that it is not told from text.
    return re.sub(r"^(#{1,3})#* ", lambda found: found[1] + "# ", text, flags=re.MULTILINE)
