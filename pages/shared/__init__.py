"""What several pages show of one family, or of the scores of all: `widgets` names no family."""
