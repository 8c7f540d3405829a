"""Colour management of a grade: which spaces, and which conversions between them."""
