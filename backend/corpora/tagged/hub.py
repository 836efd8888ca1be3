"""Tagged text from the Hugging Face Hub, at a commit that the report names. Code from data sets is never run.

| data set | configurations | columns |
|---|---|---|
| `universal-dependencies/universal_dependencies` (Nivre et al. 2020) | a treebank each: `en_pud` | tokens, upos, misc, head |
| `commul/universal_dependencies`, newer releases of the same | a treebank each | tokens, upos, misc |
| `unimelb-nlp/wikiann` (Pan et al. 2017; Rahimi et al. 2019) | a language each: `en` | tokens, ner_tags |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import hub
from isogloss.backend.corpora.parallel.assemble import Skips
from isogloss.backend.corpora.shared.inputs import InputFile, printable
from isogloss.backend.corpora.tagged import assemble
from isogloss.backend.corpora.tagged.parts import PARTS, Part
from isogloss.backend.corpora.tagged.readers import check_left, treebank_language
from isogloss.backend.corpora.tagged.sentences import MAX_SENTENCE, Left, Pile, Raw, Tags, too_long
from isogloss.backend.errors import CorpusError, IsoglossError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from isogloss.backend.corpora.tagged.corpus import TaggedCorpus

HubTagged = Literal["universal-dependencies/universal_dependencies", "commul/universal_dependencies", "unimelb-nlp/wikiann"]
HUB_TAGGED: tuple[HubTagged, ...] = get_args(HubTagged)

NO_SPACE = re.compile(r"SpaceAfter\W{1,5}No\b")
"""In `SpaceAfter=No`, and in a dictionary's `{'SpaceAfter': 'No'}`."""


@dataclass(frozen=True)
class _About:
    kind: str
    tags: str
    """The column of tags."""
    revision: str
    """What is loaded unless another revision is asked for."""
    folder: bool = False
    """Whether a configuration is a folder of Parquet files, since the data set's own code is not run."""


ABOUT: dict[HubTagged, _About] = {
    "universal-dependencies/universal_dependencies": _About("Universal Dependencies", "upos", "refs/convert/parquet", True),
    "commul/universal_dependencies": _About("Universal Dependencies", "upos", "main"),
    "unimelb-nlp/wikiann": _About("WikiAnn", "ner_tags", "main"),
}


def load(
    dataset: HubTagged, configurations: Sequence[str], *, revision: str | None = None, limit: int | None = None
) -> TaggedCorpus:
    """Some configurations of a data set: treebanks (`en_pud`, `de_gsd`) or languages of WikiAnn (`en`), in all their parts.

    `revision` (by default the branch that holds Parquet files) is resolved to a commit first, which is what is loaded and what
    the report's `source` names. `limit` keeps the first sentences of each part. Raises `CorpusError`: no network, no such data
    set or configuration, and what `assemble.corpus` refuses.
    """
    if dataset not in ABOUT:
        raise CorpusError(f"The data set '{dataset}' is no tagged text that is read.", remedy=did_you_mean(dataset, HUB_TAGGED))
    if not configurations:
        raise CorpusError("Nothing was chosen.", remedy="Name treebanks such as en_pud, or languages of WikiAnn.")
    provenance = ABOUT[dataset]
    asked = revision or provenance.revision
    skips, tags = Skips(), Tags()
    piles: dict[tuple[str, Part], Pile] = {}
    names: dict[str, str] = {}
    for name in dict.fromkeys(configurations):
        tag = _tag(name)
        names[tag] = f"{names[tag]}, {name}" if tag in names else name
    try:
        commit = hub.commit_of(dataset, asked)
        for name in dict.fromkeys(configurations):
            _load(dataset, name, commit, limit, piles, tags, skips)
    except IsoglossError:
        raise
    except Exception as error:
        raise hub.explain(error, dataset, asked) from error
    source = f"{dataset}@{commit}, {', '.join(dict.fromkeys(configurations))}"
    return assemble.corpus(provenance.kind, list(piles.values()), tags, names=names, skips=skips, source=source, strict=False)


