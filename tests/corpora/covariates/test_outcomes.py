"""Results files of other tools: every number with its language, interval and source, against files written here by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.corpora.covariates import library, reader
from isogloss.backend.corpora.covariates.task_languages import languages_of
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.relations.outcomes import interval

if TYPE_CHECKING:
    from pathlib import Path


def harness(results: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Write what lm-evaluation-harness 0.4.9 writes, less what no reader needs."""
    return {
        "results": results,
        "configs": {},
        "n-samples": {task: {"original": 900, "effective": 900} for task in results},
        "n-shot": dict.fromkeys(results, 0),
        "higher_is_better": {task: {"acc": True} for task in results},
        "config": {"model": "hf", "model_args": "pretrained=org/small,revision=abc123", "model_sha": ""},
        "date": 1740823200.0,
        "lm_eval_version": "0.4.9",
        "model_name": "org/small",
    } | more


def written(folder: Path, files: dict[str, Any]) -> list[InputFile]:
    """Write files under numbers, as uploads are, and return them with their names."""
    found = []
    for number, (name, content) in enumerate(files.items()):
        path = folder / str(number)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        found.append(InputFile(name, path))
    return found


BELEBELE = {
    "belebele_deu_Latn": {"alias": "x", "acc,none": 0.5, "acc_stderr,none": 0.0167},
    "belebele_fin_Latn": {"alias": "x", "acc,none": 0.25, "acc_stderr,none": 0.0144},
}


def by_hand_wilson(p: float, n: int) -> tuple[float, float]:
    z = 1.959963984540054
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    return middle - half, middle + half


def test_accuracies_of_lm_eval_have_wilsons_interval_and_their_source(tmp_path: Path) -> None:
    table = reader.read_files(written(tmp_path, {"results_1.json": harness(BELEBELE)}))
    column = "belebele acc (0 shots), org/small@abc123"
    assert table.columns == {column: {"de": 0.5, "fi": 0.25}}
    outcome = table.outcomes[column]
    assert (outcome.task, outcome.metric, outcome.model, outcome.revision) == ("belebele", "acc", "org/small", "abc123")
    assert (outcome.unit, outcome.better, outcome.key) == ("share", "higher", "belebele_acc")
    for tag, value in table.columns[column].items():
        cell = table.cells[column][tag]
        low, high, how = interval(value, cell, outcome)
        assert (low, high) == pytest.approx(by_hand_wilson(value, 900))
        assert (cell.n, how) == (900, "Wilson interval")
        assert cell.source == "lm-evaluation-harness 0.4.9 · results_1.json · 2025-03-01"
    assert not table.asked
    assert not table.losses


def test_other_metrics_have_the_normal_interval_and_their_direction(tmp_path: Path) -> None:
    results = {"wiki_de": {"word_perplexity,none": 30.0, "word_perplexity_stderr,none": 2.0, "bleu,none": 10}}
    results["wiki_de"]["bleu_stderr,none"] = "N/A"
    table = reader.read_files(written(tmp_path, {"r.json": harness(results, higher_is_better={"wiki_de": {"bleu": True}})}))
    perplexity, other = table.outcomes
    assert [table.outcomes[each].better for each in (perplexity, other)] == ["lower", "higher"]
    assert [table.outcomes[each].unit for each in (perplexity, other)] == ["as written", "as written"]
    low, high, how = interval(30, table.cells[perplexity]["de"], table.outcomes[perplexity])
    assert (low, high) == pytest.approx((30 - 1.959964 * 2, 30 + 1.959964 * 2))
    assert how == "interval of ± 1.96 standard errors"
    low, _, how = interval(10, table.cells[other]["de"], table.outcomes[other])
    assert (low != low, how) == (True, "")


