"""What can be probed: tagged corpora, labelled tasks, and those of which the scores alone are kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tagged.library import TaggedEntry
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks.library import TaskEntry
from isogloss.backend.store.scores import ShardFile
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.workspace import workspaces


@dataclass(frozen=True)
class Data:
    """Tagged words, or labelled sentences and pairs of them."""

    id: str
    """The content id that scores are filed under."""
    name: str
    """Unique among what can be chosen."""
    unit: Literal["words", "sentences"]
    languages: tuple[str, ...]
    tags: tuple[str, ...]
    """Tags of words, or labels of sentences."""
    entities: bool = False
    """Whether the tags are those of names (NER), so that whole names are counted too."""
    pairs: bool = False
    """Whether a label is of two sentences."""
    parts_id: str | None = None
    """Of a task, which rows its parts are, as its id does not tell."""
    parallel: bool = True
    """Whether a sentence of one language has its translation in the others."""
    there: bool = True
    """False where scores are all that is kept: their text is needed to compute more."""

    @property
    def rows(self) -> str:
        """What is told, one at a time."""
        return "words" if self.unit == "words" else "sentence pairs" if self.pairs else "sentences"

    @property
    def tag(self) -> str:
        """What is told of each."""
        return "tag" if self.unit == "words" else "label"

    def fits(self, other: Data) -> bool:
        """Return whether probes trained on these can be tested on `other`: the same kind of thing, with a tag in common."""
        return (self.unit, self.entities, self.pairs) == (other.unit, other.entities, other.pairs) and not set(
            self.tags
        ).isdisjoint(other.tags)


def everything(have: Sequence[ShardFile]) -> dict[str, Data]:
    """Return all that can be looked at, by a name of its own: tagged corpora, labelled tasks, then what `have` alone knows."""
    entries: list[TaggedEntry | TaskEntry] = [*tagged.entries(workspaces()), *tasks.entries(workspaces())]
    found = {name: _of(entry, name) for name, entry in unique_names(entries).items()}
    known = {each.id for each in found.values()}
    for gone in _gone(have, known):
        found[gone.name] = gone
    return found


def _of(entry: TaggedEntry | TaskEntry, name: str) -> Data:
    there = not entry.names_only
    if isinstance(entry, TaggedEntry):
        languages, entities = tuple(entry.language_tags), entry.kind == "ner"
        return Data(entry.id, name, "words", languages, entry.tags, entities=entities, parallel=entry.parallel, there=there)
    pairs, parts = entry.is_pair, entry.parts_id
    return Data(entry.id, name, "sentences", entry.languages, entry.labels, pairs=pairs, parts_id=parts, there=there)


def _gone(have: Sequence[ShardFile], known: Collection[str]) -> list[Data]:
    """Return what probes were trained on that no shelf has any more."""
    by_corpus: dict[str, list[ShardFile]] = {}
    for file in have:
        if file.provenance["corpus"] not in known:
            by_corpus.setdefault(file.provenance["corpus"], []).append(file)
    return [_from_scores(corpus, files) for corpus, files in sorted(by_corpus.items())]


def _from_scores(corpus: str, files: Sequence[ShardFile]) -> Data:
    """Return data as their scores know them: the languages trained on and tested in, and the tags."""
    words = str(files[0].provenance["variant"]).startswith("words")
    languages = {tag for file in files for tag in (file.provenance["source"], *file.provenance["targets"])}
    tags = tuple(sorted({tag for file in files for tag in file.provenance.get("tags", ())}))
    entities = words and any(tag.startswith(("B-", "I-")) for tag in tags)
    name = f"Removed {'corpus' if words else 'task'} {corpus[:6]}"
    return Data(
        corpus,
        name,
        "words" if words else "sentences",
        tuple(sorted(languages)),
        tags,
        entities=entities,
        pairs=not words,
        parts_id=files[-1].provenance.get("corpus_test"),
        there=False,
    )
