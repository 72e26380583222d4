"""What the trace of a program and the probes come to: one file a part of the report, each of pure values."""
