"""The examples whose label did not transfer: the source's text, its translation, the gold label and both predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.tasks.task import Split
from isogloss.backend.experiments.sentence_notes import sentence, with_notes
from isogloss.backend.experiments.transfer import examples as transfer_examples
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.experiments.transfer import summary as transfer_summary
from isogloss.backend.experiments.transfer.examples import Kind
from isogloss.backend.experiments.words import count
from isogloss.backend.store.records import RecordFile
from isogloss.pages.transfer.shared import directions, frames, lacking, together
from isogloss.pages.transfer.shared.cards import EXAMPLES
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.transfer.training import keep
from isogloss.pages.transfer.views import curves
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.choosing.choices import segments, select, start_index
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.lists import lines, paging, sentence_notes
from isogloss.pages.widgets.server.keyed import BY_KEY, Keyed
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

PAGE = 8
"""Examples at once: each has two to four texts."""
KINDS: dict[str, Kind] = {"Right → wrong": "lost", "Wrong in both": "wrong", "Wrong → right": "gained", "Right in both": "kept"}
PARTS: dict[str, Split] = {"Training": "train", "Validation": "validation"}
AT_IGAP, LAST = "IGap's record", "Last step"


@dataclass(frozen=True)
class Looked:
    """One model on one part of the data: the file of its run, its step, and the direction."""

    file: RecordFile
    step: int
    source: str
    target: str
    part: Split


def draw(selection: Selection) -> None:
    """Draw one record's examples: their numbers by kind, the confusion matrix, and a filtered list."""
    if selection.runs.empty:
        frames.say_empty()
        return
    looked = _choose(selection)
    if looked is None:
        return
    record = Keyed(f"{looked.file.path}:{looked.file.modified}", looked.file)
    examples = _examples(record, looked.step, looked.target, looked.part)
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(summary(examples, looked.source, looked.target))
        if selection.data.kind == "parallel":
            st.caption("Labels are random: a model can only have learned them by heart.")
    with right:
        labels = sorted({*examples["target_gold"], *examples["target_predicted"]})
        st.caption(f"Examples, gold (rows) × predicted in {verbatim(language(looked.target).name)} (columns)")
        st.dataframe(transfer_examples.confusions(examples, labels), key="confusions")
    corpus = str(looked.file.provenance["corpus"])
    noted = sentence_notes.known(corpus)
    shown, tag = _filtered(examples, noted)
    annotated = partial(with_notes, corpus=corpus, of={"row_id": ""}, tag=tag, workspaces=workspaces())
    with guard():
        data = annotated(examples)
    _list(looked, shown[shown["row_id"].isin(data["row_id"])], corpus, noted)
    figure.beside(
        name=f"Examples {looked.source} {looked.target} {looked.part} step {looked.step} of run {looked.file.run[:8]}",
        data=data,
        card=EXAMPLES,
        recipe=Recipe(
            (
                partial(
                    transfer_frames.examples_of,
                    workspaces=workspaces(),
                    run=looked.file.run,
                    step=looked.step,
                    target=looked.target,
                    part=looked.part,
                ),
                annotated,
            )
        ),
    )


