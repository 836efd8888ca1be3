"""ABX through the whole product, from files to rows of scores, against a second, slow and obvious way to the same numbers.

Nothing is shared with the product but the files: sentences go one at a time through plain `transformers`, triplets through
loops in Python, and standard errors through counting everything again without each sentence.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import ROOT, settings
from isogloss.backend.store import scores
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import NDArray

    Vectors = NDArray[np.float64]
NTREX = {"ar": "newstest2019-ref.arb.txt", "en": "newstest2019-src.eng.txt", "ru": "newstest2019-ref.rus.txt"}
FIRST = 420
"""Two Arabic sentences from here on are equal (lines 424 and 427), though their originals are not: real ties."""
TIE = 1e-12


def embedded(folder: Path, texts: list[str]) -> Vectors:
    """`[sentences, layers + 1, dims]`: the mean over sub-words, one sentence at a time."""
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    found = []
    for text in texts:
        tokens = tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            states = model(input_ids=tokens, output_hidden_states=True).hidden_states
        found.append([layer[0, 1:-1].mean(0).numpy() for layer in states])  # between <s> and </s>
    return np.array(found, np.float64)


def cosines(one: Vectors, other: Vectors) -> list[list[float]]:
    def cosine(a: Vectors, b: Vectors) -> float:
        return math.fsum(a * b) / math.sqrt(math.fsum(a * a) * math.fsum(b * b))

    return [[cosine(a, b) for b in other] for a in one]


def outcome(right: float, wrong: float) -> float:
    return 0.5 if abs(right - wrong) <= TIE else float(right > wrong)


def language_score(i: Vectors, j: Vectors) -> Callable[[list[int]], float]:
    """X and A in one language, B the translation of A."""
    between, within = cosines(i, j), (cosines(i, i), cosines(j, j))

    def score(sentences: list[int]) -> float:
        outcomes = []
        for p in sentences:
            for q in sentences:
                if p != q:
                    outcomes.append(outcome(within[0][p][q], between[p][q]))
                    outcomes.append(outcome(within[1][p][q], between[q][p]))
        return math.fsum(outcomes) / len(outcomes)

    return score


def meaning_score(i: Vectors, j: Vectors) -> Callable[[list[int]], float]:
    """A the translation of X, B another sentence in the language of A."""
    between = cosines(i, j)

    def score(sentences: list[int]) -> float:
        outcomes = []
        for p in sentences:
            for q in sentences:
                if p != q:
                    outcomes.append(outcome(between[p][p], between[p][q]))
                    outcomes.append(outcome(between[p][p], between[q][p]))
        return math.fsum(outcomes) / len(outcomes)

    return score


def retrieval_score(i: Vectors, j: Vectors) -> float:
    between, n = cosines(i, j), len(i)
    forward = [all(between[p][p] > between[p][q] + TIE for q in range(n) if q != p) for p in range(n)]
    backward = [all(between[p][p] > between[q][p] + TIE for q in range(n) if q != p) for p in range(n)]
    return (sum(forward) + sum(backward)) / (2 * n)


def ends(score: Callable[[list[int]], float], n: int) -> list[float]:
    """Wilson's limits for the jackknife's standard error over sentences, each time counted from nothing: solved, not written.

    They are the shares that lie 1.96 of their own standard errors from the score, with the trials that the score's error says.
    """
    without = [score([p for p in range(n) if p != left_out]) for left_out in range(n)]
    mean = math.fsum(without) / n
    variance, value = (n - 1) / n * math.fsum((each - mean) ** 2 for each in without), score(list(range(n)))
    wrong = value * (1 - value)
    trials = min(wrong / variance if variance and wrong else math.inf, 2 * n * (1 + (n * wrong) ** 2))
    z = 1.959964
    roots = np.roots([1 + z**2 / trials, -2 * value - z**2 / trials, value**2])
    return sorted(float(root.real) for root in roots)


def through_the_product(files: list[Path], model: Path, workspace: Path) -> tuple[pd.DataFrame, dict[str, Vectors]]:
    """The rows of scores that the product makes of the files, and the vectors that it kept."""
    entry = corpora.keep(read([InputFile(file.name, file) for file in files]), "text", workspace)
    found = discover(str(model), name="tiny")
    spec = AbxSpec(model="tiny", checkpoints=found.checkpoints, corpus=entry.id, languages=tuple(entry.tags))
    [shard] = spec.shards()
    context = Context(settings())
    abx.compute(spec, shard, context)
    ids, texts = corpora.load(entry.id, [workspace]).align(spec.languages)
    kept = embeddings.of_corpus(spec.checkpoints[0], entry.id, ids, texts, [spec.pooling], context)
    vectors = {language: kept.of[spec.pooling][language].vectors.astype(np.float64) for language in texts}
    return scores.sql("SELECT * FROM scores WHERE experiment = 'abx'", [workspace]), vectors


def assert_same_directions(found: Vectors, expected: Vectors) -> None:
    """Up to half precision: vectors may be scaled, which no cosine notices."""
    found, expected = (value / np.linalg.norm(value, axis=-1, keepdims=True) for value in (found, expected))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2.0**-11)


def assert_equal_to_loops(files: list[Path], texts: dict[str, list[str]], model: Path, workspace: Path) -> None:
    frame, vectors = through_the_product(files, model, workspace)
    for language, lines in texts.items():
        assert_same_directions(vectors[language], embedded(model, lines))
    n = len(next(iter(texts.values())))
    assert len(frame) == 3 * 3 * 3  # metrics, pairs, layers
    for row in frame.itertuples():
        i, j = (vectors[language][:, row.layer] for language in (row.source, row.target))
        assert row.n == n
        if row.metric == "retrieval_top1":
            assert row.value == pytest.approx(retrieval_score(i, j), abs=1e-9)
            continue
        score = (language_score if row.metric == "abx_language" else meaning_score)(i, j)
        low, high = ends(score, n)
        assert row.value == pytest.approx(score(list(range(n))), abs=1e-9), row
        assert row.low == pytest.approx(low, abs=1e-6), row
        assert row.high == pytest.approx(high, abs=1e-6), row


def test_the_demo_sentences_score_as_loops_say(workspace: Path, tmp_path: Path) -> None:
    lines = [line.split("\t") for line in (ROOT / "cache/demo/sentences.tsv").read_text(encoding="utf-8").split("\n") if line]
    columns = [lines[0].index(language) for language in ("en", "zh", "hi")]
    texts = {lines[0][column]: [line[column] for line in lines[1:31]] for column in columns}
    files = [tmp_path / "sentences.tsv"]
    rows = [list(texts), *zip(*texts.values(), strict=True)]
    files[0].write_text("\n".join("\t".join(row) for row in rows) + "\n", encoding="utf-8")
    model = tiny_model(tmp_path / "model", "xlm-roberta", positions=512)
    assert_equal_to_loops(files, texts, model, workspace)


def test_real_news_scores_as_loops_say(workspace: Path, tmp_path: Path, real_data: Path) -> None:
    folder = real_data / "ntrex-128" / "NTREX-128"
    texts = {}
    (tmp_path / "ntrex").mkdir()
    for language, name in NTREX.items():
        texts[language] = (folder / name).read_text(encoding="utf-8").split("\n")[FIRST : FIRST + 30]
        (tmp_path / "ntrex" / name).write_text("\n".join(texts[language]) + "\n", encoding="utf-8")
    assert len(set(texts["ar"])) < len(texts["ar"])
    model = tiny_model(tmp_path / "model", "xlm-roberta", positions=512)
    assert_equal_to_loops(sorted((tmp_path / "ntrex").iterdir()), texts, model, workspace)
