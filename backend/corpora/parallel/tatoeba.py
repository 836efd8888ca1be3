"""The Tatoeba test sets of LASER (Artetxe and Schwenk 2019) and XTREME: `tatoeba.deu-eng.deu` and `tatoeba.deu-eng.eng`.

Every language has up to 1,000 sentences with English of its own, so that two languages beside English rarely share any.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backend.corpora.parallel import moses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.parallel.corpus import ParallelCorpus
    from backend.corpora.shared.inputs import InputFile

FORMAT = "Tatoeba"
NAME = re.compile(r"tatoeba\.[a-z]{2,3}-[a-z]{2,3}\.[a-z]{2,3}")


def matching_files(files: Sequence[InputFile]) -> list[InputFile]:
    """Return the files of Tatoeba pairs."""
    return [f for f in files if NAME.fullmatch(f.base) and moses.half_of(f)]


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """Return the corpus in files that `matching_files` chose; raises `CorpusError` as `moses.read` does."""
    return moses.read(files, FORMAT)
