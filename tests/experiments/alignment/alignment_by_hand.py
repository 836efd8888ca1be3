"""Word and sentence alignment once more, slowly: one sentence at a time through plain transformers, and loops over vectors.

Nothing of the project's encoding, extraction or scoring is used; what is written here follows the papers and the docstrings.
"""

from __future__ import annotations

import math
import random
import re
from functools import cache
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.readers import read
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.corpora.shared.inputs import InputFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Vectors = NDArray[np.float64]

MEANINGS = {
    "en": "child house school morning evening music teacher doctor city country question time friend work telephone "
    "airplane train weather sun moon winter summer apple bread milk coffee table chair window garden",
    "de": "Kind Haus Schule Morgen Abend Musik Lehrer Ärztin Stadt Land Frage Zeit Freund Arbeit Telefon "
    "Flugzeug Zug Wetter Sonne Mond Winter Sommer Apfel Brot Milch Kaffee Tisch Stuhl Fenster Garten",
    "zh": "孩子 房子 学校 早上 晚上 音乐 老师 医生 城市 国家 问题 时间 朋友 工作 电话 "
    "飞机 火车 天气 太阳 月亮 冬天 夏天 苹果 面包 牛奶 咖啡 桌子 椅子 窗户 花园",
    "ar": "طفل منزل مدرسة صباح مساء موسيقى معلم طبيب مدينة بلد سؤال وقت صديق عمل هاتف "
    "طائرة قطار طقس شمس قمر شتاء صيف تفاحة خبز حليب قهوة طاولة كرسي نافذة حديقة",
}
"""The same thirty words in four languages. Chinese is written without spaces between them."""
WORDS = {tag: words.split() for tag, words in MEANINGS.items()}
Sentences = dict[str, dict[str, str]]
"""Language → id → text."""


def sentences(count: int = 40, seed: int = 0, length: int = 5) -> Sentences:
    """Bags of the words above in an order of each language's own; some say a word twice, which makes it ambiguous."""
    draw = random.Random(seed)
    found: Sentences = {tag: {} for tag in WORDS}
    for i in range(count):
        chosen = [draw.randrange(30) for _ in range(length)]
        for tag, words in WORDS.items():
            said = [words[meaning] for meaning in draw.sample(chosen, len(chosen))]
            found[tag][f"s{i}"] = "".join(said) + "。" if tag == "zh" else " ".join(said).capitalize() + "."
    return found


def keep_corpus(found: Sentences, workspace: Path) -> str:
    """Keep the sentences as a corpus; its id."""
    rows = [(i, tag, text, None) for tag in sorted(found) for i, text in found[tag].items()]
    columns = dict(zip(SCHEMA.names, zip(*rows, strict=True), strict=True))
    table = pa.table({name: list(column) for name, column in columns.items()}, schema=SCHEMA)
    return library.keep(ParallelCorpus(table), f"Corpus of {len(rows)}", workspace).id


def keep_dictionary(source: str, target: str, folder: Path, workspace: Path) -> str:
    """Keep a dictionary of all thirty words, some with a second translation; its id."""
    pairs = list(zip(WORDS[source], WORDS[target], strict=True))
    pairs += [(WORDS[source][i], WORDS[target][i + 1]) for i in (3, 8, 20)]
    file = folder / f"{source}-{target}.txt"
    file.write_text("".join(f"{left.lower()}\t{right.lower()}\n" for left, right in pairs), encoding="utf-8")
    return dictionaries.keep(read(InputFile(file.name, file), source, target), file.stem, workspace).id


def dictionary(source: str, target: str) -> set[tuple[str, str]]:
    """What `keep_dictionary` kept."""
    left, right = WORDS[source], WORDS[target]
    pairs = {*zip(left, right, strict=True), *((left[i], right[i + 1]) for i in (3, 8, 20))}
    return {(one.lower(), other.lower()) for one, other in pairs}


