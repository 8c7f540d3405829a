"""The window's panels, made from what the ops say about their fields."""
