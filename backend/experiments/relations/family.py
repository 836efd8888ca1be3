"""Relations: a page on which any measure meets any other. It reads the table of scores and computes nothing of its own."""

from __future__ import annotations

from isogloss.backend.experiments.family import Family, Menu

RELATIONS = Family(name="relations", experiments=(), menu=Menu("Relations", ":material/scatter_plot:", "what predicts what"))
