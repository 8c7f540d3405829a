"""Colour management of a grade: its colour spaces and the conversions between them."""
