"""What flows through a pipeline: its source and its nodes, as plain values."""
