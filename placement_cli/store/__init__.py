"""Journals, documents and fingerprints."""
