"""Isogloss: look inside multilingual language models."""

__version__ = "0.2.0"
