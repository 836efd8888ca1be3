"""`isogloss emergent make`: reference corpora, made on the spot and kept like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from isogloss.backend.cli.library.keeping import report_kept
from isogloss.backend.corpora.emergent import recipes
from isogloss.backend.corpora.emergent.library import KIND
from isogloss.backend.corpora.emergent.recipes import Recipe
from isogloss.backend.corpora.emergent.reference import ALPHA, BETA, LENGTH, VOCABULARY, Protocol
from isogloss.backend.experiments.command import chosen_languages
from isogloss.backend.experiments.named import corpus_named, emergent_named, workspaces

if TYPE_CHECKING:
    from isogloss.backend.corpora.emergent.library import EmergentEntry

app = typer.Typer(no_args_is_help=True, help="Make reference corpora: random, nested, shuffled, or text in sub-words.")

Name = Annotated[str, typer.Option(help="What to call it; said by its recipe if not given")]
Tokens = Annotated[int, typer.Option(help="How many")]
Vocabulary = Annotated[int, typer.Option(help="Different symbols")]
Length = Annotated[int, typer.Option(help="Tokens per utterance")]
Seed = Annotated[int, typer.Option(help="Same seed, same corpus")]
Of = Annotated[str, typer.Option(help="A saved emergent corpus, by name or id")]
Opening = Annotated[Protocol, typer.Option(help="Opens with probability 0.4 as declared, or 0.5 as in the released code")]
TOKENS = Recipe("random").tokens


@app.command("random")
def random_corpus(
    name: Name = "", tokens: Tokens = TOKENS, vocabulary: Vocabulary = VOCABULARY, length: Length = LENGTH, seed: Seed = 0
) -> None:
    """Random: every token any of the symbols."""
    _make(Recipe("random", tokens=tokens, vocabulary=vocabulary, length=length, seed=seed), name)


@app.command("paren")
def paren(
    name: Name = "",
    tokens: Tokens = TOKENS,
    vocabulary: Vocabulary = VOCABULARY,
    length: Length = LENGTH,
    alpha: Annotated[float, typer.Option(help="Of the Zipf–Mandelbrot law, as is beta")] = ALPHA,
    beta: Annotated[float, typer.Option(help="Shift of the ranks")] = BETA,
    protocol: Opening = "correct",
    seed: Seed = 0,
) -> None:
    """Paren synth: nested pairs of symbols whose frequencies follow a Zipf–Mandelbrot law."""
    recipe = Recipe(
        "paren-synth", tokens=tokens, vocabulary=vocabulary, length=length, alpha=alpha, beta=beta, protocol=protocol, seed=seed
    )
    _make(recipe, name)


@app.command("paren-real")
def paren_real(
    of: Of, name: Name = "", tokens: Tokens = TOKENS, length: Length = LENGTH, protocol: Opening = "correct", seed: Seed = 0
) -> None:
    """Paren real: nested pairs of symbols as frequent as in a saved corpus (of text, see `emergent make text`)."""
    entry = emergent_named(of)
    _make(Recipe("paren-real", of=entry.id, tokens=tokens, length=length, protocol=protocol, seed=seed), name, entry.name)


@app.command("shuffled")
def shuffle(
    of: Of,
    order: Annotated[
        Literal["within", "over"], typer.Option(help="Within each utterance, or over the whole corpus")
    ] = "within",
    name: Name = "",
    seed: Seed = 0,
) -> None:
    """A saved corpus with its tokens in random order: what is said stays, how it is ordered goes."""
    entry = emergent_named(of)
    kind: recipes.Kind = "shuffled-within" if order == "within" else "shuffled-over"
    _make(Recipe(kind, of=entry.id, seed=seed), name, entry.name)


@app.command("text")
def text(
    corpus: Annotated[str, typer.Option(help="A saved parallel corpus, by name or id")],
    language: Annotated[str, typer.Option(help="One of its languages, as a BCP-47 tag")],
    name: Name = "",
    vocabulary: Annotated[int, typer.Option(min=256, help="Sub-words, at most")] = VOCABULARY,
    characters: Annotated[int | None, typer.Option(min=1, help="Of its first texts, so many; all if not given")] = None,
) -> None:
    """Human-language text as a corpus of byte-level BPE sub-words, an utterance a sentence."""
    from isogloss.backend.experiments.emergent import text_corpora

    entry = corpus_named(corpus)
    (tag,) = chosen_languages(entry, language)
    recipe = text_corpora.TextRecipe(entry.id, tag, vocabulary, characters)
    _said(text_corpora.make_and_keep(recipe, name or text_corpora.suggested_name(recipe, entry.name), workspaces()), name)


def _make(recipe: Recipe, name: str, of: str = "") -> None:
    _said(recipes.make_and_keep(recipe, name or recipes.suggested_name(recipe, of), workspaces()), name)


def _said(entry: EmergentEntry, name: str) -> None:
    report_kept(KIND.summary(entry), entry, name, KIND.group)
