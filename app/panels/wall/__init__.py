"""The LUT wall: thumbnails of the current frame with each LUT or CDL file of a folder applied."""
