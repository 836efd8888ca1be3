"""What several pages show alike: the workspace in hand, figures with their exports, running jobs, errors as sentences."""