def test_groups_are_no_tasks_but_a_language_s_own_group_stands_for_its_tasks(tmp_path: Path) -> None:
    results = BELEBELE | {
        "belebele": {"acc,none": 0.375},
        "global_mmlu_full_sw": {"acc,none": 0.3},
        "global_mmlu_full_sw_anatomy": {"acc,none": 0.1},
    }
    more = {"group_subtasks": {"belebele": list(BELEBELE), "global_mmlu_full_sw": ["global_mmlu_full_sw_anatomy"]}}
    table = reader.read_files(written(tmp_path, {"r.json": harness(results, **more)}))
    assert {table.outcomes[name].task: column for name, column in table.columns.items()} == {
        "belebele": {"de": 0.5, "fi": 0.25},
        "global_mmlu_full": {"sw": 0.3},
    }
    assert any("Groups are left out, as they are means of tasks: belebele." in note for note in table.warnings)
    assert any("stand for these: global_mmlu_full_sw." in note for note in table.warnings)


def test_a_task_of_no_known_language_is_asked_about_and_told(tmp_path: Path) -> None:
    files = written(tmp_path, {"r.json": harness(BELEBELE | {"hellaswag": {"acc,none": 0.6}, "boolq": {"acc,none": 0.7}})})
    table = reader.read_files(files)
    assert table.asked == ("hellaswag", "boolq")
    (loss,) = table.losses
    assert (loss.lost, loss.rows) == (2, 4)
    told = reader.read_files(files, tasks={"hellaswag": "English", "boolq": "-"})
    assert told.asked == ()
    assert [outcome.task for outcome in told.outcomes.values()] == ["belebele", "hellaswag"]
    assert told.columns["hellaswag acc (0 shots), org/small@abc123"] == {"en": 0.6}
    assert told.losses == ()  # as asked: that is no damage
    assert "Left out, as asked: boolq." in told.warnings
    with pytest.raises(CorpusError, match="not a language"):
        reader.read_files(files, tasks={"hellaswag": "xxq"})


def mteb(task: str, rows: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"task_name": task, "mteb_version": "1.38.0", "scores": {"test": rows}, "dataset_revision": "d"} | more


MASSIVE = [
    {"hf_subset": "de", "languages": ["deu-Latn"], "main_score": 0.7, "accuracy": 0.7},
    {"hf_subset": "zh-TW", "languages": ["cmo-Hant"], "main_score": 0.6, "accuracy": 0.6},
]
META = {"name": "intfloat/e5", "revision": "fd1525a9fd15316a2d503bf26ab031a61d056e98"}


def test_mteb_s_subsets_are_languages_and_its_folders_or_meta_the_model(tmp_path: Path) -> None:
    rows = [MASSIVE[0], {"hf_subset": "fi", "languages": ["fin-Latn"], "main_score": 0.6}]
    pair = [{"hf_subset": "de-en", "languages": ["deu-Latn", "eng-Latn"], "main_score": 0.9}]
    folder = "results/intfloat__e5/fd1525a9fd15316a2d503bf26ab031a61d056e98"
    names = [f"{folder}/{name}.json" for name in ("MassiveIntentClassification", "BUCC.v2")]
    contents = [mteb("MassiveIntentClassification", rows), mteb("BUCC.v2", pair)]
    by_folder = reader.read_files(written(tmp_path, dict(zip(names, contents, strict=True))))
    metas = dict(zip([*names, f"{folder}/model_meta.json"], [*contents, META], strict=True))
    flat = {name.split("/")[-1]: content for name, content in metas.items()}
    by_meta = reader.read_files(written(tmp_path, flat))
    for table in (by_folder, by_meta):
        (column,) = table.columns
        assert table.columns[column] == {"de": 0.7, "fi": 0.6}
        outcome = table.outcomes[column]
        assert (outcome.model, outcome.revision) == ("intfloat/e5", META["revision"])
        assert (outcome.setting, outcome.unit) == ("test", "share")
        assert interval(0.7, table.cells[column]["de"], outcome)[2] == ""
        assert table.losses == ()
        assert "Left out, of several languages: BUCC.v2." in table.warnings
    with pytest.raises(CorpusError, match=r"BUCC.v2.json: The file names no model"):
        reader.read_files(written(tmp_path, {"BUCC.v2.json": contents[1]}))
    chosen = reader.read_files(written(tmp_path, {"M.json": contents[0]}), model="Mine")
    assert [outcome.model for outcome in chosen.outcomes.values()] == ["Mine"]


