"""A line above figures whose vectors a first token or few dimensions rule, with the press that asks for others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any

import streamlit as st

from isogloss.backend.experiments.vectors import soundness
from isogloss.backend.experiments.vectors.soundness import Ruled
from isogloss.backend.models.entry import POOLINGS, SENTENCE_VECTOR, Model, Pooling
from isogloss.backend.models.recommended import recommended
from isogloss.backend.option import within_sentence
from isogloss.backend.store.shard_files import ShardFile
from isogloss.pages.widgets.choosing.selecting import Chosen
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

WITHOUT_SINK: Pooling = "without_first"


def tell(selection: Chosen, pooling_of: Callable[[Model], Pooling], *, centred: bool, centre: tuple[str, Any, str]) -> None:
    """Say which models' vectors are ruled at which chosen layers, a line a model; nothing where none are.

    `centred` says whether each language's mean, and so what few dimensions have in common, is taken out of the vectors;
    `centre` is the control that asks for it: its key, its value and what it is called.
    """
    for model in selection.models:
        pooling = pooling_of(model)
        found = _ruled(selection, model, pooling)
        better = recommended(model)[0]
        better = WITHOUT_SINK if better == pooling or better in ("first", "mean_special") else better
        if found.by_first:
            said = (
                f"the first token is up to {found.times:,.0f} times as long as the others and rules the vectors at "
                f"{layers(found.by_first)}: scores there are of that token and of how long a sentence is."
            )
            _line(model, said, SENTENCE_VECTOR.key, better, f"Use the {within_sentence(POOLINGS[better])}")
        elif found.by_few and not centred:
            said = (
                f"three dimensions make up to {found.carried:.0%} of the cosine of two sentences at {layers(found.by_few)}: "
                "scores there are of the little that is left."
            )
            _line(model, said, *centre)


def _ruled(selection: Chosen, model: Model, pooling: Pooling) -> Ruled:
    own = {checkpoint.fingerprint for checkpoint in selection.computed(model)}
    files: Collection[ShardFile] = {file for (fingerprint, _), file in selection.served.items() if fingerprint in own}
    among: dict[str, Any] = {"layers": selection.layers_of(model), "languages": selection.languages}
    return soundness.ruled(sorted({file.run for file in files}), pooling, workspaces(), **among)


def _line(model: Model, said: str, key: str, value: Any, named: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/warning: **{verbatim(model.name)}**: {said}", width="stretch")
        st.button(
            named, key=f"sound-{model.name}", icon=":material/switch_access_shortcut:", on_click=partial(_ask, key, value)
        )


def _ask(key: str, value: Any) -> None:
    st.session_state[key] = value


def layers(numbers: Iterable[int]) -> str:
    """Name layers as within a sentence: `layer 3`, `layers 0 to 4, 7`."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    named = [str(span[0]) if len(span) == 1 else f"{span[0]} to {span[-1]}" for span in spans]
    return f"layer{'s' if len(spans) > 1 or len(spans[0]) > 1 else ''} {', '.join(named)}"
