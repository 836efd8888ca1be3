"""A corpus that nobody has seen, in every format and gzip of each, dropped at once; and a folder of broken files."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import pickle
import random
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle, unfold

from backend.corpora.emergent import library as emergent_library

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

UPLOADER = "[data-testid=stFileUploader] input[type=file]"
SYLLABLES = ("ba", "ke", "lo", "mi", "tü", "ša", "ño", "ру", "い", "zz")


def unseen(seed: int) -> list[list[int]]:
    """400 utterances of symbols with gaps between their numbers, some said again."""
    made = random.Random(seed)
    symbols = made.sample(range(3, 5000), 60)
    weights = [1 / (rank + 2.7) for rank in range(60)]
    rows: list[list[int]] = []
    for _ in range(400):
        again = rows and made.random() < 0.2
        rows.append(made.choice(rows) if again else made.choices(symbols, weights, k=made.randint(1, 15)))
    return rows


def every_format(rows: list[list[int]]) -> dict[str, bytes]:
    """The corpus by file name: as integers, and as words of which each is one of the integers."""
    said = [["".join(SYLLABLES[int(digit)] for digit in str(each)) for each in row] for row in rows]
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(["round", "target", "message"])
    writer.writerows([number, f'a "b",\n{number}', " ".join(row)] for number, row in enumerate(said))
    objects = ({"round": n, "heard": [n % 5], "sent": row} for n, row in enumerate(rows))
    texts = {
        "arrays.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows),
        "strings.jsonl": "".join(f"{json.dumps(' '.join(row), ensure_ascii=False)}\n" for row in said),
        "objects.jsonl": "".join(f"{json.dumps(each)}\n" for each in objects),
        "integers.txt": "".join(f"{' '.join(map(str, row))}\n" for row in rows),
        "words.txt": "".join(f"{' '.join(row)}\n" for row in said),
        "table.csv": table.getvalue(),
    }
    plain = {name: text.encode() for name, text in texts.items()}
    return plain | {f"{name}.gz": gzip.compress(content) for name, content in plain.items()}


def drop(page: Page, files: dict[str, bytes]) -> None:
    """Drop the files at once, once the page can take them."""
    given = [{"name": name, "mimeType": "application/octet-stream", "buffer": each} for name, each in files.items()]
    page.locator(UPLOADER).set_input_files(given)  # type: ignore[arg-type]
    expect(page.get_by_test_id("stFileUploader").get_by_role("button", name=re.compile("^Remove"))).to_have_count(len(files))
    settle(page)


def read(page: Page) -> None:
    page.get_by_role("button", name="Read", exact=True).click()


def overview(page: Page) -> list[dict[str, str]]:
    """The rows of the Emergent page's table, as it gives them to be downloaded."""
    unfold(page, page.get_by_role("button", name="Export"))
    with page.expect_download() as caught:
        page.get_by_role("button", name="CSV (").click()
    with open(caught.value.path(), encoding="utf-8-sig") as table:
        return list(csv.DictReader(table))


def open_shelf(page: Page) -> None:
    """The Library's emergent corpora, with the place to drop more; it is folded away where some are kept."""
    page.goto("/library?shelf=Emergent")
    expect(page.get_by_text("Add emergent languages")).to_be_visible()
    settle(page)
    if not page.locator(UPLOADER).count():
        page.get_by_text("Add emergent languages").click()


def test_a_corpus_has_the_same_figures_in_every_format(page: Page, server: Server) -> None:
    rows = unseen(19)
    counts = Counter(each for row in rows for each in row)
    tokens = sum(counts.values())
    entropy = -sum(n / tokens * math.log2(n / tokens) for n in counts.values())
    recognised = page.get_by_text(f"{tokens:,} tokens · 400 utterances · {len(counts)} symbols").filter(has_text="Recognised")

    open_shelf(page)
    drop(page, every_format(rows))
    read(page)
    expect(page.get_by_role("button", name="Save 2 corpora")).to_be_visible()
    expect(recognised).to_have_count(10)
    expect(page.get_by_text(": the same utterances as ")).to_have_count(8)
    expect(page.get_by_text("line 1: Nothing says which field holds the utterances.")).to_have_count(2)
    page.get_by_role("button", name="Save 2 corpora").click()
    expect(page.get_by_role("button", name="Save 2 corpora")).to_be_hidden()

    expect(page.get_by_text("Choose a field or column to read: objects.jsonl, objects.jsonl.gz")).to_be_visible()
    page.get_by_label("Field or column of utterances").click()
    page.get_by_role("option", name="sent").click()
    read(page)
    expect(page.get_by_text(": the same utterances as arrays, which is saved already.")).to_have_count(2)
    expect(recognised).to_have_count(2)
    page.get_by_role("button", name="Discard").click()
    expect(recognised).to_have_count(0)
    assert {"arrays", "strings"} <= {entry.name for entry in emergent_library.entries([server.workspace])}

    page.goto("/emergent?view=Overview&corpora=arrays&corpora=strings")
    first, second = overview(page)
    assert [first["corpus"], second["corpus"]] == ["arrays", "strings"]
    for row in (first, second):
        assert [int(row[name]) for name in ("tokens", "utterances", "vocabulary")] == [tokens, 400, len(counts)]
        assert float(row["unique"]) == pytest.approx(len(set(map(tuple, rows))) / 400)
        assert float(row["entropy"]) == pytest.approx(entropy)
        assert float(row["mean_length"]) == pytest.approx(tokens / 400)
    for name in ("conditional", "information"):
        assert float(first[name]) == pytest.approx(float(second[name]))


