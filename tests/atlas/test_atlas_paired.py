"""Intervals between atlases are paired where both keep what each sentence contributes: against leaving each out of all."""

from __future__ import annotations

import shutil
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest
import torch

from isogloss.backend import parquet
from isogloss.backend.atlas import imported, publish
from isogloss.backend.atlas.changed import changes
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import read
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.abx import sentences
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.found import Found
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.files import digest
from isogloss.backend.metrics.abx.exact import with_sums
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import Settings
from isogloss.backend.store import older
from tests.atlas.atlas_workspace import published
from tests.experiments.abx.test_compared import LANGUAGES, LAYERS, PAIRS, N, Vectors, of_means, share, sides

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    Pair = tuple[str, str]

TASKS = {"abx_language": "language", "abx_meaning": "meaning"}


def computed(
    workspace: Path,
    series: Sequence[Vectors],
    *,
    salt: str,
    kept: bool = True,
    lacking: Sequence[Pair] = (),
    complete: bool = True,
    languages: tuple[str, ...] = LANGUAGES,
) -> Path:
    """A workspace with the scores of a model's checkpoints, a list of vectors each, and what each sentence contributes."""
    workspace.mkdir()
    file = workspace / "c.tsv"
    rows = [LANGUAGES, *([f"{place} {tag}" for tag in LANGUAGES] for place in range(N))]
    file.write_text("\n".join("\t".join(row) for row in rows), encoding="utf-8")
    corpus = corpora.keep(read([InputFile(file.name, file)]), "C", workspace)
    steps = [(f"step-{step}", digest([salt, step])) for step in range(len(series))]
    own = tuple(Checkpoint(source="folder", location=f"/{key}", label=name, fingerprint=key) for name, key in steps)
    models.keep(Model(name="M", checkpoints=own, architecture="bert", layers=LAYERS - 1, dims=4), workspace)
    pairs = tuple(pair for pair in PAIRS if pair not in lacking)
    spec = AbxSpec(model="M", checkpoints=own, corpus=corpus.id, languages=languages, pairs=pairs if lacking else None)
    context = Context(Settings(workspace=workspace, demo=None))
    for checkpoint, vectors in zip(own, series, strict=True):
        scored, contributed = [], []
        for layer, each in enumerate(vectors):
            for metric, task in TASKS.items():
                for pair in pairs:
                    value = share(each, task, tuple(map(LANGUAGES.index, pair)), None)
                    at = {"metric": metric, "layer": layer, "source": pair[0], "target": pair[1], "n": N}
                    scored.append(at | {"value": value, "low": value - 0.05, "high": value + 0.05})
            of = [(LANGUAGES.index(one), LANGUAGES.index(other)) for one, other in pairs]
            _, sums = with_sums(torch.from_numpy(each), pairs=of)
            contributed += sentences.rows(layer, pairs, sums)
        one = spec.model_copy(update={"checkpoints": (checkpoint,)})
        said = one.provenance(checkpoint) | {"complete": complete, "sentences": N, **older.TODAY}
        checkpoint_scores.write(context, digest(said), scored, said, model="M", label=checkpoint.label)
        if kept:
            asked = one.model_copy(update={"per_sentence": True})
            (key,) = asked.shards()
            sentences.write(workspace, key, contributed, asked.provenance(checkpoint) | said | {"per_sentence": True})
    return workspace


def slowly(before: Sequence[Vectors], after: Sequence[Vectors], task: str, pairs: Sequence[Pair]) -> tuple[float, float, float]:
    """The difference of the means over all cells, and its interval: each sentence left out of every cell of both sides."""

    def mean(series: Sequence[Vectors], without: int | None) -> float:
        of = [tuple(map(LANGUAGES.index, pair)) for pair in pairs]
        return fmean(share(each, task, pair, without) for vectors in series for each in vectors for pair in of)

    return of_means(partial(mean, after), partial(mean, before))


def series(seed: int) -> tuple[list[Vectors], list[Vectors]]:
    both = [sides(seed), sides(seed + 100)]
    return [each["A"] for each in both], [each["B"] for each in both]


def rows_of(found: pd.DataFrame) -> dict[str, Any]:
    return found.set_index("measure").to_dict("index")


@pytest.mark.parametrize("by", ["two atlases", "an atlas and the workspace", "an imported one", "two workspaces"])
def test_a_paired_interval_is_that_of_each_sentence_left_out_of_all_cells(tmp_path: Path, by: str) -> None:
    before, after = series(3)
    old, new = (computed(tmp_path / name, of, salt=name) for name, of in (("old", before), ("new", after)))
    if by != "two workspaces":
        old_site = published(publish.with_said(publish.of_models([old]), "", "", [], exact=True), old, tmp_path / "old-site")
        old = imported.take(old_site, new if by == "an imported one" else tmp_path / "elsewhere").folder
    if by == "two atlases":
        site = published(publish.with_said(publish.of_models([new]), "", "", [], exact=True), new, tmp_path / "new-site")
        new = imported.take(site, tmp_path / "elsewhere-too").folder
    found = rows_of(changes([old], [new], "Scores" if by == "an imported one" else ""))
    for metric, task in TASKS.items():
        row = found[metric]
        assert row["interval"] == "paired"
        assert (row["difference"], row["low"], row["high"]) == pytest.approx(slowly(before, after, task, PAIRS), abs=1e-6)


