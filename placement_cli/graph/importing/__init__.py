"""Graphs that other tools wrote, read into a graph: one file a format, within limits, with notes on what is unknown."""
