"""Graphs drawn as text, for Mermaid and Graphviz: what leads where, what runs where, and the modes."""
