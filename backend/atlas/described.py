"""What an atlas says of itself: to people (a data set's card, methods), to machines (Croissant), to who cites it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from isogloss.backend.atlas.quantised import LEVELS
from isogloss.backend.atlas.rounded import SAID
from isogloss.backend.boards.provenance import versions
from isogloss.backend.experiments.words import listed
from isogloss.backend.store.scores import SCORES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.boards.provenance import Provenance

File = tuple[str, int, str]
"""What a file is, its size in bytes, its SHA-256."""
KINDS = (
    (
        r"workspace/scores/.*\.parquet",
        "Scores of one checkpoint: a row a measure, layer and pair of languages (a language with itself: of it alone)",
    ),
    (
        r"workspace/details/.*\.parquet",
        "What each sentence contributes to ABX, summed over pairs: for intervals of differences",
    ),
    (r"tables/g\d+-layers\.csv", "Means over the pairs by layer and checkpoint, exact"),
    (r"tables/g\d+-sentences\.csv", "Sentences that a layer confuses, with similarities, each under its corpus' licence"),
    (r"tables/models\.csv", "Means of models with intervals and ranks, by measure"),
    (r"tables/f\d+\.csv", "Rows of a figure"),
    (r"tables/f\d+\.parquet", "Rows of a figure, with what they rest on"),
    (r"README\.md", "Card of the data set"),
    (r"croissant\.json", "The data set for machines (Croissant 1.0)"),
    (r"methods\.txt", "Paragraphs for a methods section"),
    (r"references\.bib", "BibTeX of the measures"),
    (r"CITATION\.cff", "How to cite this atlas"),
    (r"provenance\.json", "What the numbers rest on, in full"),
)
TYPES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
COLUMNS = {
    "metric": "The measure",
    "model": "The model's name; of a checkpoint that two models share, of the first",
    "checkpoint": "Hash of the checkpoint's weights",
    "step": "Training step; empty where unknown",
    "layer": "Layer; 0 is the input embedding",
    "source": "BCP-47 tag of a language",
    "target": "BCP-47 tag of the other language",
    "corpus": "Hash of the corpus's content",
    "variant": "Protocol and options",
    "value": "The score",
    "low": "Lower end of its 95% interval",
    "high": "Upper end of its 95% interval",
    "n": "Sentences that it rests on",
}
DRAWN = (
    f"Figures and hovers of the walk are drawn from scores in 16 bits: each within 1/{LEVELS:,} of its measure's range, and in "
    "the decimals that are shown equal to the exact one."
)
EXACT = "The scores to download are exact."
NO_TEXTS = "No sentence of a corpus is in it."


@dataclass(frozen=True)
class Facts:
    """What there is to say."""

    title: str
    licence: str
    authors: tuple[str, ...]
    rests_on: tuple[Provenance, ...]
    bibtex: str
    exact: bool
    """Whether the scores to download keep all their digits."""
    credited: tuple[str, ...] = ()
    """Whose sentences come along, each with its licence; none where no sentence does."""

    @property
    def digits(self) -> str:
        """How near the numbers are to those that were measured."""
        return f"{DRAWN} {EXACT if self.exact else SAID}"

    @property
    def texts(self) -> str:
        """Which sentences of data are in it."""
        return f"Sentences in it, as examples, are of {listed(self.credited)}." if self.credited else NO_TEXTS

    @property
    def written(self) -> str:
        """The day."""
        return datetime.now(UTC).date().isoformat()

    @property
    def by(self) -> list[str]:
        """Whom to cite."""
        return list(self.authors) or [f"The authors of {self.title}"]


def version() -> str:
    """Return the version of Isogloss that writes this."""
    return versions()["isogloss"]


def what_is(name: str) -> str:
    """Return what a file is for whoever downloads it; nothing for one that only pages read."""
    return next((what for pattern, what in KINDS if re.fullmatch(pattern, name)), "")


def methods(facts: Facts) -> str:
    """Return the methods paragraph of each grid and figure, each once."""
    return "\n\n".join(dict.fromkeys(each.methods for each in facts.rests_on)) + "\n"


def blocks(facts: Facts) -> dict[str, str | Mapping[str, str]]:
    """Return what the page of data and methods says, by heading: a text, or names with texts."""
    found: dict[str, str | Mapping[str, str]] = {
        "What this is": f"{facts.title}, published on {facts.written} by Isogloss {version()}. {facts.digits} {facts.texts}",
        "Cite": _citing(facts),
        "Licence": facts.licence or "Not said: ask who published this before you reuse the numbers.",
    }
    for number, each in enumerate(_different(facts), 1):
        said = {name: text for name, text in each.words.items() if text}
        corpora = {f"corpus {place}": _corpus(of) for place, of in enumerate(each.corpora, 1)}
        found[f"What the numbers rest on, {number}"] = {**said, **corpora, "methods": each.methods}
    return found | ({"BibTeX of the measures": facts.bibtex} if facts.bibtex else {})


def _different(facts: Facts) -> list[Provenance]:
    return list({each.methods: each for each in facts.rests_on}.values())


def _citing(facts: Facts) -> str:
    return f"{', '.join(facts.by)} ({facts.written[:4]}): {facts.title}. Data set, version of {facts.written}."


def _corpus(of: Mapping[str, Any]) -> str:
    parts = [str(of["name"]), str(of["kind"]), f"content id {of['id']}"]
    parts += [f"{of['sentences']:,} sentences"] if isinstance(of.get("sentences"), int) else []
    parts += [f"{name} {of[name]}" for name in ("licence", "source") if of.get(name)]
    return ", ".join(parts)


def citation(facts: Facts) -> str:
    """Return CITATION.cff (1.2.0). What people wrote stands in JSON's quotes, which YAML reads as its own."""
    lines = [
        "cff-version: 1.2.0",
        "message: Please cite this data set, and the papers of the measures that you report (references.bib).",
        f"title: {_quoted(facts.title)}",
        "type: dataset",
        f"date-released: {facts.written}",
        f"version: {_quoted(facts.written)}",
        "authors:",
        *(f"  - name: {_quoted(name)}" for name in facts.by),
        *([f"license: {_quoted(facts.licence)}"] if facts.licence else []),
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text)


