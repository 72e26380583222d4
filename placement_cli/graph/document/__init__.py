"""The document of a graph: read with one clear error, written so that it reads back, edited in place."""
