"""What the product does not use is no part of it: no public function, class, constant or method is there for tests alone."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import isogloss

ROOT = Path(__file__).resolve().parent.parent

READ_FROM_OUTSIDE = {
    "backend.experiments.abx.correlations.over_checkpoints": "the recipes of boards from before figures had arrays",
    "backend.experiments.abx.frames.sides_by_checkpoint": "the recipes of boards from before families shared sides",
    "backend.experiments.relations.regressions.coefficients": "the recipes of boards from before pages drew what recipes give",
    "backend.jobs.run_cache.forget": "tests, each of which begins as a process that has seen no run",
}
"""Public names that nothing in the product reads, and what does."""
OFFERED = {f"{module}.{name}" for module, names in isogloss._PLACES.items() for name in names}
"""What `import isogloss` offers to people's own Python."""
CALLERS = (".command(", ".callback(", "DBOS.", "importing(")
"""Decorators that have what they decorate called."""


class Module:
    """What a file defines and what it reads."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.public: set[str] = set()
        """Functions, classes and constants."""
        self.methods: set[str] = set()
        """Public ones, as `Class.method`."""
        self.imported: dict[str, str] = {}
        """Local name → what it was imported as, with its module."""
        self.names: Counter[str] = Counter()
        """Names that are read outside of their own definition, beginnings of dotted ones (`library.load`) too."""
        self.dotted: Counter[tuple[str, str]] = Counter()
        """(`library`, `load`) that are read."""
        self.words: set[str] = set()
        """Attributes that are read of anything, and texts that `getattr` may take."""
        self.places: set[str] = set()
        """Texts such as `backend.experiments.abx.command:abx`, with a dot for the colon."""
        for statement in ast.parse(text).body:
            defined = names_of(statement)
            self.public |= {each for each in defined if not each.startswith("_") and not is_called(statement)}
            if isinstance(statement, ast.ClassDef):
                methods = (each.name for each in statement.body if isinstance(each, ast.FunctionDef))
                self.methods |= {f"{statement.name}.{each}" for each in methods if not each.startswith("_")}
            for node in ast.walk(statement):
                self._read(node, defined)

    def _read(self, node: ast.AST, defined: set[str]) -> None:
        match node:
            case ast.ImportFrom(module=str(module), names=names):
                self.imported |= {each.asname or each.name: f"{module}.{each.name}" for each in names}
            case ast.Name(id=name, ctx=ast.Load()) if name not in defined:
                self.names[name] += 1
            case ast.Attribute(value=of, attr=name):
                self.words.add(name)
                if isinstance(of, ast.Name):
                    self.dotted[of.id, name] += 1
            case ast.Constant(value=str(text)) if text.isidentifier():
                self.words.add(text)
            case ast.Constant(value=str(text)) if re.fullmatch(r"[\w.]+:\w+", text):
                self.places.add(text.replace(":", "."))

    def whole(self, name: str) -> str:
        """A name of this file with its module: where it was imported from, or here."""
        return self.imported.get(name, f"{self.name}.{name}")

    def values(self) -> set[str]:
        """What is read here and not only to read something of it: of a module that is passed on, any name may be read there."""
        beginnings = Counter[str]()
        for (of, _), times in self.dotted.items():
            beginnings[of] += times
        return {self.whole(name) for name, times in self.names.items() if times > beginnings[name]}


def names_of(statement: ast.stmt) -> set[str]:
    """The names that a statement of a file defines."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(value=ast.Tuple(elts=values)) if all(isinstance(each, ast.Attribute) for each in values):
            return set()  # shorter names of what is looked for where it is defined
        case ast.Assign(targets=targets):
            return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def is_called(statement: ast.stmt) -> bool:
    return any(caller in ast.unparse(each) for each in getattr(statement, "decorator_list", ()) for caller in CALLERS)


def unused(modules: list[Module]) -> set[str]:
    """`module.name` of what nothing reads but its own definition, and `module.Class.method` of such methods."""
    by_name = {module.name: module for module in modules}
    read: set[str] = set()

    def add(whole: str) -> None:
        read.add(whole)
        module, _, name = whole.rpartition(".")
        if module in by_name and (origin := by_name[module].imported.get(name, whole)) not in read:
            add(origin)

    for module in modules:
        for whole in (*module.places, *map(module.whole, module.names)):
            add(whole)
        for of, name in module.dotted:
            add(f"{module.whole(of)}.{name}")
    passed = set().union(*(module.values() for module in modules))
    words = set().union(*(module.words for module in modules))
    found = set()
    for module in modules:
        public = {name for name in module.public if not (module.name in passed and name in words)}
        found |= {f"{module.name}.{name}" for name in public} - read
        found |= {f"{module.name}.{method}" for method in module.methods if method.partition(".")[2] not in words}
    return found


@cache
def product() -> list[Module]:
    scripts = [ROOT / "app.py", ROOT / "isogloss" / "one_view.py"]
    paths = [*scripts, *(path for folder in ("backend", "pages") for path in sorted((ROOT / folder).rglob("*.py")))]
    names = [".".join(("isogloss", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__") for path in paths]
    return [Module(name, path.read_text(encoding="utf-8")) for name, path in zip(names, paths, strict=True)]


def test_nothing_is_there_for_tests_alone() -> None:
    assert {name.removeprefix("isogloss.") for name in unused(product())} - READ_FROM_OUTSIDE.keys() - OFFERED == set()


def test_what_is_read_from_outside_is_there() -> None:
    public = {f"{module.name}.{name}".removeprefix("isogloss.") for module in product() for name in module.public}
    assert public >= READ_FROM_OUTSIDE.keys()


SHELF = """
LIMIT: int = 3
UNREAD = 4

def load(): return LIMIT
def again(): return again()
def moved(): ...
def by_text(): ...
def rename(): ...

@app.command("list")
def listed(): ...

class Entry:
    def key(self): ...
    def label(self): ...
    def _own(self): ...
"""


def test_a_name_that_nothing_reads_is_found() -> None:
    between = Module("between", "from shelf import moved")
    other = Module(
        "other", "import shelf\nfrom between import moved\nfrom shelf import Entry, load as get\nget(Entry().key, moved)"
    )
    places = Module("places", "COMMANDS = {'x': 'shelf:by_text'}\nprint(COMMANDS)")
    shelf = Module("shelf", SHELF)
    assert unused([shelf, between, other, places]) == {"shelf.UNREAD", "shelf.again", "shelf.rename", "shelf.Entry.label"}
    passing = Module("passing", "from lib import shelf\nfrom other import rename_in\nrename_in(shelf)")
    receiving = Module("receiving", "def rename_in(kind): kind.rename()\nrename_in(1)")
    assert "lib.shelf.rename" in unused([Module("lib.shelf", SHELF), receiving])
    assert "lib.shelf.rename" not in unused([Module("lib.shelf", SHELF), passing, receiving])