def _load(
    dataset: HubTagged,
    name: str,
    commit: str,
    limit: int | None,
    piles: dict[tuple[str, Part], Pile],
    tags: Tags,
    skips: Skips,
) -> None:
    """Add the parts of one configuration to the piles of its language. Raises `CorpusError` where it has none."""
    provenance, tag = ABOUT[dataset], _tag(name)
    there = False
    for part in PARTS:
        loaded = _stream(dataset, name, part, commit)
        if loaded is None:
            continue
        there = True
        file, left = InputFile(printable(f"{dataset} {name} {part}"), Path()), Left()
        pile = piles.get((tag, part)) or Pile(tag, part, tags)
        for sentence in sentences(islice(loaded, limit), provenance.tags, class_names(loaded, provenance.tags), file):
            pile.add(sentence, file, skips, left)
        check_left(file, left)
        skips.tally.read(file.name, left.sentences + left.without_tag)
        if left.sentences:
            piles[tag, part] = pile
    if not there:
        raise CorpusError(
            f"{dataset} has no '{printable(name)}'.", remedy="Choose a configuration that its page on the Hub lists."
        )


def _stream(dataset: HubTagged, name: str, part: Part, commit: str) -> Any:
    """Return the rows of a part as they come, or None where the configuration has no such part."""
    try:
        return hub.stream(dataset, name, part, commit, folder=ABOUT[dataset].folder)
    except (ValueError, FileNotFoundError) as error:
        # What `datasets` says of a part or a configuration that is not there differs between its versions and layouts.
        if any(said in str(error) for said in ("split", "BuilderConfig", "find", "doesn't contain")):
            return None
        raise


def class_names(loaded: Any, column: str) -> list[str] | None:
    """Return the names of a column's classes, where its values are their numbers."""
    feature = (getattr(loaded, "features", None) or {}).get(column)
    names: list[str] | None = getattr(getattr(feature, "feature", feature), "names", None)
    return names


def sentences(rows: Iterable[Mapping[str, Any]], column: str, names: Sequence[str] | None, file: InputFile) -> Iterator[Raw]:
    """The sentences in rows of `tokens` and of tags in `column`; `names` of the classes where the tags are numbers.

    Rows of CoNLL-U list multi-word tokens and empty nodes among their words, the one without a UPOS, both without a head: they
    are left out. Raises `CorpusError` for a row whose words and tags are not lists of one length.
    """
    for number, row in enumerate(rows, start=1):
        words, row_tags = row.get("tokens"), row.get(column)
        if not isinstance(words, list) or not isinstance(row_tags, list) or len(words) != len(row_tags):
            raise CorpusError(
                f"The row's 'tokens' and '{column}' are not lists of one length.",
                remedy="Choose another revision of the data set.",
                file=file.name,
                line=number,
            )
        if len(words) > MAX_SENTENCE:
            raise too_long(file, number)
        tags = [names[each] if names and isinstance(each, int) else str(each) for each in row_tags]
        heads, misc = (_beside(row, key, len(words)) for key in ("head", "misc"))
        kept = [
            i for i in range(len(words)) if heads[i] not in (None, "None", "_") and not (column == "upos" and tags[i] == "_")
        ]
        glued = [bool(NO_SPACE.search(str(misc[i]))) for i in kept]
        if kept:
            name = row.get("sent_id") or row.get("idx")
            yield Raw(number, str(name or number), [str(words[i]).strip() for i in kept], glued, [tags[i] for i in kept])


def _beside(row: Mapping[str, Any], key: str, count: int) -> Sequence[Any]:
    """Return a column with a value for each word, or as many empty texts."""
    values = row.get(key)
    return values if isinstance(values, list) and len(values) == count else [""] * count


def _tag(name: str) -> str:
    """Return the language of a configuration."""
    code, _, treebank = name.partition("_")
    return language(treebank_language(code, treebank)).tag
