"""`run game`, as a person types it: from flags to a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from isogloss.backend.experiments.emergent.game.shard import LanguageGameSpec
from isogloss.backend.store import details
from isogloss.backend.training.signalling_game.options import GameOptions
from isogloss.backend.training.signalling_game.presets import preset
from tests.cli.typed import output, run

if TYPE_CHECKING:
    from pathlib import Path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> GameOptions:
    run("run", "game", "--name", "Mine", *arguments, "--print-spec")
    spec = LanguageGameSpec.model_validate_json(capsys.readouterr().out)
    assert spec.name == "Mine"
    return spec.options


def test_a_preset_and_what_differs_from_it(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys) == preset("quick")
    assert printed(capsys, "--preset", "egg", "--seed", "4", "--batch", "16") == preset("egg", seed=4, batch=16)
    drawn = preset("quick", examples=500, receiver_hidden=64)
    assert printed(capsys, "--examples", "500", "--receiver-hidden", "64") == drawn
    assert printed(capsys, "--preset", "xferbench-disc-small", "--keep-end") == preset("xferbench-disc-small", keep_end=True)
    flags = ["--game", "reconstruction", "--no-end", "--relaxed", "--held-out", "0", "--enough", "0.5", "--utterances", "100"]
    changes = {"game": "reconstruction", "end_of_sequence": False, "straight_through": False}
    assert printed(capsys, *flags) == preset("quick", **changes, held_out=0.0, enough=0.5, utterances=100)


def test_a_command_that_waits_says_what_the_corpus_lacks(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isogloss.backend.cli import run as commands
    from isogloss.backend.jobs import client, starter

    spec = LanguageGameSpec(name="Mine", options=preset("quick", attributes=3))
    told = {"corpus": "c", "options": spec.options.model_dump(mode="json"), "empty": 1_234}
    details.write(workspace, spec.key, pa.table({"step": [0]}), told)
    monkeypatch.setattr(starter, "ensure_worker", lambda *_, **__: False)
    monkeypatch.setattr(client, "submit", lambda *_: "run-1")
    monkeypatch.setattr(commands, "follow", lambda _: None)
    asked = ["run", "game", "--name", "Mine", "--attributes", "3"]
    assert "1,234 of 216 messages are empty and left out of the corpus." in output(*asked, "--wait")
    assert "left out" not in output(*asked)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--preset", "quack"], "Did you mean 'quick'"),
        (["--values", "1"], "options.values"),
        (["--attributes", "1", "--values", "20"], "distractors need more objects"),
    ],
)
def test_what_cannot_be_played_is_said_in_a_sentence(
    workspace: Path, capsys: pytest.CaptureFixture[str], flags: list[str], said: str
) -> None:
    with pytest.raises(SystemExit):
        run("run", "game", "--name", "Mine", *flags)
    assert said in capsys.readouterr().err
