"""The views of the transfer page, one file each."""
