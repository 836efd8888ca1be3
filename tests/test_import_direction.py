"""No layer reaches up: data flows corpora + models → experiments → store → charts → pages, and never back."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# What each package may import of the project, besides itself and the foundations every part stands on.
GROUND = (
    *("byte_cache", "device_memory", "errors", "files", "listing", "locks"),
    *("option", "parquet", "people", "recipe_mark", "settings"),
)
FOUNDATIONS = {f"backend.{name}" for name in GROUND}
ALLOWED: dict[str, set[str]] = {
    "backend/metrics": {"backend.device_memory"},
    "backend/charts": set(),
    "backend/corpora": FOUNDATIONS,
    "backend/models": FOUNDATIONS,
    "backend/store": FOUNDATIONS | {"backend.metrics"},
    "backend/training": FOUNDATIONS | {"backend.corpora", "backend.models", "backend.metrics"},
    "backend/experiments": FOUNDATIONS
    | {
        "backend.corpora",
        "backend.models",
        "backend.metrics",
        "backend.training",
        "backend.store",
    },
    "backend/figures": FOUNDATIONS | {"backend.charts", "backend.corpora", "backend.experiments"},
    "backend/boards": FOUNDATIONS | {"backend.charts", "backend.figures", "backend.experiments", "backend.store"},
    "backend/atlas": FOUNDATIONS
    | {f"backend.{layer}" for layer in ("boards", "charts", "corpora", "experiments", "figures", "models", "store")},
    "backend/jobs": FOUNDATIONS | {"backend.experiments", "backend.store", "backend.models"},
    "backend/public": FOUNDATIONS
    | {f"backend.{layer}" for layer in ("corpora", "models", "metrics", "training", "experiments", "store", "jobs")},
    "backend/cli": FOUNDATIONS
    | {
        f"backend.{layer}"
        for layer in ("atlas", "boards", "corpora", "models", "training", "experiments", "store", "jobs", "public")
    },
    "pages": {"backend", "pages"},
}

HEAVY = {"torch", "transformers", "datasets", "tokenizers", "huggingface_hub", "icu4py", "sudachipy"}
"""What takes seconds to import or loads dictionaries: where nothing is computed, none of it is there.

A recipe read from a file may have any module of `backend/experiments` imported (`backend.recipe_mark`): none needs it.
"""
LIGHT = [
    "isogloss.backend.corpora.languages.words",
    *(f"isogloss.backend.corpora.parallel.{name}" for name in ("readers", "hub", "library")),
    *(
        "isogloss.backend.jobs.client",
        "isogloss.backend.metrics.correlation",
        "isogloss.backend.metrics.transfer.igap",
        "isogloss.backend.models.entry",
    ),
    *(f"isogloss.backend.models.files.{name}" for name in ("catalogue", "fingerprint", "hub", "shapes", "steps", "weights")),
    *(f"isogloss.backend.models.library.{name}" for name in ("describe", "discover", "library")),
    "isogloss.backend.training.signalling_game.presets",
]


@cache
def imports(path: Path) -> set[str]:
    """Every module a file imports, at its top or in a function, not for type checking alone; ours as in the checkout."""
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
    return {module.removeprefix("isogloss.") for module in found}


def test_the_imports_of_our_own_are_seen() -> None:
    """What is installed as `isogloss.backend` is `backend` here: a prefix that is not taken off would let all pass."""
    seen = {module for path in (ROOT / "pages").rglob("*.py") for module in imports(path)}
    assert {"backend.settings", "pages.widgets"} <= seen


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


def test_no_page_imports_another() -> None:
    """What several pages use lies in `pages/widgets`, or in `pages/shared` where it is of one family; neither knows a page."""
    common = {"widgets", "shared"}
    pages = {path.name for path in (ROOT / "pages").iterdir() if path.is_dir()} - {"__pycache__"}
    assert common < pages
    for page in sorted(pages):
        others = {f"pages.{other}" for other in pages - {page} - common}
        for path in sorted((ROOT / "pages" / page).rglob("*.py")):
            reached = {".".join(module.split(".")[:2]) for module in imports(path)} & others
            assert not reached, f"{path.relative_to(ROOT)} imports of {', '.join(sorted(reached))}"


def test_the_web_process_never_imports_torch() -> None:
    """Neither to show pages and figures, nor to choose, to price and to submit what a worker computes."""
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for package in ("pages", "backend/charts", "backend/store", "backend/experiments", "backend/figures")
        for path in sorted((ROOT / package).rglob("*.py"))
        if path.name not in {"__init__.py", "navigation.py", "page.py"}  # a page runs when it is imported
    ]
    code = f"""
import importlib, sys
import isogloss.backend.cli
assert "scipy.special" not in sys.modules and "scipy.sparse" not in sys.modules  # a fifth of every command's start
for module in {[*modules, *LIGHT]!r}:
    importlib.import_module(module)
    heavy = {HEAVY!r} & set(sys.modules)
    assert not heavy, (module, heavy)
from isogloss.backend.corpora.languages import words
from tests.experiments.xferbench.test_xferbench_spec import spec
spec().shards()
words.segment('one two', 'en')
heavy = {HEAVY - {"icu4py"}!r} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
