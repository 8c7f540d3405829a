"""Scopes: read on the preview's thread, drawn in a panel."""
