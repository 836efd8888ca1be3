"""`python -m backend`: the command line."""

from backend.cli import app

if __name__ == "__main__":
    app(prog_name="python -m backend")
