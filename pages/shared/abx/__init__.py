"""ABX scores, as the pages ABX and Alignment both show them."""