def test_subsets_of_one_language_stand_apart_and_mteb_s_code_for_chinese_is_chinese(tmp_path: Path) -> None:
    of = {"en-ext": "eng-Latn", "en": "eng-Latn", "de": "deu-Latn", "zh-CN": "cmo-Hans", "zh-TW": "cmo-Hant"}
    subsets = [
        {"hf_subset": name, "languages": [code, code], "main_score": 0.1 * place, "nauc_std": float("nan")}
        for place, (name, code) in enumerate(of.items(), 1)
    ]
    content = mteb("AmazonCounterfactualClassification", subsets, evaluation_time=1.0, kg_co2_emissions=None, date=None)
    content["scores"]["validation"] = [{"hf_subset": "en", "languages": ["eng-Latn"], "main_score": 0.9}]
    table = reader.read_files(written(tmp_path, {"a.json": content}), model="Mine")
    assert {table.outcomes[name].setting: column for name, column in table.columns.items()} == {
        "test, en-ext": {"en": 0.1},
        "test, en": {"en": 0.2},
        "test": {"de": pytest.approx(0.3), "zh": 0.4, "zh-Hant": 0.5},
        "validation": {"en": 0.9},
    }


FEW = {"xnli_de": {"acc,none": 50.0}, "xnli_fr": {"acc,none": 1.0}}
SAME = {name: {"acc,none": 0.1} for name in ("xnli_de", "xnli_deu_Latn")}
NONE = ["mmlu_pro", "mmlu_cot", "mmlu_pro_law", "mmlu_pro_math", "gsm8k_cot", "arc_easy", "hellaswag", "de", "", "_", "_de"]


def test_percent_is_recognised_and_said(tmp_path: Path) -> None:
    table = reader.read_files(written(tmp_path, {"r.json": harness(FEW)}))
    (column,) = table.columns
    assert table.outcomes[column].unit == "percent"
    low, high = by_hand_wilson(0.5, 900)
    assert interval(50, table.cells[column]["de"], table.outcomes[column])[:2] == pytest.approx((100 * low, 100 * high))
    assert any("Read as percent, as some values are above 1: xnli acc." in note for note in table.warnings)


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        (["belebele_deu_Latn"], {"belebele_deu_Latn": ("belebele", "de")}),
        (["xnli_de", "xnli_sw"], {"xnli_de": ("xnli", "de"), "xnli_sw": ("xnli", "sw")}),
        (["include_base_44_german"], {"include_base_44_german": ("include_base_44", "de")}),
        (["xcopa_eng", "xcopa_fin"], {"xcopa_eng": ("xcopa", "en"), "xcopa_fin": ("xcopa", "fi")}),
        (["belebele_zho_Hant"], {"belebele_zho_Hant": ("belebele", "zh-Hant")}),
        (
            [
                "mmlu_pro",
                "mmlu_cot",
                "mmlu_pro_law",
                "mmlu_pro_math",
                "gsm8k_cot",
                "arc_easy",
                "hellaswag",
                "de",
                "",
                "_",
                "_de",
            ],
            {},
        ),
        (["xcopa_fin"], {}),
    ],
)
def test_languages_in_names_of_tasks(tasks: list[str], expected: dict[str, tuple[str, str]]) -> None:
    assert languages_of(tasks) == expected


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", r"r\.json, line 1: The file is no JSON"),
        ("[" * 100_000, r"r\.json: The file is no JSON"),
        ("[]", r"r\.json: The file holds no results that Isogloss knows"),
        ({"results": [], "configs": {}}, "holds no results that Isogloss knows"),
        ({"results": {"a_de": 3, "b": {"acc,none": "x", "acc": True}}, "configs": 4}, "The files hold no results"),
        ({"results": {"a_de": {"acc,none": float("nan")}}, "configs": {}}, "The files hold no results"),
        ({"results": {"a_de": {"acc,none": 0.5}}, "configs": {}, "config": [], "date": "x", "n-samples": 3}, "names no model"),
        (harness(SAME), "two numbers of de"),
        ({"schema_version": 1, "evaluation_results": [3, {"score_details": {"score": "x"}}]}, "hold no results"),
        ({"task_name": 3, "scores": {"test": [3, {"main_score": "x"}]}}, "hold no results"),
    ],
)
def test_hostile_results_are_one_sentence(content: Any, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=sentence) as raised:
        reader.read_files(written(tmp_path, {"r.json": content}))
    assert len(str(raised.value)) < 500


