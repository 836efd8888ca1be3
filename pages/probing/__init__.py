"""What linear probes tell of the vectors of every layer, in a language or across languages."""
