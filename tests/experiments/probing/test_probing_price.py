"""Prices of probes: they follow what is asked for, count what is missing alone, and learn from what shards really took."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from backend.corpora.tagged import library as tagged
from backend.corpora.tagged.parts import PARTS
from backend.errors import CorpusError
from backend.experiments.probing import price, queries
from backend.models.library import library as models
from backend.models.library.discover import discover
from tests.experiments.devices import IDLE, gpu
from tests.experiments.probing.small_probing import Lab, keep_task, lab

if TYPE_CHECKING:
    from pathlib import Path

LARGE = {"epochs": 50, "batch": 32, "patience": 3, "learning_rate": 1e-3}


@pytest.fixture
def there(tmp_path: Path) -> Lab:
    found = lab(tmp_path)
    models.keep(discover(str(tmp_path / "model"), name="tiny"), found.context.workspace)
    return found


def seconds(there: Lab, **options: Any) -> float:
    found = price.words(there.spec(**options), IDLE, there.context.workspaces)
    assert found is not None
    return found.seconds


def test_more_costs_more(there: Lab) -> None:
    base = seconds(there)
    for dearer in (
        {"sources": ("de", "en")},
        {"targets": ("de", "en", "zh")},
        {"description_length": True},
        {"probe": {"seeds": tuple(range(12))}},
        {"probe": {"epochs": 12}},
    ):
        assert seconds(there, **dearer) > base, dearer
    for cheaper in ({"probe": {"control": False}}, {"probe": {"training_words": 20}}, {"probe": {"seeds": (0,)}}):
        assert seconds(there, **cheaper) < base, cheaper


def test_what_cannot_be_known_has_no_price(there: Lab) -> None:
    assert price.words(there.spec(), None, there.context.workspaces) is None
    assert price.words(there.spec(corpus="0" * 24), IDLE, there.context.workspaces) is None
    assert price.words(there.spec(tested="0" * 24), IDLE, there.context.workspaces) is None
    assert price.words(there.spec(model="other"), IDLE, there.context.workspaces) is None


def test_only_what_is_missing_is_counted_and_what_happened_replaces_the_guess(there: Lab) -> None:
    spec = there.spec(sources=("de", "en"))
    there.compute(spec)
    nothing = price.words(spec, IDLE, there.context.workspaces)
    assert nothing is not None
    assert (nothing.seconds, nothing.shards) == (0.0, 0)
    more = price.words(there.spec(sources=("de", "en", "zh")), IDLE, there.context.workspaces)
    assert more is not None
    assert more.shards == 1
    assert more.basis == "from this model's last computations"
    assert len(queries.served(there.spec(sources=("zh",)), there.context.workspaces).missing) == 1
    elsewhere = price.words(there.spec(sources=("zh",)), gpu(100e12), there.context.workspaces)
    assert elsewhere is not None
    assert "measurement" in elsewhere.basis  # these files were computed on a CPU


def test_the_price_follows_what_training_took(there: Lab) -> None:
    asked = there.spec(sources=("zh",))
    provenance = {"model": "tiny", "device": "cpu", "tokens": 1000, "seconds_encoding": 1.0, "products": 1e9}
    [entry] = models.entries(there.context.workspaces)

    def pace(**other: Any) -> price._Pace:
        there.compute(there.spec())
        [file] = there.files()
        return price._Pace.of(entry, IDLE, [replace(file, provenance=provenance | {"seconds_training": 2.0} | other)])

    slow, fast = pace(seconds_training=20.0), pace()
    taken = price.Size(300, 1500), price.Size(100, 500)
    assert slow.training(taken, asked, 32, 4) == pytest.approx(10 * fast.training(taken, asked, 32, 4))
    assert pace(seconds_encoding=3.0).encoding(2500) == pytest.approx(3.0)
    assert pace(model="other").basis == IDLE.basis


def test_labelled_tasks_have_a_price(there: Lab) -> None:
    task = keep_task(there.context.workspace)
    found = price.sentences(there.sentences_spec(task, targets=("de", "en")), IDLE, there.context.workspaces)
    alone = price.sentences(there.sentences_spec(task, targets=("de",), features="second"), IDLE, there.context.workspaces)
    assert found is not None
    assert alone is not None
    assert alone.seconds < found.seconds


def test_each_test_part_is_encoded_once_where_it_is_kept(there: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = there.spec(sources=("de", "en", "zh"), targets=("de", "en", "zh"))
    kept = price.words(asked, IDLE, there.context.workspaces)
    monkeypatch.setattr(price, "KEPT_SHARE", 0.0)
    unkept = price.words(asked, IDLE, there.context.workspaces)
    assert kept is not None
    assert unkept is not None
    assert kept.seconds < unkept.seconds


def test_words_that_are_kept_are_not_counted_and_the_worker_does_not_encode_them(there: Lab, passes: list[str]) -> None:
    """By the very passes of a worker: sampled training words, validation and test parts, and a corpus to test on."""
    some = {"probe": {"training_words": 150}}
    again = {"probe": {"training_words": 150, "seeds": (0, 1, 2)}}

    def kept(**options: Any) -> str:
        found = price.words(there.spec(**(some | options)), IDLE, there.context.workspaces)
        assert found is not None
        return found.kept

    assert kept() == ""
    there.compute(there.spec(**some))
    assert passes == ["en"] * 3
    assert kept(**again) == "all vectors are kept: nothing is encoded"
    passes.clear()
    there.compute(there.spec(**again))
    assert passes == []
    assert kept(targets=("en", "de")) == "vectors of 3 of 4 parts of languages are kept: the others are encoded"
    assert kept(tested=there.other, targets=("de",)) == "vectors of 2 of 3 parts of languages are kept: the others are encoded"
    there.compute(there.spec(**some, tested=there.other, targets=("de",)))
    assert passes == ["de"]
    assert kept(tested=there.other, targets=("de",), **again) == "all vectors are kept: nothing is encoded"
    for other in ({"prefix": "query: "}, {"sources": ("zh",)}):
        assert kept(**other) == "", other
    more = price.words(there.spec(**again), IDLE, there.context.workspaces)
    alone = price.words(there.spec(**again, prefix="query: "), IDLE, there.context.workspaces)
    assert more is not None
    assert alone is not None
    assert more.seconds < alone.seconds


def test_counted_words_are_those_of_the_sentences(there: Lab) -> None:
    corpus = tagged.load(there.corpus, there.context.workspaces)
    other = tagged.load(there.other, there.context.workspaces)
    for one in (corpus, other):
        for language in one.languages:
            for part in PARTS:
                for own in (False, True):
                    try:
                        plain = one.own(language, part) if own and one.own(language, part) else one.sentences(language, part)
                    except CorpusError:
                        continue
                    counts, origin = one.word_counts(language, part, own=own)
                    assert counts.tolist() == [len(each.spans) for each in plain]
                    assert origin == (part if own and one.own(language, part) else one.origin(language, part))
