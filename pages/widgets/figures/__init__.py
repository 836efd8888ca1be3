"""What every figure and table has beside it: its card, its exports, its Python, a place on boards and on a projector."""
