"""What everything else stands on: geometry, the system, files that are written whole, small files, colorimetry."""
