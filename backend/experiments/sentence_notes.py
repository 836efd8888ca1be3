"""Notes and tags on the sentences, rows and word pairs that pages list, kept in the workspace.

A note is on a sentence (or a row of a task) of one corpus, or on a pair of words as its sentences have them: it is there
wherever that is listed, at every checkpoint, layer and measure. Two people at once lose nothing: a note is a file of its own,
`<workspace>/notes/<hash of the corpus>/<id>.json`, which nothing overwrites. Another text names the notes that it takes the
place of; two such texts written at once both stay.
"""

from __future__ import annotations

import re
import uuid
from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from isogloss.backend import people
from isogloss.backend.errors import StoreError
from isogloss.backend.files import digest, publish_json, published_files
from isogloss.backend.recipe_mark import holds_texts, in_recipes
from isogloss.backend.store import quarantine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

FOLDER = "notes"
LONGEST_TAG, MOST_TAGS, LONGEST_TEXT, LONGEST_NAME = 60, 20, 2000, 80
"""Characters of a tag, tags of a note, characters of its text and of its writer's name as they type it."""
LONGEST_LOGIN = 320
"""Characters of the name of who has logged in."""
ID = re.compile("[0-9a-f]{12}")
BETWEEN = "; "
"""What parts tags in an export: no tag holds a semicolon."""


class Subject(NamedTuple):
    """What a note is on."""

    corpus: str
    """Content id."""
    kind: Literal["sentence", "words"]
    of: tuple[str, ...]
    """The sentence's id (`part:row` in a task); or language, word, language and word, in the order of languages."""


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _tag(text: str) -> str:
    tidy = _tidy(text)
    if not 1 <= len(tidy) <= LONGEST_TAG or not tidy.isprintable() or ";" in tidy:
        raise ValueError("no tag")
    return tidy


def _encodable(text: str) -> str:
    text.encode("utf-8")  # a lone surrogate is no text; the error is a ValueError
    return text


class Note(BaseModel, frozen=True, extra="forbid"):
    """One note: tags, a text, or both. Without either it takes away those that it replaces."""

    id: str = Field(pattern=f"^{ID.pattern}$")
    subject: Subject
    tags: Annotated[tuple[Annotated[str, AfterValidator(_tag)], ...], Field(max_length=MOST_TAGS)] = ()
    text: Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_encodable)] = ""
    by: Annotated[str, Field(max_length=LONGEST_LOGIN), AfterValidator(_encodable)] = ""
    """Who wrote it; empty where that is not known."""
    at: datetime
    replaces: tuple[str, ...] = ()
    """The notes in whose place this one stands."""


def sentence(corpus: str, id_: str) -> Subject:
    """Return a sentence, or a row of a task, as what a note is on."""
    return Subject(corpus, "sentence", (id_,))


def word_pair(corpus: str, first: tuple[str, str], second: tuple[str, str]) -> Subject:
    """Return two words, each with its language, as what a note is on: whichever comes first, and however they are cased."""
    ends = sorted((language, word.casefold()) for language, word in (first, second))
    return Subject(corpus, "words", (*ends[0], *ends[1]))


def read(workspaces: Sequence[Path], corpus: str) -> dict[Subject, tuple[Note, ...]]:
    """Return the notes of a corpus by what they are on, the oldest first, without those that another stands in the place of.

    Those of all workspaces together. Damaged files are set aside.
    """
    notes_by_id: dict[str, Note] = {}
    for workspace in workspaces:
        for file in published_files(_folder(workspace, corpus), "*.json"):
            note = _read(workspace, file)
            if note is not None and note.subject.corpus == corpus:
                notes_by_id.setdefault(note.id, note)
    replaced = {id_ for note in notes_by_id.values() for id_ in note.replaces}
    standing: dict[Subject, list[Note]] = defaultdict(list)
    for note in sorted(notes_by_id.values(), key=lambda note: (note.at, note.id)):
        if note.id not in replaced and (note.tags or note.text):
            standing[note.subject].append(note)
    return {subject: tuple(notes) for subject, notes in standing.items()}


