"""What a trace shows: one file a kind of finding, each a pure function of what was recorded."""
