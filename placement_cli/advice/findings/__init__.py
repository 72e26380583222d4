"""What is worth telling about a graph: one file a group of codes, each a pure function of the facts."""
