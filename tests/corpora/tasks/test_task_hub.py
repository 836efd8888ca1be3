"""Tasks from the Hub: real loading code over local files in the data sets' columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isogloss.backend.corpora.tasks import hub as task_hub
from isogloss.backend.corpora.tasks.readers import InputFile, read
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
XNLI, PAWS = "facebook/xnli", "google-research-datasets/paws-x"
WORD = {"de": "Wort", "en": "Word", "ru": "Слово"}
NAMES = ("entailment", "neutral", "contradiction")


def xnli(split: str) -> list[dict[str, Any]]:
    """Six rows; hypotheses come as `datasets` gives variable translations."""
    return [
        {
            "premise": {tag: f"{word} {split} {i}" for tag, word in WORD.items()},
            "hypothesis": {"language": list(WORD), "translation": [f"{word} so {i}" for word in WORD.values()]},
            "label": i % 3,
        }
        for i in range(6)
    ]


def paws(tag: str, split: str) -> list[dict[str, Any]]:
    """Ids from 1; in German row 3 has another label, and row 5 no first sentence."""
    return [
        {
            "id": i,
            "sentence1": "" if tag == "de" and i == 5 else f"{WORD[tag]} {split} {i}",
            "sentence2": f"{WORD[tag]} so {i}",
            "label": (i + (tag == "de" and i == 3)) % 2,
        }
        for i in range(1, 9)
    ]


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """`datasets` reads Parquet files saved here instead of the Hub; every call is recorded."""
    import datasets
    import huggingface_hub

    original, made = datasets.load_dataset, list[dict[str, Any]]()

    def load_dataset(path: str, name: str, **options: Any) -> Any:
        made.append({"path": path, "name": name, **options})
        split = options["split"]
        rows = xnli(split) if path == XNLI else paws(name, split)
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / f"{name}-{split}.parquet")
        files = {split: str(tmp_path / f"{name}-{split}.parquet")}
        return original("parquet", data_files=files, split=split, streaming=options["streaming"])

    class Api:
        def dataset_info(self, dataset: str, revision: str, timeout: float) -> Any:
            return type("Info", (), {"sha": COMMIT})

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    return made


def test_xnli(calls: list[dict[str, Any]], tmp_path: Path) -> None:
    task = task_hub.load("facebook/xnli", ["ru", "eng"], validation="test")
    assert (task.languages, task.labels, task.is_pair) == (["en", "ru"], sorted(NAMES), True)
    assert (len(task.rows("train")), len(task.rows("validation"))) == (6, 6)
    assert task.examples("ru", "train").texts[2] == "Слово validation 2"
    assert task.examples("ru", "validation").pairs == [f"Слово so {i}" for i in range(6)]
    assert task.part("ru", "train")["label"].to_pylist() == [NAMES[i % 3] for i in range(6)]
    assert task.report.source == f"{XNLI}@{COMMIT}, validation and test"
    assert [(c["name"], c["revision"], c["streaming"]) for c in calls] == [("all_languages", COMMIT, True)] * 2
    assert all("trust_remote_code" not in call for call in calls)
    # The same rows as XTREME's files are the same texts and labels.
    files = []
    for tag in ("en", "ru"):
        rows = zip(task.part(tag, "train")["text"].to_pylist(), task.examples(tag, "train").pairs or [], strict=True)
        path = tmp_path / tag
        path.write_text("".join(f"{a}\t{b}\t{NAMES[i % 3]}\n" for i, (a, b) in enumerate(rows)), encoding="utf-8")
        files.append(InputFile(f"{tag}.tsv", path))
    columns = ["language", "text", "text_pair", "label"]
    alone = task_hub.load("facebook/xnli", ["ru", "en"])
    assert read(files).table.select(columns).equals(alone.table.select(columns))


def test_paws_x(calls: list[dict[str, Any]]) -> None:
    task = task_hub.load("google-research-datasets/paws-x", ["de", "en"], revision=COMMIT)
    assert (task.languages, task.labels) == (["de", "en"], ["0", "1"])
    assert task.rows() == [f"train.{i}" for i in (1, 2, 3, 4, 6, 7, 8)]
    assert (task.label_differs("de", "en"), task.report.label_differs) == (1, 1)
    assert [(s.file, s.line, s.reason) for s in task.report.skipped] == [
        (f"{PAWS} de validation", 5, "no text in de: left out in every language")
    ]
    assert [(c["name"], c["revision"]) for c in calls] == [("de", COMMIT), ("en", COMMIT)]
    assert len(task_hub.load("google-research-datasets/paws-x", ["en"], split="train", limit=4).rows()) == 4


@pytest.mark.parametrize(
    ("dataset", "options", "says"),
    [
        ("facebook/xnl", {}, "is not a task that is read. Did you mean 'facebook/xnli'"),
        (XNLI, {"languages": ["fi"]}, "facebook/xnli has no 'fi'"),
        (XNLI, {"split": "tset"}, "has no split 'tset'. Did you mean 'test'"),
        (XNLI, {"split": "test", "validation": "test"}, "are the same split"),
    ],
)
def test_what_is_not_there(dataset: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(CorpusError, match=says):
        task_hub.load(dataset, **options)  # type: ignore[arg-type]


def test_no_network_is_said_at_once() -> None:
    """With the Hub switched off (as in all tests), the real client's error becomes the sentence."""
    with pytest.raises(CorpusError, match="the Hugging Face Hub cannot be reached"):
        task_hub.load("facebook/xnli")
