"""Results of other tools in a real browser: files as each tool writes them, dropped, kept, and seen in Relations.

The files are as lm-evaluation-harness 0.4.12, MTEB 2.21, the Hub's `.eval_results` and Every Eval Ever 0.2.0 write them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from settled import settle, unfold

from isogloss.backend.corpora.covariates import library

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
LANGUAGES = {
    "ar": ("arb", "Arab", "Arabic"),
    "de": ("deu", "Latn", "German"),
    "en": ("eng", "Latn", "English"),
    "es": ("spa", "Latn", "Spanish"),
    "hi": ("hin", "Deva", "Hindi"),
    "ja": ("jpn", "Jpan", "Japanese"),
    "zh": ("zho", "Hans", "Chinese"),
}
"""Those of the demo's corpus, by the codes that the tools have."""
MODELS = ("Demo MLM", "Demo MLM + translation contrast")


def values(shift: float) -> dict[str, float]:
    return {tag: round(0.3 + 0.05 * place + shift, 4) for place, tag in enumerate(LANGUAGES)}


def harness(shift: float) -> dict[str, Any]:
    """One task a language, the group over them, and a task of no language; arguments of the model in a table."""
    tasks = {f"belebele_{code}_{script}": tag for tag, (code, script, _) in LANGUAGES.items()}
    results: dict[str, Any] = {
        task: {"alias": f" - {task}", "acc,none": values(shift)[tag], "acc_stderr,none": 0.0159, "acc_norm,none": 0.5}
        for task, tag in tasks.items()
    }
    results["belebele"] = {"alias": "belebele", "acc,none": 0.45, "acc_stderr,none": "N/A"}
    return {
        "results": results,
        "groups": {"belebele": results["belebele"]},
        "group_subtasks": {"belebele": list(tasks)},
        "configs": {task: {"task": task, "num_fewshot": 0} for task in tasks},
        "versions": dict.fromkeys(tasks, 0.0),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {task: {"acc": True, "acc_norm": True} for task in tasks},
        "n-samples": {task: {"original": 900, "effective": 900} for task in tasks},
        "config": {
            "model": "hf",
            "model_args": {"pretrained": "org/small", "revision": "main"},
            "model_sha": "82047f5e5d5245c1",
        },
        "date": 1779000000.0,
        "lm_eval_version": "0.4.12",
        "model_name": "org/small",
    }


def mteb(shift: float) -> dict[str, Any]:
    subsets = [
        {
            "hf_subset": tag,
            "languages": [f"{code}-{script}"],
            "main_score": values(shift)[tag],
            "accuracy": values(shift)[tag],
            "mteb_version": "2.21.8",
        }
        for tag, (code, script, _) in LANGUAGES.items()
    ]
    return {
        "dataset_revision": "4672e20407010da34463acc759c162ca9734bca6",
        "task_name": "MassiveIntentClassification",
        "mteb_version": "2.21.8",
        "scores": {"test": subsets},
        "evaluation_time": 41.2,
        "kg_co2_emissions": None,
        "date": "2026-09-19",
        "evaluation_phases": {},
    }


def on_the_hub(shift: float) -> str:
    return "".join(
        f"""- dataset:
    id: facebook/belebele
    task_id: {code}_{script}
  value: {values(shift)[tag]}
  date: "2026-01-15"
  source:
    url: https://example.org/traces
    name: Eval traces
    user: somebody
  evaluation_framework: inspect-ai
  notes: no-tools
"""
        for tag, (code, script, _) in LANGUAGES.items()
    )


def every_eval_ever(shift: float) -> dict[str, Any]:
    results = [
        {
            "evaluation_name": name,
            "source_data": {"dataset_name": "global-mmlu-lite", "source_type": "url", "url": ["https://example.org/data"]},
            "metric_config": {
                "evaluation_description": f"Global MMLU Lite - {name}",
                "lower_is_better": False,
                "score_type": "continuous",
                "min_score": 0.0,
                "max_score": 1.0,
            },
            "score_details": {
                "score": values(shift)[tag],
                "uncertainty": {"confidence_interval": {"lower": -0.0467, "upper": 0.0467, "method": "unknown"}},
            },
        }
        for tag, (_, _, name) in LANGUAGES.items()
    ]
    return {
        "schema_version": "0.2.0",
        "evaluation_id": "global-mmlu-lite/org_small/1770822205.0",
        "retrieved_timestamp": "1770822205.0",
        "source_metadata": {
            "source_name": "Global MMLU Lite",
            "source_type": "documentation",
            "source_organization_name": "Some Labs",
            "evaluator_relationship": "third_party",
        },
        "model_info": {"name": "small", "id": "org/small", "developer": "org", "inference_platform": "unknown"},
        "evaluation_results": results,
    }


FILES = {
    "results_2026-05-17T10-00-00.000000.json": ("belebele acc", harness),
    "MassiveIntentClassification.json": ("MassiveIntentClassification main_score", mteb),
    "belebele.yaml": ("belebele value", on_the_hub),
    "b455eee3-2917-4479-89b1-e1a470e62fbe.json": ("global-mmlu-lite score", every_eval_ever),
}