def walk(text: str, language: str) -> list[tuple[int, int]]:
    """The words of a sentence of `sentences`: the Chinese ones are two characters long."""
    pattern = r"[^\W]{2}" if language == "zh" else r"\w+"
    return [match.span() for match in re.finditer(pattern, text)]


def model_that_knows_some(folder: Path, architecture: Any, positions: int, words: Sequence[str]) -> Path:
    """A tiny model whose tokeniser was trained on `words`, and in whose embeddings translations lie near each other: scores
    that are neither all right nor all wrong."""
    import torch
    from safetensors.torch import load_file, save_file
    from transformers import AutoTokenizer

    from tests.models import tiny

    with patch.object(tiny, "SENTENCES", list(words)):
        tiny.tiny_model(folder, architecture, positions=positions)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    weights = load_file(folder / "model.safetensors")
    [name] = [name for name in weights if name.endswith(("word_embeddings.weight", "wte.weight"))]
    rows = weights[name] * 3
    for tag in WORDS.keys() - {"en"}:
        for word, translation in zip(WORDS["en"], WORDS[tag], strict=True):
            own, other = (tokenizer(f"{each}", add_special_tokens=False)["input_ids"] for each in (word, translation))
            rows[other] = 0.5 * rows[other] + 0.5 * rows[own].mean(0)
    weights[name] = rows.to(torch.float32).contiguous()
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


Place = tuple[str, int, int]
"""Sentence id, start, end."""


def word_pairs(
    found: Sentences, source: str, target: str, repeated: bool = False, unique: str = "both"
) -> list[tuple[Place, Place]]:
    """Every pair of words that translate each other and nothing else in their sentences; the first of each, or all."""
    allowed = dictionary("en", source if target == "en" else target)
    if source != "en":
        allowed = {(right, left) for left, right in allowed}
    pairs, seen = [], set()
    for i in found[source]:
        if i not in found[target]:
            continue
        left, right = found[source][i], found[target][i]
        links = [
            (a, b)
            for a in walk(left, source)
            for b in walk(right, target)
            if (left[slice(*a)].lower(), right[slice(*b)].lower()) in allowed
        ]
        for a, b in links:
            rivals = sum(b == other for _, other in links) > 1
            if sum(a == other for other, _ in links) > 1 or (rivals and unique != "source"):
                continue
            key = left[slice(*a)].lower(), right[slice(*b)].lower()
            if unique == "once" and any(key[0] == one or key[1] == other for one, other in seen):
                continue
            if repeated or key not in seen:
                pairs.append(((i, *a), (i, *b)))
            seen.add(key)
    return pairs


class Plain:
    """A model of `transformers`, one sentence at a time."""

    def __init__(self, folder: Path, longest: int) -> None:
        from transformers import AutoModel, AutoTokenizer

        self.model = AutoModel.from_pretrained(folder).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.longest = longest
        self.states = cache(self._states)  # a text's words are asked for one by one

    def _states(self, text: str) -> tuple[Vectors, list[tuple[int, int]], list[int], bool]:
        """Hidden states `[layers + 1, tokens, dims]`, each token's characters and id, and whether the end is cut off."""
        import torch

        whole = len(self.tokenizer(text)["input_ids"])
        encoded = self.tokenizer(
            text, truncation=True, max_length=self.longest, return_offsets_mapping=True, return_tensors="pt"
        )
        offsets = [(int(a), int(b)) for a, b in encoded.pop("offset_mapping")[0]]
        with torch.no_grad():
            layers = self.model(**encoded, output_hidden_states=True).hidden_states
        ids = encoded["input_ids"][0].tolist()
        return np.stack([layer[0].double().numpy() for layer in layers]), offsets, ids, whole > self.longest

    def word(self, text: str, start: int, end: int) -> Vectors | None:
        """The mean of a word's tokens `[layers + 1, dims]`, rounded as vectors are kept; None for one that is cut off."""
        states, offsets, ids, cut = self.states(text)
        if cut and end > max(b for _, b in offsets):
            return None
        space = self.tokenizer.get_vocab().get("▁")  # a lone space claims the first letter of the word after it
        own = [t for t, (a, b) in enumerate(offsets) if max(a, start) < min(b, end) and ids[t] != space]
        return _rounded(states[:, own].mean(axis=1)) if own else None

    def mask(self, text: str, start: int, end: int) -> Vectors | None:
        """The vectors of the mask token where the word was."""
        states, _, ids, _ = self.states(text[:start] + self.tokenizer.mask_token + text[end:])
        own = [t for t, i in enumerate(ids) if i == self.tokenizer.mask_token_id]
        return _rounded(states[:, own[0]]) if own else None

    def sentence(self, text: str) -> tuple[Vectors, Vectors]:
        """The mean of the tokens of its own, and the first token."""
        states, offsets, _, _ = self.states(text)
        own = [t for t, (a, b) in enumerate(offsets) if a < b or t not in (0, len(offsets) - 1)]
        return _rounded(states[:, own].mean(axis=1)), _rounded(states[:, 0])


