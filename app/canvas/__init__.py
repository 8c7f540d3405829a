"""The image's place in the window, what lies over it, and how it is drawn."""
