"""How a sample is taken: one file a kind of reading."""
