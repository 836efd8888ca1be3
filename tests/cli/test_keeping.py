"""What every import says alike: names that come from files, content that is saved already, and renaming."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.parallel import hub
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.shared.inputs import shared_name
from isogloss.backend.corpora.tasks import library as task_library
from isogloss.backend.errors import CorpusError, SpecError
from isogloss.backend.experiments import sentence_notes
from isogloss.backend.settings import DEMO
from tests.cli.typed import output, run
from tests.corpora.samples import Sample, corpus, every_kind

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ([], ""),
        (["dev-en.tsv"], "dev-en"),
        (["dev-en.tsv", "dev-de.tsv"], "dev"),
        (["xnli/dev-en.tsv", "xnli/dev-de.tsv"], "xnli dev"),
        (["a/x.pawsx.en.tsv", "b/x.pawsx.de.tsv.gz"], "x pawsx"),
        (["de.txt", "fi.txt", "en.txt"], "de and 2 more"),
        ([r"C:\news\de.txt", r"C:\news\fi.txt"], "news"),
        (["one.txt", "one.txt.gz"], "one"),
        (["news.de", "news.fi"], "news"),
    ],
)
def test_files_are_called_by_what_their_names_have_in_common(files: list[str], name: str) -> None:
    assert shared_name(files) == name


def test_a_task_is_called_by_its_files_and_never_by_its_format(workspace: Path, tmp_path: Path) -> None:
    for number, folder in enumerate(("xnli", "pawsx")):
        (tmp_path / folder).mkdir()
        for tag, word in (("de", "Das Wasser"), ("en", "The water")):
            rows = [f"{word} {number} {i}\t{('yes', 'no')[i % 2]}\n" for i in range(8)]
            (tmp_path / folder / f"dev-{tag}.tsv").write_text("".join(rows), encoding="utf-8")
        output("task", "import", *map(str, sorted((tmp_path / folder).iterdir())))
    assert [entry.name for entry in task_library.entries([workspace])] == ["pawsx dev", "xnli dev"]


def test_content_that_is_kept_already_is_said_to_be_with_the_command_that_renames_it(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each file's own format is printed, also where the same utterances came in another before."""
    (tmp_path / "table.csv").write_text("n,message\n1,4 0 2\n2,1 3\n", encoding="utf-8")
    (tmp_path / "plain.jsonl").write_text("[4, 0, 2]\n[1, 3]\n", encoding="utf-8")
    assert "CSV, column 'message': 5 tokens" in output("emergent", "import", str(tmp_path / "table.csv"), "--name", "A table")
    again = output("emergent", "import", str(tmp_path / "plain.jsonl"), "--name", "Plain")
    assert "JSON Lines of integer arrays: 5 tokens" in again
    assert "saved as 'A table'" in again
    assert "It was saved already, under this name; for another: isogloss emergent rename 'A table' Plain\n" in again
    (before,) = emergent_library.entries([workspace])
    assert "'A table' is now 'Plain'" in output("emergent", "rename", "A table", "Plain")
    (entry,) = emergent_library.entries([workspace])
    assert (entry.id, entry.name) == (before.id, "Plain")
    assert "saved already" not in output("emergent", "import", str(tmp_path / "table.csv"), "--name", "Plain")
    (tmp_path / "table.csv").write_text("n,message\n1,4\n2,4\n", encoding="utf-8")
    output("emergent", "import", str(tmp_path / "table.csv"), "--name", "Other")
    capsys.readouterr()
    with pytest.raises(SystemExit, match="1"):
        run("emergent", "rename", "Other", "plain")
    assert capsys.readouterr().err == (
        "Error: Another emergent corpus is called 'plain'. Choose another name, or rename that one.\n"
    )


