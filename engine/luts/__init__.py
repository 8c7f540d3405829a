"""Grades and looks as LUT files, and diagnostics of such files."""
