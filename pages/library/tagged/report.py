"""Show tagged text: its size, its sentences with their tags, and tags and parts by language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from isogloss.backend.corpora.languages.languages import language, name_of
from isogloss.backend.corpora.tagged.parts import PARTS, Part
from isogloss.backend.experiments.words import count
from isogloss.pages.library.corpora import report as corpus_report
from isogloss.pages.library.corpora import text as corpus_text
from isogloss.pages.library.shared import paging, texts

if TYPE_CHECKING:
    from isogloss.backend.corpora.tagged.corpus import Kind, TaggedCorpus, TaggedSentence
    from isogloss.backend.corpora.tagged.library import TaggedEntry

KINDS: dict[Kind, str] = {"pos": "parts of speech (UPOS)", "ner": "entities (BIO)", "other": "other tags"}


def facts(entry: TaggedEntry) -> str:
    """`10 languages, the same sentences in all · 10,000 sentences · 208,561 words · 17 tags: parts of speech (UPOS)`."""
    same = ", the same sentences in all" if entry.parallel else ""
    return " · ".join(
        [
            f"{count(len(entry.languages), 'language')}{same}",
            count(entry.sentences, "sentence"),
            count(entry.words, "word"),
            f"{count(len(entry.tags), 'tag')}: {KINDS[entry.kind]}",
        ]
    )


def contents(corpus: TaggedCorpus, key: str, label: str) -> None:
    """Show the sentences with their tags, how often each tag occurs, the parts, or the table of languages."""
    shown = st.segmented_control(
        "Show",
        ["Sentences", "Tags", "Parts", "Languages"],
        default="Sentences",
        required=True,
        key=f"{key}-view",
        label_visibility="collapsed",
    )
    match shown:
        case "Languages":
            corpus_report.languages(corpus.languages, corpus.report.source_names)
        case "Tags":
            st.caption("Share of a language's words in %; a dash where no word has the tag.")
            right = {tag: st.column_config.TextColumn(alignment="right") for tag in corpus.languages}
            said = "Tags and their share of each language's words"
            st.dataframe(tag_shares(corpus), width="content", column_config=right, alt=said)
        case "Parts":
            st.caption("Sentences and words in the files; where they lack a part, the share of another that stands for it.")
            st.dataframe(parts(corpus), hide_index=True, width="content", alt="Parts and their sizes in each language")
        case _:
            sentences(corpus, key=key, label=label)


def tag_shares(corpus: TaggedCorpus) -> pd.DataFrame:
    """Tabulate the share of each language's words that have a tag, in %: an index of tags, and a column a language."""
    counts = pd.DataFrame(corpus.tag_counts).reindex(index=list(corpus.tags), columns=list(corpus.languages))
    shares = counts / counts.sum() * 100
    shown = shares.map(lambda share: "–" if pd.isna(share) else f"{share:.1f}" if share >= 0.05 else "< 0.1")
    return shown.rename_axis("Tag")


def parts(corpus: TaggedCorpus) -> pd.DataFrame:
    """Tabulate for each language the sentences and words of its files' parts, and where its missing parts come from."""
    rows = []
    for tag in corpus.languages:
        row: dict[str, str] = {"Language": f"{name_of(tag)} · {tag}"}
        for part in PARTS:
            size = corpus.sizes.get((tag, part))
            origin = corpus.origin(tag, part)
            own = f"{size[0]:,} sentences, {size[1]:,} words" if size else ""
            lent = "" if origin == part else f", of which {origin.partition(' of ')[0]}"
            row[part.capitalize()] = f"{own}{lent}" if own else origin
        rows.append(row)
    return pd.DataFrame(rows)


def sentences(corpus: TaggedCorpus, *, key: str, label: str) -> None:
    """Show the sentences of a part with a tag after each word: translations side by side, else one language at a time."""
    with st.container(horizontal=True, vertical_alignment="top"):
        part = _part(corpus, key)
        shared = corpus.shared_ids[part]
        there = [tag for tag in corpus.languages if part in corpus.parts[tag]]
        if shared:
            tags = corpus_text.side_by_side(there, key=f"{key}-sentences")
        else:
            named = {tag: f"{name_of(tag)} · {tag}" for tag in there}
            first = there.index("en") if "en" in there else 0
            tags = [st.selectbox("Language", there, index=first, format_func=named.__getitem__, key=f"{key}-language-{part}")]
    if not tags:
        return
    sentences_by_tag = {tag: corpus.own(tag, part) for tag in tags}
    if shared:
        by_id = {tag: {sentence.id: sentence for sentence in each} for tag, each in sentences_by_tag.items()}
        sentences_by_tag = {tag: tuple(by_id[tag][each] for each in shared) for tag in tags}
    slot, rows = paging.window(
        len(sentences_by_tag[tags[0]]), "sentence", key=f"{key}-{part}-{'-'.join(tags) if not shared else ''}"
    )
    ids = [sentence.id for sentence in sentences_by_tag[tags[0]][rows]]
    with slot:
        texts.table(ids, [(language(tag), [cell(each) for each in sentences_by_tag[tag][rows]]) for tag in tags], label=label)


def cell(sentence: TaggedSentence) -> texts.Cell:
    """Return the text, and below it each word with its tag: `The/DET dog/NOUN`."""
    return sentence.text, " ".join(f"{word}/{tag}" for word, tag in zip(sentence.words, sentence.tags, strict=True))


def _part(corpus: TaggedCorpus, key: str) -> Part:
    """Return the part of the files that is looked at; asked for where there are several."""
    there = [part for part in PARTS if any(part in own for own in corpus.parts.values())]
    if len(there) == 1:
        return there[0]
    return st.segmented_control("Part", there, default=there[0], required=True, key=f"{key}-part", format_func=str.capitalize)
