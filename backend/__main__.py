"""`python -m backend` in a checkout: the command line by its older name."""

from isogloss.__main__ import main

if __name__ == "__main__":
    main()
