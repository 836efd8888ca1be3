"""Emergent languages drawn: what is counted in them, and what they are worth to a model of human language."""
