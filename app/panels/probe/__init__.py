"""The Probe panel: values of pixels and areas, read on the preview thread."""
