"""From the piles that every reader fills to a checked corpus: one place for what may be odd about tagged sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import checks
from isogloss.backend.corpora.parallel.corpus import ReadReport
from isogloss.backend.corpora.tagged import checks as tagged_checks
from isogloss.backend.corpora.tagged.corpus import SCHEMA, TaggedCorpus
from isogloss.backend.corpora.tagged.parts import PARTS
from isogloss.backend.corpora.tagged.sentences import samples
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.assemble import Skips
    from isogloss.backend.corpora.tagged.sentences import Pile, Tags


def corpus(
    kind: str,
    piles: Sequence[Pile],
    tags: Tags,
    *,
    names: Mapping[str, str],
    skips: Skips,
    warnings: Sequence[str] = (),
    source: str | None = None,
    strict: bool = True,
) -> TaggedCorpus:
    """Return the corpus of some piles of sentences, which share `tags`. `names` is BCP-47 tag → the source's name.

    What is odd but harmless becomes a warning. With `strict`, text in another script than its language's is an error. Raises
    `CorpusError` for it, and where there is no sentence, or one tag only.
    """
    ordered = sorted(piles, key=lambda pile: (pile.language, PARTS.index(pile.part)))
    tables = [pile.table() for pile in ordered]
    table = pa.concat_tables(tables) if tables else SCHEMA.empty_table()
    if not table.num_rows:
        raise CorpusError(
            "There is no sentence with tags.", remedy="Drop files with a tag for each word; published tests often have none."
        )
    tagged = TaggedCorpus(table)
    if len(tagged.tags) < 2:
        first = tags.first[tagged.tags[0]]
        raise CorpusError(
            f"Every word has the tag '{tagged.tags[0]}'.",
            remedy="Check that the tags' column was read.",
            file=first[0],
            line=first[1],
        )
    some = [
        sample
        for pile, own in zip(ordered, tables, strict=True)
        for sample in samples(pile, own, names[pile.language], language(pile.language))
    ]
    odd = checks.scripts(some, strict=strict) + checks.copies(some) + checks.damage(some)
    notes = [*warnings, *odd, *tagged_checks.notes(tagged, tags)]
    own_names = {tag: names[tag] for tag in tagged.languages}
    losses = skips.tally.losses("sentence")
    return replace(tagged, report=ReadReport(kind, own_names, tuple(skips.rows), skips.more, tuple(notes), source, losses))
