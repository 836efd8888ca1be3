"""Figures kept as what gives them again: recipes, boards of pinned figures, reports."""
