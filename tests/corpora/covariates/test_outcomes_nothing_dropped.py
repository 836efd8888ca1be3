"""What results files hold beside numbers is told: lost results, files without results, names that are there twice."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.corpora.covariates import reader
from isogloss.backend.corpora.covariates.outcome import better_of
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.covariates.reader import Covariates


def read(folder: Path, files: dict[str, Any], model: str = "") -> Covariates:
    inputs = []
    for number, (name, content) in enumerate(files.items()):
        (folder / str(number)).write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        inputs.append(InputFile(name, folder / str(number)))
    return reader.read_files(inputs, model=model)


def lost(table: Covariates) -> tuple[int, int]:
    """Return how many results were lost, and of how many."""
    return sum(each.lost for each in table.losses), sum(each.rows for each in table.losses)


HARNESS = {"config": {}, "model_name": "org/m", "results": {"xnli_de": {"acc,none": 0.4, "alias": "xnli_de", " ": " "}}}


def test_a_result_of_the_harness_without_a_number_is_counted(tmp_path: Path) -> None:
    wrong = [float("nan"), float("inf"), "0.5", None, True, [0.3]]
    results = {
        f"xnli_{tag}": {"acc,none": value} for tag, value in zip(("fr", "sw", "en", "tr", "ur", "vi"), wrong, strict=True)
    }
    table = read(tmp_path, {"r.json": HARNESS | {"results": HARNESS["results"] | results | {"xnli_hi": 5}}})
    assert table.columns == {"xnli acc, org/m": {"de": 0.4}}
    assert lost(table) == (7, 8)
    assert lost(read(tmp_path, {"r.json": HARNESS})) == (0, 0)
    group = HARNESS | {"results": HARNESS["results"] | {"xnli": {"acc,none": "N/A"}}, "groups": {"xnli": {}}}
    assert lost(read(tmp_path, {"r.json": group})) == (0, 0)  # a mean of tasks, left out with a number, too


def test_rows_of_other_tools_without_a_number_are_counted(tmp_path: Path) -> None:
    rows = [{"hf_subset": "de", "languages": ["deu-Latn"], "main_score": 0.5}, {"hf_subset": "fr", "main_score": float("nan")}]
    mteb = {"task_name": "STS22", "mteb_version": "2.1.0", "scores": {"test": [*rows, {"hf_subset": "tr"}, "x"]}}
    table = read(tmp_path, {"STS22.json": mteb}, model="org/m")
    assert (table.columns, lost(table)) == ({"STS22 main_score (test), org/m": {"de": 0.5}}, (3, 4))
    right = {"evaluation_name": "xnli_de", "metric_config": {"metric_id": "accuracy"}, "score_details": {"score": 0.5}}
    every = {"schema_version": "0.3.0", "model_info": {"id": "org/m"}, "eval_library": {"name": "x", "version": "1"}}
    found = [right, right | {"score_details": {"score": "0.5"}}, {"evaluation_name": 5}, 7]
    table = read(tmp_path, {"run.json": every | {"evaluation_results": found}})
    assert (table.columns, lost(table)) == ({"xnli accuracy, org/m": {"de": 0.5}}, (3, 4))
    hub = "- dataset: {id: a/MMMLU, task_id: mmmlu_de}\n  value: 50\n- dataset: {id: a/b}\n  value: .nan\n- value: 3\n- 4"
    table = read(tmp_path, {"org/m/.eval_results/r.yaml": hub})
    assert (table.columns, lost(table)) == ({"mmmlu value, org/m": {"de": 50.0}}, (3, 4))


def test_mteb_before_version_1_11_is_read(tmp_path: Path) -> None:
    """A split is a key, with scores by subset or, of a task of one language, alone."""
    head = {"dataset_revision": "x", "mteb_version": "1.1.1"}
    several = {"de": {"accuracy": 0.4, "main_score": 0.4}, "zh": {"main_score": 0.3}, "evaluation_time": 3.1}
    alone = {"cos_sim": {"spearman": 0.8}, "main_score": 0.8, "evaluation_time": 2}
    mined = {"de-en": {"main_score": 0.9}, "fr-en": {"main_score": 0.8}}
    files = {
        "AmazonReviews.json": head | {"mteb_dataset_name": "AmazonReviews", "test": several},
        "sts_german.json": head | {"mteb_dataset_name": "sts_german", "test": alone},
        "BUCC.json": head | {"mteb_dataset_name": "BUCC", "test": mined},
    }
    table = read(tmp_path, files, model="org/m")
    assert table.columns == {
        "AmazonReviews main_score (test), org/m": {"de": 0.4, "zh": 0.3},
        "sts main_score (test), org/m": {"de": 0.8},
    }
    assert "Left out, of several languages: BUCC." in table.warnings
    old = {"T2.json": head | {"mteb_dataset_name": "T2", "dev": {"ndcg_at_10": 0.5}}}
    with pytest.raises(CorpusError, match="The files hold no results: T2 has no number as its main_score"):
        read(tmp_path, old, model="org/m")


def test_a_whole_folder_of_results_is_read_and_what_holds_none_is_told(tmp_path: Path) -> None:
    files = {
        "out/results_1.json": HARNESS,
        "out/samples_xnli_de.jsonl": '{"doc_id": 0}\n',
        "README.md": "# m",
        "config.json": {"a": 1},
    }
    table = read(tmp_path, files)
    assert table.columns == {"xnli acc, org/m": {"de": 0.4}}
    (note,) = [note for note in table.warnings if note.startswith("Left aside")]
    assert note == "Left aside, as no results are in it: out/samples_xnli_de.jsonl, README.md, config.json."
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    (column,) = reader.read_files([InputFile("m.zip", tmp_path / "m.zip")]).columns.values()
    assert column == {"de": 0.4}
    with pytest.raises(CorpusError, match=r"samples_x\.jsonl: The file holds no results that Isogloss knows"):
        read(tmp_path, {"samples_x.jsonl": '{"doc_id": 0}\n{"doc_id": 1}\n'})
    with pytest.raises(CorpusError, match=r"cut\.json, line 1: The file is no JSON"):
        read(tmp_path, files | {"cut.json": '{"results": {'})


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    twice = json.dumps(HARNESS)[:-2] + ', "xnli_de": {"acc,none": 0.5}}}'
    with pytest.raises(CorpusError, match=r"r\.json: 'xnli_de' is there twice in one object\. Keep one"):
        read(tmp_path, {"r.json": twice})


@pytest.mark.parametrize(
    ("metric", "better"),
    [("bleu", "higher"), ("chrf++", "higher"), ("rougeL", "higher"), ("cosine_spearman", "neither"), ("ter", "lower")],
)
def test_directions_of_metrics_of_translations(metric: str, better: str) -> None:
    assert better_of(metric) == better


def test_what_two_files_say_alike_is_one_number_of_both_and_what_they_say_apart_is_refused(tmp_path: Path) -> None:
    first = HARNESS | {"n-samples": {"xnli_de": {"effective": 90}}, "date": 1740823200.0}
    other = first | {"date": 1740923200.0}
    table = read(tmp_path, {"out/results_1.json": first, "out/results_2.json": other})
    assert table.columns == {"xnli acc, org/m": {"de": 0.4}}
    assert table.cells["xnli acc, org/m"]["de"].source == (
        "lm-evaluation-harness · out/results_1.json · 2025-03-01; lm-evaluation-harness · out/results_2.json · 2025-03-02"
    )
    assert table.warnings == ("Numbers that other files have, too, are kept once, with all sources: out/results_2.json.",)
    for apart in ({"n-samples": {}}, {"results": {"xnli_de": {"acc,none": 0.5}}}):
        with pytest.raises(
            CorpusError, match=r"results_2\.json: xnli acc, org/m has two numbers of de, the other in out/resul"
        ):
            read(tmp_path, {"out/results_1.json": first, "out/results_2.json": other | apart})
    twice = HARNESS | {"results": HARNESS["results"] | {"xnli_deu_Latn": {"acc,none": 0.4}}}
    with pytest.raises(CorpusError, match="two numbers of de"):  # of one file: two tasks
        read(tmp_path, {"r.json": twice})


def test_main_is_no_revision_whoever_writes_it(tmp_path: Path) -> None:
    """Else one model were two in a table of models, by the tool that measured it."""
    row = {"evaluation_name": "xnli_de", "metric_config": {"metric_id": "f1"}, "score_details": {"score": 0.5}}
    every = {"schema_version": "0.3.0", "model_info": {"id": "org/m", "additional_details": {"revision": "main"}}}
    files = {
        "run.json": every | {"evaluation_results": [row]},
        "r.json": HARNESS | {"config": {"model_args": "pretrained=org/m,revision=main"}},
        "org__m/main/T.json": {"task_name": "T", "scores": {"test": [{"hf_subset": "de", "main_score": 0.1}]}},
    }
    table = read(tmp_path, files)
    assert {(each.model, each.revision) for each in table.outcomes.values()} == {("org/m", "")}
    assert len(table.columns) == 3


def test_a_lost_result_is_of_no_line_and_each_task_is_shown_once(tmp_path: Path) -> None:
    results = HARNESS["results"] | {"boolq": {"acc,none": 0.1, "acc_norm,none": 0.2}, "xnli_fr": {"acc,none": None}}
    (loss,) = read(tmp_path, {"r.json": HARNESS | {"results": results}}).losses
    assert loss.text == "3 of 4 results (75%) would be left out: of no known language (2), without a number (1)"
    assert [what for _, what in loss.examples] == ["'boolq' is of no known language", "xnli_fr has no number as its acc"]


@pytest.mark.parametrize("name", ["r.json", "r.yaml"])
def test_another_encoding_is_said_with_its_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "0").write_bytes('[{"value": 1,\n "dataset": {"id": "é"}}]'.encode("latin-1"))
    with pytest.raises(CorpusError, match=rf"{name}, line 2: The file is not UTF-8. Save it as UTF-8."):
        reader.read_files([InputFile(name, tmp_path / "0")])


def test_folders_that_a_message_would_shorten_still_tell_the_model_and_the_source(tmp_path: Path) -> None:
    """A message has 120 characters of a name, MTEB's folders alone more."""
    revisions = ("d13f1b27baf31030b7fd040960d60d909913633f", "d13f1b27baf31030b7fd040960d60d9099136aaa")
    task = {"task_name": "T", "scores": {"test": [{"hf_subset": "de", "main_score": 0.1}]}}
    folders = {
        revision: f"home/me/{'experiments-of-this-year/' * 2}results/intfloat__multilingual-e5-large-instruct/{revision}"
        for revision in revisions
    }
    files: dict[str, Any] = {f"{folder}/MassiveScenarioClassification.json": task for folder in folders.values()}
    files[f"{folders[revisions[0]]}/model_meta.json"] = {"name": "own/name", "revision": revisions[0]}
    files[f"{'of-a-long-name/' * 9}org/m/.eval_results/r.yaml"] = "- dataset: {id: a/x, task_id: x_de}\n  value: 3"
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    table = reader.read_files([InputFile("m.zip", tmp_path / "m.zip")])
    found = {(outcome.model, outcome.revision): table.cells[name]["de"] for name, outcome in table.outcomes.items()}
    second = f"m.zip/{folders[revisions[1]]}/MassiveScenarioClassification.json"
    assert set(found) == {
        ("own/name", revisions[0]),
        ("intfloat/multilingual-e5-large-instruct", revisions[1]),
        ("org/m", ""),
    }
    assert found["intfloat/multilingual-e5-large-instruct", revisions[1]].source == f"MTEB · {second}"
