"""What the demo has of emergent languages opens in an empty workspace, and its README's numbers are those that it shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.experiments.xferbench import amounts
from isogloss.backend.experiments.xferbench import frames as xferbench_frames
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.experiments.xferbench.spec import variant as variant_of
from isogloss.backend.store import scores
from isogloss.backend.training.language_model.options import preset
from tests.pages.abx.abx_page import DEMO, Shown
from tests.pages.beside import on_the_demo
from tests.pages.emergent.emergent_page import open_page


def test_the_leaderboard_is_what_the_readme_says_and_in_the_papers_order() -> None:
    entries = {entry.name: entry for entry in emergent_library.entries([DEMO])}
    whole = {"Demo emergent language": 24_000, "Paren synth": 24_000, "Random": 24_000}
    assert {entry.name: entry.tokens for entry in emergent_library.readable([DEMO])} == whole
    named = {name: entry.tokens for name, entry in entries.items() if entry.names_only}
    assert named == {"V27 L10": 405_010, "Random, 2.4 M": 2_400_000, "Paren synth, 2.4 M": 2_400_000}
    for name in whole:
        assert len(emergent_library.load(entries[name].id, [DEMO]).ids) == whole[name]
    (variant,) = xferbench_queries.variants([DEMO])["variant"]
    assert variant == variant_of("quick", preset("quick")).name
    cells = xferbench_queries.cross_entropies([DEMO], variant)
    assert len(xferbench_frames.shared_texts(cells)) == 3
    assert amounts.short_targets(variant, [DEMO]) == {}
    texts = {file.provenance["target"]: file.provenance["target_text"] for file in scores.shards([DEMO], "emergent")}
    assert len(texts) == len(set(texts.values())) == 3
    names = {entry.id: name for name, entry in entries.items()} | {"none": "no pre-training"}
    names |= {source: "English" for source in cells["source"] if source.endswith("/en")}
    board = xferbench_frames.leaderboard(cells, names, {})
    by_score = board["name"].tolist()
    assert [name for name in by_score if not name.startswith("Paren")] == [
        "English",
        "V27 L10",
        "no pre-training",
        "Random, 2.4 M",
    ]
    wide = xferbench_queries.matrix(cells)
    order = [board.set_index("name")["source"][name] for name in ("English", "V27 L10", "no pre-training", "Random, 2.4 M")]
    assert (np.diff(wide.loc[order].to_numpy(), axis=0) > 0).all()  # on every target
    readme = (DEMO / "README.md").read_text("utf-8")
    for row in board.itertuples():
        printed = " | ".join(f"{value:.3f}" for value in wide.loc[row.source])
        assert f"| {row.name} | {printed} | {row.score:.3f} |" in readme


VIEWS = {"Overview": 3, "Games": 7, "Leaderboard": 5, "Source × target": 15, "XferBench": None, "Score × statistic": 3}


@pytest.mark.parametrize(("view", "rows"), list(VIEWS.items()))
def test_a_new_user_sees_the_demo(
    exported: list[Shown], workspace: Path, monkeypatch: pytest.MonkeyPatch, view: str, rows: int | None
) -> None:
    on_the_demo(monkeypatch, workspace)
    app = open_page(view=view)
    data = exported[0].data
    assert len(data) == rows if rows else len(data) > 50
    assert not app.error
    assert not app.warning
