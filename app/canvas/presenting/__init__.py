"""How the image reaches the screen: painted by Qt, or drawn by a GPU in a surface of the window."""
