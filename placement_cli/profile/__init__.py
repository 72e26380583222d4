"""The constants of a machine as frozen values, what a matmul costs by them, and the documents that keep them."""
