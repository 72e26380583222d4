"""The report: stored runs as one self-contained page, and the same pictures as files."""