def test_cells_that_one_side_lacks_are_left_out_of_both(tmp_path: Path) -> None:
    before, after = series(5)
    old = computed(tmp_path / "old", before, salt="old", lacking=[PAIRS[1]])
    new = computed(tmp_path / "new", after, salt="new")
    row = rows_of(changes([old], [new]))["abx_meaning"]
    few = [PAIRS[0], PAIRS[2]]
    assert row["interval"] == "paired"
    assert (row["cells"], row["new"]) == (2 * LAYERS * 2, 2 * LAYERS)
    assert (row["difference"], row["low"], row["high"]) == pytest.approx(slowly(before, after, "meaning", few), abs=1e-6)
    site = published(publish.of_models([new]), new, tmp_path / "site")
    row = rows_of(changes([old], [imported.take(site, tmp_path / "elsewhere").folder]))["abx_meaning"]
    assert row["interval"] == "widest: other pairs or layers are summed than both have"


def test_where_nothing_can_be_paired_the_widest_interval_says_why(tmp_path: Path) -> None:
    before, after = series(7)
    old, new = computed(tmp_path / "old", before, salt="old"), computed(tmp_path / "new", after, salt="new", kept=False)
    row = rows_of(changes([old], [new]))["abx_meaning"]
    assert row["interval"] == "widest: what each sentence contributes is not kept on both sides (--per-sentence)"
    assert row["high"] - row["low"] == pytest.approx(0.2, abs=1e-3)


def test_scores_on_other_sentences_are_not_set_against_each_other(tmp_path: Path) -> None:
    before, after = series(7)
    old, new = computed(tmp_path / "old", before, salt="old"), computed(tmp_path / "new", after, salt="new", complete=False)
    assert set(changes([old], [new])["state"]) == {"gone", "new"}


def test_sums_that_are_not_what_they_say_are_refused(tmp_path: Path) -> None:
    own = computed(tmp_path / "own", series(9)[0], salt="own")
    site = published(publish.of_models([own]), own, tmp_path / "site")
    (path, *_) = sorted(site.glob("workspace/details/*.parquet"))
    whole, said = parquet.read(path).replace_schema_metadata(), parquet.metadata(path)
    short = [each[:-4] for each in whole["sums"].to_pylist()]
    for table, footer, why in (
        (whole.set_column(3, whole.schema.field(3), [short]), said, "has other sentences than it says"),
        (whole.drop_columns(["pairs"]), said, "is not what it says"),
        (whole, said | {"fingerprint": "f" * 24}, "does not come along"),
        (whole, {name: each for name, each in said.items() if name != "summed"}, "is not what it says"),
    ):
        parquet.write(path, table, footer)
        _listed_again(site, path)
        with pytest.raises(StoreError, match=why):
            imported.take(site, tmp_path / "elsewhere")
    shutil.rmtree(site / "workspace" / "details")


def _listed_again(site: Path, path: Path) -> None:
    import hashlib

    sums, name = site / "SHA256SUMS", path.relative_to(site).as_posix()
    lines = [line for line in sums.read_text().splitlines() if not line.endswith(name)]
    sums.write_text("\n".join([*lines, f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}"]) + "\n")


def test_what_another_family_keeps_of_sentences_is_no_sum_of_triplets(tmp_path: Path) -> None:
    """Its files say `per_sentence` of the same checkpoints, too: an atlas of them could not be published."""
    workspace = computed(tmp_path / "both", series(3)[0], salt="both")
    [model], [corpus] = models.entries([workspace]), corpora.entries([workspace])
    context = Context(Settings(workspace=workspace, demo=None))
    spec = SentenceAlignmentSpec(
        model="M", checkpoints=model.checkpoints[:1], corpus=corpus.id, languages=LANGUAGES, pooling="last", per_sentence=True
    )
    [(shard, checkpoint)] = spec.shards().items()
    found = Found([f"s{place}" for place in range(N)], spec.pairs, [spec.variant("last")], 1)
    hits = {"weak": torch.ones(N, dtype=torch.bool), "strong": torch.zeros(N, dtype=torch.bool)}
    scored = []
    for ends in found.directions:
        found.add(spec.variant("last"), 0, ends, hits, found.ids)  # type: ignore[arg-type]
        at = {"metric": "sentence_weak", "layer": 0, "source": ends[0], "target": ends[1], "variant": spec.variant("last")}
        scored.append(at | {"value": 1.0, "low": 0.9, "high": 1.0, "n": N})
    found.write(workspace, shard, spec.provenance(checkpoint))
    plain = spec.model_copy(update={"per_sentence": False})
    checkpoint_scores.write(context, digest("aligned"), scored, plain.provenance(checkpoint), model="M", label=checkpoint.label)
    site = published(publish.with_said(publish.of_models([workspace]), "", "", [], exact=True), workspace, tmp_path / "site")
    assert (site / "alignment.html").is_file()
    assert (site / "abx.html").is_file()
