"""The window itself: docks, bars, tabs, and what binds the rest together."""
