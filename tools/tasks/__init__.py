"""Ten tasks of a colourist, done by mouse and keys, with their steps counted."""