def _choose(selection: Selection) -> Looked | None:
    """Return the model, the direction and the record, by select boxes; None (and why) where there is no such record."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _, model = directions.model_of(selection)
        runs = selection.runs[(selection.runs[BY] == list(model)).all(axis=1)]
        sources = [each for each in selection.sources if each in set(runs["source"])]
        source = select("Trained on", sources, "pair_source", named=language_name, width=200)
        targets = [each for each in selection.targets if each != source]
        if not targets:
            st.info("Choose another language under “Evaluated in”.", icon=":material/info:")
            return None
        target = select("Evaluated in", targets, "pair_target", named=language_name, width=200)
    together.tell_one(selection, model)
    runs = runs[runs["source"] == source]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = more.view_options()
        if st.button("Curve of this direction", icon=":material/show_chart:", type="tertiary", key="to_curve"):
            curves.open_direction(source, target)
    with options:
        parts = list(PARTS) if selection.data.kind == "task" else ["Training"]
        parts = parts if selection.data.translated else ["Validation"]
        start_index("at_part", parts)
        part = PARTS[parts[0]]
        if len(parts) > 1:
            part = PARTS[segments("Examples", parts, "at_part", "Training")]
        records = [AT_IGAP, LAST] if selection.data.translated else [LAST]
        start_index("at_record", records)
        record = segments("Model of", records, "at_record", records[0])
        at, epsilon = (0.0, 0.0) if record == LAST else frames.window(options)
    place = _last(runs, options) if record == LAST else _at_igap(selection, model, source, target, at, epsilon)
    if place is None:
        return None
    run, step = place
    file = next(file for file in reversed(selection.have) if file.run == run)
    row = runs[runs["run"] == run].iloc[0]
    step = int(file.provenance["steps"]) if step is None else step
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = next(name for name, each in PARTS.items() if each == part)
        run = run_name(row["learning_rate"], row["seed"])
        st.caption(f"{shown} examples, {record if record == AT_IGAP else record.lower()}: step {step:,} of the run with {run}.")
        keep.offer(selection, file, step)
    return Looked(file, step, source, target, part)


def _at_igap(
    selection: Selection, model: Sequence[object], source: str, target: str, at: float, epsilon: float
) -> tuple[str, int | None] | None:
    """Return the run and step behind the IGap of a window."""
    errors = frames.errors(selection)
    errors = errors[(errors["source"] == source) & (errors["target"] == target)]
    found = transfer_frames.rows_of_model(transfer_summary.igaps(errors, BY, at, epsilon), BY, model)
    if len(found) and found["step"].iloc[0] >= 0:
        return str(found["run"].iloc[0]), int(found["step"].iloc[0])
    lacking.offer(selection, at, epsilon)
    asked = directions.Asked("igap", at=at, epsilon=epsilon)
    why = next(iter(directions.notes(selection, asked, found).values()), "not evaluated")
    st.info(f"There is no IGap here: {why}; or choose the last step under “View options”.", icon=":material/info:")
    return None


def _last(runs: pd.DataFrame, options: DeltaGenerator) -> tuple[str, int | None]:
    """Return one of the runs, at its end; they are chosen from in `options`."""
    runs = runs.sort_values(["learning_rate", "seed"])
    names = {run_name(row["learning_rate"], row["seed"]): str(row["run"]) for row in runs.to_dict("records")}
    with options:
        return names[select("Run", list(names), "at_run", width=260)], None


def run_name(learning_rate: float, seed: int) -> str:
    """Return a run among those of one model and source."""
    return f"learning rate {learning_rate:g}, seed {seed}"


@st.cache_resource(show_spinner="Reading the examples …", max_entries=16, hash_funcs=BY_KEY)
def _examples(record: Keyed[RecordFile], step: int, target: str, part: Split) -> pd.DataFrame:
    # A resource, not data: it is only read, and a copy of some thousand texts at every change of a filter would be slow.
    return transfer_examples.of_record(record.value, step, target, part, workspaces())


def summary(examples: pd.DataFrame, source: str, target: str) -> str:
    """Return how many examples are of each kind, in Markdown."""
    counts = examples["kind"].value_counts()
    lost, wrong, gained = (int(counts.get(kind, 0)) for kind in ("lost", "wrong", "gained"))
    first, second = verbatim(language(source).name), verbatim(language(target).name)
    return (
        f"**{lost:,} of {count(len(examples), 'example')}** did not transfer: right in {first}, wrong in {second}. "
        f"{wrong:,} wrong in both, {gained:,} right in {second} alone."
    )


def _filtered(examples: pd.DataFrame, noted: sentence_notes.Known) -> tuple[pd.DataFrame, str | None]:
    """Return the examples of the kind, labels and words chosen, and the tag that is asked for besides."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.selectbox(
            "Show", list(KINDS), key="kind", bind="query-params", width=180, help="In the source language → in the target."
        )
        wanted = st.text_input("Filter", key="example_filter", bind="query-params", placeholder="Words of a text", width=180)
        chosen = more.changed({"gold": [], "predicted": []})
        with st.popover(f"Labels · {chosen} chosen" if chosen else "Labels", icon=":material/filter_alt:", key="of_labels"):
            gold = _labels("Gold label", "gold", sorted(set(examples["target_gold"])))
            predicted = _labels("Predicted in the target", "predicted", sorted(set(examples["target_predicted"])))
        tag = sentence_notes.choose(noted)
    return filter_examples(examples, KINDS[kind], wanted, gold, predicted), tag


def _labels(label: str, key: str, options: list[str]) -> list[str]:
    kept = [each for each in st.session_state.get(key, []) if each in options]
    if key in st.session_state and kept != st.session_state[key]:
        st.session_state[key] = kept
    return st.multiselect(label, options, key=key, bind="query-params", placeholder="All", width=200)


def filter_examples(
    found: pd.DataFrame, kind: Kind, wanted: str, gold: Sequence[str], predicted: Sequence[str]
) -> pd.DataFrame:
    """The examples of a kind with one of these labels (all, where none is named) and these words in a text, in any case."""
    rows = found[found["kind"] == kind]
    for column, labels in (("target_gold", gold), ("target_predicted", predicted)):
        if labels:
            rows = rows[rows[column].isin(list(labels))]
    if text := wanted.strip().casefold():
        texts = rows[["source_text", "source_pair", "target_text", "target_pair"]].fillna("")
        rows = rows[texts.apply(lambda column: column.str.casefold().str.contains(text, regex=False)).any(axis=1)]
    return rows


def _list(looked: Looked, rows: pd.DataFrame, corpus: str, noted: sentence_notes.Known) -> None:
    """Draw the examples page by page."""
    if rows.empty:
        st.info("No example fits. Clear the filters or show another kind.", icon=":material/filter_alt_off:")
        return
    st.caption(f"{count(len(rows), 'example')}. The text, its translation, and at the right what each was taken for.")
    where, on_page = paging.paged(len(rows), PAGE, "example_page")
    for place, row in enumerate(rows.iloc[on_page].to_dict("records")):
        with where, st.container(border=True):
            gold = f"gold: {row['gold']} · " if row["gold"] == row["target_gold"] else f"gold: {row['gold']} here · "
            _texts(row["source_text"], row["source_pair"], looked.source, f"{gold}predicted: {row['source_predicted']}")
            own = "" if row["gold"] == row["target_gold"] else f"gold: {row['target_gold']} here · "
            _texts(row["target_text"], row["target_pair"], looked.target, f"{own}predicted: {row['target_predicted']}")
            sentence_notes.below({"Example": sentence(corpus, row["row_id"])}, noted, place)


def _texts(text: str, second: str | None, tag: str, note: str) -> None:
    lines.line(text, tag, note)
    if second is not None:
        lines.line(second, tag)
