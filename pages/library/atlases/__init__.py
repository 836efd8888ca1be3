"""Atlases that others published, beside one's own scores, and the workspace as one."""
