"""Which file serves which pair, found for all pairs at once: the same as by looking through the files pair by pair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.experiments import language_pairs
from isogloss.backend.experiments.checkpoint_scores import same, serving
from isogloss.backend.store.shard_files import ShardFile
from tests.experiments.one_pair import covering

TAGS = ("ar", "de", "en", "zh")
PAIRS = language_pairs.of(TAGS, None)
SOME_PAIRS = st.lists(st.sampled_from(PAIRS), unique=True)
LANGUAGES = st.lists(st.sampled_from(TAGS), unique=True).map(sorted)

SEVERAL = st.lists(st.sampled_from(TAGS), unique=True, min_size=2).map(sorted)


@given(st.lists(st.tuples(SOME_PAIRS, st.sampled_from("ab"))), SOME_PAIRS)
def test_pairs_are_served_by_the_first_file_that_has_them(files: list[tuple[Any, str]], wanted: list[Any]) -> None:
    have = [
        ShardFile(Path(f"{place}.parquet"), {"corpus": corpus, "pairs": [list(pair) for pair in pairs]}, place)
        for place, (pairs, corpus) in enumerate(files)
    ]
    provenance = {"corpus": "a", "pairs": [list(pair) for pair in wanted]}
    slowly = {}
    for pair in wanted:
        for file in have:
            if same(file, provenance, "pairs") and list(pair) in file.provenance["pairs"]:
                slowly[pair] = file
                break
    assert serving(provenance, wanted, have) == slowly
    assert all(covering(provenance, pair, have) is slowly.get(pair) for pair in wanted)


@given(LANGUAGES, st.none() | SOME_PAIRS, st.booleans(), SEVERAL, st.data())
def test_a_file_has_all_pairs_where_each_of_them_is_there(
    have: list[str], pairs: list[Any] | None, complete: bool, languages: list[str], data: st.DataObject
) -> None:
    among = language_pairs.of(languages, None)
    wanted = data.draw(st.none() | st.lists(st.sampled_from(among)).map(tuple))
    said: dict[str, Any] = {"languages": have, "complete": complete}
    said |= {} if pairs is None else {"pairs": [list(pair) for pair in pairs]}
    slowly = language_pairs.there(said, languages).issuperset(language_pairs.of(languages, wanted))
    assert language_pairs.has_all(said, languages, wanted) == slowly
