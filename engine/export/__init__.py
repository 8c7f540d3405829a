"""Graded images and sequences as files, on this machine and on farms."""
