"""The Tatoeba test sets of LASER (Artetxe and Schwenk 2019) and XTREME: `tatoeba.deu-eng.deu` and `tatoeba.deu-eng.eng`.

Every language has up to 1,000 sentences with English of its own, so that two languages beside English rarely share any.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from isogloss.backend.corpora.parallel import moses
from isogloss.backend.corpora.shared.formats import Evidence, Format

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile

NAME = re.compile(r"tatoeba\.[a-z]{2,3}-[a-z]{2,3}\.[a-z]{2,3}")


def recognise(files: Sequence[InputFile]) -> Mapping[InputFile, Evidence]:
    """Return the files of Tatoeba pairs."""
    return {f: Evidence.PUBLISHED for f in files if NAME.fullmatch(f.base) and moses.half_of(f)}


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """Return the corpus in files that `recognise` returned; raises `CorpusError` as `moses.read` does."""
    return moses.read(files, FORMAT.name)


FORMAT = Format("Tatoeba", "of XTREME and LASER: `tatoeba.deu-eng.deu` with `tatoeba.deu-eng.eng`", recognise, read)
