"""The texts behind what a probe told: predictions are kept as numbers, and read beside the corpus that they are of."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks import three_parts
from isogloss.backend.corpora.tasks.task import Examples
from isogloss.backend.experiments.probing.spec import ProbingSentencesSpec, ProbingWordsSpec
from isogloss.backend.experiments.probing.tagged_words import part_tested
from isogloss.backend.files import digest
from isogloss.backend.recipe_mark import holds_texts, in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from isogloss.backend.corpora.tagged.corpus import TaggedSentence

Spec = ProbingWordsSpec | ProbingSentencesSpec
Texts = tuple["TaggedSentence", ...] | Examples


def tested(spec: Spec, language: str, workspaces: Sequence[Path]) -> Texts:
    """Return what predictions in a language are numbered by: tagged sentences, or a task's examples.

    Raises `CorpusError` where the corpus or task is not kept or lacks the language, `StoreError` where it is damaged.
    """
    match spec:
        case ProbingWordsSpec():
            return _tested("words", spec.corpus, spec.tested, None, language, tuple(workspaces))
        case ProbingSentencesSpec():
            part = spec.tested_test if spec.tested else spec.corpus_test
            return _tested("sentences", spec.corpus, spec.tested, part, language, tuple(workspaces))


def ids(texts: Texts, language: str, *, parallel: bool) -> list[str]:
    """Return what each of `texts`, of a language, is called wherever it is listed: its id, where that is the sentence's own.

    Ids of tagged text that is not `parallel` may be numbers, which other parts and languages have, too: the text says which.
    """
    if isinstance(texts, Examples):
        return list(texts.row_ids)
    return [each.id if parallel and each.id else f"{language}:{digest(each.text)}" for each in texts]


def glosses(spec: Spec, texts: Texts, language: str, workspaces: Sequence[Path]) -> list[str]:
    """Return what each of `texts` says in a third language, by its id; "" where the corpus has no such sentence there."""
    third = tested(spec, language, workspaces)
    if isinstance(third, Examples):
        seconds = third.pairs or [""] * len(third)
        said = {key: " · ".join(filter(None, two)) for key, *two in zip(third.row_ids, third.texts, seconds, strict=True)}
    else:
        said = {each.id: each.text for each in third if each.id}
    own = texts.row_ids if isinstance(texts, Examples) else [each.id for each in texts]
    return [said.get(each, "") for each in own]


@in_recipes
@holds_texts
def with_texts(frame: pd.DataFrame, *, spec: Spec, target: str, gloss: str | None, workspaces: Sequence[Path]) -> pd.DataFrame:
    """Add to what was told wrongly (`predictions.wrong`) the sentence's `text`, and its `gloss` in that language unless None.

    `sentence_id` is what `ids` call it.

    Words have theirs as `written`, pairs of sentences the other one as `second`. Raises as `tested` does.
    """
    texts, numbers = tested(spec, target, workspaces), frame["sentence"].tolist()
    if isinstance(texts, Examples):
        pairs = texts.pairs
        frame = frame.assign(text=[texts.texts[number] for number in numbers])
        frame = frame if pairs is None else frame.assign(second=[pairs[number] for number in numbers])
        parallel = True
    else:
        words = zip(numbers, frame["word"].tolist(), strict=True)
        frame = frame.assign(
            written=[texts[number].words[word] for number, word in words], text=[texts[number].text for number in numbers]
        )
        parallel = _parallel(spec.tested or spec.corpus, tuple(workspaces))
    named = ids(texts, target, parallel=parallel)
    frame = frame.assign(sentence_id=[named[number] for number in numbers])
    if gloss is None:
        return frame
    third = glosses(spec, texts, gloss, workspaces)
    return frame.assign(gloss=[third[number] for number in numbers])


@lru_cache(maxsize=16)
def _parallel(corpus: str, workspaces: tuple[Path, ...]) -> bool:
    return tagged.load(corpus, workspaces).parallel


@lru_cache(maxsize=16)
def _tested(
    unit: Literal["words", "sentences"],
    corpus: str,
    other: str | None,
    _part: str | None,
    language: str,
    workspaces: tuple[Path, ...],
) -> Texts:
    """Read once: an id is content, and `_part` (of a task) what its id does not tell."""
    if unit == "words":
        return part_tested(tagged.load(other or corpus, workspaces), language, own=other is not None)[0]
    return three_parts.examples(tasks.load(other or corpus, workspaces), language, "test")
