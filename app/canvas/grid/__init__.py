"""The compare grid: several images, stills, layers, versions or LUTs side by side, with one zoom and pan."""
