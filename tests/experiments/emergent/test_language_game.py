"""A language from a game: one shard, kept as a corpus and a curve, whatever happens on the way."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pydantic import ValidationError

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus, EmergentReport
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.emergent.game import shard as language_game
from isogloss.backend.experiments.emergent.game.shard import LanguageGameSpec
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.experiments.training import FOLDER
from isogloss.backend.settings import settings
from isogloss.backend.store import details
from isogloss.backend.training.signalling_game.loop import play
from isogloss.backend.training.signalling_game.options import GameOptions

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = GameOptions(attributes=3, values=4, held_out=0.25, hidden=16, embedding=8, length=4, batch=16, epochs=4, seed=1)
SPEC = LanguageGameSpec(name="Ours", options=OPTIONS)
SHARD = next(iter(SPEC.shards()))


def context_of(**changes: Any) -> Context:
    return replace(Context(replace(settings(), device="cpu")), **changes)


def kept_corpora(workspace: Path) -> list[str]:
    return [entry.name for entry in emergent_library.entries([workspace])]


def test_the_language_is_kept_and_its_curve(workspace: Path, tmp_path: Path) -> None:
    told: list[tuple[str, float]] = []
    language_game.compute(SPEC, SHARD, context_of(progress=lambda what, share: told.append((what, share))))
    found = play(OPTIONS, tmp_path / "game", device="cpu")
    assert found.messages is not None
    entry = emergent_library.entries([workspace])[0]
    corpus = emergent_library.load(entry.id, [workspace])
    spoken = [one.tolist() for one in np.split(found.messages.ids, found.messages.starts[1:-1])]
    assert [[int(symbol) for symbol in corpus.utterance(place)] for place in range(corpus.utterances)] == [
        one for one in spoken if one
    ]
    assert (entry.name, entry.format, entry.skipped) == ("Ours", "signalling game", spoken.count([]))
    last = found.records[-1]
    assert entry.source is not None
    assert f"success {last.success:.1%}" in entry.source
    assert language_game.corpus_of(SPEC, [workspace]) == entry.id
    curve = details.load(SPEC.key, [workspace])
    assert curve is not None
    assert curve["step"].tolist() == [0, 3, 6, 9, 12]
    assert curve["success"].tolist() == [one.success for one in found.records]
    assert curve["attributes"].isna().all()
    provenance = details.provenance(SPEC.key, [workspace])
    assert provenance is not None
    assert (provenance["corpus"], provenance["tokens"], provenance["chance"]) == (entry.id, corpus.tokens, 0.25)
    assert (provenance["empty"], provenance["utterances"]) == (spoken.count([]), corpus.utterances)
    assert not (workspace / FOLDER / SHARD).exists()
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert any("step 7 of 12" in what for what, _ in told)


def test_what_is_there_is_not_played_again(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    language_game.compute(SPEC, SHARD, context_of())
    monkeypatch.setattr(language_game, "_compute", lambda *_: pytest.fail("played again"))
    language_game.compute(SPEC, SHARD, context_of())
    language_game.compute(SPEC.model_copy(update={"name": "Other"}), SHARD, context_of())  # the same language
    assert kept_corpora(workspace) == ["Ours"]


def test_a_removed_corpus_is_grown_again_to_the_bit(workspace: Path) -> None:
    language_game.compute(SPEC, SHARD, context_of())
    before = emergent_library.entries([workspace])[0].id
    emergent_library.remove(before, workspace)
    assert language_game.corpus_of(SPEC, [workspace]) is None
    language_game.compute(SPEC, SHARD, context_of())
    assert language_game.corpus_of(SPEC, [workspace]) == before


def test_a_cancelled_game_goes_on_where_it_was(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    language_game.compute(SPEC, SHARD, context_of())
    unbroken = language_game.corpus_of(SPEC, [workspace])
    curve = details.load(SPEC.key, [workspace])
    assert curve is not None
    emergent_library.remove(str(unbroken), workspace)
    details.path(workspace, SPEC.key).unlink()
    asked = iter(range(100))
    with pytest.raises(Cancelled):
        language_game.compute(SPEC, SHARD, context_of(should_stop=lambda: next(asked) > 5))
    assert kept_corpora(workspace) == []
    assert (workspace / FOLDER / SHARD / "state.safetensors").exists()
    steps: list[str] = []
    language_game.compute(SPEC, SHARD, context_of(progress=lambda what, _: steps.append(what)))
    assert not any("step 1 of" in what for what in steps)
    assert language_game.corpus_of(SPEC, [workspace]) == unbroken
    assert curve.equals(details.load(SPEC.key, [workspace]))


def test_a_taken_name_is_told_before_the_game(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = EmergentCorpus(np.array([1, 2], np.int32), np.array([0, 2]), None, EmergentReport("arrays"))
    emergent_library.keep(theirs, "OURS", workspace)
    monkeypatch.setattr("isogloss.backend.training.signalling_game.loop.play", lambda *_, **__: pytest.fail("played"))
    with pytest.raises(CorpusError, match="called 'Ours'"):
        language_game.compute(SPEC, SHARD, context_of())


def test_a_language_without_a_symbol_is_told(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isogloss.backend.training.signalling_game import loop

    def mute(*arguments: Any, **named: Any) -> Any:
        result = play(*arguments, **named)
        assert result.messages is not None
        empty = replace(result.messages, ids=result.messages.ids[:0], starts=np.zeros_like(result.messages.starts))
        return replace(result, messages=empty)

    monkeypatch.setattr(loop, "play", mute)
    with pytest.raises(CorpusError, match="before its first symbol"):
        language_game.compute(SPEC, SHARD, context_of())


def test_the_same_game_with_the_end_kept_has_every_message(workspace: Path, tmp_path: Path) -> None:
    """The same agents say the same, and what was empty is an end alone; how many were left out is said."""
    found = play(OPTIONS, tmp_path / "game", device="cpu").messages
    assert found is not None
    said = [one.tolist() for one in np.split(found.ids, found.starts[1:-1])]
    kept = LanguageGameSpec(name="With ends", options=OPTIONS.model_copy(update={"keep_end": True}))
    assert kept.key != SPEC.key
    for spec in (SPEC, kept):
        language_game.compute(spec, spec.key, context_of())
    known = {entry.name: entry.id for entry in emergent_library.entries([workspace])}
    ours, ends = (emergent_library.load(known[name], [workspace]) for name in ("Ours", "With ends"))
    assert [one.tolist() for one in np.split(ends.ids, ends.starts[1:-1])] == [[*one, 0] for one in said]
    empty = said.count([])
    assert ours.utterances == len(said) - empty
    assert language_game.outcome(kept, [workspace]) == language_game.left_out(0, 64) == ""
    assert language_game.left_out(2020, 2048) == "2,020 of 2,048 messages are empty and left out of the corpus."
    assert language_game.outcome(SPEC, [workspace]) == language_game.left_out(empty, 64)
    never_played = LanguageGameSpec(name="x", options=OPTIONS.model_copy(update={"seed": 9}))
    assert language_game.outcome(never_played, [workspace]) == ""


def test_a_spec_is_its_options() -> None:
    assert registry.parse(json.loads(SPEC.model_dump_json())) == SPEC
    assert SPEC.shards()[SHARD].label == "discrimination, 4 values of 3 attributes, seed 1"
    renamed = SPEC.model_copy(update={"name": "Other"})
    assert renamed.key == SPEC.key
    assert renamed.id != SPEC.id
    other = LanguageGameSpec(name="Ours", options=OPTIONS.model_copy(update={"seed": 2}))
    assert other.key != SPEC.key
    assert LanguageGameSpec(name="  Two   words ").name == "Two words"
    with pytest.raises(ValidationError, match="1 to 120"):
        LanguageGameSpec(name="  ")
