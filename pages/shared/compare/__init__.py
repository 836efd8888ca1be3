"""Two sides of a measure beside each other and their difference, as the pages of several families show it."""
