"""From a graph to advice: where its evaluation points belong, and why."""
