"""Wikipedia's text as a job: kept once, named by what was asked, stopped and refused in words; files in the Hub's layout."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from isogloss.backend.corpora.parallel import hub_text, library
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.library import wikipedia
from isogloss.backend.experiments.library.wikipedia import WikipediaSpec
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.settings import settings
from tests.corpora.parallel.test_hub_text import ARTICLES
from tests.corpora.parallel.test_hub_text import local_hub as local_hub

if TYPE_CHECKING:
    from pathlib import Path

SPEC = WikipediaSpec(languages=("Basque", "no"), characters=1000)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "workspace"
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(folder))
    monkeypatch.setenv("ISOGLOSS_DEMO", "")
    return folder


def context(**changes: Any) -> Context:
    return replace(Context(settings()), **changes)


def test_a_spec_names_languages_once_and_as_tags() -> None:
    assert SPEC.languages == ("eu", "nb")
    assert WikipediaSpec(languages=("eu", "eus", "no", "nob"), characters=1000) == SPEC
    assert registry.parse(SPEC.model_dump(mode="json")) == SPEC
    assert len({key for spec in (SPEC, SPEC.model_copy(update={"characters": 1001})) for key in spec.shards()}) == 4
    for wrong in (
        {"languages": ()},
        {"languages": ("no language",)},
        {"characters": 1},
        {"revision": "../../x y"},
        {"dump": "x"},
    ):
        with pytest.raises(ValidationError):
            WikipediaSpec.model_validate({"languages": ("eu",), **wrong})


def test_names_say_what_is_unusual() -> None:
    (usual,) = WikipediaSpec(languages=("eu",)).shards().values()
    assert usual.name == "Wikipedia, Basque"
    (other,) = WikipediaSpec(languages=("eu",), characters=5_000_000, revision="main").shards().values()
    assert other.name == "Wikipedia, Basque, 5,000,000 characters, main"
    asked = {"languages": ("eu",), "revision": hub_text.RELEASED_REVISION, "articles": 100_000}
    (released,) = WikipediaSpec.model_validate(asked).shards().values()
    assert released.name == "Wikipedia, Basque, 100,000 articles, 97323c5"
    assert len({usual.key, other.key, released.key, WikipediaSpec(**asked | {"articles": 2}).shards().popitem()[0]}) == 4
    assert "articles" not in WikipediaSpec(languages=("eu",)).model_dump(mode="json")


@pytest.mark.usefixtures("local_hub")
def test_each_language_is_fetched_once_and_kept(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    for shard in SPEC.shards():
        wikipedia.compute(SPEC, shard, context(progress=lambda what, share: told.append(what)))
    kept = library.entries([workspace])
    assert [(entry.name, entry.tags) for entry in kept] == [
        ("Wikipedia, Basque, 1,000 characters", ["eu"]),
        ("Wikipedia, Norwegian Bokmål, 1,000 characters", ["nb"]),
    ]
    assert kept[0].licence == hub_text.LICENCE
    assert library.load(kept[0].id, [workspace]).align(["eu"])[1]["eu"][0] == ARTICLES["20231101.eu"][0]["text"]
    assert told == ["asking the Hub for Wikipedia, Basque", "asking the Hub for Wikipedia, Norwegian Bokmål"]
    assert wikipedia.missing(SPEC, [workspace]) == []
    assert wikipedia.entries_of(SPEC, [workspace]) == kept
    monkeypatch.setattr(hub_text, "wikipedia", lambda *_, **__: pytest.fail("fetched again"))
    for shard in SPEC.shards():
        wikipedia.compute(SPEC, shard, context())
    library.remove(kept[0].id, workspace)
    assert wikipedia.missing(SPEC, [workspace]) == [next(iter(SPEC.shards()))]


def test_a_download_is_cancelled_between_articles(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stream(*_: Any) -> Any:
        return ({"id": str(place), "text": "ten chars."} for place in range(10**9))

    monkeypatch.setattr(hub_text, "_configuration", lambda *_: "20231101.eu")
    monkeypatch.setattr(hub_text, "_streamed", stream)
    asked = iter([False, False, True, True])
    told: list[float] = []
    spec = WikipediaSpec(languages=("eu",))
    with pytest.raises(Cancelled):
        wikipedia.compute(
            spec,
            next(iter(spec.shards())),
            context(should_stop=lambda: next(asked), progress=lambda _, share: told.append(share)),
        )
    assert told == [0.0, pytest.approx(10_000 / 60_000_000)]
    assert library.entries([workspace]) == []


def test_what_cannot_be_fetched_is_a_sentence(workspace: Path) -> None:
    shard = next(iter(SPEC.shards()))
    with pytest.raises(CorpusError, match="the Hugging Face Hub cannot be reached") as caught:
        wikipedia.compute(SPEC, shard, context())
    assert "Parquet" not in str(caught.value)  # its files have no column that names a language
    assert wikipedia.missing(SPEC, [workspace]) == list(SPEC.shards())


@pytest.mark.usefixtures("local_hub")
def test_a_taken_name_is_said_before_the_download(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library.keep(hub_text.wikipedia("no"), "wikipedia, BASQUE, 1,000 characters", workspace)
    monkeypatch.setattr(hub_text, "wikipedia", lambda *_, **__: pytest.fail("fetched"))
    with pytest.raises(CorpusError, match="Another corpus is called"):
        wikipedia.compute(SPEC, next(iter(SPEC.shards())), context())


def test_size_is_known_before() -> None:
    pieces = list(WikipediaSpec(languages=("fi", "ja"), characters=1_000_000).shards().values())
    assert wikipedia.size(pieces) == 1_100_000 + 2_700_000
