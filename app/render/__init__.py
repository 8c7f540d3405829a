"""Frames of a document: the plan of what a view needs, and the worker thread that computes it."""
