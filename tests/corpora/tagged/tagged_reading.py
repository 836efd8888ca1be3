"""What the tests of tagged text share: files from text, and readings of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.tagged.readers import read

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.tagged.corpus import TaggedCorpus

Drop = Callable[[Mapping[str, str | bytes]], "TaggedCorpus"]


def dropped(folder: Path, files: Mapping[str, str | bytes], languages: tuple[str, ...] = ()) -> TaggedCorpus:
    """Read files of any name, as an upload has them: under numbers, without their names."""
    found = []
    for number, (name, content) in enumerate(files.items()):
        path = folder / str(number)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        found.append(InputFile(name, path))
    return read(found, languages=languages)


def row(number: int | str, form: str, upos: str = "NOUN", misc: str = "_") -> str:
    """One row of CoNLL-U."""
    return f"{number}\t{form}\t_\t{upos}\tXX\t_\t0\troot\t_\t{misc}\n"


def conllu(*sentences: tuple[str, list[str]]) -> str:
    """Sentences of an id and rows, each with a blank line after it."""
    return "".join(f"# sent_id = {own}\n{''.join(rows)}\n" for own, rows in sentences)


def columns(*sentences: list[tuple[str, str]]) -> str:
    """Sentences of words and tags in two columns."""
    return "".join("".join(f"{word}\t{tag}\n" for word, tag in own) + "\n" for own in sentences)
