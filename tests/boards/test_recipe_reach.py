"""Nothing that a recipe can reach writes, executes, imports by a name, or opens what the store and the libraries do not keep.

A recipe is read from files, and a file may come from anybody. One test walks over the source of all marked functions, of what
they call, and so on. Another puts thousands of recipes together at random and draws them under an audit of the interpreter.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import os
import pkgutil
import random
import sys
import sysconfig
import textwrap
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from isogloss.backend import experiments, figures, recipe_mark
from isogloss.backend.boards import as_pinned, board
from isogloss.backend.boards.again import again
from isogloss.backend.boards.parts import parts_of
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.boards.records import Explained, Opened
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.frames import files_of, percent
from isogloss.backend.experiments.registry import EXPERIMENTS
from isogloss.backend.experiments.relations.reading import Given, Question, Reading
from isogloss.backend.experiments.relations.tables import table
from isogloss.backend.experiments.transfer.printed.tables import transfer_gaps
from isogloss.backend.figures.transfer.matrices import printed
from isogloss.backend.store import scores

CLOSED = {
    *(
        "ctypes",
        "duckdb",
        "http",
        "huggingface_hub",
        "importlib",
        "io",
        "marshal",
        "multiprocessing",
        "os",
        "pathlib",
        "pickle",
    ),
    *("posix", "pyarrow.csv", "pyarrow.dataset", "pyarrow.feather", "pyarrow.fs", "pyarrow.ipc", "pyarrow.json", "requests"),
    *("pyarrow.parquet", "runpy", "shutil", "socket", "subprocess", "tempfile", "urllib", "_io"),
}
"""Modules of which nothing is called."""
CALLED = {"__import__", "breakpoint", "compile", "delattr", "eval", "exec", "input", "open", "setattr"}
"""What of the language itself nothing calls."""
METHODS = {
    *("chmod", "connect", "dump", "eval", "exec_module", "execute", "glob", "hardlink_to", "load_module", "memmap", "mkdir"),
    *("open", "read_bytes", "read_csv", "read_excel", "read_feather", "read_json", "read_parquet", "read_pickle", "read_sql"),
    *("read_table", "read_text", "rglob", "rmdir", "save", "savez", "symlink_to", "system", "to_csv", "to_excel", "to_hdf"),
    *("to_feather", "to_parquet", "to_pickle", "to_sql", "tofile", "touch", "unlink", "write", "write_bytes", "write_html"),
    *("write_image", "write_json", "write_table", "write_text"),
}
"""Methods that nothing calls, whatever they are of."""
TRUSTED = {
    "backend.parquet:read": "reads a path that the store made of workspaces and checked names",
    "backend.parquet:read_groups": "likewise",
    "backend.parquet:verified": "likewise",
    "backend.parquet:_ranges": "likewise",
    "backend.parquet:metadata": "likewise",
    "backend.files:published_files": "lists the files of a workspace; every pattern is the store's own or a checked name",
    "backend.store.quarantine:set_aside": "moves a damaged file of a workspace within it",
    "backend.store.index:known": "reads the index beside a file that the store listed",
    "backend.store.index:write_noted": "writes the index beside files that the store listed",
    "backend.store.sums:_make": "writes sums beside a path that the store made, and nothing of what a recipe says",
    "backend.store.by_pair:load": "reads the numbers kept beside a path that the store made",
    "backend.store.by_pair:ByPair": "reads the numbers kept beside a path that the store made",
    "backend.store.scores:query": "the program's own SQL over paths",
    "backend.store.scores:query_kept": "the program's own SQL over rows read from such paths",
    "backend.store.scores:query_table": "likewise, as `query`",
    "backend.experiments.categories:_read": "a file of the workspace, named by a digest",
    "backend.experiments.sentence_notes:_read": "likewise",
    "backend.experiments.relations.typology:_vectors": "data of an installed package",
    "backend.corpora.languages.languages:genera": "data of the product",
    "backend.corpora.languages.uriel:_lines": "data of an installed package",
    "backend.corpora.languages.uriel:_levels": "likewise",
    "backend.corpora.languages.writing:types": "data of the product",
    "backend.corpora.languages.coastline:coastline": "data of the product",
    "backend.corpora.languages.regions:_regions": "data of an installed package",
    "backend.experiments.abx.printed.tables:correlations": "data of the product",
    "backend.experiments.relations.printed.tables:regressions": "data of the product",
    "backend.experiments.transfer.printed.tables:_rows": "data of the product, by names that are in the program",
    "backend.experiments.xferbench.printed.tables:_rows": "likewise",
}
"""Where the walk stops: functions that open something, and why a recipe may reach them."""


def load_all() -> None:
    for package in (experiments, figures):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


def where(of: Any) -> str:
    return f"{getattr(of, '__module__', '')}:{getattr(of, '__qualname__', of)}".removeprefix(recipe_mark.PACKAGE)


class Calls(ast.NodeVisitor):
    """What a function or class names in its source: objects that are known by their names, and attributes of others."""

    def __init__(self, of: Any) -> None:
        tree = ast.parse(textwrap.dedent(inspect.getsource(of)))
        self.names: dict[str, Any] = {**vars(builtins), **vars(sys.modules[of.__module__])}
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                self.names[node.arg] = None  # an argument hides what is called like it
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                module = importlib.import_module(node.module)
                self.names |= {a.asname or a.name: getattr(module, a.name, None) for a in node.names}
            elif isinstance(node, ast.Import):
                self.names |= {a.asname or a.name.split(".")[0]: importlib.import_module(a.name) for a in node.names}
        self.known: list[Any] = []
        self.attributes: list[str] = []
        self.visit(tree)

    def resolved(self, node: ast.expr) -> Any:
        match node:
            case ast.Name():
                return self.names.get(node.id)
            case ast.Attribute():
                of = self.resolved(node.value)
                return getattr(of, node.attr, None) if isinstance(of, ModuleType | type) else None
        return None

    def visit_Name(self, node: ast.Name) -> None:
        self.known.append(self.names.get(node.id))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        found = self.resolved(node)
        if found is None:
            self.attributes.append(node.attr)
        self.known.append(found)
        self.generic_visit(node)


def walked(starts: list[Any], trusted: set[str]) -> tuple[list[str], set[str]]:
    """Return what is wrong with what can be reached from `starts`, and the names of all that was reached."""
    seen: dict[str, Any] = {}
    waiting = deque(starts)
    wrong = []
    while waiting:
        of = waiting.popleft()
        of = of if isinstance(of, type) else inspect.unwrap(of)
        if where(of) in seen:
            continue
        seen[where(of)] = of
        if where(of) in trusted:
            continue
        try:
            calls = Calls(of)
        except (OSError, TypeError):  # a type made at run time: nothing of it is source
            continue
        wrong += [f"{where(of)} calls .{name}()" for name in calls.attributes if name in METHODS]
        for each in calls.known:
            module = str(getattr(each, "__module__", None) or "")
            if not callable(each) or isinstance(each, ModuleType):
                continue
            if module.startswith("isogloss.backend."):
                waiting.append(each)
            elif each is not Path and (
                any(f"{module}.".startswith(f"{closed}.") for closed in CLOSED)
                or (module == "builtins" and each.__name__ in CALLED)
                or getattr(each, "__name__", "") in METHODS
            ):
                wrong.append(f"{where(of)} calls {where(each)}")
    return wrong, set(seen)


def test_nothing_that_a_recipe_reaches_opens_writes_imports_or_executes() -> None:
    load_all()
    wrong, reached = walked(list(recipe_mark._MARKED.values()), set(TRUSTED))
    assert not wrong, "\n".join(wrong)
    assert len(reached) > 500
    assert set(TRUSTED) <= reached, "nothing reaches these any more"


@pytest.mark.parametrize(
    "name", ["backend.training.resumable.log:append", "backend.experiments.plug_ins:commands_of", "backend.store.details:write"]
)
def test_the_walk_finds_what_writes_and_what_imports(name: str) -> None:
    module, _, function = name.partition(":")
    assert walked([getattr(importlib.import_module(module), function)], set())[0]


def test_every_marked_function_is_public_and_at_the_top_of_its_module() -> None:
    load_all()
    for name, of in recipe_mark._MARKED.items():
        module, _, attribute = name.partition(":")
        assert attribute.isidentifier()
        assert not attribute.startswith("_")
        assert getattr(sys.modules[recipe_mark.PACKAGE + module], attribute) is of


ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "cache" / "demo"
MUTANTS = 2_000
TEXTS = [
    *("/etc/passwd", "../../../../etc/passwd", "..", "/", "", "*", "abx", "../abx", "transfer", "value", "en", "de", "layer"),
    *("'; COPY (SELECT 1) TO '/tmp/x'; --", "read_text('/etc/passwd')", "http://127.0.0.1:9/x", "s3://bucket/x", "\x00"),
    *("__import__('os').system('true')", "{x.__class__}", "%s%n", "os:system", "antigravity", "abx_language", "a" * 5000),
]
READABLE = [
    DEMO,
    ROOT / "backend",
    ROOT / "isogloss",
    ROOT / "pyproject.toml",
    Path(sys.base_prefix),
    Path(sysconfig.get_path("purelib")),
    Path("/usr/share/zoneinfo"),
]
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
ACTS = (
    "os.",
    "shutil.",
    "socket.",
    "subprocess.",
    "ctypes.",
    "urllib.",
    "webbrowser.",
    "ftplib.",
    "http.",
    "pty.",
    "tempfile.",
)
LOOKS = ("os.listdir", "os.scandir", "os.walk", "os.fwalk")
"""Events of the interpreter's audit that only look."""
_seen: list[str] | None = None


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    """Note what a recipe must not do; there is no taking an audit hook away, so that it is on only where `_seen` is a list."""
    if _seen is None:
        return
    if event == "open":
        path, mode, flags = arguments
        if (isinstance(mode, str) and set(mode) & set("wax+")) or (isinstance(flags, int) and flags & WRITING):
            _seen.append(f"writes {path}")
        elif isinstance(path, str | os.PathLike) and not any(Path(path).is_relative_to(each) for each in READABLE):
            _seen.append(f"reads {path}")
    elif event == "import" and arguments[0].split(".")[0] in {"antigravity", "os.system", "this"}:
        _seen.append(f"imports {arguments[0]}")
    elif event.startswith(ACTS) and event not in LOOKS:
        _seen.append(f"{event} {arguments}")


