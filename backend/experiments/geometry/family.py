"""Geometry of sentence vectors: its experiment in words, its command, its page."""

from __future__ import annotations

from isogloss.backend.experiments import words
from isogloss.backend.experiments.family import Family, Menu, details_of, of_model
from isogloss.backend.experiments.geometry import work
from isogloss.backend.experiments.geometry.measures import MEASURES
from isogloss.backend.experiments.geometry.shard import GeometrySpec, compute

details = details_of(GeometrySpec, lambda spec: [words.languages(spec["languages"]), *words.listed_pairs(spec.get("pairs"))])

GEOMETRY = Family(
    name="geometry",
    menu=Menu("Geometry", ":material/polyline:", "geometry of sentence vectors"),
    experiments=(of_model(GeometrySpec, compute, "Geometry", details, work.geometry),),
    measures=MEASURES,
    commands={"geometry": "isogloss.backend.experiments.geometry.command:geometry"},
    cites=(
        "kargaran-etal-2025-mexa",
        "murphy-etal-2024-cka",
        "del-fishel-2022-similarity",
        "huh-etal-2024-platonic",
    ),
)
