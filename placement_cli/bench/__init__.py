"""The first product: measure where evaluation points belong."""
