"""The canvas that shows the image, its overlays, and how both are drawn."""