@cache
def _hooked() -> None:
    sys.addaudithook(_audit)


@contextmanager
def audited() -> Iterator[list[str]]:
    global _seen
    _hooked()
    _seen = found = []
    try:
        yield found
    finally:
        _seen = None


def whole() -> list[Recipe]:
    """Recipes that give rows, to begin with."""
    shards = [each.run for each in scores.shards([DEMO], "abx")]
    grid = partial(recipe_mark.marked("backend.experiments.abx.queries:grid"), languages=["de", "en", "fi"], checkpoints=[])
    readings = {name: Reading(of=Given(column=name, languages=("de", "en", "fi"))) for name in ("genetic", "syntactic")}
    question = Question(unit="pair", readings=readings)
    return [
        Recipe((partial(transfer_gaps), partial(percent)), partial(printed, order="name", title="As printed")),
        Recipe((partial(files_of, workspaces=[DEMO], family="abx", shards=shards), grid)),
        Recipe((partial(table, question=question, workspaces=[DEMO]),)),
    ]


class Mutants:
    """Recipes as JSON that are put together of marked calls and of what an attacker would put into them."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        every = sorted(recipe_mark._MARKED.items())
        self.calls = [(name, of) for name, of in every if not isinstance(of, type)]
        self.classes = [(name, of) for name, of in every if isinstance(of, type)]
        self.others = [recipe_mark.name_of(each.compute) for each in EXPERIMENTS.values()]
        self.whole = [recipe.to_json() for recipe in whole()]

    def recipe(self) -> dict[str, Any]:
        if self.draw.random() < 0.1:
            return self.changed(self.draw.choice(self.whole))
        calls = [self.call(0) for _ in range(self.draw.randint(1, 3))]
        return {"calls": calls, "chart": self.call(0) if self.draw.random() < 0.5 else None}

    def call(self, depth: int) -> dict[str, Any]:
        name, of = self.draw.choice(self.calls)
        if self.draw.random() < 0.02:
            name = self.draw.choice([*self.others, "os:system", "backend.store.details:write", "backend.files:publish_json"])
        parameters = [each for each in inspect.signature(of).parameters if self.draw.random() < 0.9]
        positional = [self.value(depth + 1) for _ in parameters[:1] if self.draw.random() < 0.4]
        named = {each: self.value(depth + 1) for each in parameters[len(positional) :]}
        if "workspaces" in named and self.draw.random() < 0.9:
            named["workspaces"] = None
        if self.draw.random() < 0.05:
            named[self.draw.choice(["x=print(), y", "layer", "import", *TEXTS])] = self.value(depth + 1)
        return {"!": "call", "of": name, "is": positional, "with": named}

    def value(self, depth: int) -> Any:
        choose = self.draw.random()
        if depth < 3 and choose < 0.25:
            return self.call(depth)
        if depth < 3 and choose < 0.45:
            inner = [self.value(depth + 1) for _ in range(self.draw.randint(0, 3))]
            pairs = [[self.draw.choice(TEXTS), each] for each in inner]
            return self.draw.choice([inner, {"!": "tuple", "is": inner}, {"!": "dict", "is": pairs}])
        if choose < 0.5:
            name, _of = self.draw.choice(self.classes)
            fields = {each: self.value(depth + 1) for each in ("unit", "order", "asked", "rows", "model") if depth < 3}
            return self.draw.choice(
                [{"!": "record", "of": name, "is": fields}, {"!": "model", "of": name, "is": self.draw.choice(TEXTS)}]
            )
        numbers = [None, True, 0, -1, 3, 1 << 40, 0.5, {"!": "float", "is": "nan"}, {"!": "float", "is": "inf"}]
        return self.draw.choice([*numbers, self.draw.choice(TEXTS), self.draw.choice(TEXTS)])

    def changed(self, value: Any) -> Any:
        """Return a recipe in which some value, at whatever depth, is another."""
        if self.draw.random() < 0.04:
            return self.value(1)
        match value:
            case dict():
                return {key: self.changed(each) for key, each in value.items()}
            case list():
                return [self.changed(each) for each in value]
        return value


PUBLIC = ("isogloss.query", "isogloss.draw", "isogloss.record")


def assert_calls_marked_alone(python: str) -> None:
    """What people copy of a figure imports isogloss, makes what is marked by its name, prints and shows, and nothing else."""
    tree = ast.parse(python)
    for node in tree.body:
        match node:
            case ast.Import():
                assert [(each.name, each.asname) for each in node.names] == [("isogloss", None)]
            case _:
                assert isinstance(node, ast.Assign | ast.Expr), ast.dump(node)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if (name := ast.unparse(call.func)) in PUBLIC:
            assert isinstance(call.args[0], ast.Constant)
            assert recipe_mark.publicly_named(str(call.args[0].value)) is not None, call.args[0].value
        else:
            assert name in ("float", "print", "figure.show"), name


def test_every_marked_function_has_a_public_name_of_its_own() -> None:
    load_all()
    names = recipe_mark.public_names()
    assert len(set(names)) == len(recipe_mark._MARKED)
    for of in recipe_mark._MARKED.values():
        assert recipe_mark.publicly_named(recipe_mark.public_name(of)) is of
    assert not any(name.startswith("backend") for name in names)


@pytest.mark.parametrize(
    "name", ["os.system", "builtins:exec", "", ".", ":", "abx.queries.pd", "frames.__builtins__", "x" * 999]
)
def test_a_public_name_reaches_nothing_else(name: str) -> None:
    assert recipe_mark.publicly_named(name) is None


def test_thousands_of_recipes_of_strangers_do_nothing_but_draw_or_say_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_all()
    on = board.create(tmp_path, "Strangers")
    card = Explained(name="", text="", source="", bibtex="")
    first = whole()[0]
    then = first.rows()
    pin = board.pin(tmp_path, on.id, first, then, None, name="x", card=card, link="/", alt="")
    monkeypatch.setattr(as_pinned, "rows_of", lambda *_: then)  # read each time, it would take half of the time
    before = sorted((path, path.stat().st_mtime_ns) for path in [*tmp_path.rglob("*"), *DEMO.rglob("*")])
    seed = int(os.environ.get("ISOGLOSS_SEED") or random.SystemRandom().getrandbits(16))
    print(f"ISOGLOSS_SEED={seed}")  # others each time; pytest shows what a test that failed has printed
    mutants, ends = Mutants(seed), Counter[str]()
    READABLE.append(tmp_path)
    for number in range(MUTANTS):
        kept, copied = mutants.recipe(), None
        with audited() as acts:
            try:
                stranger = pin.model_copy(update={"recipe": kept})
                drawn = again([tmp_path, DEMO], on.id, stranger)
                if number % 10 == 0:  # a report, which also looks for what the figure rests on
                    (part,) = parts_of([tmp_path, DEMO], Opened(on, (stranger,), (), {}, ()))
                    copied = None if part.recipe is None else part.recipe.python()
            except IsoglossError:
                ends["refused"] += 1
            else:
                ends["as pinned" if "as it was pinned" in drawn.said else "drawn"] += 1
        assert not acts, kept
        if copied is not None:
            assert_calls_marked_alone(copied)
    after = sorted((path, path.stat().st_mtime_ns) for path in [*tmp_path.rglob("*"), *DEMO.rglob("*")])
    assert after == before
    assert ends["drawn"] > MUTANTS / 100, ends
