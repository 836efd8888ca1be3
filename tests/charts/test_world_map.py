"""The map: its projection, its coast, places that are shared, the isogloss against every point of a grid, and what is drawn."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.charts.parts.export import to_html
from isogloss.backend.charts.parts.for_print import for_print
from isogloss.backend.charts.parts.projector import enlarged
from isogloss.backend.charts.world.equal_earth import equal_earth, on_the_map
from isogloss.backend.charts.world.isogloss import FURTHEST, RADIUS, REACH, isogloss
from isogloss.backend.charts.world.spread import APART, spread
from isogloss.backend.charts.world.world import world
from isogloss.backend.corpora.languages.coastline import coastline


def unit(longitude: float, latitude: float) -> tuple[float, float, float]:
    east, north = math.radians(longitude), math.radians(latitude)
    return math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north)


def kilometres(one: tuple[float, float], other: tuple[float, float]) -> float:
    dot = sum(a * b for a, b in zip(unit(*one), unit(*other), strict=True))
    return RADIUS * math.acos(max(-1.0, min(1.0, dot)))


def test_the_projection_has_the_published_outline() -> None:
    """Šavrič et al. 2018: 2.7066 to the right of the middle, 1.3174 up; poles are lines of .59 of the equator's length."""
    x, y = equal_earth([11, 191, -169, 11, 191, 191], [0, 0, 0, 90, 90, -90])
    assert x[:3].tolist() == pytest.approx([0, 2.7066299836, -2.7066299836])
    assert y.tolist() == pytest.approx([0, 0, 0, 1.3173627591, 1.3173627591, -1.3173627591], abs=1e-9)
    assert x[4] / x[1] == pytest.approx(0.59, abs=0.005)
    assert y[3] / x[1] == pytest.approx(0.48671, abs=2e-5)


def test_the_projection_keeps_areas_everywhere() -> None:
    step = 1e-4
    for latitude in (-80.0, -45.0, 0.0, 30.0, 60.0, 84.0):
        for longitude in (-168.0, -60.0, 11.0, 100.0, 190.0):
            x, y = equal_earth([longitude, longitude + step, longitude], [latitude, latitude, latitude + step])
            area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
            assert area / math.radians(step) ** 2 == pytest.approx(math.cos(math.radians(latitude)), rel=1e-3)


def test_longitudes_are_counted_from_the_edge_of_the_map() -> None:
    assert on_the_map([-169, 191, 180, -180, -170, 0, 370]).tolist() == [-169, -169, 180, 180, 190, 0, 10]


def inside(ring: np.ndarray, longitude: float, latitude: float) -> bool:
    x, y = ring.T
    crosses = (y[:-1] > latitude) != (y[1:] > latitude)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = x[:-1] + (latitude - y[:-1]) / (y[1:] - y[:-1]) * (x[1:] - x[:-1])
    return bool(np.count_nonzero(crosses & (at > longitude)) % 2)


@pytest.mark.parametrize(
    ("longitude", "latitude", "land"),
    [
        *[(2.3, 48.8, True), (37.6, 55.7, True), (-77.0, -12.0, True), (178.0, 66.5, True), (185.0, 66.5, True)],
        *[(133.0, -25.0, True), (-40.0, 70.0, True), (-30.0, 40.0, False), (51.0, 41.0, False), (80.0, -10.0, False)],
    ],
)
def test_the_coast_has_land_and_sea_where_they_are(longitude: float, latitude: float, land: bool) -> None:
    assert sum(inside(ring, longitude, latitude) for ring in coastline()) % 2 == land


def test_the_coast_closes_and_crosses_no_edge() -> None:
    assert 100 < len(coastline()) < 150
    for ring in coastline():
        assert (ring[0] == ring[-1]).all()
        assert ring[:, 0].min() >= -169
        assert ring[:, 0].max() <= 191
        assert np.abs(np.diff(ring, axis=0)).max() < 15


def test_places_that_are_shared_are_drawn_apart_alone_ones_where_they_are() -> None:
    longitude, latitude = np.array([10.0, 20.0, 10.0, 30.0, 10.0, 20.0]), np.array([50.0, 0.0, 50.0, 7.0, 50.004, 0.0])
    x, y, shared = spread(longitude, latitude)
    assert shared == [[2, 4], [5], [0, 4], [], [0, 2], [1]]
    assert (x[3], y[3]) == (30.0, 7.0)
    assert [each.tolist() for each in spread(longitude, latitude)[:2]] == [x.tolist(), y.tolist()]
    assert (x[1], x[5]) == pytest.approx((19.0, 21.0))
    for members in ([0, 2, 4], [1, 5]):
        for one in members:
            for other in members:
                if one < other:
                    apart = kilometres((x[one], y[one]), (x[other], y[other]))
                    assert apart == pytest.approx(math.radians(APART) * RADIUS, rel=0.03)
                    assert kilometres((x[one], y[one]), (longitude[one], latitude[one])) < 150


def reach(places: list[tuple[float, float]]) -> float:
    """How far from its nearest place the line goes, in km."""
    alone = [min(kilometres(one, other) for other in places if other is not one) for one in places]
    return min(max(REACH, max(alone) / math.sqrt(2)), FURTHEST)


