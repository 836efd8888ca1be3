"""Statistics of kept corpora: computed once and read back as they were; the frames of the figures against plain counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent import reference
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus, EmergentReport
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.emergent import frames as emergent_frames
from isogloss.backend.experiments.emergent import statistics as emergent_statistics
from isogloss.backend.experiments.emergent.statistics import Statistics, statistics
from isogloss.backend.store import details, quarantine
from tests.corpora.emergent.utterances import from_utterances

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [[3, 1, 3, 0], [1, 1], [3, 1, 3, 0], [2], [0, 2, 3, 3, 1, 1]] * 20


def same(one: object, other: object) -> bool:
    """Whether two dataclasses hold the same numbers, nan like nan and the last digits of sums aside."""
    return _flat(asdict(one)) == pytest.approx(_flat(asdict(other)), rel=1e-12, nan_ok=True)  # type: ignore[call-overload]


def _flat(value: Any) -> list[Any]:
    match value:
        case dict():
            return [each for key in sorted(value, key=str) for each in _flat(value[key])]
        case list() | tuple() | np.ndarray():
            return [len(value), *(each for part in value for each in _flat(part))]
        case str():
            return [float(each) for each in value.encode()]
        case _:
            return [float(value)]


def keep(workspace: Path, rows: list[list[int]], name: str = "Mine", vocabulary: tuple[str, ...] | None = None) -> str:
    report = EmergentReport("x", "words" if vocabulary else "integers")
    return emergent_library.keep(from_utterances(rows, vocabulary, report), name, workspace).id


def test_they_are_computed_once_and_read_back_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = keep(tmp_path, ROWS)
    first = statistics(corpus, [tmp_path])
    assert same(first, emergent_statistics.compute(from_utterances(ROWS)))
    monkeypatch.setattr(emergent_statistics, "compute", None)  # a call would fail
    again = statistics(corpus, [tmp_path])
    assert again is not first
    assert repr(again) == repr(first)
    assert repr(statistics(corpus, [tmp_path / "own", tmp_path])) == repr(first)  # as the demo's, which are read-only


@settings(max_examples=30)
@given(st.lists(st.lists(st.sampled_from([0, 1, 2, 9, 2**31 - 1]), min_size=1, max_size=6), min_size=1, max_size=8))
def test_any_corpus_survives_the_file(tmp_path_factory: pytest.TempPathFactory, rows: list[list[int]]) -> None:
    workspace = tmp_path_factory.mktemp("workspace")
    corpus = keep(workspace, rows)
    first = statistics(corpus, [workspace])
    assert repr(statistics(corpus, [workspace])) == repr(first)
    assert details.provenance(emergent_statistics.key_of(corpus), [workspace]) is not None
    for frame in frames_of({"Mine": first}):
        assert set(frame["corpus"]) <= {"Mine"}


def frames_of(found: dict[str, Statistics]) -> list[Any]:
    return [
        emergent_frames.overview(found),
        emergent_frames.warnings(found),
        emergent_frames.ranks(found),
        emergent_frames.type_token(found),
        emergent_frames.lengths(found),
        emergent_frames.entropies(found),
        emergent_frames.positions(found),
        emergent_frames.positions(found, from_end=True),
        *(emergent_frames.most_frequent(found, order) for order in (1, 2, 3, 4, None)),
        emergent_frames.versions(found, found),
    ]


def test_a_damaged_file_is_set_aside_and_they_are_computed_anew(tmp_path: Path) -> None:
    corpus = keep(tmp_path, ROWS)
    first = statistics(corpus, [tmp_path])
    path = details.path(tmp_path, emergent_statistics.key_of(corpus))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert same(statistics(corpus, [tmp_path]), first)
    assert len(quarantine.notes(tmp_path)) == 1
    assert path.read_bytes() != bytes(content)


def test_a_workspace_that_cannot_be_written_still_has_statistics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(details, "write", full)
    assert statistics(keep(tmp_path, ROWS), [tmp_path]).corpus.tokens == sum(map(len, ROWS))


def test_shuffled_versions_are_apart_from_the_original_and_from_each_other(tmp_path: Path) -> None:
    corpus = keep(tmp_path, ROWS)
    plain = from_utterances(ROWS)
    within, over = (statistics(corpus, [tmp_path], how, 5) for how in ("within", "over"))  # type: ignore[arg-type]
    for found, made in (
        (within, reference.shuffled_within(plain.ids, plain.starts, 5)),
        (over, reference.shuffled_over(plain.ids, plain.starts, 5)),
    ):
        assert same(found, emergent_statistics.compute(EmergentCorpus(made.ids, made.starts)))
    keys = {emergent_statistics.key_of(corpus, how, seed) for how in (None, "within", "over") for seed in (0, 1)}  # type: ignore[arg-type]
    assert len(keys) == 5  # the original has no seed


def test_what_is_most_frequent_is_in_the_sources_symbols(tmp_path: Path) -> None:
    words = ("wa", "<b>", "tok " * 50, "le")
    found = {"Mine": statistics(keep(tmp_path, ROWS, vocabulary=words), [tmp_path])}
    symbols = emergent_frames.most_frequent(found, 1)
    counted = Counter(each for row in ROWS for each in row)
    assert dict(zip(symbols["symbols"], symbols["count"], strict=True)) == {
        "<b>": counted[1],
        "le": counted[3],
        "wa": counted[0],
        f"{words[2][:100]}…": counted[2],
    }
    assert symbols["share"].sum() == pytest.approx(1.0)
    assert emergent_frames.most_frequent(found, 2)["symbols"].iloc[0] in ("le <b>", "<b> le", "<b> <b>", "le wa")
    utterances = emergent_frames.most_frequent(found, None, most=1)
    assert utterances.to_dict("records") == [
        {"corpus": "Mine", "place": 1, "symbols": "le <b> le wa", "length": 4, "count": 40, "share": 0.4}
    ]


def test_characters_stand_together_and_a_blank_is_seen(tmp_path: Path) -> None:
    corpus = from_utterances([[0, 1, 0], [1]], ("a", " "), EmergentReport("x", "characters"))
    entry = emergent_library.keep(corpus, "Mine", tmp_path)
    found = {"Mine": statistics(entry.id, [tmp_path])}
    assert emergent_frames.most_frequent(found, None)["symbols"].tolist() == ["a a", "' '"]


def test_symbols_that_would_turn_what_follows_are_escaped(tmp_path: Path) -> None:
    found = statistics(keep(tmp_path, [[0, 1], [0]], vocabulary=("a\u202eb", "\n")), [tmp_path])
    assert found.text(found.corpus.frequent_ngrams[1][0]) == r"a\u202eb \u000a"


def test_a_long_utterance_says_how_much_is_left_out(tmp_path: Path) -> None:
    found = {"Mine": statistics(keep(tmp_path, [[1] * 250]), [tmp_path])}
    (said,) = emergent_frames.most_frequent(found, None)["symbols"]
    assert said.endswith("1 … 50 more")
    assert said.count("1") == 200


def test_the_overview_leaves_out_a_law_that_is_none() -> None:
    even = emergent_statistics.compute(EmergentCorpus(*reference.uniform(20_000, 0, 50, 10)))
    law = reference.zipf_mandelbrot(300)
    nested = emergent_statistics.compute(EmergentCorpus(*reference.paren(200_000, law, 0, length=10)))
    table = emergent_frames.overview({"even": even, "nested": nested}).set_index("corpus")
    assert table.loc["nested", "alpha"] == pytest.approx(1.0, abs=0.1)
    assert even.corpus.zipf.at_bound
    assert np.isnan(table.loc["even", ["alpha", "beta"]].to_numpy(float)).all()
    ranks = emergent_frames.ranks({"even": even, "nested": nested}).set_index("corpus")
    assert ranks.loc["even", "fitted"].isna().all()
    assert np.abs(np.log(ranks.loc["nested", "fitted"] / ranks.loc["nested", "share"])).median() < 0.1
    assert table.loc["nested", "corrected"] < table.loc["nested", "entropy"] - 1
    assert table.loc["nested", "conditional"] < table.loc["nested", "entropy"] - 1
    assert table.loc["even", "information"] == pytest.approx(0, abs=0.01)
    assert set(emergent_frames.warnings({"even": even})["kind"]) == {"small", "no structure"}


def test_the_conditional_entropy_of_uniform_text_is_corrected() -> None:
    """Every symbol of 256 is as likely whatever came before: 8 bits, of which the plug-in estimate of few tokens lacks many."""
    found = emergent_statistics.compute(EmergentCorpus(*reference.uniform(30_000, 0, 256, 10)))
    (row,) = emergent_frames.overview({"even": found}).itertuples()
    assert row.conditional < 6.7
    assert row.corrected == pytest.approx(8.0, abs=0.05)
    assert row.corrected <= row.entropy
    alone = emergent_statistics.compute(from_utterances([[0], [1], [0]]))
    assert np.isnan(emergent_frames.overview({"alone": alone}).loc[0, "corrected"])


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(1, 400), min_size=1, max_size=30), min_size=1, max_size=3), st.integers(1, 70))
def test_bins_of_lengths_hold_every_utterance_once(corpora: list[list[int]], bins: int) -> None:
    found = {str(i): emergent_statistics.compute(from_utterances([[0] * n for n in own])) for i, own in enumerate(corpora)}
    frame = emergent_frames.lengths(found, bins)
    for i, own in enumerate(corpora):
        rows = frame[frame["corpus"] == str(i)]
        assert rows["utterances"].tolist() == [
            sum(low <= n <= high for n in own) for low, high in zip(rows.low, rows.high, strict=True)
        ]
        assert rows["utterances"].sum() == len(own)
        assert rows["share"].sum() == pytest.approx(1.0)
        assert (rows["low"].iloc[1:].to_numpy() == rows["high"].iloc[:-1].to_numpy() + 1).all()
        assert rows["utterances"].iloc[0] == rows["utterances"].iloc[-1] == 0
    assert frame.groupby("corpus")["low"].count().max() <= bins + 3


def test_versions_stand_beside_each_other() -> None:
    one, other = (emergent_statistics.compute(from_utterances(rows)) for rows in (ROWS, ROWS[:3]))
    frame = emergent_frames.versions({"a": one, "b": other}, {"a": other, "b": one})
    assert list(dict.fromkeys(zip(frame["corpus"], frame["version"], strict=True))) == [
        ("a", "original"),
        ("a", "shuffled"),
        ("b", "original"),
        ("b", "shuffled"),
    ]
    own = frame[(frame["corpus"] == "a") & (frame["version"] == "shuffled")]["entropy"].tolist()
    assert own == emergent_frames.entropies({"b": other})["entropy"].tolist()


def test_positions_are_counted_from_either_end() -> None:
    rows = [[0, 1], [0, 2], [0, 1, 3], [0, 2, 3]]
    found = {"a": emergent_statistics.compute(from_utterances(rows))}
    first, last = emergent_frames.positions(found), emergent_frames.positions(found, from_end=True)
    assert first["position"].tolist() == last["position"].tolist() == [1, 2, 3]
    assert first["entropy"].tolist() == pytest.approx([0.0, 1.0, 0.0])
    assert last["entropy"].tolist() == pytest.approx([1.5, 1.5, 0.0])
    assert first["utterances"].tolist() == last["utterances"].tolist() == [4, 4, 2]


def test_orders_beyond_every_utterance_have_no_entropy() -> None:
    frame = emergent_frames.entropies({"a": emergent_statistics.compute(from_utterances([[0, 1], [1]]))})
    assert frame["entropy"].isna().tolist() == [False, False, True, True]
    assert frame["windows"].tolist() == [3, 1, 0, 0]
