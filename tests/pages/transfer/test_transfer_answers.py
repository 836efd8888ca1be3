"""The answer in words: right for a lead, a tie, a single source and none at all."""

from __future__ import annotations

import pandas as pd
import pytest

from pages.transfer.shared import answers

NAN = float("nan")


def ranked(*rows: tuple[str, float, float, float], target: str = "tr") -> pd.DataFrame:
    """(source, rank, value, deviation) as `transfer_directions.sources` has them, two runs each."""
    frame = pd.DataFrame(rows, columns=["source", "rank", "value", "deviation"])
    return frame.assign(target=target, runs=2, seeds=2)


def test_a_clear_lead() -> None:
    found = answers.answer(ranked(("ru", 1, 0.231, 0.01), ("ar", 2, 0.255, 0.02), ("de", 3, 0.4, 0.3)))
    assert answers.sentence(found, "igap") == (
        "For Turkish train on Russian: IGap 23.1 points, 2.4 points less than Arabic, the next."
    )
    assert found.lead == pytest.approx(0.024)
    assert found.deviation == 0.02
    assert not found.unsure
    assert answers.basis(found, "igap", "0 ≤ training error < 0.001") == (
        "Rests on 6 runs in 3 source languages, IGap at 0 ≤ training error < 0.001."
    )


def test_accuracy_is_percent_and_more_is_better() -> None:
    found = answers.answer(ranked(("ru", 1, 0.8, 0.01), ("ar", 2, 0.75, 0.01)))
    assert answers.sentence(found, "accuracy") == (
        "For Turkish train on Russian: test accuracy 80.0%, 5.0 points more than Arabic, the next."
    )


def test_a_lead_within_the_deviation_is_called_a_tie() -> None:
    found = answers.answer(ranked(("ru", 1, 0.23, 0.001), ("ar", 2, 0.24, 0.01), ("de", 3, 0.5, 0.4)))
    assert answers.sentence(found, "igap").endswith("That lead is within the deviation over seeds (± 1.0): take it as a tie.")


def test_equal_sources_are_named_together() -> None:
    found = answers.answer(ranked(("ar", 1, 0.2, NAN), ("ru", 1, 0.2, NAN), ("de", 3, 0.3, NAN), ("en", 3, 0.3, NAN)))
    assert answers.sentence(found, "igap") == (
        "Equally good for Turkish are Arabic and Russian: IGap 20.0 points each, 10.0 points less than German and English, "
        "the next, which are equal."
    )
    assert "one seed" in answers.basis(found, "igap", "w")
    only = answers.answer(ranked(("ar", 1, 0.2, NAN), ("ru", 1, 0.2, NAN)))
    assert answers.sentence(only, "igap") == "Equally good for Turkish are Arabic and Russian: IGap 20.0 points each."
    assert "one seed" not in answers.basis(only, "igap", "w")


def test_one_source_has_nothing_to_be_better_than() -> None:
    found = answers.answer(ranked(("ru", 1, 0.2, 0.1), ("ar", NAN, NAN, NAN)))
    assert answers.sentence(found, "igap") == (
        "For Turkish only Russian can be judged: IGap 20.0 points. There is nothing to compare it with."
    )
    assert answers.basis(found, "igap", "w").endswith("2 runs in 1 source language, IGap at w. Without a value: Arabic.")


def test_no_source_has_a_value() -> None:
    found = answers.answer(ranked(("ru", NAN, NAN, NAN)))
    assert answers.sentence(found, "igap") == "For Turkish there is no answer: no source language has a value."
    assert "nan" not in answers.basis(found, "igap", "w")
    assert found.runs == 0


def test_a_tiny_lead_is_not_none() -> None:
    found = answers.answer(ranked(("ru", 1, 0.2, NAN), ("ar", 2, 0.2004, NAN)))
    assert "under 0.1 points less than Arabic" in answers.sentence(found, "igap")


def test_a_gap_below_zero_has_its_sign() -> None:
    found = answers.answer(ranked(("ru", 1, -0.02, NAN), ("ar", 2, 0.01, NAN)))
    assert "A poor model" in answers.basis(found, "gap", "")
    assert "transfer gap −2.0 points, 3.0 points less than Arabic" in answers.sentence(found, "gap")


def test_the_source_that_is_best_most_often() -> None:
    given = [
        answers.answer(ranked(("ru", 1, 0.1, NAN), ("ar", 2, 0.2, NAN), target="tr")),
        answers.answer(ranked(("ru", 1, 0.1, NAN), ("ar", 1, 0.1, NAN), target="en")),
        answers.answer(ranked(("de", 1, 0.1, NAN), target="el")),  # no choice: it proves nothing
    ]
    assert answers.wins(given) == "Russian is the best source of 2 of 2 targets."
    assert answers.wins(given[1:2]) == "Only English has more than one source language: Arabic and Russian are equally good."
    assert answers.wins(given[:1]) == "Only Turkish has more than one source language: Russian is the best."
    assert answers.wins(given[2:]) == "No target has two source languages to choose from."
    assert answers.wins([]) == "No target has two source languages to choose from."


def test_leads_within_the_seeds_are_counted_and_name_no_one_where_all_are() -> None:
    clear = answers.answer(ranked(("ru", 1, 0.2, 0.01), ("ar", 2, 0.3, 0.02)))
    within = answers.answer(ranked(("ar", 1, 0.2, 0.01), ("ru", 2, 0.21, 0.02), target="de"))
    assert answers.wins([clear, within]) == (
        "Arabic and Russian are each the best source of 1 of 2 targets. 1 of 2 leads are within the deviation over seeds."
    )
    assert answers.wins([within, within]) == "No source leads by more than the deviation over seeds in 2 targets."
    assert answers.wins([clear]) == "Only Turkish has more than one source language: Russian is the best."
