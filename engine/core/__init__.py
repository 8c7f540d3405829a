"""Foundations of the engine: geometry, system limits, atomic writes, small files, colorimetry."""
