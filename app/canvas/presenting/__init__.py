"""Presenters, which draw the image on the screen: painted by Qt, or by a GPU on a surface of the window."""