GOOD = "[3, 1, 4]\n[1, 5]\n" * 100
LEFT_OUT = {
    "negative.jsonl": (GOOD + "[-3]\n[6]\n[-1, 2]\n", "a negative id: 2"),
    "huge.jsonl": (GOOD + "[2147483648]\n[7]\n[99999999999999999999]\n", "an id above 2,147,483,647: 2"),
    "empty rows.jsonl": (GOOD + "[]\n\n[8]\n", "an empty utterance: 1"),
    "odd.jsonl": (GOOD + "[true]\n[1.0]\n[NaN]\n[9]\n", "not an integer: 3"),
    "nested.jsonl": (GOOD + "[[1], 2]\n[10]\n", "a nested array: 1"),
    "cut.jsonl": (GOOD + "[11]\n[1, 2", "cut off, since the file ends within this row: 1"),
    "nul.txt": ("wa\0 tok\n" + "na wa\n" * 99, "a NUL character: 1"),
    "ragged.csv": ("id,message\n1,wa na\n2\n" + "3,tok\n" * 99, "another number of cells than the header: 1"),
    "twice.jsonl": ('{"m": [1], "m": [2]}\n' + '{"m": [12]}\n' * 99, "the field 'm' 2 times: 1"),
    "<b>**x**.txt": ("na na\n" * 99 + "\nna\rna\n", "a CR within the row: two utterances, or one: 1"),
}
"""What is read without its broken rows, and the reason with its count."""
WHOLE = {
    "empty.jsonl": (b"", "The file is empty."),
    "blank.txt": (b"\n \n", "The file is empty but for 2 blank lines."),
    "floats.jsonl": (b"[1.0]\n[2.0]\n", "None of the 2 rows can be read; this one is not an integer: 1.0."),
    "utf16.txt": ("3 1\n".encode("utf-16"), "The file is UTF-16, not UTF-8."),
    "zip.jsonl": (b"PK\x03\x04" + b"a" * 99, "This is a zip archive or an office document, not text."),
    "picture.jsonl": (b"\x89PNG\r\n\x1a\n" + b"words " * 99, "This is a PNG image, not text."),
    "pickled.jsonl": (pickle.dumps([[3, 1], [4]], 2), "This is a pickle, not text."),
    "bytes.bin": (random.Random(0).randbytes(999), "The file is binary, or not UTF-8 text."),
    "cut.gz": (gzip.compress(GOOD.encode())[:-9], "The gzip file is damaged or cut off."),
    "mac.jsonl": (b"[1]\r[2]\r", "Its lines end in CR alone (old Mac OS)."),
    "array.json": (b"[[1], [2]]\n", "The file is one JSON value, not JSON Lines."),
    "header.csv": (b"id,message\n", "There are no rows below the header."),
    "twice.csv": (b"message,message\n1,2\n", "2 columns are called 'message'."),
}
"""What cannot be read at all."""


def test_of_a_folder_of_broken_files_each_has_its_sentence(page: Page, server: Server) -> None:
    before = {entry.id for entry in emergent_library.entries([server.workspace])}
    open_shelf(page)
    drop(
        page, {name: text.encode() for name, (text, _) in LEFT_OUT.items()} | {n: content for n, (content, _) in WHOLE.items()}
    )
    read(page)
    keep = page.get_by_role("button", name=re.compile("^save Save|^Save"))
    expect(keep).to_contain_text("Save 10 corpora without 14 broken rows")
    page.get_by_text("8 more files could not be read").click()
    for name, (_, sentence) in WHOLE.items():
        told = page.get_by_test_id("stAlert").or_(page.get_by_role("listitem"))
        expect(told.filter(has_text=re.compile(rf"{re.escape(name)}(, line 1)?: {re.escape(sentence)}"))).to_be_visible()
    for name, (_, reason) in LEFT_OUT.items():
        box = page.locator("[data-testid=stVerticalBlock]").filter(has_text=f"Recognised in {name}:").last
        expect(box.get_by_text(f"Left out · {reason}")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280

    page.get_by_text("Save", exact=True).first.click()  # all but the first
    expect(keep).to_contain_text("Save 9 corpora without 12 broken rows")
    keep.click()
    expect(page.get_by_text("9 corpora are saved.")).to_be_visible()
    kept = {entry.name: entry.skipped for entry in emergent_library.entries([server.workspace]) if entry.id not in before}
    assert len(kept) == 9
    assert "negative" not in kept
    assert kept["<b>**x**"] == 1
    assert sum(kept.values()) == 12
