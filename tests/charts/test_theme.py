"""The colours are computed against: contrast to both themes, and distance under colour blindness."""

import json
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from isogloss.backend.charts.parts import theme

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"
# Viénot-style linear simulations after Machado, Oliveira and Fernandes (2009), severity 1.
VISION = {
    "typical": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
TO_CONES = np.array(
    [[0.41222147, 0.53633254, 0.05144599], [0.2119035, 0.6806995, 0.10739696], [0.08830246, 0.28171884, 0.62997870]]
)
TO_LAB = np.array(
    [[0.21045426, 0.79361779, -0.00407205], [1.9779985, -2.4285922, 0.45059371], [0.02590404, 0.78277177, -0.80867577]]
)


def linear(colours: list[str] | tuple[str, ...]) -> np.ndarray:
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    return np.cbrt(np.clip(rgb, 0, 1) @ TO_CONES.T) @ TO_LAB.T


def contrast(colours: tuple[str, ...], page: str) -> np.ndarray:
    weights = np.array([0.2126, 0.7152, 0.0722])
    own, other = linear(colours) @ weights, (linear([page]) @ weights)[0]
    return (np.maximum(own, other) + 0.05) / (np.minimum(own, other) + 0.05)


@pytest.mark.parametrize("page", ["#FFFFFF", "#0E1117"])
def test_lines_show_on_both_themes(page: str) -> None:
    assert contrast(theme.COLOURS, page).min() >= 3
    assert contrast(theme.RAMP, page).min() >= 2.5


@pytest.mark.parametrize("vision", VISION)
def test_models_stay_apart_for_every_eye(vision: str) -> None:
    lab = oklab(linear(theme.COLOURS) @ VISION[vision].T)
    distances = np.linalg.norm(lab[:, None] - lab[None], axis=2) + np.eye(len(lab))
    assert distances.min() > 0.08


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("scale", ["viridis", "cividis"])
def test_sequential_scales_only_rise_in_lightness(scale: theme.Scale, vision: str) -> None:
    lightness = oklab(linear([c for _, c in theme.colour_scale(scale)]) @ VISION[vision].T)[:, 0]
    assert (np.diff(lightness) > 0).all()


def test_the_difference_scale_is_centred_and_even() -> None:
    scale = theme.colour_scale("difference")
    assert scale[len(scale) // 2] == (0.5, "#E8E8E8")
    lightness = oklab(linear([c for _, c in scale]))[:, 0]
    assert lightness == pytest.approx(lightness[::-1], abs=0.02)
    steps = np.abs(np.diff(lightness))
    assert steps.max() < 1.6 * steps.min()


def test_places_on_scales_run_from_0_to_1() -> None:
    for scale in ("viridis", "cividis", "difference"):
        places = [place for place, _ in theme.colour_scale(scale)]
        assert (places[0], places[-1]) == (0, 1)
        assert all(a < b for a, b in pairwise(places))


def test_a_model_keeps_its_colour() -> None:
    everything = theme.colours_of(["a", "b", "c"])
    assert everything["b"] == theme.colours_of(["a", "b"])["b"]
    assert len(theme.colours_of([str(i) for i in range(30)])) == 30
    assert theme.colours_of([]) == {}
    assert theme.ramp(1) == [theme.RAMP[0]]
    assert theme.ramp(2) == [theme.RAMP[0], theme.RAMP[-1]]
    assert len(theme.ramp(13)) == 13


def test_an_empty_figure_says_why() -> None:
    figure = theme.empty("Nothing here <b>yet</b>.", title="T")
    assert figure.layout.annotations[0].text == "Nothing here &lt;b&gt;yet&lt;/b&gt;."
    assert len(figure.data) == 0


def test_layout_leaves_colours_to_the_theme() -> None:
    figure = theme.layout(theme.empty("x"), height=400, title="<i>t</i>")
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert figure.layout.uirevision == "isogloss"
    assert figure.layout.font.color is None
    assert figure.layout.title.text == "&lt;i&gt;t&lt;/i&gt;"


def test_the_button_saves_a_plain_file_name_and_sends_nothing() -> None:
    settings = theme.config("../../ÉTÉ <b> / x")
    assert settings["toImageButtonOptions"] == {"format": "svg", "filename": "ÉTÉ-b-x"}
    assert theme.config("")["toImageButtonOptions"]["filename"] == "isogloss"
    assert settings["showSendToCloud"] is False
    json.dumps(settings)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_white_on_the_pages_colour_and_captions_can_be_read(scheme: str) -> None:
    """Chips and buttons are white on the primary colour; captions the text's colour at 60% on white."""
    chosen = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"]
    primary = chosen[scheme].get("primaryColor", chosen["primaryColor"])
    assert contrast((primary,), "#FFFFFF").min() >= 4.5
    if text := chosen[scheme].get("textColor"):
        faint = [round(0.6 * int(text[at : at + 2], 16) + 0.4 * 255) for at in (1, 3, 5)]
        assert contrast(("#" + "".join(f"{each:02X}" for each in faint),), "#FFFFFF").min() >= 4.5
