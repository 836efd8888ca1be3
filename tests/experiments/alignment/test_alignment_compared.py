"""Which sentences are found, kept beside the scores, and the paired intervals of differences that rest on them, by loops."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import torch

from isogloss.backend.experiments.alignment import compared, found, queries, sentences
from isogloss.backend.experiments.alignment import parts as parts_module
from isogloss.backend.experiments.alignment.found import Found
from isogloss.backend.metrics.jackknife import difference_interval, jackknife_interval
from isogloss.backend.metrics.retrieval.paired import difference_of_found
from isogloss.backend.store import details
from tests.experiments.alignment import alignment_by_hand as by_hand
from tests.experiments.alignment.lab import TAGS, Lab

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.experiments.alignment.queries import Ways

Hits = dict[tuple[int, str, str], dict[str, Any]]
"""Which sentences a directed pair finds at a layer, by their ids: measure → {id: found}."""
new_lab = partial(Lab, sentences.SentenceAlignmentSpec, "alignment")
LANGUAGES, LAYERS, VARIANT = ["de", "en", "fi", "ja"], (0, 1, 2), "sentence/mean"


def drawn(seed: int, gaps: bool, sure: float = 0.6) -> tuple[list[str], Hits]:
    """Made-up hits of every direction; with `gaps` languages lack sentences, and two share a single one: no score."""
    draw = np.random.default_rng(seed)
    ids = [f"s{number}" for number in range(21)]
    has = {tag: set(ids) for tag in LANGUAGES}
    if gaps:
        has["fi"] = set(ids[5:])
        has["ja"] = {*ids[:5], ids[20]}
    hard = dict(zip(ids, np.random.default_rng(1).uniform(-0.3, 0.3, len(ids)), strict=True))
    hits: Hits = {}
    for layer in LAYERS:
        for pair in combinations(LANGUAGES, 2):
            shared = [each for each in ids if each in has[pair[0]] & has[pair[1]]]
            if len(shared) < 2:
                continue
            for ends in (pair, pair[::-1]):
                of = {name: {each: bool(draw.random() < sure + hard[each]) for each in shared} for name in ("weak", "strong")}
                of["strong_released"] = {each: of["weak"][each] and of["strong"][each] for each in shared}
                hits[layer, *ends] = of
    return ids, hits


def keep(workspace: Path, shard: str, ids: list[str], hits: Hits) -> str:
    """Write made-up hits as a run does; returns the key of the file."""
    gathered = Found(ids, list(combinations(LANGUAGES, 2)), [VARIANT], len(LAYERS))
    for (layer, *ends), of in hits.items():
        shared = list(of["weak"])
        tensors = {name: torch.tensor([each[one] for one in shared]) for name, each in of.items()}
        gathered.add(VARIANT, layer, (ends[0], ends[1]), tensors, shared)  # type: ignore[arg-type]
    gathered.write(workspace, shard, {})
    return found.key_of(shard, VARIANT)


def by_loop(hits: Hits, layer: int, tag: str, measure: str, chosen: set[tuple[str, str]]) -> tuple[float, dict[str, float]]:
    """The mean over a language's directed pairs, and what each sentence adds to it, less the mean of its pair."""
    own = [(ends, of[measure]) for (at, *ends), of in hits.items() if at == layer and tag in ends and tuple(ends) in chosen]
    value, parts = 0.0, dict.fromkeys({each for _, of in own for each in of}, 0.0)
    for _, of in own:
        share = sum(of.values()) / len(of)
        value += share / len(own)
        for each, right in of.items():
            parts[each] += (right - share) / len(of) / len(own)
    return value, parts


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("ways", ["both", "forward", "backward"])
@pytest.mark.parametrize("measure", ["weak", "strong", "strong_released"])
@pytest.mark.parametrize("some", [None, [("de", "en"), ("en", "ja"), ("de", "fi")], list(combinations(LANGUAGES, 2))[:-1]])
def test_paired_intervals_are_those_of_a_loop(
    tmp_path: Path, gaps: bool, ways: Ways, measure: str, some: list[tuple[str, str]] | None
) -> None:
    sides = {name: drawn(seed, gaps) for name, seed in (("A", 3), ("B", 4))}
    kept = {name: keep(tmp_path, f"shard {name}", *side) for name, side in sides.items()}
    pairs = list(combinations(LANGUAGES, 2)) if some is None else some
    there = [ends for pair in pairs for ends in (pair, pair[::-1])]
    chosen = {ends for ends in there if ways == "both" or (ends[0] < ends[1]) == (ways == "forward")}
    rows = []
    for layer in LAYERS:
        for tag in LANGUAGES:
            both = [by_loop(sides[name][1], layer, tag, measure, chosen) for name in ("A", "B")]
            if both[0][1]:
                less = both[0][0] - both[1][0]
                rows.append({"layer": layer, "language": tag, "difference": less, "both": both})
    frame = pd.DataFrame(rows).assign(
        checkpoint_first="A", checkpoint_second="B", low=-1.0, high=1.0, interval="widest", freedom=np.nan
    )
    frame = frame.sample(frac=1, random_state=2).reset_index(drop=True)
    read = compared.paired(
        frame,
        workspaces=[tmp_path],
        kept=kept,
        measure=measure,
        languages=LANGUAGES,
        ways=ways,
        pairs=None if some is None else pairs[::-1],
    )
    assert len(read) > 8
    assert set(read["interval"]) == {"paired"}
    for row in read.to_dict("records"):
        (value, parts), (its_value, its_parts) = row["both"]
        n = len(parts)
        assert its_parts.keys() == parts.keys()
        assert row["freedom"] == n - 1
        low, high = difference_of_found(
            row["difference"], (value, its_value), ([*parts.values()], [its_parts[each] for each in parts]), n
        )
        assert (row["low"], row["high"]) == pytest.approx((float(low), float(high)), abs=1e-6)
    if not gaps:  # the mean of what each sentence has, left out one after another
        ids = sides["A"][0]
        for row in read.to_dict("records"):
            without = []
            for value, parts in row["both"]:
                each = np.array([value + len(ids) * parts[one] for one in ids])
                without.append((each.sum() - each) / (len(ids) - 1))
            one, other = (without[side].std() * np.sqrt(len(ids) - 1) for side in (0, 1))
            apart = (without[0] - without[1]).std() * np.sqrt(len(ids) - 1)
            assert apart > 0
            least = float(difference_interval([row["difference"]], [without[0]], [without[1]])[0][0])
            if all(0.3 < value < 0.7 for value, _ in row["both"]):  # where no end is held back, both are the same
                assert row["low"] == pytest.approx(least, abs=1e-3)
            assert row["low"] < row["difference"] < row["high"]
            assert min(one, other) > 0


