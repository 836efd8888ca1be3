"""Watch the folder of a training, or a Hub id: its checkpoints are added as they come, and scored on a corpus."""

from __future__ import annotations

import time
from pathlib import Path

import streamlit as st

from isogloss.backend import people
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.errors import IsoglossError, ModelError
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.experiments.spec import validate
from isogloss.backend.jobs.watch import record, rules, template
from isogloss.backend.jobs.watch.record import Watch
from isogloss.backend.models.files import hub
from isogloss.backend.models.library import roots
from isogloss.backend.models.library.library import MAX_NAME
from isogloss.backend.settings import settings
from isogloss.pages.widgets import notes
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.choosing.spoken import name as language_name
from isogloss.pages.widgets.runs import worker
from isogloss.pages.widgets.server import visitor
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

Kind = type[AbxSpec] | type[GeometrySpec] | type[SentenceAlignmentSpec]
MEASURES: dict[str, Kind] = {
    "ABX discrimination": AbxSpec,
    "Sentence alignment": SentenceAlignmentSpec,
    "Geometry": GeometrySpec,
}
"""What may be chosen here, with its options at their defaults; all others by `isogloss watch`."""
RULE = "meaning discrimination of layers 6 to 9 falls by more than its interval from one checkpoint to the next"


def draw(folder: str = "", called: str = "") -> None:
    """Draw the form; `folder` and `called` are what it begins with."""
    known = unique_names([entry for entry in corpora.entries(workspaces()) if len(entry.tags) > 1])
    if not known:
        st.caption("Scores are of a corpus in two languages or more. Add one first.")
        return
    if why := people.refusal("run"):
        st.caption(verbatim(why))
        return
    key = f"watch-{called}"
    typed = st.text_input("Folder of a training, or Hub id", value=folder, placeholder="/data/runs/my-run", key=f"{key}-folder")
    name = st.text_input("Name of the model", value=called, max_chars=MAX_NAME, placeholder="Optional", key=f"{key}-name")
    measure = st.selectbox("Measure", list(MEASURES), key=f"{key}-measure")
    corpus = known[st.selectbox("Corpus", list(known), key=f"{key}-corpus")]
    languages = st.multiselect(
        "Languages", corpus.tags, format_func=language_name, placeholder=f"All {len(corpus.tags)}", key=f"{key}-languages"
    )
    with st.expander("Steps and rules"):
        every = st.number_input("Every so many steps (0: each checkpoint)", 0, None, 0, key=f"{key}-every")
        told = st.text_area("Tell when (a rule a line)", placeholder=RULE, key=f"{key}-rules")
    if st.button(
        "Watch this folder", icon=":material/visibility:", type="primary", key=f"{key}-go", disabled=not typed.strip()
    ):
        spec = MEASURES[measure]
        fields: dict[str, object] = {
            "checkpoints": (template.TO_COME,),
            "corpus": corpus.id,
            "languages": languages or corpus.tags,
        }
        try:
            asked = _asked(typed.strip(), name.strip(), spec, fields, int(every), told)
            record.add(asked, settings().workspace)
            worker.ask()
        except IsoglossError as error:
            st.error(verbatim(str(error)), icon=":material/error:")
            return
        notes.after_rerun(f"{verbatim(asked.model)} is watched: Jobs says what is seen, and Home has its line.")
        st.rerun()


def _asked(typed: str, name: str, kind: Kind, fields: dict[str, object], every: int, told: str) -> Watch:
    """Return the watch. Raises `ModelError` for a path that pages may not read, `SpecError` for what cannot be scored."""
    allowed = visitor.model_roots()
    folder = roots.folder_below_roots(typed, allowed)
    is_hub = folder is None and hub.is_hub_id(typed) and not typed.startswith((".", "/", "~"))
    if not is_hub and (folder is None or not folder.is_dir()):
        raise ModelError(roots.sentence(typed, allowed))
    called = name or Path(typed).name
    kept = template.of(validate(kind, {**fields, "model": called}))
    lines = tuple(line.strip() for line in told.splitlines() if line.strip())
    rules.validate(lines, kept)
    what = {
        "source": "hub" if is_hub else "folder",
        "location": typed if is_hub else str(folder),
        "model": called,
        "spec": kept,
        "every": every,
        "rules": lines,
        "roots": None if allowed is None or is_hub else tuple(map(str, allowed)),
        "by": people.now().name,
        "created_at": time.time(),
    }
    return validate(Watch, what)
