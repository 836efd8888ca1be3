"""What the demo has of probes opens in an empty workspace, without a text and without computing anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.errors import CorpusError
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, check_rows
from tests.pages.probing.probing_page import LAST, Query, Shown, open_probing

if TYPE_CHECKING:
    from pathlib import Path

BOTH: Query = {"model": [MLM, CONTRAST]}
OTHERS: Query = BOTH | {"setting": "Others too", "checkpoints": [LAST]}
VIEWS: list[tuple[str, int, Query]] = [
    ("Layers × checkpoints", 1, {}),
    ("Layers × checkpoints", 2, BOTH | {"measure": "Selectivity"}),
    ("Curves", 1, {}),
    ("Curves", 1, BOTH | {"over": "Checkpoints"}),
    ("Languages", 2, BOTH),
    ("Sources", 1, OTHERS),
    ("Sources", 1, OTHERS | {"on": "Demo PUD"}),
    ("Errors", 1, {}),
    ("Regression", 1, BOTH),
    ("Regression", 1, OTHERS | {"on": "Demo PUD"}),
]
MEANS = (
    "SELECT model, step, layer, metric, avg(value) AS value FROM scores WHERE experiment = 'probing' AND seed IS NULL "
    "AND {where} AND variant {tested} '%tested on%' AND variant NOT LIKE '%mix%' AND variant NOT LIKE '%mean of%' GROUP BY ALL"
)


@pytest.fixture
def beside(tmp_path: Path, shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure and table from now on, the demo beside an empty workspace."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    return shown


@pytest.mark.parametrize(("view", "figures", "query"), VIEWS, ids=[f"{view} {query}" for view, _, query in VIEWS])
def test_every_view_shows_something_at_once(beside: list[Shown], tmp_path: Path, view: str, figures: int, query: Query) -> None:
    app = open_probing(view=view, **query)
    assert not app.error
    assert len(beside) == figures
    for each in beside:
        check_rows(each)
    assert not [each for each in app.button if each.label.startswith("Compute")]
    assert not [each for each in app.caption if "not computed" in each.value]
    assert list(tmp_path.iterdir()) == []


def test_the_sentences_are_said_to_be_no_part_of_the_demo(beside: list[Shown]) -> None:
    app = open_probing(view="Errors")
    assert any("words misclassified" in each.value for each in app.markdown)
    (said,) = (each.value for each in app.info)
    assert "The texts of 'Demo UD' are not part of the demo" in said.replace("\\", "")


def test_the_demo_keeps_names_and_no_texts() -> None:
    entries = tagged.entries([DEMO])
    assert [(each.name, each.names_only) for each in entries] == [("Demo PUD", True), ("Demo UD", True)]
    assert all(each.licence and each.source for each in entries)
    assert tagged.problems([DEMO]) == []
    assert [path.name for path in (DEMO / "tagged").rglob("*") if path.is_file()] == ["entry.json"] * 2
    for each in entries:
        with pytest.raises(CorpusError, match="are not part of the demo"):
            tagged.load(each.id, [DEMO])


def test_the_scores_are_what_the_readme_says() -> None:
    """Every number of its sentence on probes, from the rows of the files."""
    readme = " ".join((DEMO / "README.md").read_text("utf-8").split())
    own, others = (frame_of(f"source {sign} target", tested=tested) for sign, tested in (("=", False), ("<>", True)))
    mlm, contrast = (own[model, 2000, "probe_accuracy"] for model in (MLM, CONTRAST))
    selectivity = [own[MLM, step, "selectivity"].mean() for step in (0, 2000)]
    said = [
        f"accuracy is {own[MLM, 0, 'probe_accuracy'].mean():.2f} at step 0",
        f"{mlm.mean():.2f} and {contrast.mean():.2f} at step 2000",
        f"always told alone: {own[MLM, 2000, 'majority_accuracy'].mean():.2f}",
        f"each word's most frequent tag: {own[MLM, 2000, 'word_majority_accuracy'].mean():.2f}",
        f"selectivity from {selectivity[0]:.2f} to {selectivity[1]:.2f}",
        f"{contrast[0]:.2f} at layer 0 to {contrast[4]:.2f} at layer 4",
        f"the MLM's {others[MLM, 2000, 'probe_accuracy'].max():.2f} at best",
        f"most frequent tag has {others[MLM, 2000, 'majority_accuracy'].mean():.2f}",
        f"the contrast model's {others[CONTRAST, 2000, 'probe_accuracy'][3]:.2f} at layer 3",
    ]
    assert [each for each in said if each not in readme] == []
    assert others[CONTRAST, 2000, "probe_accuracy"].idxmax() == 3


def frame_of(where: str, *, tested: bool) -> dict[tuple[str, int, str], pd.Series]:
    """Means over languages, or their pairs, by layer (0 for what has none) of each model, step and metric."""
    found = scores.sql(MEANS.format(where=where, tested="LIKE" if tested else "NOT LIKE"), [DEMO])
    begun = found[found["step"] == 0]  # the same weights in both models, filed once
    found = pd.concat([found[found["step"] > 0], *(begun.assign(model=model) for model in (MLM, CONTRAST))])
    return {
        (str(model), int(step), str(metric)): rows.set_index(rows["layer"].fillna(0).astype(int))["value"]
        for (model, step, metric), rows in found.groupby(["model", "step", "metric"])
    }


def test_every_language_is_probed_at_every_checkpoint() -> None:
    found = scores.sql(
        "SELECT DISTINCT checkpoint, source FROM scores WHERE metric = 'probe_accuracy' AND source = target "
        "AND variant NOT LIKE '%tested on%'",
        [DEMO],
    )
    probed = [model for model in models.entries([DEMO]) if "fine-tuned" not in model.name]
    fingerprints = {each.fingerprint for model in probed for each in model.checkpoints}
    assert set(found["checkpoint"]) == fingerprints
    assert len(found) == 6 * len(fingerprints) == 6 * (15 + 1)  # both small models' and the real encoder's one
