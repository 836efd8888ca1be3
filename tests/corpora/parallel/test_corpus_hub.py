"""Hub data sets: real loading code over local files in each set's layout, and every failure in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isogloss.backend.corpora.parallel import hub
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.errors import CorpusError

COMMIT = "0123456789abcdef0123456789abcdef01234567"

WMT: dict[str, list[dict[str, Any]]] = {
    name: [
        {
            "lp": name,
            "domain": "news",
            "document_id": f"d{i // 2}",
            "segment_id": i,
            "is_bad_source": i == 0,
            "source": f"English {i}",
            "target": f"{name} post-edited {i}",
            "original_target": f"{name} first {i}",
        }
        for i in range(5)
    ]
    for name in ("en-de_DE", "en-pt_BR", "en-pt_PT", "en-bn_IN")
}
FLORES = {
    f"{iso}_{script}": [
        {"id": i, "iso_639_3": iso, "iso_15924": script, "glottocode": code, "text": f"{text} {i}", "url": "u", "domain": "d"}
        for i in range(4)
    ]
    for iso, script, code, text in (
        ("eng", "Latn", "stan1293", "Text"),
        ("deu", "Latn", "stan1295", "Wort"),
        ("rus", "Cyrl", "russ1263", "Слово"),
    )
}
XNLI = {
    "all_languages": [
        {
            "premise": {"de": f"Prämisse {i // 3}", "en": f"Premise {i // 3}", "ru": f"Посылка {i // 3}"},
            "hypothesis": {"language": ["de", "en", "ru"], "translation": [f"Folge {i}", f"Hypothesis {i}", f"Вывод {i}"]},
            "label": i % 3,
        }
        for i in range(6)
    ]
}
OPUS = {
    "de-en": [{"translation": {"de": f"Wort {i}", "en": f"Word {i}"}} for i in range(4)],
    "en-fr": [{"translation": {"en": f"Thing {i}", "fr": f"Chose {i}"}} for i in range(4)],
    "de-fr": [{"translation": {"de": f"Ding {i}", "fr": f"Objet {i}"}} for i in range(4)],
}
SETS: dict[str, dict[str, list[dict[str, Any]]]] = {
    "google/wmt24pp": WMT,
    "openlanguagedata/flores_plus": FLORES,
    "facebook/xnli": XNLI,
    "Helsinki-NLP/opus-100": OPUS,
    "wmt/wmt14": {
        "de-en": OPUS["de-en"],
        "fr-en": [{"translation": {"fr": f"mot {i}", "en": f"word {i}"}} for i in range(6)],
    },
}


@pytest.fixture
def local_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """`datasets` reads Parquet files saved here in each set's layout, instead of the Hub; every call is recorded."""
    import datasets
    import huggingface_hub

    for dataset, configurations in SETS.items():
        for name, rows in configurations.items():
            path = tmp_path / dataset / f"{name}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(rows), path)
    calls: list[dict[str, Any]] = []
    original = datasets.load_dataset

    def load_dataset(path: str, name: str, **options: Any) -> Any:
        calls.append({"path": path, "name": name, **options})
        files = {options["split"]: str(tmp_path / path / f"{name}.parquet")}
        return original("parquet", data_files=files, split=options["split"], streaming=options["streaming"])

    class Api:
        def dataset_info(self, dataset: str, revision: str, timeout: float) -> Any:
            return type("Info", (), {"sha": COMMIT})

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(datasets, "get_dataset_config_names", lambda path, revision: sorted(SETS[path]))
    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    return calls


def test_wmt24pp(local_hub: list[dict[str, Any]]) -> None:
    corpus = hub.load("google/wmt24pp", ["en", "de", "pt_BR", "pt-PT", "bn"])
    assert corpus.languages == ["bn", "de", "en", "pt", "pt-PT"]
    assert corpus.report.source_names["bn"] == "bn_IN"
    ids, texts = corpus.align(["en", "pt-PT"])
    assert ids == ["d0/1", "d1/2", "d1/3", "d2/4"]
    assert texts["en"] == [f"English {i}" for i in (1, 2, 3, 4)]
    assert texts["pt-PT"][0] == "en-pt_PT post-edited 1"
    assert corpus.report.skipped_count == 4
    assert {s.reason for s in corpus.report.skipped} == {"marked as a bad source by its authors (is_bad_source)"}
    assert corpus.table.num_rows == 20
    assert corpus.report.source == f"google/wmt24pp@{COMMIT}, train"
    assert [(c["name"], c["revision"], c["streaming"]) for c in local_hub] == [
        (name, COMMIT, True) for name in ("en-de_DE", "en-pt_BR", "en-pt_PT", "en-bn_IN")
    ]
    assert all("trust_remote_code" not in call for call in local_hub)


def test_flores_plus(local_hub: list[dict[str, Any]]) -> None:
    corpus = hub.load("openlanguagedata/flores_plus", ["eng_Latn", "ru"], split="devtest")
    assert corpus.languages == ["en", "ru"]
    assert corpus.align(["ru", "en"])[0] == [f"devtest.{i}" for i in range(4)]
    assert corpus.table["document_id"][0].as_py() == "u"


