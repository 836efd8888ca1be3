"""Results as a folder of static files that anybody can open and walk through, without Isogloss and without a network."""
