"""Tagged text from the Hub: real loading code over local files in the data sets' columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.corpora.tagged import hub as tagged_hub
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
UD, NEWER, WIKIANN = tagged_hub.HUB_TAGGED
UPOS = ["NOUN", "PUNCT", "ADP", "DET", "_", "VERB"]
NER = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG"]
THERE = {
    (UD, "en_pud"): ("test",),
    (UD, "de_gsd"): ("train", "validation", "test"),
    (NEWER, "no_nynorsk"): ("train",),
    (WIKIANN, "en"): ("train", "validation", "test"),
}


def rows(dataset: str, name: str, part: str) -> dict[str, list[Any]]:
    """Six sentences of a part, in columns. A treebank's third has a multi-word token and an empty node among its words."""
    if dataset == WIKIANN:
        return {"tokens": [["Ada", "Lovelace", f"{part}{i}"] for i in range(6)], "ner_tags": [[1, 2, 0]] * 6}
    whole = {
        "idx": [f"{part}-{i}" for i in range(6)],
        "tokens": [[f"Wort{i}", "!"] for i in range(6)],
        "upos": [[0, 1]] * 6,
        "head": [["0", "1"]] * 6,
        "misc": [["{'SpaceAfter': 'No'}", "None"]] * 6,
    }
    whole["tokens"][2] = ["Zum", "Zu", "dem", "ghost", "Haus"]
    whole["upos"][2] = [4, 2, 3, 5, 0]
    whole["head"][2] = ["None", "3", "3", "None", "0"]
    whole["misc"][2] = ["SpaceAfter=No", "_", "_", "_", "Note=No|SpaceAfter=Yes"]
    return whole


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """`datasets` reads Parquet files saved here instead of the Hub; every call is recorded."""
    import datasets
    import huggingface_hub

    original, made = datasets.load_dataset, list[dict[str, Any]]()

    def load_dataset(path: str, name: str = "", **options: Any) -> Any:
        made.append({"path": path, "name": name, **options})
        split, configuration = options["split"], name or options["data_dir"]
        if split not in THERE.get((path, configuration), ()):
            raise ValueError(f'Unknown split "{split}". Should be one of {THERE.get((path, configuration))}.')
        column, names = ("ner_tags", NER) if path == WIKIANN else ("upos", UPOS)
        found = rows(path, configuration, split)
        labels = {column: datasets.List(datasets.ClassLabel(names=names))}
        whole = datasets.Dataset.from_dict(found)
        whole.cast(datasets.Features({**whole.features, **labels})).to_parquet(tmp_path / f"{configuration}-{split}.parquet")
        files = {split: str(tmp_path / f"{configuration}-{split}.parquet")}
        return original("parquet", data_files=files, split=split, streaming=options["streaming"])

    class Api:
        def dataset_info(self, dataset: str, revision: str, timeout: float) -> Any:
            assert revision == tagged_hub.ABOUT[dataset].revision  # type: ignore[index]
            return type("Info", (), {"sha": COMMIT})

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    return made


def test_treebanks(calls: list[dict[str, Any]]) -> None:
    corpus = tagged_hub.load(UD, ["en_pud", "de_gsd"])
    assert corpus.parts == {"de": ("train", "validation", "test"), "en": ("test",)}
    found = corpus.own("de", "train")
    assert (found[0].text, found[0].words, found[0].tags, found[0].id) == (
        "Wort0!",
        ("Wort0", "!"),
        ("NOUN", "PUNCT"),
        "train-0",
    )
    assert (found[2].text, found[2].tags) == ("Zu dem Haus", ("ADP", "DET", "NOUN"))
    assert corpus.kind == "pos"
    assert corpus.report.source == f"{UD}@{COMMIT}, en_pud, de_gsd"
    assert corpus.report.source_names == {"de": "de_gsd", "en": "en_pud"}
    assert {(call["data_dir"], call["revision"], call["streaming"]) for call in calls} == {
        ("en_pud", COMMIT, True),
        ("de_gsd", COMMIT, True),
    }
    assert all("trust_remote_code" not in call for call in calls)


def test_wikiann_and_newer_treebanks(calls: list[dict[str, Any]]) -> None:
    corpus = tagged_hub.load(WIKIANN, ["en"], revision=COMMIT, limit=4)
    assert (corpus.kind, corpus.sizes["en", "train"]) == ("ner", (4, 12))
    assert corpus.own("en", "test")[1].tags == ("B-PER", "I-PER", "O")
    assert [(call["name"], call["revision"]) for call in calls] == [("en", COMMIT)] * 3
    assert tagged_hub.load(NEWER, ["no_nynorsk"]).parts == {"nn": ("train",)}


@pytest.mark.parametrize(
    ("dataset", "configurations", "says"),
    [
        ("universal_dependencies", ["en"], "is no tagged text that is read"),
        (WIKIANN, [], "Nothing was chosen"),
        (WIKIANN, ["fi"], "unimelb-nlp/wikiann has no 'fi'"),
        (WIKIANN, ["q!"], "is not a language that Isogloss knows"),
    ],
)
def test_what_is_not_there(calls: list[dict[str, Any]], dataset: str, configurations: list[str], says: str) -> None:
    with pytest.raises(CorpusError, match=says):
        tagged_hub.load(dataset, configurations)  # type: ignore[arg-type]


def test_rows_that_do_not_fit_are_named(calls: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "rows", lambda *_: {"tokens": [["a"], ["b", "c"]], "ner_tags": [[0], [1]]})
    with pytest.raises(CorpusError, match="'tokens' and 'ner_tags' are not lists of one length") as error:
        tagged_hub.load(WIKIANN, ["en"])
    assert error.value.line == 2


def test_no_network_is_said_at_once() -> None:
    """With the Hub switched off (as in all tests), the real client's error becomes the sentence."""
    with pytest.raises(CorpusError, match="the Hugging Face Hub cannot be reached"):
        tagged_hub.load(UD, ["en_pud"])
