"""Structure in weight matrices and the ways of computing `x @ W` that use it."""
