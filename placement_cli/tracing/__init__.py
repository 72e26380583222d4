"""What runs inside a traced program: it records where MLX arrays are built, scheduled, waited for and read.

Only the standard library is imported here, since a program must not notice that it is watched. What is written is
defined in `raw`; what it means is decided elsewhere, after the program has ended.
"""
