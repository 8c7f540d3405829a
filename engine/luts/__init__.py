"""Grades and looks as LUT files, and what is wrong with such files."""
