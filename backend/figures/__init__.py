"""Each family's figures: its rows in, a chart with the family's names, units and order out."""
