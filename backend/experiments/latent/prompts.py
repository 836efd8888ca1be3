"""Words that dictionaries translate from one language, which of them count, and the prompts that ask a model for them.

Source: Wendler et al. 2024, section 3.2 and appendix A, and their released code (`Translation.ipynb`, `Cloze.ipynb`).
Imports no torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Literal, TypeAlias

from isogloss.backend.corpora.dictionaries.dictionary import COLONS
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from isogloss.backend.corpora.dictionaries.dictionary import Dictionary

Filter = Literal["published", "apart", "none"]
FILTERS: dict[Filter, str] = {
    "published": "Pivot and answer begin apart",
    "apart": "All languages begin apart",
    "none": "Any words",
}
Forms: TypeAlias = "Mapping[str, tuple[str, ...]]"
"""A word in every language: tag → its translations, in the dictionary's order."""


@dataclass(frozen=True)
class Word:
    """What is meant, in every language, and where it stands among all that the dictionaries have."""

    number: int
    forms: Forms


def words_of(dictionaries: Mapping[str, Dictionary], pivot: str) -> list[Word]:
    """Return the words of the `pivot` that every dictionary (by its other language) translates, in the first one's order.

    Raises `CorpusError` where a dictionary is of other languages, or no word is in all of them.
    """
    entries = {tag: each.between(pivot, tag).entries for tag, each in dictionaries.items()}
    first, *others = entries.values()
    shared = [word for word in first if all(word in each for each in others)]
    if not shared:
        raise CorpusError(
            f"No word of {language(pivot).name} is in all {len(entries)} dictionaries.", remedy="Choose fewer languages."
        )
    forms = ({pivot: (word,), **{tag: each[word] for tag, each in entries.items()}} for word in shared)
    return [Word(number, each) for number, each in enumerate(forms)]


def gaps_of(dictionary: Dictionary, words: Sequence[Word], pivot: str, target: str) -> dict[int, str]:
    """Return the cloze sentence of each word that has one in a dictionary of the `target`, by the word's number.

    Raises `CorpusError` where none has one.
    """
    sentences = dictionary.between(pivot, target).cloze
    pairs = {each.number: (each.forms[pivot][0], each.forms[target][0]) for each in words}
    found = {number: sentences[pair] for number, pair in pairs.items() if pair in sentences}
    if not found:
        raise CorpusError(
            f"The dictionary of {language(pivot).name} and {language(target).name} has no cloze sentences.",
            remedy="Import one whose file has a column 'cloze', from the one language to the other, or choose another prompt.",
        )
    return found


def kept(
    words: Sequence[Word],
    tokens: Callable[[Word], Mapping[str, frozenset[int]]],
    pivot: str,
    target: str,
    which: Filter,
    most: int,
) -> list[Word]:
    """Return the first `most` words that count where the answer is in `target`. `tokens` says what each may begin with.

    A word that some language has no token for never counts. `published`: the pivot's word is no part of the answer, and no
    token begins both; `apart`: no token begins the word in two languages.
    """
    found: list[Word] = []
    for word in words:
        if len(found) == most:
            break
        if _counts(word, tokens(word), pivot, target, which):
            found.append(word)
    return found


def _counts(word: Word, begins: Mapping[str, frozenset[int]], pivot: str, target: str, which: Filter) -> bool:
    if not all(begins.values()):
        return False
    match which:
        case "none":
            return True
        case "apart":
            return not any(begins[one] & begins[other] for one, other in combinations(begins, 2))
    if pivot == target:
        return True
    same = word.forms[pivot][0].lower() in word.forms[target][0].lower()
    return not same and not begins[pivot] & begins[target]


def forms_counted(word: Word, tag: str, *, synonyms: bool, capitals: bool) -> list[str]:
    """Return the forms of a word in one language whose first tokens count: its first translation, or all; also capitalised."""
    forms = word.forms[tag] if synonyms else word.forms[tag][:1]
    return [*forms, *(form[:1].upper() + form[1:] for form in forms if capitals)]


def prompts(words: Sequence[Word], source: str, target: str, examples: int, seed: int) -> Iterator[str]:
    """Yield each word's prompt, up to the opening quotation mark of the answer: `Français: "fleur" - 中文: "`.

    Before it stand so many lines of other words with their answers, drawn for each word. Both languages are called as they
    call themselves. Raises ValueError where there are no more words than examples.
    """
    if len(words) <= examples:
        raise ValueError(f"{examples} examples need more than {len(words)} words")
    asking, answering = called(source), called(target)
    for place, word in enumerate(words):
        others = Random(f"{seed} {source} {target} {word.number}").sample(range(len(words) - 1), examples)
        shown = [words[other + (other >= place)] for other in others]
        lines = [f'{asking}: "{each.forms[source][0]}" - {answering}: "{each.forms[target][0]}"\n' for each in shown]
        yield f'{"".join(lines)}{asking}: "{word.forms[source][0]}" - {answering}: "'


def cloze_prompts(words: Sequence[Word], sentences: Mapping[int, str], examples: int, target: str, seed: int) -> Iterator[str]:
    """Yield each word's sentence with a gap, up to the opening quotation mark of the answer: `Ein "___" … Antwort: "`.

    `sentences` are by the word's number. Before it stand so many sentences of other words with their answers (2 as published),
    drawn for each word. Raises ValueError where there are no more words than examples.
    """
    if len(words) <= examples:
        raise ValueError(f"{examples} examples need more than {len(words)} words")
    for place, word in enumerate(words):
        others = Random(f"{seed} cloze {target} {word.number}").sample(range(len(words) - 1), examples)
        shown = "".join(f"{sentences[words[other + (other >= place)].number]}\n" for other in others)
        yield f"{shown}{asking(sentences[word.number])}"


def asking(sentence: str) -> str:
    """Return a cloze sentence up to its answer: the last colon after the gap, and a quotation mark.

    The released code takes the first colon, which is the same where a sentence has one.
    """
    end = max(sentence.rfind(each) for each in COLONS)
    return f'{sentence[:end]}: "'


def called(tag: str) -> str:
    """Return what a language calls itself, with a capital as in a heading: `Français`, `中文`."""
    name = language(tag).autonym
    return name[:1].upper() + name[1:]
