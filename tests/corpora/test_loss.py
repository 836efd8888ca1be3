"""No silent loss: one rule for every kind of import, by how many rows that hold something each file loses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from isogloss.backend.corpora.covariates import reader as covariates
from isogloss.backend.corpora.dictionaries import readers as dictionaries
from isogloss.backend.corpora.emergent import readers as emergent
from isogloss.backend.corpora.parallel import readers as parallel
from isogloss.backend.corpora.shared import loss
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.shared.loss import Loss, Tally
from isogloss.backend.corpora.tagged import readers as tagged
from isogloss.backend.corpora.tasks import readers as tasks
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def given(tmp_path: Path) -> Callable[[str, str], InputFile]:
    """Write a file and return it as an input."""

    def write(name: str, text: str) -> InputFile:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return InputFile(name, tmp_path / name)

    return write


def counted(losses: tuple[Loss, ...]) -> list[tuple[str, int, int, str, int]]:
    """File, rows lost, rows, the first reason and its line of every file that lost some."""
    return [(each.file, each.lost, each.rows, each.reasons[0][0], each.reasons[0][2]) for each in losses]


def test_up_to_the_limit_nobody_is_asked_and_above_it_the_file_is_named_with_its_reasons() -> None:
    for lost, rows, asks in [
        (2, 100, False),
        (3, 100, True),
        (1, 49, True),
        (1, 50, False),
        (20, 1000, False),
        (21, 1000, True),
    ]:
        tally = Tally()
        tally.read("a", rows)
        tally.read("whole", 10)
        for line in range(1, lost + 1):
            tally.lose("a", line, f"a negative id: -{line}", "a negative id")
        (found,) = tally.losses()
        assert found.is_large == asks == bool(loss.large([found])), (lost, rows)
        assert len(found.examples) <= loss.EXAMPLES
    tally.lose("b", 7, "no text")
    tally.lose("b", 9, "no label")
    tally.lose("b", 11, "no label")
    tally.read("b", 4)
    with pytest.raises(CorpusError) as error:
        loss.check(tally.losses(), "Give --drop-broken.")
    assert str(error.value) == (
        "a: 21 of 1,000 rows (2.1%) would be left out: a negative id (21, first in line 1); b: 3 of 4. Give --drop-broken."
    )
    assert (
        tally.losses()[1].text
        == "3 of 4 rows (75%) would be left out: no label (2, first in line 9), no text (1, first in line 7)"
    )


def test_every_kind_of_import_says_what_each_file_loses(given: Callable[[str, str], InputFile]) -> None:
    messages = given("game.jsonl", "[1]\n[-1]\n\n[2]\n[0]\n")
    assert counted(emergent.read([messages]).report.losses) == [("game.jsonl", 1, 4, "a negative id", 2)]
    words = "".join(f"cat{n}\tkatze{n}\n" for n in "abcdefghijklm")
    pairs = given("en-de.txt", words + "\n" + "lonely\n\n")
    assert counted(dictionaries.read(pairs, "en", "de").report.losses) == [
        ("en-de.txt", 1, 14, "one column: no tab between two words", 15)
    ]
    rows = [f"{n},This is sentence {n}.,Das ist der Satz {n}.,{'ab'[n % 2]}" for n in range(30)]
    rows[4] = "4,This is one without.,,a"
    task = given("task.csv", "\n".join(["id,text_en,text_de,label", *rows[:10], "", *rows[10:], "", ""]))
    assert counted(tasks.read([task]).report.losses) == [("task.csv", 1, 30, "no text in de", 6)]
    tags = "".join(f"word{n}\t{'NOUN' if n % 2 else 'VERB'}\nhere\tADV\n\n" for n in range(20)) + "lost\nhere\tADV\n\n\n\n"
    assert counted(tagged.read([given("train-en.tsv", tags)]).report.losses) == [
        ("train-en.tsv", 1, 21, "a word has no tag", 61)
    ]
    table = given("speakers.csv", "language,speakers,words\nde,90,1\nxxq,1,2\n\nfr,80,x\nen,3,4\n")
    assert counted(covariates.read_file(InputFile("speakers.csv", table.path)).losses) == [
        ("speakers.csv", 1, 4, "no known language", 3),
        ("speakers.csv", 1, 2, "a cell that is no number", 5),
    ]


def test_blank_lines_and_missing_translations_are_no_loss(given: Callable[[str, str], InputFile]) -> None:
    text = "de,en\nEins,One\n\nZwei,\nDrei,Three\n,Four\n\n"
    found = parallel.read([given("a.csv", text)]).report
    assert found.skipped_count == 4  # they are still listed
    assert found.losses == ()
    task = [f"Text {n}\t{'ab'[n % 2]}" for n in range(30)]
    german = [f"Ein Text {n}\t{'ab'[n % 2]}" for n in range(30)]
    task[5], german[5] = "", ""  # rows are aligned by their number: a blank one in all languages holds nothing
    found_task = tasks.read([given("dev-en.tsv", "\n".join(task)), given("dev-de.tsv", "\n".join(german))]).report
    assert (found_task.skipped_count, found_task.losses) == (1, ())


@pytest.mark.parametrize("form", ["[{}]", "{}", '{{"m": [{}]}}', "n,message\n1,{}"])
def test_negative_numbers_are_renumbered_in_their_order(given: Callable[[str, str], InputFile], form: str) -> None:
    """As a count by hand has them, in every format, whichever of the fast and the slow way reads them."""
    ids = np.random.default_rng(3).integers(-5, 20, (40, 3)) * 7
    comma = "," if "[" in form else " "
    header, _, row = form.rpartition("\n")
    rows = [row.format(comma.join(map(str, each))) for each in ids.tolist()]
    file = given("m.txt", "\n".join([*([header] if header else []), *rows]) + "\n")
    lossy = emergent.read([file]).report
    assert sum(each.lost for each in lossy.losses) == int((ids < 0).any(axis=1).sum()) > 2
    found = emergent.read([file], emergent.Options(renumber=True))
    assert found.report.losses == ()
    assert found.ids.tolist() == np.searchsorted(np.unique(ids), ids.ravel()).tolist()
    assert found.vocabulary is None
    unread = ("Not read, since not the utterances: column 'n'.",) if header else ()
    assert found.report.warnings == (
        *unread,
        f"Renumbered: the integers {ids.min()} to {ids.max()} are 0 to {found.ids.max()} here, in their order.",
    )


def test_renumbering_changes_nothing_where_no_number_is_negative(given: Callable[[str, str], InputFile]) -> None:
    file = given("m.jsonl", "[3, 9]\n[40]\n")
    plain, asked = emergent.read([file]), emergent.read([file], emergent.Options(renumber=True))
    assert (plain.ids.tolist(), plain.vocabulary) == (asked.ids.tolist(), asked.vocabulary) == ([0, 1, 2], ("3", "9", "40"))
    assert asked.report.warnings == ()
