"""NTREX-128 as published (Federmann et al. 2022, https://github.com/MicrosoftTranslator/NTREX).

`newstest2019-src.eng.txt` and `newstest2019-ref.<ISO 639-3>[-variant].txt`, 1,997 lines each; `DOCUMENT_IDS.tsv` has the
document of each line, without a header.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from isogloss.backend.corpora.parallel.assemble import assemble
from isogloss.backend.corpora.parallel.plain import align
from isogloss.backend.corpora.shared.formats import Evidence, Format
from isogloss.backend.corpora.shared.textlines import check_aligned, read_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile

TEXT = re.compile(r"newstest2019-(?:src|ref)\.([A-Za-z]{2,3}(?:-[A-Za-z]{2,4})?)\.txt")
DOCUMENTS = "DOCUMENT_IDS.tsv"


def recognise(files: Sequence[InputFile]) -> Mapping[InputFile, Evidence]:
    """Return the text files of NTREX and, with them, the list of documents."""
    texts = [f for f in files if TEXT.fullmatch(f.base)]
    return dict.fromkeys([*texts, *(f for f in files if texts and f.base == DOCUMENTS)], Evidence.PUBLISHED)


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """The corpus in files that `recognise` returned. Raises `CorpusError` where they cannot be read or are not aligned."""
    texts = [(match[1], f) for f in files if (match := TEXT.fullmatch(f.base))]
    documents = next((f for f in files if f.base == DOCUMENTS), None)
    names = read_lines(documents) if documents else None
    columns = align(texts, documents=names)
    if documents and names:
        check_aligned({**{c.file: len(c.texts) for c in columns}, documents.name: len(names)})
    return assemble(FORMAT.name, columns)


FORMAT = Format("NTREX-128", "`newstest2019-ref.deu.txt` … as published", recognise, read)
