"""`run transfer`, as a person types it: from flags to a spec to scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.tasks import library as task_library
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.settings import settings
from isogloss.backend.store import records, scores
from tests.cli.typed import made_by_typing, run, spec_of
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

RUN = ["run", "transfer", "--model", "Tiny"]


@made_by_typing
def fill(folder: Path) -> None:
    """A labelled task in three languages, a parallel corpus in two, and a model of two checkpoints."""
    for tag in ("de", "en", "fr"):
        rows = [f"{SENTENCES[i % 10]} {tag} {i}\t{SENTENCES[(i + 3) % 10]}\t{('yes', 'no')[i % 2]}" for i in range(20)]
        (folder / f"dev-{tag}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    run("task", "import", *(str(folder / f"dev-{tag}.tsv") for tag in ("de", "en", "fr")), "--name", "Small")
    (folder / "mine.tsv").write_text("en\tde\n" + "".join(f"Sentence {i}.\tSatz {i}.\n" for i in range(16)), encoding="utf-8")
    run("corpus", "import", str(folder / "mine.tsv"), "--name", "Mine")
    for step in (10, 20):
        tiny_model(folder / "model" / f"checkpoint-{step}", "xlm-roberta", seed=step)
    run("models", "add", str(folder / "model"), "--name", "Tiny")


@pytest.fixture
def filled(workspace: Path) -> Path:
    fill(workspace)
    return workspace


def transfer(*arguments: str) -> TransferSpec:
    return spec_of(TransferSpec, "transfer", "--model", "Tiny", *arguments)


def test_flags_become_a_spec_that_trains(filled: Path) -> None:
    chosen = ["--sources", "en", "--languages", "en,de", "--seeds", "1", "--learning-rates", "1e-3,1e-2", "--epochs", "2"]
    spec = transfer("--task", "Small", *chosen, "--evaluate", "all", "--record-every", "1", "--batch", "8")
    assert [checkpoint.label for checkpoint in spec.checkpoints] == ["checkpoint-20"]
    assert (spec.sources, spec.languages, spec.learning_rates) == (("en",), ("de", "en"), (1e-3, 1e-2))
    assert (spec.training.windows, spec.training.epochs) == ("all", 2)
    for shard in spec.shards():
        registry.compute(spec, shard, Context(settings()))
    assert {file.run for file in records.files([filled])} == set(spec.shards())
    rows = scores.sql("SELECT metric, count(*) AS n FROM scores WHERE experiment = 'transfer' GROUP BY metric", [filled])
    # Two learning rates, hence two variants of each score: German and English, or German alone.
    assert dict(zip(rows["metric"], rows["n"], strict=True)) == {
        "igap": 2,
        "transfer_accuracy": 4,
        "transfer_gap": 2,
        "transfer_train_error": 2,
    }


def test_defaults_are_those_of_table_4(filled: Path) -> None:
    task = transfer("--task", "Small")  # pairs with two labels, as PAWS-X
    assert (task.learning_rates, task.training.epochs, task.seeds) == ((5e-6, 1e-5, 2e-5), 60, (0, 1, 2))
    assert task.sources == task.languages == ("de", "en", "fr")
    corpus = transfer("--corpus", "Mine")
    assert (corpus.data, corpus.learning_rates, corpus.training.epochs) == ("parallel", (2e-5,), 32)
    assert transfer("--task", "Small", "--setting", "xnli").training.epochs == 40


def test_as_published_nothing_stops_a_run_and_the_trainer_is_followed(filled: Path) -> None:
    published = transfer("--task", "Small").training
    assert (published.patience, published.recipe, published.weight_decay) == (None, "trainer", 0.0)
    assert (published.noise, published.consistency) == (0.075, 1.0)
    chosen = ["--stop-after", "4", "--recipe", "first", "--noise", "0.1", "--kl-weight", "0.5", "--algorithms", "xtune"]
    other = transfer("--task", "Small", *chosen).training
    assert (other.patience, other.recipe, other.noise, other.consistency) == (4, "first", 0.1, 0.5)


@pytest.mark.parametrize(
    ("arguments", "windows"),
    [
        (["--evaluate", "figure1"], tuple((round(0.025 * i, 3), 0.025) for i in range(9))),
        (["--evaluate", "table9"], ((0.03, 0.025),)),
        (["--windows", "0.03+0.025,0+0.001"], ((0.0, 0.001), (0.03, 0.025))),
    ],
)
def test_windows_by_name_and_as_typed(filled: Path, arguments: list[str], windows: tuple[tuple[float, float], ...]) -> None:
    assert transfer("--task", "Small", *arguments).training.windows == windows


def test_a_task_with_training_rows_in_one_language_is_trained_on_in_it(
    filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once an epoch is recorded what no IGap is made of; epochs and learning rate are appendix B's of MNLI."""
    rows = [f"{SENTENCES[i % 10]} en {i}\t{SENTENCES[(i + 5) % 10]}\t{('yes', 'no')[i % 2]}" for i in range(1000, 1600)]
    (tmp_path / "train-en.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    for tag in ("de", "en", "fr"):
        (filled / f"dev-{tag}.tsv").rename(tmp_path / f"test-{tag}.tsv")
    run(
        "task",
        "import",
        *(str(tmp_path / name) for name in ("train-en.tsv", *(f"test-{t}.tsv" for t in ("de", "en", "fr")))),
        "--name",
        "Alone",
    )
    spec = transfer("--task", "Alone")
    assert (spec.sources, spec.languages) == (("en",), ("de", "en", "fr"))
    assert (spec.learning_rates, spec.training.epochs, spec.training.record_every) == ((2e-5,), 5, 19)
    assert transfer("--task", "Alone", "--record-every", "3", "--epochs", "2").training.record_every == 3
    with pytest.raises((SystemExit, SpecError)) as raised:
        run(*RUN, "--task", "Alone", "--sources", "en,de", "--print-spec")
    output = capsys.readouterr()
    assert "no training rows in de: train on en" in output.err + output.out + str(raised.value)


def test_corruption_and_further_examples(filled: Path) -> None:
    entry = next(each for each in task_library.entries([filled]) if each.name == "Small")
    spec = transfer("--task", "Small", "--corruptions", "0,0.5,1", "--extra", "Small", "--checkpoints", "checkpoint-10")
    assert (spec.corruptions, spec.extra, spec.checkpoints[0].label) == ((0.0, 0.5, 1.0), entry.id, "checkpoint-10")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--task or --corpus"),
        (["--task", "Small", "--corpus", "Mine"], "--task or --corpus"),
        (["--task", "Smal"], "Small"),
        (["--task", "Small", "--sources", "fi"], "no language 'fi'"),
        (["--task", "Small", "--evaluate", "zer"], "zero"),
        (["--task", "Small", "--setting", "xnl"], "xnli"),
        (["--task", "Small", "--learning-rates", "fast"], "numbers separated by commas"),
        (["--task", "Small", "--algorithms", "vanila"], "algorithms"),
        (["--task", "Small", "--corruptions", "2"], "from 0 to 1"),
        (["--task", "Small", "--epochs", "0"], "training.epochs"),
        (["--task", "Small", "--windows", "0+0.1,0.05+0.1"], "overlap"),
        (["--task", "Small", "--evaluate", "figure"], "figure1"),
        (["--task", "Small", "--stop-after", "0"], "training.patience"),
        (["--task", "Small", "--noise", "-1"], "training.noise"),
    ],
)
def test_what_is_wrong_is_said(filled: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    with pytest.raises((SystemExit, SpecError)) as raised:
        run(*RUN, *arguments, "--print-spec")
    output = capsys.readouterr()
    assert said in output.err + output.out + str(raised.value)
