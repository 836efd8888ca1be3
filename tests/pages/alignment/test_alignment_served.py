"""Which file serves which pair of sentences' languages: one a checkpoint that has them all, else pair by pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.experiments.alignment.queries import listed
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.store.shard_files import ShardFile
from isogloss.pages.alignment.options import Vectors
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.widgets.choosing.selecting import WHOLE

TAGS = ("ar", "de", "en", "fi", "zh")
CHECKPOINTS = tuple(
    Checkpoint(source="folder", location=label, label=label, step=None, fingerprint=label * 24) for label in ("a", "b", "c")
)
MODEL = Model(name="m", architecture="bert", layers=2, dims=4, parameters=None, checkpoints=CHECKPOINTS)


class Corpus:
    id = "d" * 24


def selection(languages: tuple[str, ...], pairs: tuple[tuple[str, str], ...] | None, have: tuple[ShardFile, ...]) -> Selection:
    return Selection(
        models=(MODEL,),
        everything=(MODEL,),
        layers=(0, 1, 2),
        labels=("a", "b", "c"),
        corpus=Corpus(),  # type: ignore[arg-type]
        languages=languages,
        unit="sentence",
        pairs=tuple(combinations(languages, 2)) if pairs is None else pairs,
        listed=pairs is not None,
        dictionaries={},
        options={},
        vectors=Vectors("mean", {}),
        strong="strong",
        direction="both",
        have=have,
    )


PAIRS = list(combinations(TAGS, 2))
LANGUAGES = st.lists(st.sampled_from(TAGS), unique=True, min_size=2).map(sorted).map(tuple)
OF_FILE = LANGUAGES.map(lambda tags: list(combinations(tags, 2))) | st.lists(st.sampled_from(PAIRS), unique=True)
FILES = st.lists(st.tuples(st.sampled_from(CHECKPOINTS), OF_FILE, st.booleans()), max_size=5)


@given(FILES, LANGUAGES, st.none() | st.lists(st.sampled_from(PAIRS), unique=True, min_size=1).map(sorted).map(tuple))
def test_pairs_are_served_as_one_by_one(
    files: Any, languages: tuple[str, ...], pairs: tuple[tuple[str, str], ...] | None
) -> None:
    chosen = selection(languages, pairs, ())
    have = []
    for place, (checkpoint, of, as_asked) in enumerate(files):
        said = chosen.spec(MODEL, [checkpoint]).provenance(checkpoint) | {"pairs": [list(pair) for pair in of]}
        have.append(ShardFile(Path(f"{place}.parquet"), said | ({} if as_asked else {"seed": 7}), float(place)))
    chosen = replace(chosen, have=tuple(have))
    slowly = {
        (checkpoint.fingerprint, pair): next(
            (
                file
                for file, (of, own, as_asked) in zip(have, files, strict=True)
                if of == checkpoint and as_asked and pair in own
            ),
            None,
        )
        for checkpoint in CHECKPOINTS
        for pair in chosen.pairs
    }
    there = {key: file for key, file in slowly.items() if file is not None}
    if chosen.pieces == (WHOLE,):
        assert {(of, pair): file for (of, _), file in chosen.served.items() for pair in chosen.pairs} == there
    else:
        assert chosen.served == there
    whole = [each for each in CHECKPOINTS if all((each.fingerprint, pair) in there for pair in chosen.pairs)]
    assert chosen.complete(MODEL) == whole
    assert {each.fingerprint for each in chosen.computed(MODEL)} == {fingerprint for fingerprint, _ in there}
    assert chosen.missing(MODEL)[0] == [each for each in CHECKPOINTS if each not in whole]
    of_each = [{pair for fingerprint, pair in there if fingerprint == each.fingerprint} for each in CHECKPOINTS]
    most = max(of_each, key=len)
    assert set(chosen.existing().pairs) == (most or set(chosen.pairs))
    assert sorted(listed(chosen.wanted(CHECKPOINTS))) == sorted(
        {(file.run, *ends) for (_, pair), file in there.items() for ends in (pair, pair[::-1])}
    )


def test_a_complete_file_is_asked_for_by_its_languages() -> None:
    chosen = selection(TAGS, None, ())
    said = chosen.spec(MODEL, CHECKPOINTS[:1]).provenance(CHECKPOINTS[0])
    chosen = replace(
        chosen, languages=TAGS[1:], pairs=tuple(combinations(TAGS[1:], 2)), have=(ShardFile(Path("one"), said, 0.0),)
    )
    assert chosen.pieces == (WHOLE,)
    assert not isinstance(chosen.wanted(CHECKPOINTS), list)
