"""The commands of `tessera`, one module each: `parser()` is what it takes, `run(asked)` what it does.

A module imports nothing heavy before it runs, so that help and mistakes are answered at once; Qt is imported by the
window alone.
"""
