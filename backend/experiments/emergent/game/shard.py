"""A language grown in a signalling game, kept as a corpus like any other, with the curve of its growing. One shard.

Source of the game: Kharitonov et al. 2019 (EGG), as in Boldt & Mortensen 2024 (XferBench). Imports no torch at the top.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
from pydantic import field_validator

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus, EmergentReport
from isogloss.backend.corpora.shared import kept
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.spec import Cancelled, Context, Spec
from isogloss.backend.experiments.training import folder_of, train_once
from isogloss.backend.files import digest
from isogloss.backend.store import details
from isogloss.backend.training.signalling_game.options import GameOptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.training.signalling_game.loop import GameProgress, GameResult

EXPERIMENT = "language_game"
VERSION = 1
"""Raised when a game's result changes: older files then no longer serve."""

CURVE = pa.schema(
    [
        ("step", pa.int64()),  # updates so far; 0 for the untrained agents
        ("epoch", pa.int32()),  # passes over the training objects so far
        ("loss", pa.float64()),  # cross-entropy of the receiver's answers about training objects, in nats
        ("success", pa.float64()),  # the share of training objects in which all was right
        ("attributes", pa.float64()),  # the share of single values named rightly; null in discrimination
        ("held_out_loss", pa.float64()),  # the same of objects never trained on; null where none are held out
        ("held_out_success", pa.float64()),
        ("held_out_attributes", pa.float64()),
        ("length", pa.float64()),  # mean symbols of a message
        ("different", pa.float64()),  # different messages for each object
        ("topographic_similarity", pa.float64()),  # null where it is not defined
        ("temperature", pa.float64()),  # of the Gumbel-softmax
    ]
)
"""`backend.training.signalling_game.records.GameRecord`, a row a record point."""


@dataclass(frozen=True)
class LanguageGame:
    """The one shard of a spec."""

    options: GameOptions

    @property
    def label(self) -> str:
        """The game in few words."""
        options = self.options
        return f"{options.game}, {options.values} values of {options.attributes} attributes, seed {options.seed}"


class LanguageGameSpec(Spec):
    """A game, and what its language is to be called."""

    experiment: Literal["language_game"] = "language_game"
    name: str
    """Of the corpus. The same language stays under the name it has."""
    options: GameOptions = GameOptions()

    @field_validator("name")
    @classmethod
    def _named(cls, name: str) -> str:
        try:
            return kept.checked_name(name, "emergent corpus")
        except CorpusError as error:
            raise ValueError(str(error)) from error

    @property
    def key(self) -> str:
        """What the game's curve is kept under: of its options alone, whatever the language is called."""
        return digest({"experiment": EXPERIMENT, "version": VERSION, "options": self.options.model_dump(mode="json")})

    def shards(self) -> dict[str, LanguageGame]:
        """Map the only key, that of the curve, to the game."""
        return {self.key: LanguageGame(self.options)}


def corpus_of(spec: LanguageGameSpec, workspaces: Sequence[Path]) -> str | None:
    """Return the content id of the language; None where the game was not played, or its corpus is no longer saved."""
    found = details.provenance(spec.key, workspaces)
    known = {entry.id for entry in emergent_library.readable(workspaces)}
    return None if found is None or found["corpus"] not in known else str(found["corpus"])


def compute(spec: LanguageGameSpec, shard: str, context: Context) -> None:
    """Play, or go on where a game was killed, and keep language and curve; nothing where both are there.

    Raises `Cancelled` where it was asked to stop, `CorpusError` where another corpus has the name or no message has a symbol,
    and what `play` raises.
    """
    train_once(
        shard,
        lambda: corpus_of(spec, context.workspaces) is not None,
        lambda: _compute(spec, shard, folder_of(shard, context), context),
        context,
        what="game",
    )


def _compute(spec: LanguageGameSpec, shard: str, folder: Path, context: Context) -> None:
    from isogloss.backend.models.device import choose_device, named
    from isogloss.backend.training.resumable.reproducible import what_varies
    from isogloss.backend.training.signalling_game.loop import play

    _check_name(spec.name, context.workspace)
    began = not folder.exists()
    started = time.perf_counter()
    context.step("drawing objects", 0.0)

    def report(now: GameProgress) -> None:
        options = spec.options
        if now.spoken:
            context.progress(
                f"speaking of {now.spoken:,} of {options.spoken:,} objects", 0.9 + 0.1 * now.spoken / options.spoken
            )
        else:
            what = f"playing: step {now.step:,} of {now.steps:,}, success {now.record.success:.1%}"
            context.progress(what, 0.9 * now.step / now.steps)

    game = play(spec.options, folder, device=context.settings.device, progress=report, should_stop=context.should_stop)
    if not game.finished:
        raise Cancelled
    corpus = _corpus(spec, game)
    provenance = {
        "shard": shard,
        "corpus": emergent_library.content_id(corpus),
        "options": spec.options.model_dump(mode="json"),
        "steps": game.step,
        "planned": spec.options.steps,
        "reason": game.reason,
        "chance": spec.options.chance,
        "empty": spec.options.spoken - corpus.utterances,
        "utterances": corpus.utterances,
        "tokens": corpus.tokens,
        "seconds": round(time.perf_counter() - started, 3) if began else None,  # of the whole game, or not known
        "device": named(choose_device(context.settings.device)),
        **({"varies": varies} if (varies := what_varies()) else {}),
    }
    rows = [asdict(record) for record in game.records]
    # The curve first: a kill in between leaves a corpus to be kept, not one whose name is taken by itself.
    details.write(context.workspace, spec.key, pa.Table.from_pylist(rows, CURVE), provenance)
    emergent_library.keep(corpus, spec.name, context.workspace)


def _corpus(spec: LanguageGameSpec, game: GameResult) -> EmergentCorpus:
    """Return the messages as utterances. Raises `CorpusError` where all are empty."""
    assert game.messages is not None
    options, last = spec.options, game.records[-1]
    spoken = game.messages.with_end() if options.keep_end else game.messages.without_empty()
    empty = len(game.messages.objects) - len(spoken.objects)
    if not len(spoken.objects):
        raise CorpusError(
            "The sender ends every message before its first symbol: there is no language.",
            remedy="Play longer, with another seed, without an end-of-sequence symbol, or keep it in the corpus.",
        )
    held_out = "" if last.held_out_success is None else f", {last.held_out_success:.1%} about objects never seen"
    report = EmergentReport(
        "signalling game",
        reasons=(("an empty message", empty),) if empty else (),
        more_skipped=empty,
        source=f"{LanguageGame(options).label}: success {last.success:.1%}{held_out} (chance {options.chance:.2g})",
    )
    return EmergentCorpus(spoken.ids, spoken.starts, None, report)


def outcome(spec: LanguageGameSpec, workspaces: Sequence[Path]) -> str:
    """Write a sentence on the messages that the corpus lacks; empty where it has all."""
    found = details.provenance(spec.key, workspaces)
    return left_out(int(found.get("empty", 0)), spec.options.spoken) if found else ""


def left_out(empty: int, spoken: int) -> str:
    """Write how many of the messages `spoken` are empty, and so not in the corpus; empty where none is."""
    return f"{empty:,} of {spoken:,} messages are empty and left out of the corpus." if empty else ""


def _check_name(name: str, workspace: Path) -> None:
    """Before the game rather than after it. Raises `CorpusError` where a corpus of the workspace has the name."""
    if any(entry.name.casefold() == name.casefold() for entry in emergent_library.entries([workspace])):
        raise CorpusError(f"Another emergent corpus is called '{name}'.", remedy="Choose another name, or rename that one.")
