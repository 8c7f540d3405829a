"""The Layers panel: a tree of parts, layers and channels, data views and stereo."""
