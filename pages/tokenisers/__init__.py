"""The page of tokenisers: its views, one file each."""
