"""EXR files: header, chunks, mip levels, and writing with everything ungraded carried through."""