def test_outcomes_are_kept_and_read_back_with_intervals_and_sources(tmp_path: Path) -> None:
    table = reader.read_files(written(tmp_path, {"r.json": harness(BELEBELE)}))
    entry = library.keep(table, "Belebele", tmp_path / "workspace")
    (again,) = library.entries([tmp_path / "workspace"])
    assert again == entry
    assert again.outcomes == table.outcomes
    assert library.load(entry.id, [tmp_path / "workspace"]) == table
    assert library.problems([tmp_path / "workspace"]) == []


def run_of_every_eval() -> dict[str, Any]:
    """Write a run by schema 0.2.2 of Every Eval Ever."""
    row = {
        "evaluation_name": "belebele",
        "source_data": {"dataset_name": "belebele", "source_type": "hf_dataset", "hf_repo": "facebook/belebele"},
        "metric_config": {"metric_id": "accuracy", "metric_unit": "percent", "lower_is_better": False},
        "score_details": {"score": 0.9, "uncertainty": {"num_samples": 400}},
    }
    of = [row | {"source_data": row["source_data"] | {"hf_config": name}} for name in ("deu_Latn", "fin_Latn")]
    wide = {"confidence_interval": {"lower": 1, "upper": 3, "confidence_level": 0.95}}
    other = {
        "metric_config": {"metric_name": "ppl", "lower_is_better": True},
        "score_details": {"score": 2, "uncertainty": wide},
    }
    return {
        "schema_version": "0.2.2",
        "evaluation_id": "x",
        "retrieved_timestamp": "1740823200",
        "evaluation_timestamp": "1740823200.5",
        "source_metadata": {"source_organization_name": "Lab"},
        "eval_library": {"name": "lm_eval", "version": "0.4.9"},
        "model_info": {"name": "small", "id": "org/small"},
        "evaluation_results": [*of, of[0] | other],
    }


def test_every_eval_ever_says_unit_direction_and_error(tmp_path: Path) -> None:
    table = reader.read_files(written(tmp_path, {"run.json": run_of_every_eval()}))
    right, surprise = "belebele accuracy, org/small", "belebele ppl, org/small"
    assert table.columns == {right: {"de": 0.9, "fi": 0.9}, surprise: {"de": 2.0}}
    assert [table.outcomes[each].unit for each in (right, surprise)] == ["percent", "as written"]
    assert [table.outcomes[each].better for each in (right, surprise)] == ["higher", "lower"]
    cell = table.cells[right]["fi"]
    assert cell.source == "lm_eval 0.4.9, Lab · run.json · 2025-03-01"
    assert interval(0.9, cell, table.outcomes[right])[:2] == pytest.approx([100 * each for each in by_hand_wilson(0.009, 400)])
    assert interval(2, table.cells[surprise]["de"], table.outcomes[surprise])[:2] == pytest.approx((1, 3))


def test_every_eval_ever_s_results_that_are_called_by_a_language_are_of_their_data_set(tmp_path: Path) -> None:
    """As the published runs of Global MMLU Lite are: a result a language, means among them, no metric and no unit."""
    run = run_of_every_eval()
    metric = {"lower_is_better": False, "score_type": "continuous", "min_score": 0.0, "max_score": 1.0}
    names = {
        "Global MMLU Lite": 0.65,
        "Culturally Sensitive": 0.61,
        "German": 0.6525,
        "Burmese": 0.63,
        "deu_Latn": None,
        "all": 0.2,
    }
    run["evaluation_results"] = [
        {
            "evaluation_name": name,
            "source_data": {"dataset_name": "global-mmlu-lite", "source_type": "url"},
            "metric_config": metric,
            "score_details": {"score": score, "details": {"confidence_interval": "0.04"}},
        }
        for name, score in names.items()
    ]
    table = reader.read_files(written(tmp_path, {"run.json": run}))
    assert table.columns == {"global-mmlu-lite score, org/small": {"de": 0.6525, "my": 0.63}}
    (outcome,) = table.outcomes.values()
    assert (outcome.unit, outcome.better) == ("share", "higher")
    assert table.asked == ("Global MMLU Lite", "Culturally Sensitive", "all")
    for row in run["evaluation_results"]:
        row["source_data"].pop("dataset_name")
    assert "German" in reader.read_files(written(tmp_path, {"run.json": run})).asked


