"""Ask before rows are lost: what each file would lose, why, and where, above the button that goes on without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import streamlit as st

from isogloss.backend.corpora.shared import loss
from isogloss.pages.widgets.words import verbatim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.shared.loss import Loss

REMEDY = "Correct the file and upload it again, or save what is left."
GO_ON = "Save without them"
"""The label of the button that goes on, which is never the page's main one."""


def ask(losses: Sequence[Loss], remedy: str = REMEDY) -> bool:
    """Draw a warning for each file that loses more than `loss.MOST_LOST` of its rows. Returns whether any does."""
    large_losses = loss.large(losses)
    for each in large_losses:
        places = " · ".join(what if line == loss.NO_LINE else f"line {line:,}: {what}" for line, what in each.examples)
        st.warning(
            f"**{verbatim(each.file)}**: {verbatim(each.text)}.  \n{verbatim(f'For instance {places}.')} {verbatim(remedy)}",
            icon=":material/warning:",
        )
    return bool(large_losses)


def importance(*, asks: bool) -> Literal["primary", "secondary"]:
    """Return the type of a button that keeps what was read."""
    return "secondary" if asks else "primary"
