"""Small valid files, made here, that inputs are generated from."""
