"""Word pairs in context: reading a dictionary, and finding its pairs in a parallel corpus, against every word with every word.

    python -m benchmarks.word_pairs [--target de] [--runs 5]

NTREX-128 and MUSE where the real data is at hand (ISOGLOSS_TEST_DATA), otherwise 2,000 made-up sentences of 21 words and
100,000 made-up entries.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.corpora.dictionaries.readers import read
from isogloss.backend.corpora.dictionaries.word_pairs import extract
from isogloss.backend.corpora.languages.words import fold, segment
from isogloss.backend.corpora.parallel import readers
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus

NTREX = {"de": "deu", "fr": "fra", "zh": "zho-CN", "ar": "arb", "ru": "rus", "hi": "hin", "tr": "tur", "fi": "fin", "es": "spa"}


def real_files(target: str) -> tuple[list[InputFile], InputFile] | None:
    """NTREX's two files and MUSE's one, or None where they are not at hand."""
    data = Path(os.environ.get("ISOGLOSS_TEST_DATA", ROOT.parent / "shared" / "data"))
    folder = data / "ntrex-128" / "NTREX-128"
    paths = [folder / "newstest2019-src.eng.txt", folder / f"newstest2019-ref.{NTREX[target]}.txt"]
    word_list = data / "muse" / f"en-{target}.txt"
    if not all(path.is_file() for path in [*paths, word_list]):
        return None
    return [InputFile(path.name, path) for path in paths], InputFile(word_list.name, word_list)


def made_up_files(folder: Path, target: str) -> tuple[list[InputFile], InputFile]:
    chosen = random.Random(0)
    words = [f"w{chr(97 + i % 26)}{i}" for i in range(75_000)]
    pairs = [(word, f"v{word}") for word in words] + [(chosen.choice(words), f"v{chosen.choice(words)}") for _ in range(25_000)]
    sentences = [[words[min(int(chosen.paretovariate(0.6)), 74_999)] for _ in range(21)] for _ in range(2_000)]
    texts = {
        "made-up.en": [" ".join(sentence) + "." for sentence in sentences],
        f"made-up.{target}": [" ".join(f"V{word}" for word in sentence) + "." for sentence in sentences],
        f"made-up.en-{target}.txt": ["\t".join(pair) for pair in pairs],
    }
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    *files, word_list = (InputFile(name, folder / name) for name in texts)
    return files, word_list


def plainly(corpus: ParallelCorpus, dictionary: Dictionary, target: str) -> int:
    """How many pairs there are, by comparing every word of a sentence with every word of its translation, both ways."""
    found = set()
    ids, texts = corpus.align(["en", target])
    for left, right in zip(texts["en"], texts[target], strict=True):
        own, other = segment(left, "en"), segment(right, target)
        linked = {
            (i, j)
            for i, a in enumerate(own)
            for j, b in enumerate(other)
            if fold(right[b[0] : b[1]], target) in dictionary.translations(left[a[0] : a[1]])
        }
        for i, j in linked:
            if sum(a == i for a, _ in linked) == 1 == sum(b == j for _, b in linked):
                found.add((fold(left[slice(*own[i])], "en"), fold(right[slice(*other[j])], target)))
    return len(found) if ids else 0


def timed(runs: int, call: Callable[[], object]) -> float:
    """Median seconds."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--target", default="de", choices=sorted(NTREX))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    target = options.target
    with tempfile.TemporaryDirectory() as scratch:
        files, word_list = real_files(target) or made_up_files(Path(scratch), target)
        corpus = readers.read(files)
        dictionary = read(word_list, "en", target)
        pairs = extract(corpus, dictionary, "en", target)
        print(f"{', '.join(file.name for file in files)}: {pairs.sentences} sentences, {pairs.source_words} English words")
        print(f"{word_list.name}: {len(dictionary.entries)} words, {dictionary.pairs} pairs")
        print(f"{pairs.table.num_rows} different pairs; {pairs.repeated} repeated, {pairs.ambiguous} links ambiguous")
        reading = timed(options.runs, lambda: read(word_list, "en", target))
        ours = timed(options.runs, lambda: extract(corpus, dictionary, "en", target))
        plain = timed(max(1, options.runs // 5), lambda: plainly(corpus, dictionary, target))
        assert plainly(corpus, dictionary, target) == pairs.table.num_rows
        print(f"reading the dictionary: {reading:.2f} s")
        print(f"finding the pairs: {ours:.2f} s; every word with every word: {plain:.2f} s ({plain / ours:.0f} times)")


if __name__ == "__main__":
    main()
