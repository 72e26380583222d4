"""The graph of one message as a traced program showed it: cycles, nodes, evaluation points, costs, the source."""
