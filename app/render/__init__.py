"""Frames of a document: what a view needs computed, and the thread that computes it."""
