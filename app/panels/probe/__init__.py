"""Values of pixels and areas: taken on the preview's thread, told in a panel, marked on the image."""
