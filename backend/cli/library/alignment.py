"""`isogloss alignment`: import word alignments of a saved corpus, and write what an aligner reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from isogloss.backend.cli.library.keeping import commands, default_name, file_at, importing
from isogloss.backend.corpora.word_alignments.library import KIND
from isogloss.backend.corpora.word_alignments.links import Links
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.named import corpus_named, workspaces

app = commands(KIND)

Corpus = Annotated[str, typer.Option(help="The corpus that is aligned: its name, or the beginning of its id")]
Source = Annotated[str, typer.Option(help="The language of the first token of each link")]
Target = Annotated[str, typer.Option(help="The language of the second")]


@importing(app, KIND)
def import_alignment(
    file: Annotated[Path, typer.Argument(help="Pharaoh format (0-0 1-2 …, a line a sentence) or NAACL")],
    corpus: Corpus,
    source: Source,
    target: Target,
    source_tokens: Annotated[Path | None, typer.Option(help="The source sentences as they were tokenised")] = None,
    target_tokens: Annotated[Path | None, typer.Option(help="The target sentences as they were tokenised")] = None,
    gold: Annotated[bool, typer.Option("--gold", help="Made by people: others are measured by it")] = False,
    base: Annotated[Literal["detect", "0", "1"], typer.Option(help="What the first token is counted as (Pharaoh)")] = "detect",
) -> tuple[Links, str]:
    """Read an alignment of the sentences that a corpus has in both languages, in its order, and keep it.

    Without token files the tokens are the words that Isogloss itself finds (`alignment tokens` writes them).

    Example: alignment import de-en.talp --corpus NTREX --source de --target en --source-tokens t.de --target-tokens t.en
    """
    from isogloss.backend.corpora.parallel import library
    from isogloss.backend.corpora.shared import apart
    from isogloss.backend.corpora.word_alignments import links

    if (source_tokens is None) != (target_tokens is None):
        raise CorpusError(
            "The tokens of one language are missing.", remedy="Give --source-tokens and --target-tokens, or none."
        )
    tokens = (file_at(source_tokens), file_at(target_tokens)) if source_tokens and target_tokens else None
    aligned = library.load(corpus_named(corpus).id, workspaces())
    counted: Literal["detect", 0, 1] = "detect" if base == "detect" else 1 if base == "1" else 0
    found = apart.read(links.read, file_at(file), aligned, source, target, tokens=tokens, base=counted)
    return replace(found, gold=gold), default_name([file])


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
    from isogloss.backend.corpora.parallel import library
    from isogloss.backend.corpora.word_alignments import links

    lines = links.for_aligners(library.load(corpus_named(corpus).id, workspaces()), source, target)
    try:
        out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise CorpusError(f"'{out.name}' cannot be written ({error.strerror}).", remedy="Choose another place.") from error
    typer.echo(f"{len(lines)} sentences written.")
