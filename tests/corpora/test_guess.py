"""Files are known by their first lines for the kind of data that they are, and for no other."""

from __future__ import annotations

import gzip
import io

import pytest

from isogloss.backend.corpora.guess import kind_of, other_kind
from tests.corpora.samples import SAMPLES, Sample

CONLLU = (
    "# sent_id = 1\n# text = It rains.\n1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\trains\train\tVERB\tVBZ\t_\t0\troot\t_\t_\n"
)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.shelf)
def test_no_sample_is_taken_for_another_kind(sample: Sample) -> None:
    assert kind_of(sample.file, sample.text) in (sample.kind.name, None)


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("en_pud-ud-test.conllu", CONLLU, "tagged corpus"),
        ("anything", CONLLU.replace("\n", "\r\n"), "tagged corpus"),
        ("dev-ar.tsv", "قال\tVERB\nهو\tPRON\n\nنعم\tINTJ\n", "tagged corpus"),
        ("train", "en:Paris\tB-LOC\nen:rains\tO\n\nen:so\tO\n", "tagged corpus"),
        ("out.align", "0-0 1-2\n0-1\n", "alignment"),
        ("game.jsonl", "[3, 1, 4]\n[1]\n", "emergent corpus"),
        ("game.txt", "3 1 4\n1 5\n", "emergent corpus"),
        ("en-de.0-5000.txt", "dog hund\ncat katze\n", "dictionary"),
        ("x.tsv", "premise\thypothesis\tgold_label\nIt rains.\tIt is wet.\tentailment\n", "task"),
        ("newstest2019-ref.deu.txt", "Es regnet.\n", "corpus"),
        ("dir/deu_Latn.devtest", "Es regnet.\n", "corpus"),
        ("said.txt", "wa tok\nbo ba\n", None),
        ("news.de", "Es regnet.\nGute Nacht.\n", None),
        ("languages.csv", "language,speakers\nde,90\nfi,5\n", None),
        ("empty.txt", "", None),
    ],
)
def test_a_kind_is_told_by_name_and_first_lines(name: str, head: str, kind: str | None) -> None:
    assert kind_of(name, head) == kind


def test_a_file_of_another_kind_is_told_packed_too_and_read_from_its_start_afterwards() -> None:
    for content in (CONLLU.encode(), gzip.compress(CONLLU.encode())):
        file = io.BytesIO(content)
        file.read(3)
        assert other_kind("emergent corpus", "en.conllu", file) == "tagged corpus"
        assert file.tell() == 0
        assert other_kind("tagged corpus", "en.conllu", file) is None
    assert other_kind("corpus", "x.tsv", io.BytesIO(b"premise\thypothesis\tlabel\nA.\tB.\tyes\n")) is None
    assert other_kind("task", "x", io.BytesIO(b"\0" * 100)) is None
    assert other_kind("task", "x", io.BytesIO(b"\x1f\x8b torn")) is None
