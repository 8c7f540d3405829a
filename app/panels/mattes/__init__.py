"""The matte of an entry in the Grade panel: its tree of sources, their fields, and its shape."""
