"""Which target texts of scores are the same text in two corpora: one target, whichever of them was tuned on.

Scores say the digest of their target's text. Those from before are completed from the corpus while it is saved; else the
text is taken for one of its own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from isogloss.backend.corpora.parallel import library
from isogloss.backend.errors import CorpusError, StoreError
from isogloss.backend.experiments.sources.rows import FAMILY
from isogloss.backend.experiments.sources.text import text_digest, texts_of
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.store.shard_files import ShardFile

DIGEST = "target_text"
"""What scores call the digest of their target's text, beside its name: `<corpus>/<tag>`, their `target`."""


def same_texts(workspaces: Sequence[Path], files: Sequence[ShardFile] | None = None) -> dict[str, str]:
    """Return the target texts, `<corpus>/<tag>`, that another one is the same as, and that one: it was scored in first.

    One whose corpus is saved is preferred, since it has a name. `files` are those of all scores, the oldest first, where they
    are listed already.
    """
    digests: dict[str, str] = {}  # the text that was scored in first is first
    for file in scores.shards(workspaces, FAMILY) if files is None else files:
        text = file.provenance.get("target")
        if isinstance(text, str) and "/" in text:
            digests[text] = digests.get(text) or str(file.provenance.get(DIGEST, ""))
    entries = library.entries(workspaces)
    sentences = {f"{entry.id}/{known.tag}": known.sentences for entry in entries for known in entry.languages}
    same: dict[str, str] = {}
    first: dict[tuple[str, str], str] = {}
    for text in sorted(digests, key=lambda text: text not in sentences):
        corpus, _, tag = text.partition("/")
        others = [sentences.get(other) for other in digests if other != text and other.partition("/")[2] == tag]
        maybe_same = text in sentences and (None in others or sentences[text] in others)
        if maybe_same and not digests[text]:
            digests[text] = _digest(corpus, tag, workspaces)
        known = first.setdefault((tag, digests[text] or text), text)
        if known != text:
            same[text] = known
    return same


def _digest(corpus: str, tag: str, workspaces: Sequence[Path]) -> str:
    """Return the digest of a saved text; empty where its corpus is damaged."""
    try:
        return _read_digest(corpus, tag, tuple(workspaces))
    except (CorpusError, StoreError):
        return ""


@lru_cache(maxsize=1000)
def _read_digest(corpus: str, tag: str, workspaces: tuple[Path, ...]) -> str:
    return text_digest(texts_of(corpus, tag, workspaces))
