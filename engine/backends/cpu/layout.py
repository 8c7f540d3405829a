"""What compiled functions and their callers agree on."""

BLOCK = 512
"""Pixels of a block: four planes of this length fill 8 KB of L1."""
WORK = 8 * BLOCK
"""Floats that `run_band` works in: the planes, and one block packed."""
HALF, FLOAT, BYTE = 0, 1, 2
"""Storage of a channel: float16, float32, or 8 bit for display (written only)."""