def drop(page: Page, name: str, text: str) -> None:
    page.goto("/library?shelf=Covariates")
    heading = page.get_by_text("Add covariates of languages, or results", exact=False).first
    expect(heading).to_be_visible(timeout=60_000)
    settle(page)
    if not page.get_by_test_id("stFileUploader").first.is_visible():
        unfold(page, heading)  # something is kept already
    payload = [{"name": name, "mimeType": "application/json", "buffer": text.encode()}]
    page.locator("[data-testid=stFileUploader] input[type=file]").first.set_input_files(payload)  # type: ignore[arg-type]
    settle(page)


def keep(page: Page, name: str, text: str, model: str) -> None:
    """Drop a file, say whose results they are, read and keep them."""
    drop(page, name, text)
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name=model, exact=True).click()
    settle(page)
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.get_by_text(f"{len(LANGUAGES)} languages", exact=False).first).to_be_visible()
    settle(page)
    page.get_by_label("Name", exact=True).fill(f"{name} {model}")
    page.get_by_label("Name", exact=True).press("Enter")
    settle(page)
    page.get_by_role("button", name="Save").or_(page.get_by_role("button", name="Keep the rest")).first.click()
    expect(page.get_by_test_id("stToast")).to_contain_text("is saved.")
    settle(page)


@pytest.mark.parametrize("file", list(FILES))
def test_results_are_dropped_kept_and_seen_in_relations(page: Page, demo_server: Server, file: str) -> None:
    measure, written = FILES[file]
    for shift, model in zip((0.0, 0.1), MODELS, strict=True):
        content = written(shift)
        keep(page, file, content if isinstance(content, str) else json.dumps(content), model)
    kept = [library.load(entry.id, [demo_server.workspace]) for entry in library.entries([demo_server.workspace])]
    found = {
        outcome.model: (table.columns[column], table.cells[column])
        for table in kept
        for column, outcome in table.outcomes.items()
        if outcome.title == measure
    }
    assert set(found) == set(MODELS)
    for shift, model in zip((0.0, 0.1), MODELS, strict=True):
        numbers, cells = found[model]
        assert numbers == pytest.approx(values(shift))
        assert all(file in cell.source for cell in cells.values())  # every number says where it is from
    page.goto(f"/relations?unit=Language&x=Language discrimination&y={measure}")
    expect(page.locator(".js-plotly-plot").first).to_contain_text("7 points (language)", timeout=60_000)
    page.goto(f"/relations?unit=Language&view=Models&x=Language discrimination&y={measure}")
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible(timeout=60_000)
    for model in ("Demo MLM", "n contrast"):  # the longer name's middle is left out
        expect(page.locator(".js-plotly-plot").first).to_contain_text(model)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_measure_is_called_letter_by_letter_as_its_file_calls_it(page: Page, demo_server: Server) -> None:
    """Markup, a hover's placeholder, a formula and an entity, and brackets of its own, which are no unit."""
    task, metric = "html<b>task</b>%{x}", "$f_1$&lt; (macro)"
    written = json.dumps(harness(0.0)).replace("belebele", task).replace('"acc', f'"{metric}')
    keep(page, "results_1.json", written, MODELS[0])
    measure = f"{task} {metric}"
    asked = f"unit=Language&x={quote(measure)}&y=Language discrimination"
    for view, title in (("Scatter", ".xtitle"), ("Groups", ".xtitle"), ("Map", "[class*=coloraxistitle]")):
        page.goto(f"/relations?{asked}&view={view}")
        drawn = page.locator(".js-plotly-plot", has_text=measure).first
        expect(drawn.locator(title).first).to_contain_text(measure, timeout=60_000)
        expect(drawn.locator(".gtitle").first).to_contain_text(measure)
    page.goto(f"/relations?{asked}&view=Scatter")
    point = page.locator(".js-plotly-plot .scatterlayer .point").first
    expect(point).to_be_visible(timeout=60_000)
    settle(page)
    point.hover(force=True)
    expect(page.locator(".hoverlayer").first).to_contain_text(f"{measure}: 0.")


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("results_1.json", '{"results": ', "results_1.json"),
        ("results_1.json", '{"results": {"belebele_deu_Latn": {"acc,none": "much"}}}', "results_1.json"),
        ("belebele.yaml", "- dataset: {id: facebook/belebele}\n  value: [1, 2]\n", "The files hold no results"),
    ],
)
def test_a_bad_file_gets_one_sentence(page: Page, demo_server: Server, name: str, text: str, sentence: str) -> None:
    drop(page, name, text)
    said = page.get_by_test_id("stAlertContentError").or_(page.get_by_test_id("stAlertContentWarning"))
    expect(said.first).to_contain_text(sentence)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert library.entries([demo_server.workspace]) == []
