"""The map of languages: a chart, its projection, where languages stand, the isogloss between groups, and how it plays."""
