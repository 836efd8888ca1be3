"""Watch the folder of a training, or a Hub id: its checkpoints are added as they come, and scored on a corpus."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from isogloss.backend import people
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.library import DictionaryEntry
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tagged.library import TaggedEntry
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks.library import TaskEntry
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments.library import AlignmentEntry
from isogloss.backend.errors import IsoglossError, ModelError
from isogloss.backend.experiments.spec import validate
from isogloss.backend.jobs.watch import record, rules
from isogloss.backend.jobs.watch.record import Watch
from isogloss.backend.models.files import hub
from isogloss.backend.models.library import roots
from isogloss.backend.models.library.library import MAX_NAME
from isogloss.backend.public.measure import pattern
from isogloss.backend.settings import settings
from isogloss.backend.training.probe.options import QUICK
from isogloss.pages.widgets import notes
from isogloss.pages.widgets.choosing import results
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.choosing.spoken import name as language_name
from isogloss.pages.widgets.runs import worker
from isogloss.pages.widgets.server import visitor
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

Text = CorpusEntry | TaggedEntry | TaskEntry
QUICK_TOLD = (
    f"At most {QUICK.training_words:,} words trained on and {len(QUICK.seeds)} seeds, so that a checkpoint takes minutes; "
    "`isogloss watch` has all options."
)
MEASURES = {
    "ABX discrimination": "abx",
    "Sentence alignment": "sentences",
    "Word alignment": "words",
    "Geometry": "geometry",
    "Probing words": "probing-words",
    "Probing sentences": "probing-sentences",
}
"""What may be chosen here, by its command, with its options at their defaults; all others by `isogloss watch`."""
RULE = "meaning discrimination of layers 6 to 9 falls by more than its interval from one checkpoint to the next"


def draw(folder: str = "", called: str = "") -> None:
    """Draw the form; `folder` and `called` are what it begins with."""
    if why := people.refusal("run"):
        st.caption(verbatim(why))
        return
    key = f"watch-{called}"
    typed = st.text_input("Folder of a training, or Hub id", value=folder, placeholder="/data/runs/my-run", key=f"{key}-folder")
    name = st.text_input("Name of the model", value=called, max_chars=MAX_NAME, placeholder="Optional", key=f"{key}-name")
    measure = MEASURES[st.selectbox("Measure", list(MEASURES), key=f"{key}-measure")]
    options = _options(measure, key)
    if options is None:
        return
    with st.expander("Steps and rules"):
        every = st.number_input("Every so many steps (0: each checkpoint)", 0, None, 0, key=f"{key}-every")
        told = st.text_area("Tell when (a rule a line)", placeholder=RULE, key=f"{key}-rules")
    if st.button(
        "Watch this folder", icon=":material/visibility:", type="primary", key=f"{key}-go", disabled=not typed.strip()
    ):
        try:
            asked = _asked(typed.strip(), name.strip(), measure, options, int(every), told)
            record.add(asked, settings().workspace)
            worker.ask()
        except IsoglossError as error:
            st.error(verbatim(str(error)), icon=":material/error:")
            return
        notes.after_rerun(f"{verbatim(asked.model)} is watched: Jobs says what is seen, and Home has its line.")
        st.rerun()


def _options(measure: str, key: str) -> dict[str, Any] | None:
    """Choose the text, and what else the measure needs, by its command's options; None, which is said, where there is none."""
    entries: Callable[[Sequence[Path]], Sequence[Any]]
    match measure:
        case "probing-words":
            entries, lacking = tagged.entries, "Probes are of tagged text. Add one on its shelf first."
        case "probing-sentences":
            entries, lacking = tasks.entries, "Probes are of a labelled task. Add one on its shelf first."
        case _:
            entries, lacking = corpora.entries, "Scores are of a corpus in two languages or more. Add one first."
    newest: list[Text] = results.own_first(entries)
    known = unique_names([each for each in newest if not getattr(each, "names_only", False) and _several(each)])
    if not known:
        st.caption(lacking)
        return None
    text = known[st.selectbox("Corpus", list(known), key=f"{key}-corpus-{measure}")]
    if measure == "words" and isinstance(text, CorpusEntry):
        return _dictionaries(text, key)
    tags = text.language_tags if isinstance(text, TaggedEntry) else text.tags
    chosen = st.multiselect(
        "Languages", tags, format_func=language_name, placeholder=f"All {len(tags)}", key=f"{key}-languages"
    )
    if not measure.startswith("probing"):
        return {"corpus": text.id, "languages": ",".join(chosen)}
    st.caption(QUICK_TOLD)
    of, amount = ("task", "training_pairs") if measure == "probing-sentences" else ("corpus", "training_words")
    return {of: text.id, "sources": ",".join(chosen), amount: str(QUICK.training_words), "seeds": len(QUICK.seeds)}


def _several(text: Text) -> bool:
    """Whether there is a pair of languages, where scores are of pairs: of a parallel corpus."""
    return not isinstance(text, CorpusEntry) or len(text.tags) > 1


def _dictionaries(corpus: CorpusEntry, key: str) -> dict[str, Any] | None:
    """Choose what pairs the words, at first the newest of each two languages; None, which is said, where nothing does."""
    kept: list[DictionaryEntry | AlignmentEntry] = [*dictionaries.entries(workspaces())]
    kept += [each for each in alignments.entries(workspaces()) if each.corpus == corpus.id]
    spoken = {tag.split("-")[0] for tag in corpus.tags}
    able = [each for each in kept if {each.source.split("-")[0], each.target.split("-")[0]} <= spoken]
    if not able:
        st.caption("Words are paired by a dictionary of two of its languages. Add one on the shelf Dictionaries first.")
        return None
    known = unique_names(sorted(able, key=lambda each: each.created_at, reverse=True))
    of_pairs = {frozenset((each.source, each.target)): name for name, each in reversed(known.items())}
    chosen = st.multiselect("Dictionaries", list(known), list(of_pairs.values()), key=f"{key}-dictionaries-{corpus.id[:6]}")
    return {"corpus": corpus.id, "dictionary": [known[name].id for name in chosen or of_pairs.values()]}


def _asked(typed: str, name: str, measure: str, options: dict[str, Any], every: int, told: str) -> Watch:
    """Return the watch. Raises `ModelError` for a path that pages may not read, `SpecError` for what cannot be scored."""
    allowed = visitor.model_roots()
    folder = roots.folder_below_roots(typed, allowed)
    is_hub = folder is None and hub.is_hub_id(typed) and not typed.startswith((".", "/", "~"))
    if not is_hub and (folder is None or not folder.is_dir()):
        raise ModelError(roots.sentence(typed, allowed))
    called = name or Path(typed).name
    kept = pattern(measure, called, None, None, options, settings())
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
