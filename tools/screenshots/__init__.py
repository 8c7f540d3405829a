"""Screenshots of the window in all its states."""
