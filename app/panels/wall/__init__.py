"""The wall of looks: a folder of LUT and CDL files, each as a thumbnail of the current frame under it."""
