"""The views of the Emergent page, one a file."""
