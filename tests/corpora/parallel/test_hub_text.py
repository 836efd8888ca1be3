"""Wikipedia's text: real loading code over local files in the data set's layout, and every failure in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from isogloss.backend.cli import app
from isogloss.backend.corpora.parallel import hub_text, library
from isogloss.backend.corpora.parallel.hub_text import REVISION, wikipedia
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

ARTICLES: dict[str, list[dict[str, Any]]] = {
    name: [
        {
            "id": str(i),
            "url": f"https://{name}/{i}",
            "title": f"Title {i}",
            "text": f"{name} {i}\n\nSecond paragraph\u2028here.",
        }
        for i in range(8)
    ]
    for name in ("20231101.eu", "20231101.no", "20231101.simple", "20220301.eu")
}
ARTICLES["20231101.eu"][2]["text"] = " \n"
ARTICLES["20231101.eu"][4]["id"] = "1"


@pytest.fixture
def local_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """`datasets` reads Parquet files saved here, in two pieces each, instead of the Hub; every call is recorded."""
    import datasets

    for name, rows in ARTICLES.items():
        folder = tmp_path / name
        folder.mkdir()
        for part, some in enumerate((rows[:5], rows[5:])):
            pq.write_table(pa.Table.from_pylist(some), folder / f"train-0000{part}-of-00002.parquet")
    calls: list[dict[str, Any]] = []
    original = datasets.load_dataset

    def load_dataset(path: str, name: str, **options: Any) -> Any:
        calls.append({"path": path, "name": name, **options})
        files = {"train": [str(each) for each in sorted((tmp_path / name).iterdir())]}
        return original("parquet", data_files=files, split=options["split"], streaming=options["streaming"])

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(datasets, "get_dataset_config_names", lambda path, revision: sorted(ARTICLES))
    return calls


def test_articles_are_texts_of_one_language(local_hub: list[dict[str, Any]]) -> None:
    corpus = wikipedia("eu")
    ids, texts = corpus.align(["eu"])
    assert ids == ["0", "1", "3", "5", "6", "7"]
    assert texts["eu"][1] == "20231101.eu 1\n\nSecond paragraph\u2028here."
    assert [(each.line, each.reason) for each in corpus.report.skipped] == [
        (3, "no text"),
        (5, "an id that an article before has"),
    ]
    assert corpus.report.source == f"wikimedia/wikipedia@{REVISION}, 20231101.eu"
    assert corpus.report.source_names == {"eu": "eu"}
    (call,) = local_hub
    assert (call["path"], call["name"], call["split"]) == ("wikimedia/wikipedia", "20231101.eu", "train")
    assert (call["revision"], call["streaming"]) == (REVISION, True)
    assert "trust_remote_code" not in call


def test_any_name_of_a_language_and_another_dump(local_hub: list[dict[str, Any]]) -> None:
    assert wikipedia("Basque", dump="20220301").align(["eu"])[1]["eu"][0].startswith("20220301.eu 0")
    assert wikipedia("nob").languages == ["nb"]
    assert [call["name"] for call in local_hub] == ["20220301.eu", "20231101.no"]


def test_a_budget_of_characters_ends_the_stream(local_hub: list[dict[str, Any]]) -> None:
    length = len(ARTICLES["20231101.no"][0]["text"])
    assert wikipedia("no", characters=3 * length).sentences == 3
    assert wikipedia("no", characters=3 * length + 1).sentences == 4
    read: list[int] = []
    rows = ({"id": str(i), "text": "ten chars."} for i in range(10**9))  # without end: no more is taken than is needed
    assert hub_text.corpus_of(rows, "20231101.no", 25_000, progress=read.append).sentences == 2500
    assert read == [10_000, 20_000]


def test_the_released_amount_is_rows_of_another_revision(local_hub: list[dict[str, Any]], workspace: Path) -> None:
    assert wikipedia("eu", characters=1, articles=6).align(["eu"])[0] == ["0", "1", "3", "5"]  # rows that are left out count
    assert wikipedia("eu", articles=100).sentences == 6
    rows = ({"id": str(i), "text": "ten chars."} for i in range(10**9))
    assert hub_text.corpus_of(rows, "20231101.no", 1, articles=2_000).sentences == 2_000
    done = CliRunner().invoke(app, ["corpus", "wikipedia", "no", "--released", "target"])
    assert done.exit_code == 0, done.output
    (entry,) = library.entries([workspace])
    assert entry.source == f"wikimedia/wikipedia@{hub_text.RELEASED_REVISION}, 20231101.no"
    assert local_hub[-1]["revision"] == hub_text.RELEASED_REVISION
    assert hub_text.RELEASED_ARTICLES == {"target": 100_000, "source": 15_000}


def test_what_is_not_there(local_hub: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CorpusError, match="There is no Wikipedia of 'fi' in this dump"):
        wikipedia("fi")
    with pytest.raises(CorpusError, match="has no dump '20200101'"):
        wikipedia("eu", dump="20200101")
    with pytest.raises(CorpusError, match="'simple' is not a language"):
        wikipedia("simple")
    with pytest.raises(CorpusError, match="has no text"):
        hub_text.corpus_of([{"id": "1", "text": ""}], "20231101.eu", 10)
    import datasets

    def unreachable(*_: Any, **__: Any) -> Any:
        raise ConnectionError("Couldn't reach")

    monkeypatch.setattr(datasets, "get_dataset_config_names", unreachable)
    with pytest.raises(CorpusError, match="the Hugging Face Hub cannot be reached"):
        wikipedia("eu")


def test_no_network_is_said_at_once() -> None:
    with pytest.raises(CorpusError, match="the Hugging Face Hub cannot be reached"):
        wikipedia("eu")


def test_the_command_keeps_it(local_hub: list[dict[str, Any]], workspace: Path) -> None:
    done = CliRunner().invoke(app, ["corpus", "wikipedia", "eu", "--characters", "100"])
    assert done.exit_code == 0, done.output
    (entry,) = library.entries([workspace])
    assert (entry.name, entry.tags, entry.licence) == ("Wikipedia, Basque", ["eu"], hub_text.LICENCE)
    assert entry.source == f"wikimedia/wikipedia@{REVISION}, 20231101.eu"
    assert library.load(entry.id, [workspace]).align(["eu"])[1]["eu"][0] == ARTICLES["20231101.eu"][0]["text"]