def tags_of(notes: Iterable[Note]) -> list[str]:
    """Return the tags of some notes, each once, in alphabetical order."""
    return sorted({tag for note in notes for tag in note.tags}, key=lambda tag: (tag.casefold(), tag))


def write(
    workspace: Path, subject: Subject, tags: Iterable[str], text: str, *, by: str = "", replaces: Iterable[str] = ()
) -> Note:
    """Write a note, in the place of others where `replaces` names some; without tags and text it takes them away.

    It is by whoever has logged in, or `by`. Raises `RefusedError` where whoever asks may write none, or not in the place of
    another's; `StoreError` for a tag that is too long or not printable, too many of them, a text that is too long, and where
    the workspace cannot be written.
    """
    people.require("note")
    replaced = tuple(replaces)
    for each in replaced:
        people.require("change", of=_writer(workspace, subject.corpus, each))
    try:
        note = Note(
            id=uuid.uuid4().hex[:12],
            subject=subject,
            tags=tuple(dict.fromkeys(map(_tidy, tags))),
            text=text.strip(),
            by=people.now().name[:LONGEST_LOGIN] or _tidy(by)[:LONGEST_NAME],
            at=datetime.now(UTC),
            replaces=replaced,
        )
    except ValidationError as error:
        raise StoreError(
            f"A note has at most {MOST_TAGS} tags, each of 1 to {LONGEST_TAG} printable characters without a semicolon, and "
            f"{LONGEST_TEXT:,} characters of text. Shorten it, or choose a plainer tag."
        ) from error
    publish_json(_folder(workspace, subject.corpus) / f"{note.id}.json", note.model_dump(mode="json"))
    return note


@in_recipes
@holds_texts
def with_notes(
    frame: pd.DataFrame,
    *,
    corpus: str,
    workspaces: Sequence[Path],
    of: Mapping[str, str] | None = None,
    words: Mapping[str, tuple[tuple[str, str], tuple[str, str]]] | None = None,
    tag: str | None = None,
) -> pd.DataFrame:
    """Add the tags and notes of what each row lists, "" where it has none, as columns `…tags` and `…notes`.

    `of` names what the columns begin with by the column of sentences' ids; `words` gives, by what the columns begin with, two
    words as (language, column). With a `tag` only rows remain of which something has it.
    """
    kept = read(workspaces, corpus)
    subjects = {before: [sentence(corpus, str(id_)) for id_ in frame[ids]] for ids, before in (of or {}).items()}
    for before, ((first, one), (second, other)) in (words or {}).items():
        pairs = zip(frame[one], frame[other], strict=True)
        subjects[before] = [word_pair(corpus, (first, a), (second, b)) for a, b in pairs]
    columns = {}
    has = [False] * len(frame)
    for before, each in subjects.items():
        notes = [kept.get(subject, ()) for subject in each]
        columns[f"{before}tags"] = [BETWEEN.join(tags_of(own)) for own in notes]
        columns[f"{before}notes"] = ["\n".join(note.text for note in own if note.text) for own in notes]
        has = [had or tag in tags_of(own) for had, own in zip(has, notes, strict=True)]
    found = frame.assign(**columns)
    return found if tag is None else found[has].reset_index(drop=True)


def _writer(workspace: Path, corpus: str, id_: str) -> str:
    """Return who wrote a note; empty where that is not known, or where there is no such note."""
    file = _folder(workspace, corpus) / f"{id_}.json"
    note = _read(workspace, file) if ID.fullmatch(id_) and file.is_file() else None
    return note.by if note else ""


def _folder(workspace: Path, corpus: str) -> Path:
    return workspace / FOLDER / digest(corpus)


def _read(workspace: Path, file: Path) -> Note | None:
    try:
        return Note.model_validate_json(file.read_bytes())
    except OSError:  # a file system that is not answering: no reason to move it
        return None
    except ValidationError as error:
        reason = StoreError(f"The note in {file.name} cannot be read: {str(error).splitlines()[0]}")
        quarantine.set_aside(workspace, file, reason)
        return None
