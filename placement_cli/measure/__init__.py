"""Workers, order, sampling, fences and warm-up."""
