"""Results of other tools, read into the form that stored runs are compared in: one file a tool."""
