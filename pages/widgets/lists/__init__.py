"""Sentences and words below each other, in their own scripts, with what readers write beside them."""
