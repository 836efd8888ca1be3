"""Boards: figures that a group has pinned, with notes."""
