"""Timing several ways of computing one product side by side: interleaved, in random order, each checked first."""
