"""Running a person's program under tracing, and what was recorded of it."""
