"""The gallery: the stills of the folder, with what can be done with them."""
