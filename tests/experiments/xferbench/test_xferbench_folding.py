"""Which sources are said to be folded: those with more symbols than embeddings, as their pre-training tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend.experiments.xferbench.folding import Folding, of_bases
from isogloss.backend.experiments.xferbench.queries import each_seed
from isogloss.backend.store import details
from tests.pages.emergent import benchmark_workspace as made

if TYPE_CHECKING:
    from pathlib import Path


def base(workspace: Path, key: str, provenance: dict[str, Any]) -> None:
    details.write(workspace, key, pa.table({"step": [1], "loss": [1.0]}), provenance)


def test_more_symbols_than_embeddings(tmp_path: Path) -> None:
    options = {"architecture": {"vocabulary": 512}}
    told = {
        "a" * 24: {"symbols": 513, "options": options},
        "b" * 24: {"symbols": 512, "options": options},
        "c" * 24: {"options": options},
        "d" * 24: {"symbols": 29_990, "options": options},
    }
    for key, provenance in told.items():
        base(tmp_path, key, provenance)
    for place, key in enumerate([*told, "e" * 24]):  # of the last no pre-training is kept
        made.score(tmp_path, source=f"{place}" * 24, checkpoint=key, corpus="f" * 24, target="fi", value=5.0)
    made.score(tmp_path, source="none", corpus="f" * 24, target="fi", value=5.0)
    made.score(tmp_path, source="9" * 24, checkpoint="d" * 24, corpus="f" * 24, target="fi", value=5.0, variant=made.RELEASED)
    found = of_bases(each_seed([tmp_path], made.QUICK), [tmp_path])
    assert found == {"0" * 24: Folding(513, 512), "3" * 24: Folding(29_990, 512)}
    assert found["3" * 24].text == "Folded: 29,990 symbols shared 512 embeddings"
    assert list(of_bases(each_seed([tmp_path], made.RELEASED), [tmp_path])) == ["9" * 24]
    assert of_bases(each_seed([tmp_path], "quick/correct/000000"), [tmp_path]) == {}
