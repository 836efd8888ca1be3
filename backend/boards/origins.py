"""Find what a figure rests on: the files that its recipe reads, and what they say of how they were computed.

Footers alone are read (Parquet's metadata), each once a process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from isogloss.backend.boards import footers as said_by
from isogloss.backend.boards.provenance import Provenance, versions
from isogloss.backend.figures.languages import credits_of_calls
from isogloss.backend.files import parse_json, published_files
from isogloss.backend.parquet import METADATA

if TYPE_CHECKING:
    from isogloss.backend.boards.recipe import Recipe

ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])")
PLACES = ("scores/*", "records", "details")
FAMILIES = {"xferbench": "emergent", "translation": "emergent"}
"""Families whose scores lie in another's folder; `relations` reads them all."""
DATA = ("corpus", "source", "target", "tested", "data", "pairs")
"""Entries of a footer that name data."""


def provenance(recipe: Recipe, workspaces: Sequence[Path], rows: pd.DataFrame | None = None) -> Provenance:
    """Return what the rows of `recipe` rest on, as these workspaces have it.

    Files are those that its calls name. Where they name none (a question to all scores), those of the families that they ask,
    of checkpoints, corpora and variants that they name. Where `rows` are given and name models, theirs alone count.
    """
    named_by_recipe = _Said()
    named_by_recipe.add(recipe.calls)
    texts = named_by_recipe.texts
    ids = {each for text in texts for each in ID.findall(text)}
    files = _named(ids, workspaces) or _asked(ids, texts, named_by_recipe.modules, workspaces)
    shown = set() if rows is None or "model" not in rows else set(rows["model"].dropna().astype(str))
    files = _of_models(files, shown, workspaces) or files
    footers = [said for _, said, _ in files.values()]
    if not any("corpus" in said or "source" in said for said in footers):
        footers += named_by_recipe.specs
    asked_for = [said_by.as_list(_languages(call)) for call in recipe.calls]
    chosen = [each for each in asked_for if each and all(isinstance(tag, str) for tag in each)]
    variants = sorted({each for said in footers for each in said_by.as_list(said.get("variant"))})
    protocol = [each for each in variants if each in texts] or variants or said_by.protocols_of(footers)
    about = ids | {each for said in footers for name in DATA for each in ID.findall(str(said.get(name) or ""))}
    return Provenance(
        models=_those(named_by_recipe.models, shown)
        or _those(named_by_recipe.labelled(footers), shown)
        or _models(footers, workspaces),
        corpora=_corpora(about, workspaces),
        languages=tuple(sorted(set(chosen[0] if chosen else said_by.languages_of(footers)))),
        sentences=said_by.in_a_range(said.get("sentences") or said.get("examples") for said in footers) or _each(rows),
        pooling=said_by.pooling_of(footers, protocol),
        prefix=said_by.prefixes_of(protocol),
        protocol=tuple(protocol),
        seeds=tuple(sorted({seed for said in footers for seed in said_by.seeds_of(said)})),
        computed=said_by.days_of(day for _, _, times in files.values() for day in times),
        machine=_machine(footers),
        credits=credits_of_calls(*recipe.calls, recipe.chart),
        printed=any(".printed" in module for module in named_by_recipe.modules),
        files={name: said for name, (_, said, _) in sorted(files.items())},
        versions=versions(),
    )


def _languages(call: partial[Any]) -> Any:
    """Return the languages that a call asks for, by themselves or with what else is wanted of them."""
    return call.keywords.get("languages") or getattr(call.keywords.get("wanted"), "languages", None)


_File = tuple[Path, dict[str, Any], tuple[str, ...]]


