"""Where checkpoints stand on an axis of training: never back, whatever their stages count."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.charts.curves import curves
from isogloss.backend.experiments import progress
from isogloss.backend.experiments.frames import label_checkpoints, place_checkpoints, placed_by
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.models.files.steps import in_order, parse

STAGED = [
    "stage1-step10-tokens1B",
    "stage1-step20-tokens2B",
    "stage2-ingredient1-step0-tokens0B",
    "stage2-ingredient1-step5-tokens1B",
    "stage2-ingredient2-step5-tokens1B",
    "it-SFT",
    "main",
]


def checkpoints(names: list[str]) -> list[Checkpoint]:
    found = [(name, parse(name)) for name in names]
    return [
        Checkpoint(
            source="folder",
            location=f"/{name}",
            label=name,
            step=place.step,
            stage=place.stage,
            tokens=place.tokens,
            fingerprint=f"{number:024x}",
        )
        for number, (name, place) in enumerate(found)
    ]


@pytest.mark.parametrize(
    ("names", "by", "places"),
    [
        (STAGED, "step", [10, 20, 21, 25, 30, 37.5, 45]),
        (STAGED, "tokens", [1e9, 2e9, 2e9 + 1, 3e9, 4e9, None, None]),
        (STAGED, "order", [1, 2, 3, 4, 5, 6, 7]),
        # Stages that count on are where they are.
        (["stage1-step40", "stage2-step80", "stage3-step100"], "step", [40, 80, 100]),
        # Rounded tokens that are equal begin nothing again.
        (["step600-tokens3B", "step700-tokens3B", "step850-tokens4B"], "tokens", [3e9, 3e9 + 1, 4e9]),
        (["step0", "step10", "step20", "main"], "step", [0, 10, 20, 30]),
        (["a", "b"], "step", [0, 1]),
        (["epoch1-step50", "epoch2-step30"], "step", [50, 80]),
    ],
)
def test_places(names: list[str], by: progress.By, places: list[float | None]) -> None:
    assert progress.places(checkpoints(names), by) == places


def test_what_is_offered_and_said() -> None:
    staged, plain, tokens = checkpoints(STAGED), checkpoints(["step1", "step2"]), checkpoints(["100B", "200B", "main"])
    assert progress.offered([staged]) == ["step", "tokens", "order"]
    assert progress.offered([plain]) == ["step"]
    assert progress.offered([tokens]) == ["tokens"]
    assert progress.offered([plain, tokens]) == ["step", "tokens"]
    assert [progress.is_plain(each) for each in (staged, plain, tokens)] == [False, True, True]
    assert progress.title([plain], "step") == "Training step"
    assert progress.title([plain, staged], "step") == "Training step (stages added up)"
    assert progress.stages(staged)[1:3] == ["stage1", "stage2-ingredient1"]
    assert progress.stages(staged)[-1] == ""
    assert progress.stages(checkpoints(["step5", "longctx-step1"])) == ["pre-training", "longctx"]
    # Two spellings of one stage are one.
    assert progress.stages(checkpoints(["step5", "stage1-step9", "stage2-step1"])) == ["stage1", "stage1", "stage2"]


NAMES = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "stage1-", "stage2-", "stage2-ingredient1-", "lc-4k-to-32k-", "sft-", "epoch1-", "epoch2-"]),
    st.sampled_from(["", "step0", "step10", "step500", "step100000"]),
    st.sampled_from(["", "-tokens0B", "-tokens3B", "-tokens2T"]),
)


@given(st.lists(NAMES, min_size=1, max_size=12, unique=True), st.sampled_from(["step", "tokens", "order"]))
def test_an_axis_never_goes_back(names: list[str], by: progress.By) -> None:
    known = [place for place in progress.places(checkpoints(in_order(names, str)), by) if place is not None]
    assert all(one < other for one, other in pairwise(known))


def test_curves_have_a_band_a_stage_and_two_stages_of_one_step_are_two_points() -> None:
    own = checkpoints(["stage1-step10", "stage1-step20", "stage2-step10", "stage2-step20"])
    staged = zip(progress.stages(own), progress.places(own, "step"), strict=True)
    known = [
        (each.fingerprint, "m", each.label, each.step, at, *more)
        for at, (each, more) in enumerate(zip(own, staged, strict=True))
    ]
    scores = pd.DataFrame({"checkpoint": [each.fingerprint for each in own], "value": [0.1, 0.2, 0.3, 0.4]})
    rows = place_checkpoints(label_checkpoints(scores, known))
    assert rows.groupby(["model", *placed_by(rows)]).ngroups == 4
    figure = curves(rows, x="step", value_title="Score", axis="Training step (stages added up)", chance=None)
    (line,) = [trace for trace in figure.data if trace.mode == "lines+markers"]
    assert line.x.tolist() == [10, 20, 30, 40]
    assert "Checkpoint: <b>stage2-step10</b><br>Training step: <b>30</b>" in line.hovertext[2]
    assert [annotation.text for annotation in figure.layout.annotations] == ["stage1", "stage2"]
    (edge,) = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert edge.x0 == 25
    other = pd.concat([rows, rows.assign(model="n", step=rows["step"] + 7)])
    assert not curves(other, x="step", value_title="Score", chance=None).layout.shapes
