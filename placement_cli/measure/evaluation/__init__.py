"""What evaluation costs on a device: one file an experiment, and the worker process that carries them out."""
