"""`isogloss run words` and `run sentences`: alignment (Gaschi et al. 2022)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import language_pairs
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.alignment.static import StaticAlignmentSpec
from isogloss.backend.experiments.alignment.static_sentences import StaticSentencesSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec, sort_pairs
from isogloss.backend.experiments.command import (
    Checkpoints,
    Corpus,
    Languages,
    Pairs,
    Prefix,
    chosen_checkpoints,
    chosen_languages,
    compared_languages,
    declares,
)
from isogloss.backend.experiments.named import corpus_named, one_named, workspaces
from isogloss.backend.experiments.spec import validate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.dictionaries.library import DictionaryEntry
    from isogloss.backend.corpora.parallel.library import CorpusEntry
    from isogloss.backend.corpora.word_alignments.library import AlignmentEntry
    from isogloss.backend.models.static.library import StaticSet


@declares(WordAlignmentSpec)
def words(
    corpus: Corpus,
    dictionary: Annotated[list[str], typer.Option(help="A saved dictionary, or alignment of the corpus, by name")],
    model: Annotated[str, typer.Option(help="A model of the workspace, by name")] = "",
    vectors: Annotated[str, typer.Option(help="In place of a model: saved static vectors, by name or id")] = "",
    checkpoints: Checkpoints = "",
    prefix: Prefix = "",
    *,
    options: dict[str, Any],
) -> WordAlignmentSpec | StaticAlignmentSpec:
    """Word alignment: is a word, in its sentence, nearest to its translation? Every layer, both directions, weak and strong.

    A dictionary's two languages are the pair of languages that is scored with it.

    Example: run words --model "Demo MLM" --corpus "Demo sentences" --dictionary "Demo English–German" --wait
    """
    kept = corpus_named(corpus)
    common = options | {"corpus": kept.id, "pairs": _pairs(kept, dictionary)}
    if bool(model) == bool(vectors):
        raise SpecError("Give --model or --vectors, one of them.")
    if vectors and (options["masked"] or checkpoints):
        raise SpecError("Static vectors have no checkpoints and no mask token. Leave out --checkpoints and --masked.")
    if vectors and (prefix or options["vector"] != "mean"):
        raise SpecError("Static vectors are of words alone. Leave out --prefix and --vector.")
    if model:
        chosen = chosen_checkpoints(model, checkpoints)
        return validate(WordAlignmentSpec, common | {"model": model, "checkpoints": chosen, "prefix": prefix})
    static = _vectors_named(vectors)
    del common["masked"], common["vector"]
    return validate(StaticAlignmentSpec, common | {"model": static.name, "vectors": static.fingerprint})


@declares(SentenceAlignmentSpec)
def sentences(
    corpus: Corpus,
    model: Annotated[str, typer.Option(help="A model of the workspace, by name")] = "",
    vectors: Annotated[str, typer.Option(help="In place of a model: static vectors, averaged over each sentence")] = "",
    languages: Languages = "",
    checkpoints: Checkpoints = "",
    prefix: Prefix = "",
    pairs: Pairs = "",
    *,
    options: dict[str, Any],
) -> SentenceAlignmentSpec | StaticSentencesSpec:
    """Sentence alignment: is a sentence nearest to its translation, by the mean of its tokens and by the first of them?

    Every layer and pair of languages, each on the sentences that both have; also the cosine of translations and random pairs.

    Example: run sentences --model "Demo MLM" --corpus "Demo sentences" --languages en,de,zh --wait
    """
    if bool(model) == bool(vectors):
        raise SpecError("Give --model or --vectors, one of them.")
    if vectors and checkpoints:
        raise SpecError("Static vectors have no checkpoints. Leave out --checkpoints.")
    if vectors and (options["pooling"] or prefix):
        raise SpecError("Static vectors are of words alone. Leave out --pooling and --prefix.")
    if vectors and pairs:
        raise SpecError("Static vectors take seconds for all pairs. Leave out --pairs.")
    if vectors and options["per_sentence"]:
        raise SpecError("Which sentences are found is kept of models alone. Leave out --per-sentence.")
    if options["runs"] > 1 and not options["n_sentences"]:
        raise SpecError("Runs of all sentences do not differ. Say how many a run takes: --n-sentences 5000.")
    options["n_sentences"] = options["n_sentences"] or None
    if model:
        compared = compared_languages(model, corpus, languages, checkpoints)
        options |= {"prefix": prefix, "listed": language_pairs.typed(pairs, compared["languages"])}
        return validate(SentenceAlignmentSpec, compared | options)
    kept, static = corpus_named(corpus), _vectors_named(vectors)
    del options["pooling"], options["per_sentence"]
    options |= {"corpus": kept.id, "languages": chosen_languages(kept, languages)}
    return validate(StaticSentencesSpec, options | {"model": static.name, "vectors": static.fingerprint})


def _pairs(corpus: CorpusEntry, names: Sequence[str]) -> list[DictionaryPair]:
    """The languages of the corpus that each dictionary serves. Raises `SpecError` for two dictionaries of the same pair."""
    served_pairs = []
    for name in names:
        entry = _dictionary_named(corpus, name)
        source, target = (_language(corpus, tag, entry.name) for tag in (entry.source, entry.target))
        served_pairs.append(DictionaryPair(source=source, target=target, dictionary=entry.id))
    if len(sort_pairs(served_pairs)) < len(served_pairs):
        raise SpecError("Two of the dictionaries are of the same languages. Run one after the other.")
    return served_pairs


def _language(corpus: CorpusEntry, tag: str, dictionary: str) -> str:
    """The tag itself, or the corpus's only one of its primary language (`zh-Hans` for `zh`)."""
    alike = [tag] if tag in corpus.tags else [each for each in corpus.tags if each.split("-")[0] == tag.split("-")[0]]
    if len(alike) == 1:
        return alike[0]
    if alike:
        raise SpecError(f"'{dictionary}' has '{tag}', but '{corpus.name}' has several of it: {', '.join(alike)}.")
    raise SpecError(f"'{dictionary}' has '{tag}', a language that '{corpus.name}' lacks. Choose another dictionary or corpus.")


def _dictionary_named(corpus: CorpusEntry, name: str) -> DictionaryEntry | AlignmentEntry:
    """A saved dictionary, or alignment of the corpus, by its name or by the beginning of its id.

    Raises `SpecError` for none or several.
    """
    from isogloss.backend.corpora.dictionaries import library as dictionaries
    from isogloss.backend.corpora.word_alignments import library as alignments

    entries: list[DictionaryEntry | AlignmentEntry] = [*dictionaries.entries(workspaces())]
    entries += [entry for entry in alignments.entries(workspaces()) if entry.corpus == corpus.id]
    return one_named(
        entries,
        name,
        several=f"'{name}' is several dictionaries. Use one's id",
        none=f"There is no dictionary '{name}'",
        add="Import one with `dictionary import`.",
    )


def _vectors_named(name: str) -> StaticSet:
    """Kept static vectors by their name or by the beginning of their id. Raises `SpecError` for none or several."""
    from isogloss.backend.models.static import library as static_library

    return one_named(
        static_library.entries(workspaces()),
        name,
        several=f"'{name}' is several sets of vectors. Use one's id",
        none=f"There are no vectors '{name}'",
        add="Add some with `vectors add`.",
    )