def test_languages_are_read_without_their_pairs_where_all_are_looked_at(tmp_path: Path) -> None:
    ids, hits = drawn(5, False)
    key = keep(tmp_path, "shard", ids, hits)
    pairs = tuple(combinations(LANGUAGES, 2))
    whole = parts_module.read(key, [tmp_path], "strong_released", (pairs, "forward"))
    details.path(tmp_path, found.key_of_languages(key)).unlink()
    again = parts_module.read(key, [tmp_path], "strong_released", (pairs, "forward"))
    assert whole is not None
    assert again is not None
    assert (whole.layers, whole.languages) == (again.layers, again.languages)
    np.testing.assert_allclose(whole.value, again.value, rtol=1e-6)
    np.testing.assert_allclose(whole.each, again.each, atol=1e-7)
    assert whole.n.tolist() == again.n.tolist() == [21] * 4
    ids, hits = drawn(5, True)
    assert not details.path(tmp_path, found.key_of_languages(keep(tmp_path, "gaps", ids, hits))).exists()


@pytest.mark.parametrize("sure", [-9.0, 9.0])
def test_two_sides_that_find_the_same_still_have_an_interval(tmp_path: Path, sure: float) -> None:
    ids, hits = drawn(5, False, sure)
    kept = {name: keep(tmp_path, name, ids, hits) for name in ("A", "B")}
    frame = pd.DataFrame(
        {"layer": [1], "language": ["en"], "difference": [0.0], "checkpoint_first": ["A"], "checkpoint_second": ["B"]}
    )
    frame = frame.assign(low=-1.0, high=1.0, interval="widest", freedom=np.nan)
    [row] = compared.paired(frame, workspaces=[tmp_path], kept=kept, measure="weak", languages=LANGUAGES).to_dict("records")
    assert row["low"] < -1 / 21
    assert row["high"] > 1 / 21
    ids, hits = drawn(5, False)
    alike = difference_of_found([0.0], ([0.5], [0.5]), ([[0.1, -0.1, 0.0, 0.0]], [[0.1, -0.1, 0.0, 0.0]]), [4])
    assert -alike[0][0] == alike[1][0] >= 1.96 / 6


