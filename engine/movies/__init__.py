"""Movies: reading and writing them with PyAV (FFmpeg), each in a process of its own.

PyAV is optional: without it, movies are refused with a line that says what to install.
"""
