"""People's Markdown is shown, and can neither run nor load anything."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from isogloss.backend.boards.markdown import for_streamlit, to_html

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://example.org/x.png)",
    "![x][1]\n\n[1]: https://example.org/x.png",
    "[x](javascript:alert(1))",
    "[x](  JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "<javascript:alert(1)>",
    "<div style='background:url(https://example.org/x.png)'>x</div>",
    '[x](https://example.org/"onmouseover="alert(1))',
    '```"onmouseover=alert(1)\n<b>x</b>\n```',
    "\\![x](https://example.org/x.png)",
)


class Read(HTMLParser):
    """The tags of a text, with what they carry."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_what_people_write_is_shown() -> None:
    made = to_html(
        "# Where?\n**layer 11**\nnext\n\n- one\n\n| a | b |\n|---|--:|\n| 1 | ~~2~~ |\n\n[there](https://example.org)"
    )
    for each in ("<h3>Where?</h3>", "<strong>layer 11</strong><br />\nnext", "<li>one</li>", "<td>1</td>", "<s>2</s>"):
        assert each in made
    assert '<a href="https://example.org" rel="noreferrer">there</a>' in made


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_runs_and_nothing_is_loaded(text: str) -> None:
    allowed = {"p", "a", "br", "pre", "code"}
    for tag, attributes in Read(to_html(text)).tags:
        assert tag in allowed
        assert set(attributes) <= {"href", "rel", "class"}
        assert (attributes.get("href") or "https://").startswith(("https://", "http://"))


@pytest.mark.parametrize("text", [each for each in HOSTILE if "![" in each])
def test_streamlit_is_given_no_image(text: str) -> None:
    """What reads Markdown as Streamlit does finds links where people wrote images."""
    from markdown_it import MarkdownIt

    tags = [tag for tag, _ in Read(MarkdownIt("commonmark", {"html": False}).render(for_streamlit(text))).tags]
    assert "img" not in tags
    assert "a" in tags


def test_headings_begin_below_the_page() -> None:
    assert for_streamlit("# A\nb\n```\n# c\n```") == "## A  \nb  \n```  \n# c  \n```"
