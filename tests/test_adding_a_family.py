"""docs/adding-a-family.md is true: its blocks, installed as a package beside the product, make a family that works."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = (ROOT / "docs" / "adding-a-family.md").read_text(encoding="utf-8")
BLOCKS: dict[str, str] = dict(re.findall(r"```(?:python|toml)\n# (\S+)\n(.*?)```", DOCUMENT, flags=re.S))
COMMANDS = re.search(r"```sh\n(.*?)```", DOCUMENT, flags=re.S)

LOOK = """
import json
from streamlit.testing.v1 import AppTest
from isogloss.pages.widgets.navigation import page_of
found = {}
for page in ("length", "jobs"):
    app = AppTest.from_file("app.py", default_timeout=600).run().switch_page(page_of(page)).run()
    assert not app.exception, app.exception
    found[page] = {
        "title": app.title[0].value,
        "texts": [each.value for each in [*app.markdown, *app.caption, *app.warning]],
        "links": [each.proto.label for each in app.get("page_link")],
        "buttons": [each.label for each in app.button],
        "figures": len(app.get("plotly_chart")),
    }
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's folder, as the document's blocks make it."""
    folder = tmp_path_factory.mktemp("package")
    for path, code in BLOCKS.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(code, encoding="utf-8")
    (folder / "isogloss_length" / "__init__.py").touch()
    return folder


@pytest.fixture(scope="module")
def python(package: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of a scratch environment that has the product, what it needs, and the package."""
    scratch = tmp_path_factory.mktemp("scratch")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", scratch], check=True)
    interpreter = scratch / "bin" / "python"
    [folder] = scratch.glob("lib/python*/site-packages")
    (folder / "product.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    install = ["install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", str(package)]
    subprocess.run([sys.executable, "-m", "pip", "--python", interpreter, *install], check=True)
    return str(interpreter)


@pytest.fixture
def environment(workspace: Path) -> dict[str, str]:
    elsewhere = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return elsewhere | {
        "ISOGLOSS_WORKSPACE": str(workspace),
        "ISOGLOSS_DEMO": str(ROOT / "cache" / "demo"),
        "OMP_NUM_THREADS": "1",
    }


def test_the_document_is_short_and_changes_no_file_of_the_product() -> None:
    assert len(DOCUMENT.split("\n")) < 260
    assert {Path(path).parts[0] for path in BLOCKS} == {"pyproject.toml", "isogloss_length"}


def test_the_formula_is_the_one_by_hand() -> None:
    names: dict[str, object] = {}
    exec(compile(ast.parse(BLOCKS["isogloss_length/formula.py"]), "formula.py", "exec"), names)
    mean_length = names["mean_length"]
    assert mean_length(["a", "bcd"]) == pytest.approx((2.0, 2 - 1.96, 2 + 1.96))  # type: ignore[operator]


def test_an_installed_family_is_computed_by_a_worker_and_drawn_listed_and_run(
    python: str, workspace: Path, environment: dict[str, str]
) -> None:
    def call(*command: str) -> str:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def look() -> dict[str, dict[str, object]]:
        return json.loads(call(python, "-c", LOOK))  # type: ignore[no-any-return]

    before = look()["length"]
    assert (before["title"], before["figures"]) == ("Sentence length", 0)
    assert any(label.startswith("Compute") for label in before["buttons"])  # type: ignore[attr-defined]

    assert COMMANDS is not None
    install, *commands = COMMANDS[1].strip().split("\n")
    assert install == "python -m pip install ."
    try:
        said = [call("sh", "-c", line.replace("isogloss", f"{python} -m isogloss", 1)) for line in commands]
    finally:
        for provenance in (workspace / "jobs" / "workers").glob("*.json"):
            os.kill(json.loads(provenance.read_text())["pid"], signal.SIGTERM)
    assert "1/1 done" in said[0]
    assert {"mean_length", "de", "en"} <= set(re.findall(r"\w+", said[1]))

    after = look()
    assert (after["length"]["figures"], after["length"]["buttons"]) == (1, [])
    texts = " ".join(after["jobs"]["texts"])  # type: ignore[arg-type]
    assert "**Sentence length**" in after["jobs"]["links"]  # type: ignore[operator]
    assert "on Demo sentences · Arabic, German" in texts