def test_xnli(local_hub: list[dict[str, Any]]) -> None:
    premises = hub.load("facebook/xnli", ["en", "ru"])
    assert premises.align(["en", "ru"])[1]["ru"] == ["Посылка 0", "Посылка 1"]
    assert premises.report.skipped_count == 4
    hypotheses = hub.load("facebook/xnli", ["en", "de", "ru"], side="hypothesis", limit=5)
    assert hypotheses.languages == ["de", "en", "ru"]
    assert (hypotheses.sentences, hypotheses.report.skipped_count) == (5, 0)


def test_opus_100(local_hub: list[dict[str, Any]]) -> None:
    assert hub.load("Helsinki-NLP/opus-100", ["de", "fr"]).align(["de", "fr"])[1]["de"][0] == "Ding 0"
    several = hub.load("Helsinki-NLP/opus-100", ["de", "en", "fr"])
    assert several.align(["de", "en"])[0] == [f"de-en.{i}" for i in range(1, 5)]
    assert local_hub[-1]["name"] == "en-fr"


@pytest.mark.parametrize(("dataset", "suffix"), [(d, s) for d in SETS for s in ("parquet", "jsonl")])
def test_the_same_layouts_dropped_as_files(tmp_path: Path, dataset: str, suffix: str) -> None:
    files = []
    for name, rows in SETS[dataset].items():
        path = tmp_path / name
        if suffix == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        else:
            path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
        files.append(InputFile(f"{name}.{suffix}", path))
    corpus = read(files)
    assert corpus.report.format == {
        "google/wmt24pp": "WMT24++",
        "openlanguagedata/flores_plus": "FLORES+",
        "facebook/xnli": "XNLI",
    }.get(dataset, "translation pairs")
    assert {"en", "de"} <= set(corpus.languages)
    if dataset == "facebook/xnli":
        assert corpus.sentences == 2 + 6


def test_flores_plus_varieties_of_one_language_stay_apart() -> None:
    def rows(code: str) -> list[dict[str, Any]]:
        return [{"id": i, "iso_639_3": "cat", "iso_15924": "Latn", "glottocode": code, "text": f"{code} {i}"} for i in range(4)]

    tables = [hub.table("a", rows("vale1252")), hub.table("b", rows("stan1289"))]
    corpus = hub.corpus_of("openlanguagedata/flores_plus", tables, ["cat"], split="dev")
    assert corpus.languages == ["ca", "ca-vale1252"]


def test_wmt24pp_from_different_revisions() -> None:
    other = [{**row, "source": "Changed"} for row in WMT["en-pt_BR"]]
    tables = [hub.table("de", WMT["en-de_DE"]), hub.table("pt", other)]
    with pytest.raises(CorpusError, match="pt, line 2: Segment d0/1 has another English text than in de, line 2"):
        hub.corpus_of("google/wmt24pp", tables, ["de", "pt"], split="train")


def test_what_is_not_there(local_hub: list[dict[str, Any]]) -> None:
    with pytest.raises(CorpusError, match=r"The data set has no 'fi'"):
        hub.load("google/wmt24pp", ["fi"])
    with pytest.raises(CorpusError, match=r"'klingonish' is not a language"):
        hub.load("google/wmt24pp", ["klingonish"])
    with pytest.raises(CorpusError, match=r"has no split 'tset'. Did you mean 'test'"):
        hub.load("Helsinki-NLP/opus-100", ["de"], split="tset")
    with pytest.raises(CorpusError, match=r"Did you mean 'google/wmt24pp'"):
        hub.load("google/wmt24p", ["de"])  # type: ignore[arg-type]
    with pytest.raises(CorpusError, match=r"No language was chosen"):
        hub.load("google/wmt24pp", [])


def named(name: str, base: type[Exception] = Exception) -> type[Exception]:
    return type(name, (base,), {})


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (named("GatedRepoError")("403"), "openlanguagedata/flores_plus is gated. Accept its terms on https://"),
        (named("DatasetNotFoundError")("Dataset 'x' is a gated dataset on the Hub."), "is gated"),
        (
            named("DatasetNotFoundError")("doesn't exist"),
            "The Hub has no data set 'openlanguagedata/flores_plus', or it is private",
        ),
        (named("RepositoryNotFoundError")("404"), "The Hub has no data set"),
        (named("RevisionNotFoundError")("404"), "has no revision 'v9'"),
        (named("ConnectError", named("TransportError"))("[Errno -2]"), "the Hugging Face Hub cannot be reached"),
        (ConnectionError("Couldn't reach"), "the Hugging Face Hub cannot be reached"),
        (named("OfflineModeIsEnabled", ConnectionError)("offline"), "the Hugging Face Hub cannot be reached"),
        (RuntimeError("first\nsecond"), "could not be loaded (RuntimeError: first)"),
        (RuntimeError(), "could not be loaded (RuntimeError: no message)"),
    ],
)
def test_failures_are_one_sentence_and_a_remedy(error: Exception, says: str) -> None:
    message = str(hub.explain(error, "openlanguagedata/flores_plus", "v9"))
    assert says in message
    assert "\n" not in message


def test_no_network_is_said_at_once() -> None:
    """With the Hub switched off (as in all tests), the real client's error becomes the sentence."""
    with pytest.raises(CorpusError, match="the Hugging Face Hub cannot be reached"):
        hub.load("google/wmt24pp", ["de"])
