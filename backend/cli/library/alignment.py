"""`python -m backend alignment`: import word alignments of a saved corpus, list them, and write what an aligner reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from backend.cli.library.keeping import add_remove, add_rename, said
from backend.cli.tables import table
from backend.corpora.word_alignments.library import SHELF
from backend.errors import CorpusError
from backend.experiments.named import alignment_named, corpus_named, workspaces
from backend.settings import settings

if TYPE_CHECKING:
    from backend.corpora.shared.inputs import InputFile

app = typer.Typer(no_args_is_help=True, help="Import word alignments of a saved corpus, list them, write what aligners read.")

add_rename(app, alignment_named, SHELF)
add_remove(app, alignment_named, SHELF)

Corpus = Annotated[str, typer.Option(help="The corpus that is aligned: its name, or the beginning of its id")]
Source = Annotated[str, typer.Option(help="The language of the first token of each link")]
Target = Annotated[str, typer.Option(help="The language of the second")]


@app.command("import")
def import_alignment(
    file: Annotated[Path, typer.Argument(help="Pharaoh format (0-0 1-2 …, a line a sentence) or NAACL")],
    corpus: Corpus,
    source: Source,
    target: Target,
    source_tokens: Annotated[Path | None, typer.Option(help="The source sentences as they were tokenised")] = None,
    target_tokens: Annotated[Path | None, typer.Option(help="The target sentences as they were tokenised")] = None,
    gold: Annotated[bool, typer.Option("--gold", help="Made by people: others are measured by it")] = False,
    base: Annotated[Literal["detect", "0", "1"], typer.Option(help="What the first token is counted as (Pharaoh)")] = "detect",
    name: Annotated[str, typer.Option(help="What to call it")] = "",
    licence: Annotated[str, typer.Option(help="Its licence")] = "",
) -> None:
    """Read an alignment of the sentences that a corpus has in both languages, in its order, and keep it.

    Without token files the tokens are the words that Isogloss itself finds (`alignment tokens` writes them).

    Example: alignment import de-en.talp --corpus NTREX --source de --target en --source-tokens t.de --target-tokens t.en
    """
    from backend.corpora.parallel import library
    from backend.corpora.shared import apart
    from backend.corpora.word_alignments import library as alignments
    from backend.corpora.word_alignments import links

    if (source_tokens is None) != (target_tokens is None):
        raise CorpusError(
            "The tokens of one language are missing.", remedy="Give --source-tokens and --target-tokens, or none."
        )
    tokens = (_there(source_tokens), _there(target_tokens)) if source_tokens and target_tokens else None
    aligned = library.load(corpus_named(corpus).id, workspaces())
    found = apart.read(
        links.read,
        _there(file),
        aligned,
        source,
        target,
        tokens=tokens,
        base="detect" if base == "detect" else 1 if base == "1" else 0,
    )
    for note in found.notes:
        typer.echo(f"Note: {note}")
    entry = alignments.keep(found, name or file.stem, settings().workspace, gold=gold, licence=licence or None)
    facts = (
        f"{found.format}: {entry.links} links ({entry.sure} sure) in {entry.sentences} sentences, {entry.source} to "
        f"{entry.target}{', gold' if entry.gold else ''}"
    )
    said(facts, entry, name or file.stem, "alignment")


@app.command("list")
def list_alignments() -> None:
    """The kept alignments: name, id, corpus, languages, links, and which are gold."""
    from backend.corpora.parallel import library
    from backend.corpora.word_alignments import library as alignments

    names = {entry.id: entry.name for entry in library.entries(workspaces())}
    rows = [
        (e.name, e.id, names.get(e.corpus, e.corpus), e.source, e.target, e.links, "gold" if e.gold else "")
        for e in alignments.entries(workspaces())
    ]
    typer.echo(table(rows, ["name", "id", "corpus", "source", "target", "links", ""]))


@app.command("tokens")
def tokens(
    corpus: Corpus,
    source: Source,
    target: Target,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write")],
) -> None:
    """Write the words of two languages as aligners read them: `source words ||| target words`, a line for each sentence.

    FastAlign, eflomal and awesome-align read this; `alignment import` without token files reads what they write.
    """
    from backend.corpora.parallel import library
    from backend.corpora.word_alignments import links

    lines = links.for_aligners(library.load(corpus_named(corpus).id, workspaces()), source, target)
    try:
        out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise CorpusError(f"'{out.name}' cannot be written ({error.strerror}).", remedy="Choose another place.") from error
    typer.echo(f"{len(lines)} sentences written.")


def _there(path: Path) -> InputFile:
    """A file of the command line. Raises `CorpusError` where there is none."""
    from backend.corpora.shared.inputs import InputFile

    if not path.is_file():
        raise CorpusError(f"There is no file '{path.name}'.", remedy="Give the path of a file.")
    return InputFile(path.name, path)
