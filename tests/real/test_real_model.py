"""What is known of a real encoder on real text, through the product: multilingual-e5-small, its weights rounded to 4 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.files.catalogue import known_as
from isogloss.backend.models.loading.load import load
from isogloss.backend.store import scores
from tests.real.conftest import compute, keep_corpus

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from tests.real.conftest import Real

LAYERS = (0, 2, 4, 6, 7, 9, 10, 11, 12)
KNOWN = {
    "abx_language": (0.995, 0.998, 0.991, 0.980, 0.953, 0.927, 0.914, 0.854, 0.953),
    "abx_meaning": (0.902, 0.963, 0.990, 0.996, 0.997, 0.996, 0.997, 0.998, 0.999),
    "retrieval_top1": (0.234, 0.426, 0.699, 0.835, 0.871, 0.841, 0.881, 0.934, 0.952),
    "sentence_strong": (0.006, 0.005, 0.024, 0.067, 0.155, 0.168, 0.254, 0.576, 0.409),
    "word_weak": (0.602, 0.688, 0.815, 0.898, 0.921, 0.909, 0.893, 0.946, 0.970),
    "word_strong": (0.459, 0.539, 0.669, 0.781, 0.810, 0.803, 0.785, 0.839, 0.799),
}
"""By layer (`LAYERS`), means over pairs of languages; from a run of its own of the same weights on the same sentences. Words by
CSLS, sentences by cosine."""
QUERY = "query: "
FEW = 40


def by_layer(scored: pd.DataFrame, metric: str) -> list[float]:
    """One measure at the layers 0 to 12."""
    found: list[float] = scored[scored["metric"] == metric].sort_values("layer")["value"].to_list()
    assert len(found) == 13
    return found


@pytest.mark.parametrize("metric", KNOWN)
def test_scores_are_those_known(scored: pd.DataFrame, metric: str) -> None:
    found = by_layer(scored, metric)
    assert [found[layer] for layer in LAYERS] == pytest.approx(list(KNOWN[metric]), abs=0.01)


@pytest.mark.parametrize("metric", ["retrieval_top1", "abx_meaning", "word_weak", "sentence_weak"])
def test_meaning_comes_with_depth(scored: pd.DataFrame, metric: str) -> None:
    found = by_layer(scored, metric)
    assert found[0] < found[3] < found[6] < found[11] < found[12] == max(found)
    assert np.corrcoef(np.arange(13), np.argsort(np.argsort(found)))[0, 1] > 0.9


@pytest.mark.parametrize("unit", ["word", "sentence"])
def test_strong_alignment_falls_at_the_last_layer_where_weak_still_rises(scored: pd.DataFrame, unit: str) -> None:
    weak, strong = (by_layer(scored, f"{unit}_{kind}") for kind in ("weak", "strong"))
    assert weak[12] > weak[11]
    assert strong[12] < strong[11] - 0.02
    language = by_layer(scored, "abx_language")
    assert language[12] > language[11] + 0.05  # what comes back is the language


def unit_vectors(found: NDArray[Any]) -> NDArray[np.float64]:
    """Each vector at length one: what cosines see."""
    wide = found.astype(np.float64)
    return np.asarray(wide / np.linalg.norm(wide, axis=-1, keepdims=True))


def test_a_batch_gives_what_one_sentence_at_a_time_gives(real: Real, texts: dict[str, list[str]]) -> None:
    loaded = load(real.model.checkpoints[0], real.context.settings)
    mixed = [lines[i] for i in range(4) for lines in texts.values()]  # of very different lengths
    together = encode(loaded, mixed, ["mean", "mean_special", "first", "last"])
    for i, text in enumerate(mixed):
        alone = encode(loaded, [text], ["mean", "mean_special", "first", "last"])
        for pooling, vectors in alone.vectors.items():
            one, other = unit_vectors(vectors[0]), unit_vectors(together.vectors[pooling][i])
            assert np.min(np.sum(one * other, axis=-1)) > 1 - 1e-5, (pooling, text)


def test_the_catalogue_knows_the_model_by_its_name_and_offers_its_prefix(real: Real) -> None:
    line = known_as(real.model)
    assert line is not None
    assert (line.hub_id, line.prefix, line.pooling) == ("intfloat/multilingual-e5-small", QUERY, "mean_special")


def test_the_prefix_as_an_option_is_the_prefix_typed_into_the_corpus(
    real: Real, texts: dict[str, list[str]], tmp_path: Path
) -> None:
    tags = ("de", "en", "zh")
    few = {tag: texts[tag][:FEW] for tag in tags}
    workspace = real.context.workspace
    plain = keep_corpus("plain", few, tmp_path / "plain", workspace)
    typed = keep_corpus("typed", {tag: [QUERY + each for each in few[tag]] for tag in tags}, tmp_path / "typed", workspace)
    own = real.of_model | {"languages": tags, "pooling": "mean_special"}
    specs = {
        "none": AbxSpec(**own | {"corpus": plain.id}),
        "given": AbxSpec(**own | {"corpus": plain.id}, prefix=QUERY),
        "typed": AbxSpec(**own | {"corpus": typed.id}),
    }
    found = {}
    for name, spec in specs.items():
        compute(spec, real.context)
        query = f"SELECT * FROM scores WHERE corpus = '{spec.corpus}' AND variant = $variant$"
        rows = scores.sql(query.replace("$variant$", f"'{spec.variant}'"), [workspace])
        found[name] = rows.sort_values(["metric", "layer", "source", "target"])["value"].to_numpy()
    assert specs["given"].variant == f'{specs["none"].variant}/prefix "query: "'
    np.testing.assert_array_equal(found["given"], found["typed"])
    assert not np.array_equal(found["given"], found["none"])
    ids = [str(i) for i in range(FEW)]
    for tag in tags:
        one, other = (
            embeddings.of_corpus(real.model.checkpoints[0], corpus, ids, {tag: lines}, ["mean_special"], real.context, prefix)
            for corpus, lines, prefix in (("a", few[tag], QUERY), ("b", [QUERY + each for each in few[tag]], ""))
        )
        np.testing.assert_array_equal(one.of["mean_special"][tag].vectors, other.of["mean_special"][tag].vectors)