def drawn_line(places: list[tuple[float, float]], groups: list[int]) -> list[tuple[float, float]]:
    longitude, latitude = isogloss([x for x, _ in places], [y for _, y in places], groups)
    return [(x, y) for x, y in zip(longitude.tolist(), latitude.tolist(), strict=True) if x == x]


CASES = [(seed, amount, extent) for seed in range(4) for amount, extent in ((2, 20), (3, 40), (9, 15), (25, 180))]


@pytest.mark.parametrize(("seed", "amount", "extent"), CASES)
def test_every_point_of_the_isogloss_lies_between_two_groups(seed: int, amount: int, extent: float) -> None:
    random = np.random.default_rng(seed)
    places = list(zip(random.uniform(-extent, extent, amount), random.uniform(-60, 75, amount) * extent / 180, strict=True))
    groups = random.integers(1, 4, amount).tolist()
    groups[:2] = [1, 2]
    limit = reach(places)
    for point in drawn_line(places, groups)[::7]:
        distances = [kilometres(point, place) for place in places]
        first, second = sorted(distances)[:2]
        assert first == pytest.approx(second, abs=1e-3)
        assert first <= limit + 1e-3
        assert len({group for group, distance in zip(groups, distances, strict=True) if distance < first + 1e-3}) > 1


@pytest.mark.parametrize(("seed", "amount", "extent"), CASES)
def test_wherever_the_nearest_group_changes_the_isogloss_is_drawn(seed: int, amount: int, extent: float) -> None:
    """Walk along random great circles in small steps: where the nearest place's group changes, a point of the line is near."""
    random = np.random.default_rng(seed)
    places = list(zip(random.uniform(-extent, extent, amount), random.uniform(-60, 75, amount) * extent / 180, strict=True))
    groups = random.integers(1, 4, amount).tolist()
    groups[:2] = [1, 2]
    spots, points = (np.array([unit(*each) for each in many]) for many in (places, drawn_line(places, groups)))
    limit, crossed = reach(places), 0
    for _ in range(12):
        start, stop = random.choice(amount, 2, replace=False)
        a, b = spots[start], spots[stop]
        angle = math.acos(np.clip(a @ b, -1, 1))
        before = None
        for share in np.linspace(0, 1, max(int(angle * RADIUS / 20), 2)):
            at = (math.sin((1 - share) * angle) * a + math.sin(share * angle) * b) / math.sin(angle)
            distances = RADIUS * np.arccos(np.clip(spots @ at, -1, 1))
            group = groups[int(distances.argmin())]
            if before is not None and group != before and distances.min() < limit - 60:
                # A step, and half the way between two of its points.
                assert (RADIUS * np.arccos(np.clip(points @ at, -1, 1))).min() < 60
                crossed += 1
            before = group
    assert crossed or extent > 100


def test_where_all_are_one_group_or_of_none_no_line_is_drawn() -> None:
    places = [(0.0, 0.0), (10.0, 5.0), (20.0, 0.0)]
    assert drawn_line(places, [1, 1, 1]) == []
    assert drawn_line(places, [0, 0, 0]) == []
    assert drawn_line(places[:1], [1]) == []
    assert drawn_line([], []) == []
    assert drawn_line(places, [1, 0, 2]) == drawn_line([places[0], places[2]], [1, 2]) != []


def test_places_in_a_row_or_on_a_lattice_have_a_line_too() -> None:
    """Voronoi diagrams of such places are degenerate: four of a lattice meet in one point."""
    row = drawn_line([(x, 0.0) for x in (0.0, 10.0, 20.0, 30.0)], [1, 1, 2, 2])
    assert {round(x, 9) for x, _ in row} == {15.0}
    lattice = [(float(x), float(y)) for x in (-10, 0, 10) for y in (-10, 0, 10)]
    line = drawn_line(lattice, [1 + (x > 0) for x, _ in lattice])
    assert {round(x, 1) for x, y in line if abs(y) < 12} == {5.0}


def test_two_groups_at_one_place_are_refused() -> None:
    with pytest.raises(ValueError, match="the same"):
        isogloss([3.0, 3.0], [4.0, 4.0], [1, 2])
    assert len(isogloss([3.0, 3.0, 9.0], [4.0, 4.0, 4.0], [1, 1, 2])[0])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-180, 180), st.integers(-85, 85), st.integers(0, 3)),
        min_size=1,
        max_size=12,
        unique_by=lambda p: (p[0] % 360, p[1]),
    )
)
def test_any_places_have_a_line_that_is_finite(found: list[tuple[int, int, int]]) -> None:
    longitude, latitude = isogloss(*(np.array(each, float) for each in zip(*found, strict=True)))
    assert (np.isnan(longitude) == np.isnan(latitude)).all()
    assert (np.abs(latitude[np.isfinite(latitude)]) <= 90).all()