def test_ends_are_no_nearer_than_both_sides_by_themselves() -> None:
    """All right against one of thirty wrong: the paired error alone would say nothing of sentences that are hard for both."""
    n = 30
    parts = np.zeros((2, n))
    parts[1] = 1 / 30 / n
    parts[1, 0] -= 1 / n
    low, high = difference_of_found(1 / 30, (1.0, 29 / 30), (parts[0], parts[1]), n)
    error = np.sqrt(n / (n - 1) * np.square(parts[1]).sum())
    its_low, its_high = jackknife_interval(29 / 30, error, n, 1.0)
    least = jackknife_interval(1.0, 0.0, n, 1.0)[0]
    assert float(low) < 1 / 30 - 2 * error
    assert float(low) == pytest.approx(1 / 30 - 2.0452296 / 1.959964 * np.hypot(1 - least, its_high - 29 / 30))
    assert float(high) == pytest.approx(1 / 30 + 2.0452296 * max(error, (29 / 30 - its_low) / 1.959964), abs=1e-6)


def test_what_lacks_a_side_keeps_its_interval(tmp_path: Path) -> None:
    ids, hits = drawn(5, False)
    key = keep(tmp_path, "A", ids, hits)
    few = {each: of for each, of in hits.items() if "ja" not in each}
    other = keep(tmp_path, "B", ids, few)
    frame = pd.DataFrame({"layer": [1, 7, 1, 1], "language": ["en", "en", "fr", "ja"], "difference": 0.1})
    frame = frame.assign(checkpoint_first="A", checkpoint_second="B", low=-0.5, high=0.5, interval="widest", freedom=np.nan)
    asked: dict[str, Any] = {"workspaces": [tmp_path], "measure": "weak", "languages": LANGUAGES[::-1]}
    assert compared.paired(frame, kept={"A": key, "B": "gone"}, **asked).equals(frame)
    assert compared.paired(frame, kept={"A": key}, **asked).equals(frame)
    assert compared.paired(frame, kept={"A": key, "B": other}, **asked).equals(frame)  # of other pairs
    again = keep(tmp_path, "again", ids, hits)
    both = compared.paired(frame, kept={"A": key, "B": again}, **asked)
    assert both["interval"].tolist() == ["paired", "widest", "widest", "paired"]
    assert both["low"].tolist()[1:3] == [-0.5, -0.5]
    details.path(tmp_path, key).write_bytes(b"not a file")
    details.path(tmp_path, found.key_of_languages(key)).unlink()
    assert compared.paired(frame, kept={"A": key, "B": other}, **asked).equals(frame)
    assert not details.path(tmp_path, key).exists()


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("measure", ["weak", "strong_released"])
def test_every_directed_pair_has_the_interval_of_its_own_sentences(tmp_path: Path, gaps: bool, measure: str) -> None:
    sides = {name: drawn(seed, gaps) for name, seed in (("A", 3), ("B", 4))}
    kept = {name: keep(tmp_path, f"shard {name}", *side) for name, side in sides.items()}
    rows = []
    for at, of in sides["A"][1].items():
        if at[0] == 1:
            both = [side[1][at][measure] for side in sides.values()]
            shares = [sum(each.values()) / len(each) for each in both]
            rows.append({"source": at[1], "target": at[2], "difference": shares[0] - shares[1], "both": both, "shares": shares})
            assert set(of[measure]) == set(both[1])
    frame = pd.DataFrame(rows).assign(
        checkpoint_first="A", checkpoint_second="B", low=-1.0, high=1.0, interval="widest", freedom=np.nan
    )
    asked: dict[str, Any] = {"workspaces": [tmp_path], "kept": kept, "measure": measure}
    for at_once in (4096, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compared, "AT_ONCE", at_once)
            read = compared.paired_by_pair(frame, **asked, layer=1)
        assert set(read["interval"]) == {"paired"}
        for row in read.to_dict("records"):
            n = len(row["both"][0])
            parts = [
                [(right - share) / n for right in each.values()] for each, share in zip(row["both"], row["shares"], strict=True)
            ]
            low, high = difference_of_found(row["difference"], tuple(row["shares"]), (parts[0], parts[1]), n)
            assert (row["low"], row["high"]) == pytest.approx((float(low), float(high)))
            assert row["freedom"] == n - 1
    assert compared.paired_by_pair(frame, **asked, layer=9).equals(frame)
    lacking = frame.assign(target="fr")
    assert compared.paired_by_pair(lacking, **asked, layer=1).equals(lacking)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return new_lab(tmp_path_factory.mktemp("made"))