def _rounded(vectors: Vectors) -> Vectors:
    return vectors.astype(np.float16).astype(np.float64)


def unit(a: Vectors) -> Vectors:
    """At length 1; what is zero, as the first token of layer 0 is once it is centred, stays so."""
    length = math.sqrt(a @ a)
    return a / length if length else a


def cosine(a: Vectors, b: Vectors) -> float:
    """0 where one is zero."""
    return float(unit(a) @ unit(b))


ROUNDING = 1e-5
"""Another order of summing moves similarities of float32 vectors by less."""


def retrieval(
    u: Sequence[Vectors],
    v: Sequence[Vectors],
    k: int,
    similarity: str,
    centred: bool,
    self_neighbour: bool = False,
    margin: float = 1e-12,
) -> dict[str, float]:
    """Weak and strong accuracy of finding v from u: two loops (the docstring of `backend.metrics.retrieval.accuracy`).

    A translation is found where it is nearer than all others by `margin`.
    """
    if centred:
        u, v = ([x - sum(side) / len(side) for x in side] for side in (u, v))
    n, csls = len(u), similarity == "csls"
    if similarity == "l2":
        to_v, to_u = ([[-((a - b) ** 2).sum() for b in side] for a in u] for side in (v, u))
    else:
        u, v = ([unit(x) for x in side] for side in (u, v))
        to_v, to_u = ((2 * np.stack(u) @ np.stack(side).T).tolist() for side in (v, u))

    def crowd(near: Sequence[float]) -> float:
        nearest = sorted(near, reverse=True)[:k]
        return sum(nearest) / len(nearest) / 2 if csls else 0.0

    of_v = [crowd([to_v[i][j] for i in range(n)]) for j in range(n)]
    of_u = [crowd([to_u[i][j] for i in range(n) if self_neighbour or i != j]) for j in range(n)]
    counts = {"weak": 0, "strong": 0, "strong_released": 0}
    for i in range(n):
        right = to_v[i][i] - of_v[i]
        weak = all(right > to_v[i][j] - of_v[j] + margin for j in range(n) if j != i)
        strong = all(right > to_u[i][j] - of_u[j] + margin for j in range(n) if j != i)
        counts["weak"] += weak
        counts["strong"] += strong
        counts["strong_released"] += weak and strong
    if self_neighbour and csls:
        return {"weak": counts["weak"] / n, "strong_self": counts["strong"] / n}
    return {name: count / n for name, count in counts.items()}


def wilson(share: float, n: int) -> tuple[float, float]:
    """The interval of Wilson 1927 at 95%."""
    z = 1.959963984540054
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return middle - half, middle + half


def rows_of(file: Path) -> dict[tuple[Any, ...], Mapping[str, Any]]:
    """A published file's rows by metric, variant, layer, run, source and target."""
    rows = pq.read_table(file).to_pylist()
    found = {tuple(row[name] for name in ("metric", "variant", "layer", "seed", "source", "target")): row for row in rows}
    assert len(found) == len(rows)
    return found
