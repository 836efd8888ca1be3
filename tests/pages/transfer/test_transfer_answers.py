"""The answer in words: right for a lead, a tie, a single source and none at all."""

from __future__ import annotations

import pandas as pd
import pytest

from isogloss.pages.transfer.shared import answers

NAN = float("nan")


def ranked(*rows: tuple[str, float, float, float], target: str = "tr") -> pd.DataFrame:
    """(source, rank, value, deviation) as `transfer_directions.sources` has them: two runs each, ± half a point of examples."""
    frame = pd.DataFrame(rows, columns=["source", "rank", "value", "deviation"])
    return frame.assign(target=target, runs=2, seeds=2, n=5_000, low=frame["value"] - 0.005, high=frame["value"] + 0.005)


def test_a_clear_lead() -> None:
    found = answers.answer(ranked(("ru", 1, 0.231, 0.01), ("ar", 2, 0.255, 0.02), ("de", 3, 0.4, 0.3)))
    assert answers.sentence(found, "igap") == (
        "For Turkish train on Russian: IGap 23.1 points (95% interval 22.6 to 23.6, n = 5,000), 2.4 points less than Arabic, "
        "the next."
    )
    assert found.lead == pytest.approx(0.024)
    assert found.deviation == 0.02
    assert found.told
    assert answers.basis(found, "igap", "0% ≤ training error < 0.1%") == (
        "Rests on 6 runs in 3 source languages, IGap at 0% ≤ training error < 0.1%."
    )


def test_accuracy_is_percent_and_more_is_better() -> None:
    found = answers.answer(ranked(("ru", 1, 0.8, 0.01), ("ar", 2, 0.75, 0.01)))
    assert answers.sentence(found, "accuracy") == (
        "For Turkish train on Russian: test accuracy 80.0% (95% interval 79.5 to 80.5, n = 5,000), 5.0 points more "
        "than Arabic, the next."
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
        "For Turkish only Russian can be judged: IGap 20.0 points (95% interval 19.5 to 20.5, n = 5,000). "
        "There is nothing to compare it with."
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
    assert "transfer gap −2.0 points (95% interval −2.5 to −1.5, n = 5,000), 3.0 points less than Arabic" in answers.sentence(
        found, "gap"
    )


def test_the_source_that_is_best_most_often() -> None:
    given = [
        answers.answer(ranked(("ru", 1, 0.1, NAN), ("ar", 2, 0.2, NAN), target="tr")),
        answers.answer(ranked(("ru", 1, 0.1, NAN), ("ar", 1, 0.1, NAN), target="en")),
        answers.answer(ranked(("de", 1, 0.1, NAN), target="el")),  # no choice: it proves nothing
    ]
    assert answers.wins(given) == "Russian is the best source of 1 of 2 targets. In 1 of 2 no source is told apart."
    assert answers.wins(given[1:2]) == "No source is told apart from the next and from a guess in 1 target."
    assert answers.wins(given[:1]) == "Only Turkish has more than one source language: Russian is the best."
    assert answers.wins(given[2:]) == "No target has two source languages to choose from."
    assert answers.wins([]) == "No target has two source languages to choose from."


def test_leads_that_are_not_told_apart_are_counted_and_name_no_one_where_all_are() -> None:
    clear = answers.answer(ranked(("ru", 1, 0.2, 0.01), ("ar", 2, 0.3, 0.02)))
    within = answers.answer(ranked(("ar", 1, 0.2, 0.01), ("ru", 2, 0.21, 0.02), target="de"))
    assert answers.wins([clear, within]) == ("Russian is the best source of 1 of 2 targets. In 1 of 2 no source is told apart.")
    assert answers.wins([within, within]) == "No source is told apart from the next and from a guess in 2 targets."
    assert answers.wins([clear]) == "Only Turkish has more than one source language: Russian is the best."


def test_one_seed_names_no_source_within_the_intervals_or_at_a_guess() -> None:
    within = answers.answer(ranked(("ru", 1, 0.352, NAN), ("ar", 2, 0.35, NAN)))
    assert answers.sentence(within, "accuracy").startswith("For Turkish Russian is first, not told apart: test accuracy 35.2%")
    assert answers.sentence(within, "accuracy").endswith("within its 95% interval over examples: take it as a tie.")
    guessed = answers.answer(ranked(("ru", 1, 0.336, NAN), ("ar", 2, 0.3, NAN)), [1 / 3])
    assert guessed.apart
    assert answers.sentence(guessed, "accuracy").endswith(
        "What guessing gives is within the interval: it may transfer nothing."
    )
    beyond = answers.answer(ranked(("ru", 1, 0.36, NAN), ("ar", 2, 0.3, NAN)), [1 / 3])
    assert "train on Russian" in answers.sentence(beyond, "accuracy")
    assert answers.wins([within, guessed, beyond]) == (
        "Russian is the best source of 1 of 3 targets. In 2 of 3 no source is told apart."
    )


def test_of_several_targets_each_is_answered_as_alone() -> None:
    tables = [
        ranked(("ru", 1, 0.2, 0.01), ("ar", 2, 0.3, 0.02), target="tr"),
        ranked(("ar", 1, 0.2, 0.01), ("ru", 2, 0.201, 0.02), ("de", NAN, NAN, NAN), target="en"),
        ranked(("ru", 1, 0.1, NAN), ("ar", 1, 0.1, NAN), target="el"),
        ranked(("de", 1, 0.05, NAN), target="vi"),
    ]
    together = answers.of_targets(pd.concat(tables, ignore_index=True), [0.25])
    assert [repr(each) for each in together] == [repr(answers.answer(table, [0.25])) for table in tables]  # nan is not nan
    assert [each.told for each in together] == [True, False, False, False]