@pytest.mark.parametrize("options", [{}, {"self_neighbour": True}, {"pooling": "last", "similarity": "cosine"}])
def test_what_is_kept_is_what_the_scores_count(made: Lab, tmp_path: Path, options: dict[str, Any]) -> None:
    lab = made.copied(tmp_path)
    spec = lab.spec(per_sentence=True, **options)
    plain = lab.spec(**options)
    lab.compute(spec)
    [file] = lab.files()
    assert file.path.stem in plain.shards()
    assert "per_sentence" not in file.provenance
    assert "per_sentence" not in file.provenance["asked"]
    rows = lab.rows()
    pairs = tuple(combinations(TAGS, 2))
    measures = ["weak", "strong_self"] if options.get("self_neighbour") else ["weak", "strong", "strong_released"]
    for pooling in spec.poolings:
        variant = spec.variant(pooling)
        key = compared.key_of(plain, lab.checkpoint, variant, TAGS, [lab.context.workspace])
        assert key is not None
        for measure in measures:
            parts = parts_module.read(key, [lab.context.workspace], measure, (pairs, "both"))
            assert parts is not None
            for tag, column in parts.languages.items():
                for layer, row in parts.layers.items():
                    own = [
                        each["value"]
                        for at, each in rows.items()
                        if at[:3] == (f"sentence_{measure}", variant, layer) and tag in at[-2:]
                    ]
                    assert len(own) == 6
                    assert parts.value[row, column] == pytest.approx(np.mean(own))
    modified = file.path.stat().st_mtime_ns
    lab.compute(spec)
    assert [each.path.stat().st_mtime_ns for each in lab.files()] == [modified]


def test_scores_that_are_there_are_not_written_again(made: Lab, tmp_path: Path) -> None:
    lab = made.copied(tmp_path)
    lab.compute(lab.spec(("de", "en")))
    first = lab.rows()
    spec = lab.spec(("de", "en", "zh"), per_sentence=True)
    lab.compute(spec)
    assert [each.provenance["pairs"] for each in lab.files()] == [[["de", "en"]], [["de", "zh"], ["en", "zh"]]]
    assert {key: row["value"] for key, row in lab.rows().items()}.items() >= {
        key: row["value"] for key, row in first.items()
    }.items()
    at = [lab.context.workspace]
    [variant, _] = [spec.variant(each) for each in spec.poolings]
    assert compared.key_of(spec, lab.checkpoint, variant, TAGS, at) is not None
    listed = lab.spec(("de", "en", "zh"), listed=[("de", "zh")])
    assert compared.key_of(listed, lab.checkpoint, variant, TAGS, at) == compared.key_of(
        spec, lab.checkpoint, variant, TAGS, at
    )
    assert compared.key_of(lab.spec(("de", "en")), lab.checkpoint, variant, TAGS, at) is None
    assert compared.key_of(lab.spec(("de", "en")), lab.checkpoint, variant, ("de", "en", "zh"), at) is not None


def test_gaps_of_a_corpus_are_kept_too(tmp_path: Path) -> None:
    texts = by_hand.sentences(50)
    keep_of = {"ar": range(50), "de": range(40), "en": range(50), "zh": range(20)}
    lab = new_lab(
        tmp_path, {tag: {i: text for i, text in own.items() if int(i[1:]) in keep_of[tag]} for tag, own in texts.items()}
    )
    spec = lab.spec(("de", "en", "zh"), per_sentence=True)
    lab.compute(spec)
    variant = spec.variant("mean")
    key = compared.key_of(spec, lab.checkpoint, variant, TAGS, [lab.context.workspace])
    assert key is not None
    parts = parts_module.read(key, [lab.context.workspace], "weak", (tuple(combinations(("de", "en", "zh"), 2)), "forward"))
    assert parts is not None
    assert dict(zip(parts.languages, parts.n, strict=True)) == {"de": 40, "en": 40, "zh": 20}
    rows = lab.rows()
    own = [
        each["value"]
        for at, each in rows.items()
        if at[:3] == ("sentence_weak", variant, 1) and at[-2:] in {("de", "en"), ("en", "zh")}
    ]
    assert parts.value[1, parts.languages["en"]] == pytest.approx(np.mean(own))


def test_runs_of_some_sentences_keep_nothing(made: Lab) -> None:
    with pytest.raises(ValueError, match="leave out the sentences per run"):
        made.spec(n_sentences=5, per_sentence=True)


def test_queries_and_what_is_kept_name_directions_alike() -> None:
    assert set(found.WAYS) | {"both"} == set(queries.Ways.__args__)  # type: ignore[attr-defined]
