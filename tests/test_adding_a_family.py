"""docs/adding-a-family.md is true: its blocks, written into a copy of the repository, make a family that works everywhere."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = (ROOT / "docs" / "adding-a-family.md").read_text(encoding="utf-8")
BLOCKS: dict[str, str] = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", DOCUMENT, flags=re.S))
COMMANDS = re.search(r"```sh\n(.*?)```", DOCUMENT, flags=re.S)
REGISTRY = "backend/experiments/registry.py"

LOOK = """
import json
from streamlit.testing.v1 import AppTest
found = {}
for page in ("length", "jobs"):
    app = AppTest.from_file("app.py", default_timeout=600).run().switch_page(f"pages/{page}/page.py").run()
    assert not app.exception, app.exception
    found[page] = {
        "title": app.title[0].value,
        "texts": [each.value for each in [*app.markdown, *app.caption]],
        "buttons": [each.label for each in app.button],
        "figures": len(app.get("plotly_chart")),
    }
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product with the blocks written into it."""
    copy = tmp_path_factory.mktemp("scratch")
    for name in ("backend", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, copy / name)  # with what is compiled: each command starts sooner
    shutil.copy(ROOT / "app.py", copy)
    for path, code in BLOCKS.items():
        if path == REGISTRY:
            continue
        assert not (copy / path).exists(), f"{path} is there already"
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_text(code, encoding="utf-8")
    added, families = (part.strip() for part in BLOCKS[REGISTRY].strip().split("\n\n"))
    name = families.removeprefix("FAMILIES = (..., ").removesuffix(")")
    source = (copy / REGISTRY).read_text(encoding="utf-8")
    source, listed = re.subn(r"(FAMILIES: .* = \(.*)\)", rf"\1, {name})", source)
    source, imported = re.subn(r"(?m)^(from backend\.experiments\.spec )", rf"{added}\n\1", source)
    assert (listed, imported) == (1, 1)
    (copy / REGISTRY).write_text(source, encoding="utf-8")
    return copy


@pytest.fixture
def environment(workspace: Path) -> dict[str, str]:
    return os.environ | {
        "ISOGLOSS_WORKSPACE": str(workspace),
        "ISOGLOSS_DEMO": str(ROOT / "cache" / "demo"),
        "OMP_NUM_THREADS": "1",
    }


def test_the_document_is_short_and_changes_one_file() -> None:
    assert len(DOCUMENT.split("\n")) < 260
    assert [path for path in BLOCKS if (ROOT / path).exists()] == [REGISTRY]
    assert {Path(path).parts[:2] for path in BLOCKS if path != REGISTRY} == {
        ("backend", "metrics"),
        ("backend", "experiments"),
        ("pages", "length"),
    }


def test_the_formula_is_the_one_by_hand(scratch: Path) -> None:
    names: dict[str, object] = {}
    source = (scratch / "backend/metrics/length.py").read_text(encoding="utf-8")
    exec(compile(ast.parse(source), "length.py", "exec"), names)
    mean_length = names["mean_length"]
    assert mean_length(["a", "bcd"]) == pytest.approx((2.0, 2 - 1.96, 2 + 1.96))  # type: ignore[operator]


def test_a_spec_is_computed_by_a_worker_and_drawn_listed_and_run(
    scratch: Path, workspace: Path, environment: dict[str, str]
) -> None:
    def look() -> dict[str, dict[str, object]]:
        done = subprocess.run([sys.executable, "-c", LOOK], cwd=scratch, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout)  # type: ignore[no-any-return]

    before = look()["length"]
    assert (before["title"], before["figures"]) == ("Sentence length", 0)
    assert "Compute (about 1 s)" in before["buttons"]  # type: ignore[operator]

    assert COMMANDS is not None
    try:
        said = []
        for line in COMMANDS[1].strip().split("\n"):
            command = line.replace("python -m", f"{sys.executable} -m", 1)
            done = subprocess.run(command, shell=True, cwd=scratch, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr[-2000:]
            said.append(done.stdout)
    finally:
        for provenance in (workspace / "jobs" / "workers").glob("*.json"):
            os.kill(json.loads(provenance.read_text())["pid"], signal.SIGTERM)
    assert "1/1 done" in said[0]
    assert {"mean_length", "de", "en"} <= set(re.findall(r"\w+", said[1]))

    after = look()
    assert (after["length"]["figures"], after["length"]["buttons"]) == (1, [])
    texts = " ".join(after["jobs"]["texts"])  # type: ignore[arg-type]
    assert "**Sentence length**" in texts
    assert "on Demo sentences · Arabic, German" in texts
