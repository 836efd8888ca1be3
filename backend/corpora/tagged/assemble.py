"""From the piles that every reader fills to a checked corpus: one place for what may be odd about tagged sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from backend.corpora.parallel.corpus import SHOWN
from backend.corpora.tagged.corpus import SCHEMA, TaggedCorpus, TaggedReport
from backend.corpora.tagged.parts import PARTS
from backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from backend.corpora.parallel.assemble import Skips
    from backend.corpora.tagged.sentences import Pile

__all__ = ["SHOWN", "corpus"]


def corpus(
    kind: str,
    piles: Sequence[Pile],
    *,
    names: Mapping[str, str],
    skips: Skips,
    warnings: Sequence[str] = (),
    source: str | None = None,
) -> TaggedCorpus:
    """The corpus of some piles of sentences. `names` is BCP-47 tag → the source's name.

    Raises `CorpusError` where there is no sentence, or one tag only.
    """
    ordered = sorted(piles, key=lambda pile: (pile.language, [part for part in PARTS].index(pile.part)))
    table = pa.concat_tables([pile.table() for pile in ordered]) if ordered else SCHEMA.empty_table()
    if not table.num_rows:
        raise CorpusError(
            "There is no sentence with tags.", remedy="Drop files with a tag for each word; published tests often have none."
        )
    own = {tag: name for tag, name in names.items() if any(pile.language == tag for pile in ordered)}
    report = TaggedReport(kind, own, tuple(skips.rows), skips.more, tuple(warnings), source)
    found = TaggedCorpus(table, report)
    if len(found.tags) < 2:
        raise CorpusError(f"Every word has the tag '{found.tags[0]}'.", remedy="Check that the tags' column was read.")
    return found