PLACES = {"de": (50.0, 10.0), "fr": (47.0, 2.0), "fj": (-18.0, 178.0), "sm": (-13.6, -172.0), "xx": (None, None)}
NAMES = {"de": "German", "fr": "French", "fj": "Fijian", "sm": "Samoan", "xx": "Nowhere <b>"}


def marks(layer: int = 0, **more: Any) -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {
            "mark": "language",
            "layer": layer,
            "source": tag,
            "target": "",
            "value": 0.5 + 0.1 * place + 0.01 * layer,
            "low": 0.5,
            "high": 0.9,
            "pairs": 3,
            "group": 1 + (tag in ("fr", "sm")),
            "latitude": latitude,
            "longitude": longitude,
        }
        | more
        for place, (tag, (latitude, longitude)) in enumerate(PLACES.items())
    ]
    rows.append({"mark": "pair", "layer": layer, "source": "de", "target": "fj", "value": 0.9})
    rows.append({"mark": "pair", "layer": layer, "source": "de", "target": "xx", "value": 0.8})
    return pd.DataFrame(rows)


def draw(frame: pd.DataFrame, **more: Any) -> Any:
    return world(frame, names=NAMES, land=coastline(), value_title="Score (share; higher = better)", ends=(0.5, 1.0), **more)


def test_languages_stand_at_their_places_and_who_has_none_is_named() -> None:
    drawn = draw(marks())
    assert {trace.type for trace in drawn.data} == {"scatter"}  # a map of plotly's own fetches from elsewhere
    land, lines, line, bare, points = drawn.data
    tags = [tag for (tag,) in points.customdata]
    assert tags == ["de", "fj", "fr", "sm"]
    x, y = equal_earth(
        [PLACES[tag][1] % 360 if tag == "sm" else PLACES[tag][1] for tag in tags], [PLACES[tag][0] for tag in tags]
    )  # type: ignore[operator]
    np.testing.assert_allclose(points.x, x, atol=1e-6)
    np.testing.assert_allclose(points.y, y, atol=1e-6)
    assert list(points.marker.color) == pytest.approx([0.5, 0.7, 0.6, 0.8])
    assert len(set(points.marker.symbol)) == 2
    assert len(bare.x) == 0
    assert len(line.x) > 0
    assert len(land.x) > 4000
    assert "0.700" in points.hovertext[1]
    assert "Group 1 of 2" in points.hovertext[0]
    assert np.isfinite(lines.x).sum() == 3  # one pair of two is placed
    (note,) = (each.text for each in drawn.layout.annotations)
    assert "Nowhere &lt;b&gt;" in note


def test_a_language_without_a_score_is_an_open_circle_the_one_looked_at_a_star() -> None:
    frame = marks(target="de")
    frame.loc[frame["source"].isin(["de", "fr"]) & (frame["mark"] == "language"), "value"] = np.nan
    _, _, _, bare, points = draw(frame).data
    assert dict(zip((tag for (tag,) in bare.customdata), bare.marker.symbol, strict=True)) == {
        "de": "star",
        "fr": "circle-open",
    }
    assert [tag for (tag,) in points.customdata] == ["fj", "sm"]
    assert "with German" in points.hovertext[0]


def test_maps_are_played_in_the_browser() -> None:
    frame = pd.concat([marks(layer) for layer in range(3)])
    drawn = draw(frame, each="layer", first=1, each_title="Layer", title="Model")
    assert [frame.name for frame in drawn.frames] == ["0", "1", "2"]
    assert drawn.layout.sliders[0].active == 1
    for layer, each in enumerate(drawn.frames):
        assert list(each.traces) == [1, 2, 3, 4]
        assert list(each.data[3].marker.color) == pytest.approx(
            [0.5 + 0.01 * layer, 0.7 + 0.01 * layer, 0.6 + 0.01 * layer, 0.8 + 0.01 * layer]
        )
    assert list(drawn.data[4].marker.color) == pytest.approx(list(drawn.frames[1].data[3].marker.color))
    page = to_html(drawn, "Map", "")
    assert page.count("Plotly.animate(") == 0  # it waits until somebody plays it
    large = enlarged(drawn)
    assert {each.data[3].textfont.size for each in large.frames} == {large.data[4].textfont.size} == {18}
    assert not {"sliders", "updatemenus"} & for_print(drawn, "page")["layout"].keys()
    assert "frames" not in for_print(drawn, "page")
    assert for_print(drawn, "page")["layout"]["title"]["text"] == "Model, Layer: 1"  # which of them it is


def test_the_line_does_not_run_across_the_map_where_it_leaves_it() -> None:
    frame = marks()
    frame.loc[frame["source"] == "sm", ["latitude", "longitude"]] = [0.0, -160.0]
    _, _, line, *_ = draw(frame).data
    x = np.asarray(line.x, np.float64)
    assert np.nanmin(x) < -2.4
    assert np.nanmax(x) > 2.4
    steps = np.abs(np.diff(x))
    assert steps[np.isfinite(steps)].max() < 0.1


def test_no_place_is_said() -> None:
    frame = marks().assign(latitude=np.nan, longitude=np.nan)
    assert "No language" in json.dumps(draw(frame).to_dict(), default=str)
