import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isogloss.backend.charts.grid import grid
from isogloss.backend.charts.languages import ALIKE, groups_of, language_heatmap, order_languages

META = pd.DataFrame(
    {
        "name": ["Urdu", "arabic", "Basque", "German", "Hindi"],
        "family": ["Indo-European", "Afro-Asiatic", None, "Indo-European", "Indo-European"],
        "script": ["Arabic", "Arabic", "Latin", "Latin", "Devanagari"],
    }
)


def names(order: list[int]) -> list[str]:
    return [META["name"][i] for i in order]


def test_orders() -> None:
    assert names(order_languages("name", None, META)) == ["arabic", "Basque", "German", "Hindi", "Urdu"]
    assert names(order_languages("script", None, META)) == ["arabic", "Urdu", "Hindi", "Basque", "German"]
    assert names(order_languages("family", None, META)) == ["arabic", "German", "Hindi", "Urdu", "Basque"]


def test_genera_stand_within_their_families_and_levels_from_high_to_low() -> None:
    meta = META.assign(genus=["Indic", "Semitic", None, "Germanic", "Indic"])
    meta["resource level"] = ["low", "high", None, "high", "medium"]
    assert names(order_languages("genus", None, meta)) == ["arabic", "German", "Hindi", "Urdu", "Basque"]
    assert names(order_languages("resource level", None, meta)) == ["arabic", "German", "Hindi", "Urdu", "Basque"]
    assert groups_of("resource level", meta, [1, 3, 4, 0, 2]) == ["high", "high", "medium", "low", "unknown"]


def test_the_greatest_mean_stands_on_top_and_what_has_none_at_the_end() -> None:
    matrix = np.array([[0.1, 0.3], [0.9, np.nan], [np.nan, np.nan], [0.5, 0.5], [0.2, 0.2]])
    assert names(order_languages("value", matrix, META)) == ["arabic", "German", "Hindi", "Urdu", "Basque"]


def test_groups_follow_the_order() -> None:
    order = order_languages("family", None, META)
    assert groups_of("family", META, order) == ["Afro-Asiatic"] + ["Indo-European"] * 3 + ["unknown"]
    assert groups_of("name", META, order) is None


def test_clustering_brings_like_rows_together() -> None:
    rng = np.random.default_rng(0)
    kind = np.array([0, 1, 0, 1, 0])
    matrix = np.where(kind[:, None] == 0, 0.9, 0.6) + rng.normal(0, 0.01, (5, 8))
    matrix[0, :3] = np.nan
    order = order_languages("clustering", matrix, META)
    assert sorted(order) == [0, 1, 2, 3, 4]
    assert np.abs(np.diff(kind[order])).sum() == 1


@given(arrays(np.float64, st.tuples(st.just(5), st.integers(0, 6)), elements=st.floats(0, 1) | st.just(np.nan)))
def test_clustering_is_an_order_whatever_is_missing(matrix: np.ndarray) -> None:
    assert sorted(order_languages("clustering", matrix, META)) == [0, 1, 2, 3, 4]


def test_clustering_does_not_depend_on_the_order_it_is_given() -> None:
    matrix = np.random.default_rng(1).random((5, 9))
    shuffled = [3, 0, 4, 2, 1]
    one = names(order_languages("clustering", matrix, META))
    other_meta = META.iloc[shuffled].reset_index(drop=True)
    other = [other_meta["name"][i] for i in order_languages("clustering", matrix[shuffled], other_meta)]
    assert one == other


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_languages(n: int) -> None:
    assert sorted(order_languages("clustering", np.zeros((n, 3)), META.iloc[:n])) == list(range(n))


def test_a_matrix_must_fit() -> None:
    with pytest.raises(ValueError, match="5 languages"):
        order_languages("clustering", np.zeros((4, 4)), META)


def test_the_heatmap_of_languages_raw_and_normalised() -> None:
    cells = grid(
        [[0.5, 0.75], [0.9, np.nan]],
        ["Basque", "Urdu"],
        ["0", "5k"],
        low=[[0.4, 0.7], [0.8, 0]],
        high=[[0.6, 0.8], [1, 0]],
        row_groups=["x", "y"],
    )
    title = "Meaning discrimination (share of triplets)"
    raw = language_heatmap(cells, colour_title=title)
    assert raw.data[0].z[0] == pytest.approx([0.5, 0.75])
    assert "95% interval" in raw.data[0].hovertext[0][0]
    assert [a.text for a in raw.layout.annotations] == ["x", "y"]
    scaled = np.array([[0, 1], [np.nan, np.nan]])
    own = language_heatmap(cells, colour_title=title, scaled=scaled)
    assert own.data[0].z[0] == pytest.approx([0, 1])
    said = own.data[0].hovertext
    assert ALIKE in said[1][0]
    assert "not computed" in said[1][1]
    assert [trace.name for trace in own.data[1:]] == ["not computed, or all alike"]
    assert "95% interval" not in own.data[0].hovertext[0][0]
    assert "highest" in own.layout.coloraxis.colorbar.title.text
    assert (own.layout.coloraxis.cmin, own.layout.coloraxis.cmax) == (0, 1)


def test_brackets_join_neighbours_only() -> None:
    cells = grid(np.full((4, 2), 0.7), "abcd", "xy", row_groups=["p", "p", "q", "p"])
    figure = language_heatmap(cells, colour_title="M")
    assert [a.text for a in figure.layout.annotations] == ["p", "q", "p"]
    assert [a.y for a in figure.layout.annotations] == pytest.approx([0.5, 2, 3])