@dataclass
class _Said:
    """What the calls of a recipe say: every text among their arguments, the modules, checkpoints by model, and specs."""

    texts: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    models: dict[str, dict[str, str]] = field(default_factory=dict)
    read: dict[str, list[str]] = field(default_factory=dict)
    """Fingerprints by model, where no labels are said."""
    specs: list[dict[str, Any]] = field(default_factory=list)

    def add(self, value: Any) -> None:
        match value:
            case str():
                self.texts.add(value)
            case partial():
                self.modules.add(value.func.__module__)
                self.add([value.args, value.keywords])
            case BaseModel() if hasattr(value, "rests_on"):  # a question: not all that it names is read
                self.add(value.rests_on())
            case BaseModel():
                spec = value.model_dump(mode="json")
                self.specs.append(spec)
                self.add([spec, str(getattr(value, "id", ""))])  # details are kept under the id
                for checkpoint in spec.get("checkpoints") or ():
                    if isinstance(checkpoint, dict) and spec.get("model"):
                        self.models.setdefault(str(spec["model"]), {})[str(checkpoint.get("label"))] = str(
                            checkpoint.get("fingerprint")
                        )
                    elif spec.get("model"):
                        self.read.setdefault(str(spec["model"]), []).append(str(checkpoint))
            case [str(key), str(model), str(label), _, int(), *_] if ID.fullmatch(key):  # as `frames.Known` has it
                self.models.setdefault(model, {})[label] = key
                self.add([key, model, label])
            case list() | tuple() | set():
                for checkpoint in value:
                    self.add(checkpoint)
            case dict():
                self.add([*value, *value.values()])
            case _ if is_dataclass(value) and not isinstance(value, type):
                self.add([getattr(value, checkpoint.name) for checkpoint in fields(value)])

    def labelled(self, footers: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
        """Return the checkpoints that are read of each model, as their scores call them."""
        labels = {str(said.get("fingerprint")): str(said.get("label")) for said in footers if said.get("label")}
        return {model: {labels.get(key, key[:8]): key for key in keys} for model, keys in self.read.items()}


def _named(ids: set[str], workspaces: Sequence[Path]) -> dict[str, _File]:
    files: dict[str, _File] = {}
    for workspace in workspaces:
        for place in PLACES:
            for path in published_files(workspace, f"{place}/*.parquet"):
                if path.stem in ids and (file := _file(path)) is not None:
                    files.setdefault(str(path.relative_to(workspace)), file)
    return files


def _asked(ids: set[str], texts: set[str], modules: set[str], workspaces: Sequence[Path]) -> dict[str, _File]:
    """Return the score files of the families asked whose checkpoint, data and variant are among what the calls name."""
    asked = {module.split(".")[3] for module in modules if re.match(r"isogloss\.backend\.experiments\.\w+\.", module)}
    folders = ["*"] if "relations" in asked else sorted({FAMILIES.get(each, each) for each in asked})
    files: dict[str, _File] = {}
    for workspace in workspaces:
        for folder in folders:
            for path in published_files(workspace, f"scores/{folder}/*.parquet"):
                if (file := _file(path)) is not None and _fits(file[1], ids, texts):
                    files.setdefault(str(path.relative_to(workspace)), file)
    return files


def _fits(footer: Mapping[str, Any], ids: set[str], texts: set[str]) -> bool:
    if "fingerprint" in footer:
        fits = footer["fingerprint"] in ids and footer.get("corpus") in ids
    else:
        fits = bool(ids & set(ID.findall(str(footer.get("target"))))) and str(footer.get("source")) in texts
    variants = said_by.as_list(footer.get("variant"))
    chosen = not footer.get("options") and any(re.fullmatch(r"[a-z]+/[^ ].*", text) for text in texts)  # a variant is asked for
    return fits and (not variants or not chosen or any(each in texts for each in variants))


def _file(path: Path) -> _File | None:
    try:
        stat = path.stat()
        return _footer(path, stat.st_mtime_ns, stat.st_size)
    except (OSError, pa.ArrowException, ValueError, KeyError):
        return None  # gone, or damaged: whoever reads its rows says so


@lru_cache(maxsize=20_000)
def _footer(path: Path, _modified: int, _size: int) -> _File:
    """Read what a file says of itself, and when its rows were written."""
    footer = pq.read_metadata(path)
    metadata = dict(json.loads(footer.metadata[METADATA]))
    if "created_at" not in footer.schema.names or not footer.num_row_groups:
        return path, metadata, ()
    at = footer.schema.names.index("created_at")
    parts = [footer.row_group(group).column(at).statistics for group in range(footer.num_row_groups)]
    return path, metadata, tuple(str(end.date()) for part in parts if part and part.has_min_max for end in (part.min, part.max))


def _corpora(ids: Iterable[str], workspaces: Sequence[Path]) -> tuple[dict[str, Any], ...]:
    """Return what the libraries know of the contents of these ids, corpora before dictionaries, by name."""
    found = [entry for each in ids if (entry := _entry(each, workspaces)) is not None]
    order = list(KINDS.values())
    return tuple(
        sorted(found, key=lambda each: (order.index(each["kind"]) if each["kind"] in order else 99, str(each["name"])))
    )


def _entry(content: str, workspaces: Sequence[Path]) -> dict[str, Any] | None:
    """Return what a library knows of the content of this id, or None where none has it."""
    for workspace in workspaces:
        for path in workspace.glob(f"*/{content}/entry.json"):
            try:
                entry = parse_json(path.read_bytes())
            except (OSError, ValueError):
                continue
            if not isinstance(entry, dict):
                continue
            tags = [each["tag"] if isinstance(each, dict) else each for each in entry.get("languages") or ()]
            kept = {name: entry.get(name) for name in ("name", "sentences", "format", "licence", "source") if entry.get(name)}
            kind = KINDS.get(path.parent.parent.name, path.parent.parent.name)
            return {"id": content, "kind": kind, "name": content} | kept | {"languages": tags}
    return None


KINDS = {
    "corpora": "parallel corpus",
    "tasks": "labelled task",
    "tagged": "tagged text",
    "emergent": "emergent language",
    "lexicons": "dictionary",
    "alignments": "word alignment",
    "covariates": "covariates",
}


def _models(footers: Sequence[Mapping[str, Any]], workspaces: Sequence[Path]) -> dict[str, dict[str, str]]:
    """Return the checkpoints of each model, by what the files say and, where they name no model, by what other scores say."""
    owners = {} if all(footer.get("model") for footer in footers) else _owners(workspaces)
    now = _names_now(workspaces)
    models: dict[str, dict[str, str]] = {}
    for footer in footers:
        inner = footer.get("checkpoint")
        own = inner if isinstance(inner, dict) else footer
        key, label = own.get("fingerprint"), str(own.get("label") or "weights")
        if key:
            name, names = str(footer.get("model") or owners.get(str(key)) or label), now.get(str(key), ())
            models.setdefault(name if name in names or not names else names[0], {})[label] = str(key)
    return _sorted(models)


def _names_now(workspaces: Sequence[Path]) -> dict[str, list[str]]:
    """Return what the models that have each checkpoint are called now, by fingerprint: scores keep the name of then."""
    found: dict[str, list[str]] = {}
    for path in (path for workspace in workspaces for path in published_files(workspace, "models/*.json")):
        try:
            entry = parse_json(path.read_bytes())
            for each in entry["checkpoints"]:
                found.setdefault(str(each["fingerprint"]), []).append(str(entry["name"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # the Library says so
    return found


def _owners(workspaces: Sequence[Path]) -> dict[str, str]:
    """Return the model of each checkpoint that has scores, by fingerprint."""
    paths = [path for workspace in workspaces for path in published_files(workspace, "scores/*/*.parquet")]
    known = [file[1] for path in paths if (file := _file(path)) is not None]
    return {str(said["fingerprint"]): str(said["model"]) for said in known if said.get("fingerprint") and said.get("model")}


def _sorted(models: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    return {name: dict(sorted(each.items(), key=lambda item: _natural(item[0]))) for name, each in sorted(models.items())}


def _of_models(files: Mapping[str, _File], shown: Collection[str], workspaces: Sequence[Path]) -> dict[str, _File]:
    """Return the files of the models that are shown, and those that name none."""
    owners = _owners(workspaces) if shown else {}
    of = {
        place: str(said.get("model") or owners.get(str(said.get("fingerprint"))) or "") for place, (_, said, _) in files.items()
    }
    return {place: file for place, file in files.items() if of[place] in {"", *shown}} if set(of.values()) & {*shown} else {}


def _those(models: Mapping[str, Mapping[str, str]], shown: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the models that are shown, all where none of them is; sorted."""
    return _sorted({name: each for name, each in models.items() if name in shown} or models)


def _each(rows: pd.DataFrame | None) -> str:
    """Return how many each of the rows rests on, where they say so."""
    counted = rows is not None and "n" in rows and pd.api.types.is_numeric_dtype(rows["n"])
    return said_by.in_a_range(rows["n"].dropna()) if rows is not None and counted else ""


def _machine(footers: Sequence[Mapping[str, Any]]) -> str:
    found = {(str(said["precision"]), str(said["device"])) for said in footers if {"precision", "device"} <= {*said}}
    machines = sorted(f"{number.removeprefix('torch.').partition(':')[0]} on {device}" for number, device in found)
    varies = sorted({str(said["varies"]) for said in footers if said.get("varies")})
    return "; ".join(filter(None, [", ".join(machines), *varies]))


def _natural(text: str) -> list[Any]:
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text)]
