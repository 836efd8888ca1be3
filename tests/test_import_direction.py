"""No layer reaches up: data flows corpora + models → experiments → store → charts → pages, and never back."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# What each package may import of the project, besides itself and the foundations every part stands on.
FOUNDATIONS = {"backend.errors", "backend.files", "backend.parquet", "backend.settings"}
ALLOWED: dict[str, set[str]] = {
    "backend/metrics": set(),
    "backend/charts": set(),
    "backend/corpora": FOUNDATIONS,
    "backend/models": FOUNDATIONS,
    "backend/store": FOUNDATIONS,
    "backend/training": FOUNDATIONS | {"backend.corpora", "backend.models", "backend.metrics"},
    "backend/experiments": FOUNDATIONS
    | {"backend.corpora", "backend.models", "backend.metrics", "backend.training", "backend.store"},
    "backend/jobs": FOUNDATIONS | {"backend.experiments", "backend.store", "backend.models"},
    "pages": {"backend", "pages"},
}


def imports(path: Path) -> set[str]:
    """Every module a file imports, at its top or inside a function, but not for type checking alone."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return found


@pytest.mark.parametrize("package", ALLOWED)
def test_a_layer_imports_only_what_lies_below_it(package: str) -> None:
    own = package.replace("/", ".")
    allowed = ALLOWED[package] | {own, "backend" if package == "pages" else own}
    for path in sorted((ROOT / package).rglob("*.py")):
        for module in imports(path):
            if module.split(".")[0] not in {"backend", "pages", "app"} or module == "backend":
                continue
            assert any(module == each or module.startswith(f"{each}.") for each in allowed), f"{path.name} imports {module}"


def test_streamlit_is_imported_by_the_pages_alone() -> None:
    for path in sorted((ROOT / "backend").rglob("*.py")):
        assert not any(module.split(".")[0] == "streamlit" for module in imports(path)), path


def test_metrics_and_charts_touch_no_files_and_no_database() -> None:
    for package in ("metrics", "charts"):
        for path in sorted((ROOT / "backend" / package).rglob("*.py")):
            forbidden = {"duckdb", "pyarrow", "transformers", "datasets", "pathlib", "os"} & imports(path)
            assert not forbidden, f"{path.name} imports {forbidden}"


def test_no_page_lies_straight_in_pages() -> None:
    assert not list((ROOT / "pages").glob("*.py"))


def test_the_web_process_never_imports_torch() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for package in ("pages", "backend/charts", "backend/store")
        for path in sorted((ROOT / package).rglob("*.py"))
        if path.name not in {"__init__.py", "navigation.py", "page.py"}  # a page runs when it is imported
    ]
    code = f"import importlib, sys\nfor m in {modules!r}: importlib.import_module(m)\n"
    code += (
        "import backend.jobs.client\nheavy = {'torch', 'transformers', 'datasets'} & set(sys.modules)\nassert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
