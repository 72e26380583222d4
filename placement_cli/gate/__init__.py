"""The gate: two builds measured in the same blocks, and whether the newer one is dearer."""
