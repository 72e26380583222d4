"""Why timing, memory or results disagree with expectations: probes of the installed MLX, and traces of programs."""