@every_kind
def test_every_kind_is_imported_listed_shown_renamed_and_removed(
    sample: Sample, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, file = sample.kind, tmp_path / sample.file
    file.write_text(sample.text, encoding="utf-8")
    corpora.keep(corpus(tmp_path), "Mine", workspace)
    group, options = kind.group, [*sample.options, "--licence", "CC0-1.0"]
    said = output(group, "import", str(file), *options, "--name", "First")
    entry = next(each for each in kind.entries([workspace]) if each.name == "First")
    assert said.endswith(f"{sample.summary}, saved as 'First' ({entry.id}).\n")
    assert entry.licence == "CC0-1.0"
    again = output(group, "import", str(file), *options)
    default = file.stem
    assert again.endswith(f"for another: isogloss {group} rename First {default}\n")
    header, *rows = output(group, "list").splitlines()
    assert header.split()[:2] == ["name", "id"]
    assert [row.split()[:2] for row in rows if row.startswith("First")] == [["First", entry.id]]
    assert all(heading in header for heading in kind.columns)
    assert "First" in output(group, "show", entry.id[:6])
    assert output(group, "rename", entry.id[:6], "Second") == f"'First' is now 'Second' ({entry.id}).\n"
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "mine"))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(workspace))
    for command in (["rename", "Second", "Third"], ["remove", "Second"]):
        with pytest.raises(CorpusError, match="'Second' is part of the demo workspace, which is read-only"):
            output(group, *command)
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(workspace))
    assert output(group, "remove", "Second") == "'Second' is no longer in the workspace.\n"
    assert entry.id not in {each.id for each in kind.entries([workspace])}
    called = kind.full_name or kind.name
    for command in (["rename", "none of these", "New"], ["remove", "none of these"], ["show", "none of these"]):
        hint = "Choose one of: Mine" if kind is corpora.KIND else f"Import one with `{group} import`"
        with pytest.raises(SpecError, match=f"There is no {called} 'none of these'. {hint}"):
            output(group, *command)


@every_kind
def test_what_cannot_be_read_is_a_sentence(sample: Sample, workspace: Path, tmp_path: Path) -> None:
    file = tmp_path / sample.file
    file.write_text(sample.bad, encoding="utf-8")
    corpora.keep(corpus(tmp_path), "Mine", workspace)
    before = sample.kind.entries([workspace])
    with pytest.raises(CorpusError, match=re.escape(sample.why)):
        output(sample.kind.group, "import", str(file), *sample.options)
    with pytest.raises(CorpusError, match="There is no file 'none'"):
        output(sample.kind.group, "import", str(tmp_path / "none"), *sample.options)
    assert sample.kind.entries([workspace]) == before


@every_kind
def test_the_help_of_an_import_names_the_formats_of_its_kind(sample: Sample) -> None:
    said = " ".join(output(sample.kind.group, "import", "--help").replace("-\n", "-").split())
    assert all(each.name.split(",")[0] in said for each in sample.kind.formats)


def test_a_corpus_of_the_hub_is_kept_as_the_library_keeps_it(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def load(dataset: str, languages: list[str], **options: object) -> object:
        asked.append((dataset, languages, options))
        return corpora.load(corpora.entries([DEMO])[0].id, [DEMO])

    monkeypatch.setattr(hub, "load", load)
    said = output("corpus", "hub", "facebook/xnli", "--language", "en", "--language", "de", "--side", "hypothesis")
    options = {"split": None, "revision": "main", "side": "hypothesis", "limit": None}
    assert asked == [("facebook/xnli", ["en", "de"], options)]
    [entry] = corpora.entries([workspace])
    assert f"saved as '{entry.name}'" in said
    assert entry.name == f"xnli {hub.ABOUT['facebook/xnli'].split}"
    monkeypatch.undo()
    with pytest.raises(CorpusError, match="Did you mean 'facebook/xnli'"):
        output("corpus", "hub", "facebook/xnl", "--language", "en")


def test_notes_are_written_and_listed(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    kept = corpora.entries([DEMO])[0]
    assert output("notes", "list", kept.name) == "No note.\n"
    output("notes", "add", kept.name, "12", "--tag", "idiom", "--tag", "long", "--text", "Needs the one before.", "--by", "Ada")
    output("notes", "add", kept.id[:8], "13", "--tag", "long")
    [note] = sentence_notes.read([workspace], kept.id)[sentence_notes.sentence(kept.id, "12")]
    assert (note.tags, note.text, note.by) == (("idiom", "long"), "Needs the one before.", "Ada")
    output("notes", "list", kept.name, "--tag", "idiom", "-o", str(tmp_path / "notes.parquet"))
    rows = pd.read_parquet(tmp_path / "notes.parquet")
    assert rows[["on", "tags", "note"]].to_numpy().tolist() == [["12", "idiom; long", "Needs the one before."]]
    with pytest.raises(SpecError, match="no corpus or task 'nothing'"):
        output("notes", "list", "nothing")
    with pytest.raises(AssertionError, match="--tag or --text"):
        output("notes", "add", kept.name, "12")
