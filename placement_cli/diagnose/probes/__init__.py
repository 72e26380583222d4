"""Probes: claims about MLX that are executed on the build in front of us, one process each."""