def card(facts: Facts, files: Mapping[str, File]) -> str:
    """Return README.md, which the Hub reads as the card of a data set or a static Space. What people wrote stands as code."""
    tags = sorted({tag.split("-")[0] for each in facts.rests_on for tag in each.languages})
    scores = any(name.startswith("workspace/scores/") for name in files)
    head = [
        "---",
        f"title: {_quoted(facts.title)}",
        f"pretty_name: {_quoted(facts.title)}",
        "sdk: static",
        "app_file: index.html",
        *([f"license: {_quoted(facts.licence.lower())}"] if facts.licence else []),
        *(["language:", *(f"- {tag}" for tag in tags)] if tags else []),
        "tags:",
        "- multilingual",
        "- interpretability",
        "- isogloss",
        *(["configs:", "- config_name: scores", '  data_files: "workspace/scores/*/*.parquet"'] if scores else []),
        "---",
    ]
    rests = [f"{_code(each.short)}\n\n{_code(each.methods)}" for each in _different(facts)]
    listed = [f"- `{name}`: {what}, {size:,} bytes" for name, (what, size, _) in files.items()]
    columns = [f"- `{name}`: {what}" for name, what in COLUMNS.items()] if scores else []
    return (
        "\n\n".join(
            [
                "\n".join(head),
                f"# Card\n\n{_code(facts.title)}",
                f"Published on {facts.written} by Isogloss {version()}. Open `index.html`: it needs no server and no network. "
                f"{facts.digits}\n\n{_code(facts.texts)}",
                "## What the numbers rest on",
                *rests,
                "## Files",
                "\n".join(listed),
                *(["## Columns of the scores", "\n".join(columns)] if columns else []),
                "## Check and cite",
                f"`sha256sum --check SHA256SUMS` checks every file; `isogloss import atlas FOLDER` reads the scores beside "
                f"one's own.\n\n{_code(_citing(facts))}",
            ]
        )
        + "\n"
    )


def _code(text: str) -> str:
    """Return a text as an indented block of Markdown: nothing in it is markup."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def croissant(facts: Facts, files: Mapping[str, File]) -> dict[str, Any]:
    """Return the metadata by Croissant 1.0 (MLCommons): the files with their hashes, and the columns of the scores."""
    scores = [name for name in files if name.startswith("workspace/scores/")]
    objects = [
        {
            "@type": "cr:FileObject",
            "@id": name,
            "name": name,
            "description": what,
            "contentUrl": name,
            "contentSize": f"{size} B",
            "encodingFormat": TYPES[name.rpartition(".")[2]],
            "sha256": sha256,
        }
        for name, (what, size, sha256) in files.items()
        if name.rpartition(".")[2] in TYPES
    ]
    together = {
        "@type": "cr:FileSet",
        "@id": "scores",
        "name": "scores",
        "containedIn": [{"@id": name} for name in scores],
        "encodingFormat": TYPES["parquet"],
        "includes": "workspace/scores/*/*.parquet",
    }
    return {
        "@context": {
            "@language": "en",
            "@vocab": "https://schema.org/",
            "sc": "https://schema.org/",
            "cr": "http://mlcommons.org/croissant/",
            "dct": "http://purl.org/dc/terms/",
            "conformsTo": "dct:conformsTo",
            "column": "cr:column",
            "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
            "extract": "cr:extract",
            "field": "cr:field",
            "fileSet": "cr:fileSet",
            "includes": "cr:includes",
            "recordSet": "cr:recordSet",
            "source": "cr:source",
        },
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": facts.title,
        "description": f"{facts.title}. {' '.join(dict.fromkeys(each.short for each in facts.rests_on))} {facts.texts}",
        "datePublished": facts.written,
        "version": facts.written,
        "creator": [{"@type": "sc:Organization", "name": name} for name in facts.by],
        "citeAs": _citing(facts),
        **({"license": facts.licence} if facts.licence else {}),
        "distribution": [*objects, *([together] if scores else [])],
        "recordSet": [_records()] if scores else [],
    }


def _records() -> dict[str, Any]:
    types = {"string": "sc:Text", "double": "sc:Float", "int64": "sc:Integer", "int16": "sc:Integer"}
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"score/{name}",
            "name": name,
            "description": what,
            "dataType": types[str(SCORES.field(name).type)],
            "source": {"fileSet": {"@id": "scores"}, "extract": {"column": name}},
        }
        for name, what in COLUMNS.items()
    ]
    return {"@type": "cr:RecordSet", "@id": "score", "name": "score", "field": fields}
