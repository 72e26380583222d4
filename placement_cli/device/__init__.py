"""MLX and the host behind one small interface."""