def test_harness_files_of_today_and_of_before_are_read(tmp_path: Path) -> None:
    """Arguments of the model in a table, nothing where nothing was counted, NaN as Python writes it; keys without a filter."""
    today = harness(
        {"belebele_deu_Latn": {"acc,none": 0.5, "acc_stderr,none": "N/A", "bypass,none": 999, "acc_norm,none": float("nan")}},
        config={"model": "hf", "model_args": {"pretrained": "org/small", "revision": "main"}, "model_sha": "82047f5e5d5245c1"},
    ) | {"n-samples": None, "model_name": None, "lm_eval_version": "0.4.12", "group_subtasks": {"belebele_deu_Latn": []}}
    before = {
        "results": {"xnli_de": {"acc": 0.891, "acc_stderr": 0.009}},
        "versions": {"xnli_de": 0},
        "config": {"model": "gpt2", "model_args": "use_fast=True,pretrained=bigscience/bloom-3b", "num_fewshot": 0},
    }
    table = reader.read_files(written(tmp_path, {"t.json": today, "b.json": before}))
    assert table.columns == {
        "belebele acc (0 shots), org/small@82047f5e5d52": {"de": 0.5},
        "xnli acc, bigscience/bloom-3b": {"de": 0.891},
    }
    cells = [column["de"] for column in table.cells.values()]
    assert [(cell.n, cell.error) for cell in cells] == [(None, None), (None, 0.009)]


HUB = """
- dataset: {id: facebook/belebele, task_id: deu_Latn, revision: abc}
  value: 61.5
  date: 2025-03-01
  source: {url: https://example.org/logs, name: Logs}
  notes: no-tools
- dataset: {id: facebook/belebele, config: belebele_fin_Latn}
  value: 40
  notes: no-tools
- dataset: {id: cais/hle, task_id: default}
  value: 20.9
"""


def test_the_hub_s_results_are_of_the_repository_they_lie_in(tmp_path: Path) -> None:
    table = reader.read_files(written(tmp_path, {"models/org/small/.eval_results/b.yaml": HUB}))
    column = "belebele value (no-tools), org/small"
    assert table.columns == {column: {"de": 61.5, "fi": 40.0}}
    assert (table.outcomes[column].unit, table.outcomes[column].better) == ("as written", "neither")
    assert table.cells[column]["de"].source.startswith(
        "Hugging Face Hub Logs · models/org/small/.eval_results/b.yaml · 2025-03-01"
    )
    assert table.asked == ("hle",)
    sha = "82047f5e5d5245c1e6f9d8c7b6a5948372615049"
    cached = reader.read_files(written(tmp_path, {f"hub/models--org--small/snapshots/{sha}/.eval_results/b.yaml": HUB}))
    (outcome,) = cached.outcomes.values()
    assert (outcome.model, outcome.revision) == ("org/small", sha)
    with pytest.raises(CorpusError, match=r"b\.yaml: The file names no model"):
        reader.read_files(written(tmp_path, {"b.yaml": HUB}))
    assert len(reader.read_files(written(tmp_path, {"b.yml": HUB}), model="Mine").columns) == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a: [", r"r\.yaml, line \d: The file is no YAML"),
        ("!!python/object/apply:os.system ['true']", r"r\.yaml, line 1: The file is no YAML"),
        ("[" * 5000, "The file is no YAML"),
        ("a: " + "x" * (1 << 20), "larger than 1 MB"),
        ("- dataset: 3\n  value: .nan", "The files hold no results"),
        ("- 3", "holds no results that Isogloss knows"),
        ("a: \x00", "The file is no YAML"),
    ],
)
def test_hostile_yaml_is_one_sentence(content: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=sentence):
        reader.read_files(written(tmp_path, {"r.yaml": content}), model="Mine")
