"""The real work that scenarios and graphs are made of."""
