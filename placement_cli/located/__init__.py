"""YAML documents from strangers: plain values within limits, each with its line and column."""
