"""What the findings mean, one file for each group of codes."""
