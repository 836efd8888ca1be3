"""The printed numbers of the XferBench paper: every number of every table, with the table that it comes from."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from isogloss.backend.experiments.xferbench.printed import tables as xferbench
from tests.experiments.printed_numbers import value
from tests.experiments.xferbench.printed_means import means

FOLDER = Path(xferbench.__file__).parent
HUMAN = ["French", "Spanish", "Russian", "Chinese", "Korean", "Arabic", "Hindi"]
TARGETS = ["Danish", "Basque", "Persian", "Finnish", "Hebrew", "Indonesian", "Japanese", "Kazakh", "Romanian", "Urdu"]


def rows(file: str) -> list[dict[str, str]]:
    with open(FOLDER / f"{file}.csv", encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def test_cross_entropies_and_means_are_every_number_of_table_5() -> None:
    cells, printed, kept = xferbench.cross_entropies(), means(), rows("table5_cross_entropy")
    assert list(cells.columns) == ["table", "source", "group", "target", "value"]
    assert (set(cells["table"]), set(printed["table"])) == ({"table 5"}, {"table 5"})
    assert (len(cells), len(printed)) == (17 * 10, 17 + 10 + 1)
    for row in kept:
        for target in [*TARGETS, "Mean"]:
            frame = printed if "Mean" in {row["source"], target} else cells
            assert f"{value(frame, source=row['source'], target=target):.2f}" == row[target]
    assert len(kept) == 18


def test_games_are_what_section_4_3_prints() -> None:
    found = xferbench.games()
    assert set(found) == set(xferbench.emergent_languages()["setting"])
    for name in ("Disc, small", "Disc, large"):
        assert found[name] == xferbench.GameSuccess(name, 0.95, True, 0.17, None, None)
    assert found["Mu+, SW"] == xferbench.GameSuccess("Mu+, SW", 0.71, False, 0.5, None, None)
    assert found["Mu+, CUB"] == xferbench.GameSuccess("Mu+, CUB", 0.66, False, 0.5, None, None)
    assert found["Yao+"] == xferbench.GameSuccess("Yao+", 0.9, True, 0.004, None, None)
    frame = xferbench.successes().set_index("setting")
    assert frame["success"].to_dict() == {name: game.success for name, game in found.items()}
    assert frame.loc["Yao+", "chance"] == pytest.approx(1 / 256, abs=0.0005)  # 255 distractors
    large = found["Recon, large"]
    assert (large.at_least, large.attributes, large.attribute_chance) == (False, 0.24, 0.13)
    assert (large.success, large.chance) == (pytest.approx(0.00014), pytest.approx(0.00000006))


def test_gpu_hours_add_up_and_the_time_of_a_run_is_printed_in_two_ways() -> None:
    frame = xferbench.compute()
    parts, total = frame[frame["item"] != "Total"], frame[frame["item"] == "Total"]
    assert parts["hours"].tolist() == [270, 400, 100] == (parts["hours_each"] * parts["runs"]).tolist()
    assert total["hours"].item() == parts["hours"].sum() == 770
    assert xferbench.times()[["minutes", "times"]].to_numpy().tolist() == [[330, 1], [90, 1], [30, 10]]
    assert xferbench.price("xferbench") == (
        "Printed, for a source and 10 targets on an RTX 2080 Ti: 5.5 hours (section 3.3), 6 (table 3). The printed parts, "
        "90 minutes and 10 × 30, make 6.5."
    )
    assert xferbench.price("translation") == "Printed: 8 hours a run on an RTX 2080 Ti (table 3)."


def test_the_printed_means_are_those_of_the_cells() -> None:
    cells = xferbench.cross_entropies()
    over = {"source": "target", "target": "source"}
    for row in means().to_dict("records"):
        named = [column for column in over if row[column] != "Mean"]
        chosen = cells[[all(cell[column] == row[column] for column in named) for cell in cells.to_dict("records")]]
        assert len(chosen) == {"source": 10, "target": 17}.get("".join(named), 170)
        assert chosen["value"].mean() == pytest.approx(row["value"], abs=0.005), row


def test_translation_is_every_number_of_tables_2_and_4() -> None:
    frame = xferbench.translation()
    for table, file, metric, digits in (("table 2", "table2_chrf", "chrF", 1), ("table 4", "table4_bleu", "BLEU", 2)):
        kept = [row for row in rows(file) if not row["source"].startswith("Correl")]
        assert len(kept) == 17
        assert len(frame[frame["table"] == table]) == 17 * 3
        for row in kept:
            for setting in xferbench.SETTINGS:
                of = {"table": table, "metric": metric, "source": row["source"], "setting": setting}
                assert f"{value(frame, **of):.{digits}f}" == row[setting]


def test_writing_systems_are_every_number_of_tables_7_and_8() -> None:
    frame = xferbench.writing_systems()
    for table, file in (("table 7", "table7_writing_systems"), ("table 8", "table8_writing_system_types")):
        kept = rows(file)
        own = frame[frame["table"] == table]
        assert len(own) == sum(len(row) - 1 for row in kept)
        for row in kept:
            for target in set(row) - {"Source"}:
                assert f"{value(own, source=row['Source'], target=target):.2f}" == row[target]


def test_tables_7_and_8_name_the_groups_of_the_languages() -> None:
    frame, languages = xferbench.writing_systems(), xferbench.LANGUAGES
    assert list(languages) == [*HUMAN, *TARGETS]
    for table, kind in (("table 7", "writing_system"), ("table 8", "writing_type")):
        own = frame[frame["table"] == table]
        assert set(own["source"]) == {getattr(languages[name], kind) for name in HUMAN}
        assert set(own["target"]) == {getattr(languages[name], kind) for name in TARGETS}


def test_every_source_has_its_group() -> None:
    for frame in (xferbench.cross_entropies(), xferbench.translation()):
        assert list(dict.fromkeys(frame["source"])) == list(xferbench.GROUPS)
    counts = xferbench.cross_entropies().groupby("group").size() // 10
    assert counts.to_dict() == {"human": 7, "synthetic": 2, "emergent": 6, "baseline": 2}
    assert [name for name, group in xferbench.GROUPS.items() if group == "human"] == HUMAN


def test_the_emergent_languages_are_every_row_of_table_1() -> None:
    frame = xferbench.emergent_languages().set_index("setting")
    assert set(frame["table"]) == {"table 1"}
    assert [row["setting"] for row in rows("table1_languages")] == list(frame.index)
    for row in rows("table1_languages"):
        for column in ("vocabulary", "message_length", "observation"):
            assert str(frame.loc[row["setting"], column]) == row[column]
        millions = frame.loc[row["setting"], "corpus_size"] / 1e6
        assert row["corpus_size"] in {f"{millions:g} M", f"{millions * 1e6:g}"}
