"""The paper's hypotheses over its own tables, over made-up sources, and where nothing can be told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.experiments.xferbench import hypotheses as module
from isogloss.backend.experiments.xferbench.hypotheses import HYPOTHESES, Finding, decide, hypotheses, sentence
from isogloss.backend.experiments.xferbench.printed import tables as published
from isogloss.backend.metrics.xferbench import contrast


def printed() -> tuple[pd.DataFrame, dict[str, Any]]:
    groups = {**published.GROUPS, "Random": "random", "No pretrain": "none"}
    return published.cells(), {"names": {name: name for name in groups}, "groups": groups, "sizes": published.sizes()}


def cells(values: dict[str, list[float]]) -> pd.DataFrame:
    rows = [(source, "text", f"t{place}", each) for source, row in values.items() for place, each in enumerate(row)]
    return pd.DataFrame(rows, columns=["source", "corpus", "target", "value"])


def over(values: dict[str, list[float]], groups: dict[str, str], sizes: dict[str, Any] | None = None) -> pd.DataFrame:
    return hypotheses(cells(values), {source: source.upper() for source in values}, groups, sizes or {})  # type: ignore[arg-type]


def decided(found: pd.DataFrame) -> dict[str, str]:
    return dict(zip(found["hypothesis"], found["decided"], strict=True))


def only(found: pd.DataFrame, hypothesis: str) -> dict[str, Any]:
    (row,) = found[found["hypothesis"] == hypothesis].to_dict("records")
    return {str(key): value for key, value in row.items()}


def test_over_the_printed_tables_they_are_as_the_paper_discusses_them() -> None:
    table, more = printed()
    found = hypotheses(table, **more, translations=published.translations())
    assert decided(found) == dict.fromkeys(HYPOTHESES, "holds")
    human, made = found["value"][:2]
    frame = table.pivot(index="source", columns="target", values="value")
    mean = {
        kind: np.mean([frame.loc[name].mean() for name, own in more["groups"].items() if own in kind])
        for kind in (("human",), ("synthetic", "emergent"), ("random", "none"))
    }
    assert human == pytest.approx(mean["human",] - mean["synthetic", "emergent"])
    assert made == pytest.approx(mean["synthetic", "emergent"] - mean["random", "none"])
    assert only(found, "H2")["note"] == "Best Chinese, worst Hindi; of 6 neighbours in rank 3 are told apart."
    assert only(found, "H3")["note"].startswith("In 10 of 10 pairs the larger scores better")
    settings = found[found["hypothesis"] == "H4"]
    assert settings["value"].round(2).tolist() == [-0.75, -0.84, -0.79]
    assert sentence(found.to_dict("records")[0]) == (
        "Human − synthetic or emergent: −0.141 nats (95% −0.173 to −0.109), 10 targets. No single source is out of this order."
    )
    assert sentence(settings.to_dict("records")[0]).startswith(
        "Correlation of score and chrF, full: −0.75 (95% −0.90 to −0.42), 17 "
    )


def test_a_reversed_order_does_not_hold_and_names_who_is_out_of_it() -> None:
    rng = np.random.default_rng(0)
    level = {"h": 5.6, "s": 5.4, "e": 5.5, "r": 5.9, "none": 5.8}
    hard = np.array([0.0, 1.0, 2.0, -1.0])
    values = {source: (mean + hard + 0.01 * rng.standard_normal(4)).tolist() for source, mean in level.items()}
    groups = {"h": "human", "s": "synthetic", "e": "emergent", "r": "random", "none": "none"}
    found = over(values, groups)
    first, second = found[found["hypothesis"] == "H1"].to_dict("records")
    assert (first["verdict"], second["verdict"], first["decided"]) == ("does not hold", "holds", "does not hold")
    assert first["note"] == "Not behind every human source: E, S."
    assert only(found, "H2")["note"] == "It takes two human sources."


def test_ties_tell_nothing_and_neither_does_one_target_or_one_source() -> None:
    groups = {"a": "human", "b": "human", "e": "emergent", "none": "none"}
    same = over({source: [1.0, 5.0, 3.0] for source in groups}, groups)
    assert set(decided(same).values()) == {"cannot be told"}
    assert same["value"][:3].tolist() == pytest.approx([0.0, 0.0, 0.0])
    single = over({source: [float(place)] for place, source in enumerate(groups)}, groups)
    assert decided(single)["H1"] == "cannot be told"
    assert "1 target that all these sources have: an interval needs two." in single["note"][0]
    assert sentence(single.to_dict("records")[0]).startswith(
        "Human − synthetic or emergent: −1.500 nats, 1 target. 1 target that"
    )
    alone = over({"e": [1.0, 2.0, 3.0]}, {"e": "emergent"})
    assert set(decided(alone).values()) == {"cannot be told"}
    assert alone["note"].tolist() == [
        "No source is human.",
        "No source is random or not pre-trained.",
        "It takes two human sources.",
        "No emergent language exceeds another in symbols, length of messages and tokens alike.",
        "No translation scores of these sources.",
    ]
    assert len(over({}, {})) == 5


def test_human_languages_are_alike_where_the_next_group_is_further_than_they_are_apart() -> None:
    rng = np.random.default_rng(1)
    hard = rng.normal(0, 1, 6)

    def at(**level: float) -> dict[str, list[float]]:
        return {source: (mean + hard + 0.01 * rng.standard_normal(6)).tolist() for source, mean in level.items()}

    groups = {"a": "human", "b": "human", "c": "human", "e": "emergent"}
    near, far = at(a=5.0, b=5.05, c=5.1, e=5.5), at(a=5.0, b=5.3, c=5.6, e=5.5)
    assert decided(over(near, groups))["H2"] == "holds"
    assert decided(over(far, groups))["H2"] == "does not hold"
    row = only(over(near, groups), "H2")
    means = {source: np.mean(values) for source, values in near.items()}
    human = np.mean([means[source] for source in "abc"])
    assert row["value"] == pytest.approx(means["c"] - means["a"] - (means["e"] - human))


def test_only_what_is_larger_in_all_three_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    values = {source: rng.normal(5, 0.2, 6).tolist() for source in "abcd"}
    sizes = {"a": (9, 9, 900), "b": (5, 5, 500), "c": (9, 8, 300), "d": (4, 4, 400)}  # a > b > d, a > d; c beats none
    found = only(over(values, dict.fromkeys(values, "emergent"), sizes), "H3")
    frame = pd.DataFrame(values).T
    pairs = [("a", "b"), ("a", "d"), ("b", "d")]
    assert found["value"] == pytest.approx(np.mean([(frame.loc[x] - frame.loc[y]).mean() for x, y in pairs]))
    better = sum(frame.loc[x].mean() < frame.loc[y].mean() for x, y in pairs)
    apart = sum(contrast(frame, {x: 1, y: -1}).high < 0 for x, y in pairs)
    assert found["note"] == f"In {better} of 3 pairs the larger scores better, which in {apart} an interval tells."
    monkeypatch.setattr(module, "MOST_PAIRS", 2)
    assert (
        only(over(values, dict.fromkeys(values, "emergent"), sizes), "H3")["note"]
        == f"In {better} of 3 pairs the larger scores better."
    )


def test_targets_that_not_all_have_and_sources_without_a_group_are_left_out() -> None:
    table = cells({"h": [1.0, 2.0, 3.0], "e": [2.0, 3.5, 9.0], "x": [0.0, 0.0, 0.0]})
    table = table[~((table["source"] == "e") & (table["target"] == "t2"))]
    found = hypotheses(table, {"h": "H", "e": "E"}, {"h": "human", "e": "emergent"}, {})
    assert found["value"][0] == pytest.approx(-1.25)
    assert found["n"][0] == 2


def test_one_that_does_not_hold_is_enough() -> None:
    yes, no, open_ = Finding("H1", "", -1, -2, -0.1, 5), Finding("H1", "", 1, 0.1, 2, 5), Finding("H1", "", 0, -1, 0, 5)
    assert [part.verdict for part in (yes, no, open_)] == ["holds", "does not hold", "cannot be told"]
    assert [decide(parts) for parts in ([yes, yes], [yes, open_], [open_, no, yes])] == [
        "holds",
        "cannot be told",
        "does not hold",
    ]
