"""The commands of `tessera`, one module each: `parser()` returns its argument parser, `run(asked)` executes it.

A module imports heavy packages only when it runs, so that help and usage errors appear at once. Only the window
imports Qt.
"""
