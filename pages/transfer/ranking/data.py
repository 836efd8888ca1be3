"""What a ranking of transfer directions is made of: a task's runs for the gold, a parallel corpus's runs and similarities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments.checkpoint_scores import Pair, serving
from isogloss.backend.experiments.transfer import queries as transfer_queries
from isogloss.backend.experiments.transfer import ranking as transfer_ranking
from isogloss.backend.experiments.transfer import runs
from isogloss.backend.experiments.transfer import similarity as language_similarity
from isogloss.backend.experiments.transfer import summary as transfer_summary
from isogloss.backend.experiments.transfer.similarity import LanguageSimilaritySpec
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.store import scores
from isogloss.backend.store.scores import ShardFile
from isogloss.pages.transfer.shared import frames
from isogloss.pages.transfer.shared.selection import BY, LabelledData, Selection
from isogloss.pages.widgets.choosing import prefixes
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import by_unique_name
from isogloss.pages.widgets.workspace import workspaces


@dataclass(frozen=True)
class Sides:
    """One model, looked at on both sides."""

    model: Model
    checkpoint: Checkpoint
    algorithm: str
    gold: Selection
    """Of the task, its runs those of this model alone."""
    predicted: Selection
    """Of the parallel corpus."""
    names: dict[str, str]
    """The corpus's language tags → the task's, of the languages that both have."""

    @property
    def corpus(self) -> CorpusEntry:
        """The parallel corpus that the predictions are made on."""
        assert isinstance(self.predicted.data.entry, CorpusEntry)
        return self.predicted.data.entry

    @property
    def prefix(self) -> str:
        """What the checkpoint reads before every text."""
        return prefixes.at(self.gold.prefixes, [self.checkpoint])

    def spec(self, languages: Sequence[str]) -> LanguageSimilaritySpec:
        """Return what computes the similarity of some of the corpus's languages."""
        of = {"model": self.model.name, "checkpoints": (self.checkpoint,), "corpus": self.corpus.id}
        return LanguageSimilaritySpec.model_validate(of | {"languages": tuple(languages), "prefix": self.prefix})

    def served(self) -> dict[Pair, ShardFile]:
        """Return the files of the similarities that are computed, by pair."""
        have = scores.shards(workspaces(), language_similarity.FAMILY)
        spec = self.spec(self.predicted.languages)
        found = serving(spec.provenance(self.checkpoint), spec.pairs, have)
        return {pair: found[pair] for pair in spec.pairs if pair in found}

    def wanted(self) -> list[tuple[str, str, str]]:
        """(run, source, target) of the similarities that are computed."""
        return sorted((file.path.stem, *pair) for pair, file in self.served().items())


def choose(selection: Selection) -> Sides | None:
    """Return the controls; None where the workspace lacks a task or a corpus that shares three languages with what is chosen.

    Three, since one of them is the fixed end and a ranking takes two at the other.
    """
    others = counterparts_of(selection)
    if not others:
        return None
    what = "Parallel corpus" if selection.data.kind == "task" else "Task"
    key = f"ranking_{'corpus' if selection.data.kind == 'task' else 'task'}"
    other = others[select(what, list(others), key, width=260)]
    # Where the checkpoints chosen are of no model chosen, as the form above says, the last one of a model is looked at.
    able = [model for model in selection.models if selection.checkpoints(model)] or selection.models
    by_name = {model.name: model for model in able}
    model = by_name[_one("Model", list(by_name), "ranking_model", len(by_name) - 1)]
    checkpoints = {each.label: each for each in selection.checkpoints(model) or model.checkpoints[-1:]}
    label = _one("Checkpoint", list(checkpoints), "ranking_checkpoint", len(checkpoints) - 1)
    matched = transfer_ranking.counterparts(selection.data.tags, other.tags)
    there = runs.runs_of_selection(
        selection.have,
        [model],
        [label],
        other.kind,
        other.entry.id,
        tuple(sorted(matched[tag] for tag in selection.sources if tag in matched)),
        tuple(sorted(matched[tag] for tag in selection.targets if tag in matched)),
        selection.prefixes,
    )
    beside = replace(
        selection,
        data=other,
        sources=tuple(sorted(matched[tag] for tag in selection.sources if tag in matched)),
        targets=tuple(sorted(matched[tag] for tag in selection.targets if tag in matched)),
        all_runs=of_most(there[there["corruption"] == 0], "setting"),
        kept={},
    )
    own_runs = selection.runs
    own_runs = own_runs[(own_runs["model"] == model.name) & (own_runs["label"] == label) & (own_runs["corruption"] == 0)]
    trained = sorted({*own_runs["algorithm"], *beside.all_runs["algorithm"]}, key=lambda name: (name != "vanilla", name))
    algorithm = _one("Algorithm", trained or ["vanilla"], "ranking_algorithm", 0)
    mine, other_side = (
        replace(each, all_runs=found[found["algorithm"] == algorithm].reset_index(drop=True), kept={})
        for each, found in ((selection, own_runs), (beside, beside.all_runs))
    )
    if selection.data.kind == "task":
        tags = {corpus: task for task, corpus in matched.items()}
        return Sides(model, checkpoints[label], algorithm, mine, other_side, tags)
    return Sides(model, checkpoints[label], algorithm, other_side, mine, matched)


def counterparts_of(selection: Selection) -> dict[str, LabelledData]:
    """Return what can be set beside the data chosen, by name: corpora for a task, tasks for a corpus; most languages first."""
    if selection.data.kind == "task":
        candidates = [LabelledData("parallel", entry, entry.name) for entry in corpora.entries(workspaces())]
    else:
        candidates = [LabelledData("task", entry, entry.name) for entry in tasks.entries(workspaces())]
    shared = {each.entry.id: len(transfer_ranking.counterparts(selection.languages, each.tags)) for each in candidates}
    candidates = sorted((each for each in candidates if shared[each.entry.id] > 2), key=lambda each: -shared[each.entry.id])
    return by_unique_name(candidates, lambda data: data.name, lambda data: data.entry.id)


def gold_of(sides: Sides) -> pd.DataFrame:
    """Test accuracy of every direction (`transfer_summary.accuracies`)."""
    if sides.gold.runs.empty:
        return pd.DataFrame(columns=["source", "target", "accuracy"])
    return transfer_summary.accuracies(frames.errors(sides.gold), BY)


def igap_of(sides: Sides, at: float, epsilon: float) -> pd.DataFrame:
    """IGap of every direction on random labels, languages by the task's tags."""
    if sides.predicted.runs.empty:
        return pd.DataFrame(columns=["source", "target", "value"])
    found = transfer_summary.igaps(frames.errors(sides.predicted), BY, at, epsilon)
    return transfer_ranking.rename_ends(found, sides.names)


def similarity_of(sides: Sides) -> pd.DataFrame:
    """Return the similarities that are computed (`transfer_queries.similarities`), languages by the task's tags."""
    files = sorted({file.path for file in sides.served().values()})
    return transfer_ranking.rename_ends(transfer_queries.similarities(files, sides.wanted()), sides.names)


def of_most(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the rows with the most frequent value of `column`, the first of equals by name."""
    if frame.empty:
        return frame
    return frame[frame[column].eq(min(frame[column].mode()))].reset_index(drop=True)


def _one(label: str, options: Sequence[str], key: str, index: int) -> str:
    """Return one of some options; no box where there is just one."""
    if len(options) == 1:
        return options[0]
    return select(label, options, key, index=index, width=180)
