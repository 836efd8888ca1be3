"""`python -m backend tagged`: import tagged text, list it, look into it and remove it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.library.keeping import DropBroken, add_rename, default_name, said, tell
from backend.cli.library.task import files_of
from backend.cli.tables import table
from backend.corpora.tagged.library import SHELF
from backend.errors import SpecError
from backend.experiments.named import tagged_named, workspaces
from backend.settings import settings

if TYPE_CHECKING:
    from backend.corpora.tagged.corpus import TaggedCorpus

app = typer.Typer(
    no_args_is_help=True, help="Import text with a tag for each word (parts of speech, entities) and look into it."
)

add_rename(app, tagged_named, SHELF)

Name = Annotated[str, typer.Option(help="What to call it")]
Licence = Annotated[str, typer.Option(help="Its licence, such as CC-BY-SA-4.0")]


@app.command("import")
def import_tagged(
    files: Annotated[list[Path], typer.Argument(help="CoNLL-U, or a word, a tab and its tag on each line; or a folder")],
    name: Name = "",
    language: Annotated[list[str], typer.Option("--language", help="Read only this language; may be repeated")] = [],  # noqa: B006
    licence: Licence = "",
    drop_broken: DropBroken = False,
) -> None:
    """Read files as one tagged corpus and keep it. Prints what was recognised, and what was left out.

    Example: tagged import pud/*.conllu --name PUD
    """
    from backend.corpora.shared import apart
    from backend.corpora.tagged.readers import read

    called = name or default_name([file.as_posix() for file in files])
    _keep(apart.read(read, files_of(files), languages=language), called, licence, drop_broken=drop_broken)


@app.command("hub")
def from_hub(
    dataset: Annotated[str, typer.Argument(help="universal-dependencies/universal_dependencies or unimelb-nlp/wikiann")],
    configurations: Annotated[list[str], typer.Argument(help="Treebanks such as en_pud, or languages of WikiAnn such as en")],
    name: Name = "",
    revision: Annotated[
        str, typer.Option(help="A branch, a tag or a commit; by default the one that holds Parquet files")
    ] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="The first sentences of each part only")] = None,
    licence: Licence = "",
    drop_broken: DropBroken = False,
) -> None:
    """Load tagged text from the Hugging Face Hub and keep it, with the commit it came from."""
    from backend.corpora.tagged import hub

    # `load` refuses what is none of its data sets, with the nearest of them.
    corpus = hub.load(dataset, configurations, revision=revision or None, limit=limit)  # type: ignore[arg-type]
    _keep(corpus, name or f"{dataset.split('/')[-1]} {configurations[0]}", licence, drop_broken=drop_broken)


@app.command("list")
def list_tagged() -> None:
    """The kept tagged corpora: name, id, kind, sentences, words, tags, languages."""
    from backend.corpora.tagged import library

    rows = [
        (e.name, e.id, e.kind, e.sentences, e.words, len(e.tags), " ".join(e.language_tags))
        for e in library.entries(workspaces())
    ]
    typer.echo(table(rows, ["name", "id", "kind", "sentences", "words", "tags", "languages"]))


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="Its name, or the beginning of its id")],
    sentences: Annotated[int, typer.Option(min=0, help="How many sentences of each language to print")] = 1,
) -> None:
    """The parts of a saved tagged corpus in each language, how often each tag occurs, and its first sentences."""
    from backend.corpora.tagged import library
    from backend.corpora.tagged.parts import PARTS

    entry = tagged_named(name)
    corpus = library.load(entry.id, workspaces())
    typer.echo(f"{entry.name} ({entry.id}): {entry.format}, {facts(corpus)}.")
    for warning in entry.warnings:
        typer.echo(f"Note: {warning}")
    rows = []
    for tag in corpus.languages:
        own = [corpus.sizes.get((tag, part), (0, 0)) for part in PARTS]
        rows.append((tag, *(f"{count:,} ({words:,})" for count, words in own)))
    typer.echo(table(rows, ["language", *(f"{part}: sentences (words)" for part in PARTS)]))
    shares = [(tag, *(_share(corpus, language, tag) for language in corpus.languages)) for tag in corpus.tags]
    typer.echo(table(shares, ["tag, % of words", *corpus.languages]))
    for tag in corpus.languages:
        for sentence in corpus.own(tag, corpus.parts[tag][0])[:sentences]:
            tagged = " ".join(f"{word}/{own}" for word, own in zip(sentence.words, sentence.tags, strict=True))
            typer.echo(f"{tag} {sentence.id}: {tagged}")


@app.command("remove")
def remove(name: Annotated[str, typer.Argument(help="Its name, or the beginning of its id")]) -> None:
    """Delete a saved tagged corpus. The scores computed from it stay."""
    from backend.corpora.tagged import library

    entry = tagged_named(name)
    if entry.id not in {own.id for own in library.entries([settings().workspace])}:
        raise SpecError(f"'{entry.name}' is part of the demo workspace, which is read-only.")
    library.remove(entry.id, settings().workspace)
    typer.echo(f"'{entry.name}' is no longer in the workspace.")


def facts(corpus: TaggedCorpus) -> str:
    """`parts of speech, 2 languages, 10 sentences, 80 words, 12 tags, the same sentences in all languages`."""
    kind = {"pos": "parts of speech", "ner": "entities", "other": "other tags"}[corpus.kind]
    sentences, words = (sum(size[i] for size in corpus.sizes.values()) for i in (0, 1))
    parallel = ", the same sentences in all languages" if corpus.parallel else ""
    sizes = f"{len(corpus.languages)} languages, {sentences:,} sentences, {words:,} words, {len(corpus.tags)} tags"
    return f"{kind}, {sizes}{parallel}"


def _share(corpus: TaggedCorpus, language: str, tag: str) -> str:
    own = corpus.tag_counts[language]
    return f"{100 * own[tag] / sum(own.values()):.1f}" if tag in own else "-"


def _keep(corpus: TaggedCorpus, name: str, licence: str, *, drop_broken: bool) -> None:
    from backend.corpora.tagged import library

    report = corpus.report
    tell(report, drop_broken=drop_broken, what="sentences and words")
    entry = library.keep(corpus, name, settings().workspace, licence=licence or None)
    said(f"{report.format}: {facts(corpus)}", entry, name, "tagged")
