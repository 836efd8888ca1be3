"""The command `isogloss`, also `python -m isogloss`."""

from isogloss.backend.cli import app


def main() -> None:
    """Run the command line."""
    app(prog_name="isogloss")


if __name__ == "__main__":
    main()
