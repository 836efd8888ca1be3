"""Sources that are repeated until memorised, and targets too short to rank: said before a run and beside its scores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments.sources.source import NoPretraining
from isogloss.backend.experiments.xferbench import amounts
from isogloss.backend.experiments.xferbench.amounts import Short
from isogloss.backend.experiments.xferbench.spec import XferBenchSpec
from isogloss.backend.store import scores
from isogloss.backend.training.language_model.options import preset
from tests.cli.typed import output
from tests.corpora.emergent.utterances import from_utterances
from tests.pages.emergent import benchmark_workspace as made

if TYPE_CHECKING:
    from pathlib import Path


def keep(workspace: Path, characters: dict[str, int], tokens: dict[str, int]) -> tuple[str, dict[str, str]]:
    """A corpus with so many characters a language, in ten texts, and emergent ones of so many tokens; their ids."""
    lines = [
        "\t".join(characters),
        *("\t".join(f"{row}{'x' * (each // 10 - 1)}" for each in characters.values()) for row in range(10)),
    ]
    path = workspace.parent / "text.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = library.keep(read([InputFile("text.tsv", path)]), "Text", workspace).id
    return text, {
        name: emergent_library.keep(from_utterances([[len(name)] * each]), name, workspace).id for name, each in tokens.items()
    }


def spec(text: str, emergent: dict[str, str], **changes: Any) -> XferBenchSpec:
    sources = [{"kind": "emergent", "corpus": key, "name": name} for name, key in emergent.items()]
    human = {"kind": "text", "corpus": text, "language": "en"}
    targets = [{"corpus": text, "language": tag} for tag in ("de", "fi")]
    asked = {"sources": [*sources, human, {"kind": "none"}], "targets": targets, "preset": "custom"}
    small = json.loads(preset("quick").model_dump_json())
    small["pretraining"]["tokens"] = 6_000  # six times a source of 1,000 tokens
    return XferBenchSpec.model_validate(asked | {"custom": small} | changes)


def test_what_does_not_rank_is_said_before_it_is_computed(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    # 784 updates of `quick` need 100,000 tokens; 400 of them 51,200, which are 142,223 characters with the tenth held out.
    characters = {"en": 2_490, "de": 142_500, "fi": 140_000}
    text, emergent = keep(workspace, characters, {"Enough": 1_000, "Short": 999})
    repeated, short = amounts.cautions(spec(text, emergent), [workspace])
    assert repeated == (
        "Repeated until memorised, to reach 6,000 tokens: Short (6 times), English (6 times). Such a score says little; "
        "take 1,000 tokens of a source or more."
    )
    assert short == "Too short to rank sources, with fewer than some 400 updates of tuning: Finnish (396)."
    as_released = spec(text, emergent, preset="quick", custom=None, protocol="released")
    assert amounts.cautions(as_released, [workspace])[1:] == [
        "Refused by the released code, which needs 100,000 tokens to tune on: German (some 57,000), Finnish (some 56,000)."
    ]
    printed = spec(text, emergent, preset="quick", custom=None, protocol="printed")
    assert amounts.cautions(printed, [workspace])[1:] == []  # repeated less than twice, and so never too few updates
    tenfold = printed.options(0).model_copy(update={"tuning": printed.options(0).tuning.model_copy(update={"tokens": 305_000})})
    often = spec(text, emergent, custom=tenfold, protocol="printed")
    assert amounts.cautions(often, [workspace])[1:] == [
        "Repeated until memorised, to reach 305,000 tokens: Finnish (6 times). Such a score says little; take 50,833 tokens of "
        "a target or more."
    ]
    fine = spec(text, {"Enough": emergent["Enough"]}, targets=[{"corpus": text, "language": "de"}])
    fine = fine.model_copy(update={"sources": (fine.sources[0], NoPretraining())})
    assert amounts.cautions(fine, [workspace]) == []
    assert amounts.cautions(spec(text, emergent), [tmp_path / "empty"]) == []  # what is not kept is not guessed at


def test_the_command_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(workspace))
    monkeypatch.setenv("ISOGLOSS_DEMO", "")
    keep(workspace, {"de": 1_000, "fi": 1_000}, {"Short": 999})
    monkeypatch.setattr("isogloss.backend.cli.run.queue", lambda *_, **__: None)
    said = output("run", "xferbench", "--source", "Short", "--target", "Text/fi")
    assert "Note: Repeated until memorised, to reach 2,400,000 tokens: Short (2,402 times)." in said
    assert "Note: Too short to rank sources, with fewer than some 400 updates of tuning: Finnish (4)." in said


def test_targets_that_had_less_than_was_asked_for(tmp_path: Path) -> None:
    options = preset("quick").model_dump(mode="json")
    told = {"fi": 100_032, "da": 8_768, "eu": 60_032, "odd": None}
    for tag, tuned in told.items():
        provenance = {"experiment": "xferbench", "variant": made.QUICK, "target": f"c/{tag}", "tuned_tokens": tuned}
        write(tmp_path, tag, provenance | {"options": options})
    repeated = {
        "variant": "quick/printed/1",
        "target": "c/da",
        "tuned_tokens": 100_032,
        "own_tokens": 8_768,
        "options": options,
    }
    write(tmp_path, "printed", {"experiment": "xferbench"} | repeated)
    again = amounts.short_targets("quick/printed/1", [tmp_path])
    assert again == {"c/da": Short(8_768, 100_000, 784, repeated=True)}
    assert amounts.note(again, {"c/da": "Danish"}) == (
        " Repeated to reach the 100,000 tokens asked for: Danish (8,768 tokens). Repeated more than 6 times or with fewer than "
        "400 updates they do not rank sources: Danish."
    )
    write(tmp_path, "other", {"experiment": "xferbench", "variant": made.RELEASED, "target": "c/ja", "tuned_tokens": 1})
    found = amounts.short_targets(made.QUICK, [tmp_path])
    assert found == {"c/da": Short(8_768, 100_000, 72), "c/eu": Short(60_032, 100_000, 472)}
    names = {"c/fi": "Finnish", "c/da": "Danish", "c/eu": "Basque"}
    assert amounts.note(found, names) == (
        " Tuned on less than the 100,000 tokens asked for, not repeated as in the paper: Danish (8,768 tokens), Basque (60,032 "
        "tokens). With fewer than 400 updates they do not rank sources: Danish."
    )
    assert amounts.note(found, {"c/fi": "Finnish"}) == ""


def write(workspace: Path, name: str, provenance: dict[str, Any]) -> None:
    empty = pa.table({field.name: pa.array([], field.type) for field in scores.SCORES})
    scores.write(workspace, "emergent", name.ljust(24, "0"), empty, provenance)
