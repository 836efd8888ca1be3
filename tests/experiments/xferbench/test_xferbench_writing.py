"""Means by writing system and type, against loops and against tables 7 and 8 of the paper."""

from __future__ import annotations

from statistics import mean, stdev
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.corpora.languages.writing import writing
from isogloss.backend.experiments.xferbench.printed import tables as published
from isogloss.backend.experiments.xferbench.writing import COLUMNS, By, by_writing, comparable

if TYPE_CHECKING:
    from isogloss.backend.experiments.sources.groups import Group

T = "c" * 24
SOURCES = {f"{T}/en": "en", f"{T}/fr": "fr", f"{T}/ar": "ar", f"{T}/hi": "hi", "e" * 24: "", "none": ""}
GROUPS: dict[str, Group] = {key: "human" if tag else "emergent" for key, tag in SOURCES.items()} | {"none": "none"}
LANGUAGES = {key: tag for key, tag in SOURCES.items() if tag}
TARGETS = ("da", "fi", "kk", "he", "ur", "ja")


def cells(lacking: tuple[str, str] | None = None) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    rows = [
        {"source": source, "corpus": T, "target": target, "value": 5 + rng.standard_normal()}
        for source in SOURCES
        for target in TARGETS
        if (source, target) != lacking
    ]
    return pd.DataFrame(rows)


def by_hand(frame: pd.DataFrame, by: By, human: bool) -> dict[tuple[str, str], list[float]]:
    """Normalised values of each pair of groups, by loops."""
    values = {(row["source"], row["target"]): float(row["value"]) for row in frame.to_dict("records")}
    sources = [source for source in SOURCES if GROUPS[source] == "human" or not human]
    targets = [target for target in TARGETS if all((source, target) in values for source in sources)]

    def named(tag: str) -> str:
        return writing(tag).name if by == "writing system" else str(writing(tag).type)

    found: dict[tuple[str, str], list[float]] = {}
    for target in targets:
        column = [values[source, target] for source in sources]
        for source in sources:
            other = "No pre-training" if source == "none" else "Emergent"
            group = named(SOURCES[source]) if SOURCES[source] else other
            place = (values[source, target] - mean(column)) / stdev(column)
            found.setdefault((group, named(target)), []).append(place)
    return found


@pytest.mark.parametrize("by", ["writing system", "type"])
@pytest.mark.parametrize("human", [True, False])
@pytest.mark.parametrize("lacking", [None, (f"{T}/hi", "fi"), ("none", "ur")])
def test_means_are_those_of_loops(by: By, human: bool, lacking: tuple[str, str] | None) -> None:
    frame = cells(lacking)
    found = by_writing(frame.sample(frac=1, random_state=1), GROUPS, LANGUAGES, by, human=human)
    wanted = by_hand(frame, by, human)
    assert list(found.columns) == COLUMNS
    got = {(row["source"], row["target"]): (row["value"], row["n"]) for row in found.to_dict("records")}
    assert set(got) == set(wanted)
    for pair, values in wanted.items():
        assert got[pair][0] == pytest.approx(mean(values), abs=1e-9)
        assert got[pair][1] == len(values)


def test_members_are_named() -> None:
    found = by_writing(cells(), GROUPS, LANGUAGES, "writing system", human=False).set_index(["source", "target"])
    assert found.loc[("Latin", "Arabic"), "sources"] == "English, French"
    assert found.loc[("Latin", "Latin"), "targets"] == "Danish, Finnish"
    assert found.loc[("Emergent", "Latin"), "sources"] == ""


def test_a_human_source_without_a_language_is_of_an_unknown_writing_system() -> None:
    groups: dict[str, Group] = GROUPS | {"e" * 24: "human"}
    assert "Unknown" in set(by_writing(cells(), groups, LANGUAGES, "type")["source"])


def test_one_source_gives_nothing_to_normalise_over() -> None:
    frame = cells()
    only = frame[frame["source"].isin([f"{T}/en", "none"])]
    assert by_writing(only, GROUPS, LANGUAGES, "type").empty
    assert list(by_writing(only, GROUPS, LANGUAGES, "type").columns) == COLUMNS
    assert len(by_writing(only, GROUPS, LANGUAGES, "type", human=False))
    assert by_writing(frame.iloc[:0], GROUPS, LANGUAGES, "type").empty
    assert set(comparable(frame, GROUPS)["source"]) == set(LANGUAGES)


@pytest.mark.parametrize(("by", "most"), [("writing system", 0.13), ("type", 0.08)])
def test_the_printed_tables_come_out(by: By, most: float) -> None:
    """As far as two decimals of table 5 allow (`metrics.xferbench`); our names of scripts are mapped to the paper's."""
    cross_entropies = published.cross_entropies()
    tags = {name: each.tag for name, each in published.LANGUAGES.items()}
    frame = cross_entropies.assign(corpus="table 5", target=cross_entropies["target"].map(tags))
    groups: dict[str, Group] = {
        name: "human" if kind == "human" else "emergent"
        for name, kind in zip(cross_entropies["source"], cross_entropies["group"], strict=True)
    }
    found = by_writing(frame, groups, tags, by).replace({"source": {"Han": "Chinese", "Korean": "Hangul"}})
    printed = published.writing_systems()
    both = printed[printed["by"] == by].merge(found, on=["source", "target"], how="outer", suffixes=("_printed", ""))
    assert both["value"].notna().all()
    assert both["value_printed"].notna().all()
    assert (both["value"] - both["value_printed"]).abs().max() <= most
