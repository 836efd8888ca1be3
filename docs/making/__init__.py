"""Makes the documentation's site: what is generated of it, each from its one source."""
