"""Stored runs side by side: what changed between them, and over time."""
