"""`isogloss vectors`: static word vectors, the baseline of word alignment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.backend.cli.tables import size, table
from isogloss.backend.errors import ModelError
from isogloss.backend.experiments.named import corpus_named, workspaces
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from isogloss.backend.models.static.library import StaticSet

DECIMALS = 3
"""Of vectors of length 1: some 100 dimensions are then told to half a percent, in half the bytes."""
app = typer.Typer(no_args_is_help=True, help="Static word vectors (.vec files), the baseline of word alignment.")


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="What to call them")],
    files: Annotated[list[str], typer.Argument(help="One .vec file a language, as LANGUAGE=PATH; aligned with each other")],
) -> None:
    """Read the files once and keep their list; they stay where they are.

    Example: vectors add "MUSE fastText" en=wiki.multi.en.vec de=wiki.multi.de.vec
    """
    from isogloss.backend.corpora.languages.languages import languages
    from isogloss.backend.models.static import library as static_library

    paths: dict[str, Path] = {}
    for each in files:
        language, equals, path = each.partition("=")
        if not (language and equals and path):
            raise ModelError(f"'{each}' is not LANGUAGE=PATH. Write it like en=wiki.multi.en.vec.")
        if language in paths:
            raise ModelError(f"'{language}' is given twice. Name one file a language.")
        paths[language] = Path(path)
    tags = {given: found.tag for given, found in languages(paths).items()}
    kept = static_library.add(name, {tags[given]: path for given, path in paths.items()}, settings().workspace)
    _tell(kept)


@app.command()
def train(
    name: Annotated[str, typer.Argument(help="What to call them")],
    folder: Annotated[Path, typer.Argument(help="Where the files go, one .vec a language")],
    corpus: Annotated[str, typer.Option(help="A saved corpus, by name or id")],
    languages: Annotated[str, typer.Option(help="BCP-47 tags separated by commas; all of the corpus by default")] = "",
    dims: Annotated[int, typer.Option(min=1, help="Dimensions")] = 96,
    least: Annotated[int, typer.Option(min=1, help="Leave out words of fewer sentences")] = 2,
    sentences: Annotated[int | None, typer.Option(min=1, help="Use the first so many sentences")] = None,
    words_of: Annotated[str, typer.Option(help="Write only the words of this corpus, for smaller files")] = "",
) -> None:
    """Train vectors from parallel sentences alone (Levy et al. 2017), where none can be had, and keep them.

    Example: vectors train "From NTREX" own-vectors --corpus NTREX-128 --languages en,de,zh --words-of "Demo sentences"
    """
    import numpy as np

    from isogloss.backend.corpora.parallel import library
    from isogloss.backend.models.static import library as static_library
    from isogloss.backend.models.static import vectors as static_vectors
    from isogloss.backend.training import static_vectors as static

    tags = [tag.strip() for tag in languages.split(",") if tag.strip()] or list(corpus_named(corpus).tags)
    _, texts = library.load(corpus_named(corpus).id, workspaces()).align(tags, sentences)
    trained = static.train(texts, dims=dims, least=least)
    if words_of:
        other = library.load(corpus_named(words_of).id, workspaces())
        trained = {tag: static.only(vectors, other.align([tag])[1][tag], tag) for tag, vectors in trained.items()}
    paths = {}
    for tag, vectors in trained.items():
        paths[tag] = folder / f"{tag}.vec"
        static_vectors.write(paths[tag], {word: np.round(vector, DECIMALS) for word, vector in vectors.items()})
    _tell(static_library.add(name, paths, settings().workspace))


def _tell(kept: StaticSet) -> None:
    for tag, file in kept.files.items():
        typer.echo(f"{tag}: {file.shown}, {file.words:,} words, {size(file.bytes)}")
        if file.note:
            typer.echo(f"Note: {file.shown}: {file.note}")
    typer.echo(f"{len(kept.files)} languages of {kept.dims} dimensions, saved as '{kept.name}' ({kept.fingerprint}).")


@app.command("list")
def list_vectors() -> None:
    """The kept sets: name, fingerprint, dimensions, languages with their words."""
    from isogloss.backend.models.static import library as static_library

    rows = [
        (kept.name, kept.fingerprint, kept.dims, " ".join(f"{tag}:{file.words}" for tag, file in kept.files.items()))
        for kept in static_library.entries(workspaces())
    ]
    typer.echo(table(rows, ["name", "fingerprint", "dims", "words"]))
    for problem in static_library.problems(workspaces()):
        typer.echo(f"Note: {problem}")


@app.command()
def rename(
    name: Annotated[str, typer.Argument(help="What they are called")],
    new: Annotated[str, typer.Argument(help="What to call them")],
) -> None:
    """Give kept vectors another name. The scores computed from them stay."""
    from isogloss.backend.models.static import library as static_library

    kept = static_library.find_set(name, [settings().workspace])
    renamed = static_library.rename(kept.fingerprint, new, settings().workspace)
    typer.echo(f"'{kept.name}' is now '{renamed.name}' ({renamed.fingerprint}).")


@app.command()
def remove(name: Annotated[str, typer.Argument(help="What they are called")]) -> None:
    """Forget a set of vectors. Its files stay, and so do the scores computed from them."""
    from isogloss.backend.models.static import library as static_library

    kept = static_library.find_set(name, [settings().workspace])
    static_library.remove(kept.fingerprint, settings().workspace)
    typer.echo(f"'{kept.name}' is no longer in the workspace.")
