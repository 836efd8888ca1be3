"""People's own Markdown: shown to others, it can neither run, nor load anything from elsewhere, nor hold HTML."""

from __future__ import annotations

from markdown_it import MarkdownIt

_READER = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"]).disable("image")
SIGNS = tuple("#" * level for level in range(1, 6))
"""What begins a heading that a lower one is left for."""
DEEPER = 2
"""Levels that a text's headings lie below its own: those above are the page's and the part's."""


def to_html(text: str) -> str:
    """Return Markdown as HTML: tags in it are letters, and an image is a link, which loads nothing until it is followed."""
    tokens = _READER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + DEEPER, 6)}"
        for inner in token.children or ():
            if inner.type == "link_open":
                inner.attrSet("rel", "noreferrer")
    return str(_READER.renderer.render(tokens, _READER.options, {}))


def for_streamlit(text: str) -> str:
    """Return Markdown for `st.markdown`, which takes no HTML but loads images: each becomes a link. Lines stay lines.

    Headings are one level lower: the page's own is the first.
    """
    lines = text.splitlines()
    for token in _READER.parse("\n".join(lines)):
        if token.type == "heading_open" and token.map and token.markup in SIGNS:
            lines[token.map[0]] = lines[token.map[0]].replace("#", "##", 1)
    return "  \n".join(lines).replace("![", "&#33;[")
