"""Pages whose source lies elsewhere in the repository: parts of the README, and the files at the top."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath

ROOT = Path(__file__).resolve().parent.parent.parent
SECTIONS = {
    "commands.md": ("Without a browser",),
    "settings.md": ("Settings",),
    "developing.md": ("Where things are", "Why each dependency"),
    "limits.md": ("Limits",),
}
"""Page → sections of the README; the others are the first page."""
SCHEMAS = "schemas.md"
FILES = {"CHANGELOG.md": "changes.md", "cache/demo/README.md": "demo.md", "benchmarks/README.md": "benchmarks.md"}
NOT_HERE = {"cache/demo/models/README.md"}
"""What people find in the checkout alone: its name stays, without a link."""
LINK = re.compile(r"(?<!`)\[([^\]]*)\]\(([^)\s]+)\)")


def pages() -> dict[str, str]:
    """Return page → its Markdown."""
    parts = re.split(r"^## ", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    of = {part.split("\n", 1)[0].strip(): part for part in parts[1:]}
    taken = {title for titles in SECTIONS.values() for title in titles}
    found = {"index.md": parts[0] + "".join(f"## {part}" for title, part in of.items() if title not in taken)}
    for page, titles in SECTIONS.items():
        found[page] = "\n".join(f"# {of[title]}" if i == 0 else f"## {of[title]}" for i, title in enumerate(titles))
    found[SCHEMAS] = "# JSON schemas\n\nOf every specification of a run, and of the table of scores.\n\n" + "".join(
        f"- [{path.stem}](schemas/{path.name})\n" for path in sorted((ROOT / "docs" / "schemas").glob("*.json"))
    )
    return found | {page: (ROOT / name).read_text(encoding="utf-8") for name, page in FILES.items()}


def linked(text: str, page: str) -> tuple[str, list[str]]:
    """Return a page's Markdown with links to its pages of the site, and the targets within the repository that are none."""
    source = {of: name for name, of in FILES.items()} | dict.fromkeys(("index.md", *SECTIONS), "README.md")
    lost: list[str] = []

    def replaced(match: re.Match[str]) -> str:
        name, target = match.groups()
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            return match[0]
        if not path:
            return f"[{name}]({_page_of(anchor, page)}#{anchor})" if page in source else match[0]
        inside = normpath(str(PurePosixPath(source.get(page, f"docs/{page}")).parent / path))
        if inside in NOT_HERE:
            return name
        if inside == "docs/schemas":
            return f"[{name}]({SCHEMAS})"
        found = inside.removeprefix("docs/") if inside.startswith("docs/") else FILES.get(inside, "")
        if inside == "README.md":
            found = _page_of(anchor, "index.md") if anchor else "index.md"
        if not found:
            lost.append(target)
        return f"[{name}]({found}{'#' + anchor if anchor else ''})"

    blocks = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(block if block.startswith("```") else LINK.sub(replaced, block) for block in blocks), lost


def _page_of(anchor: str, page: str) -> str:
    """Return the page that has a section of the README; `page` where no other has it."""
    anchors = {title.lower().replace(" ", "-"): of for of, titles in SECTIONS.items() for title in titles}
    return anchors.get(anchor, page)
