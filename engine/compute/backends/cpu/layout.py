"""What compiled functions and their callers agree on."""

BLOCK = 512
"""Pixels of a block: four planes of this length fill 8 KB of L1."""
WORK = 14 * BLOCK
"""Floats that bands work in: the planes, and one block packed; or the planes, as they were, and pixels that wait."""
HALF, FLOAT, BYTE = 0, 1, 2
"""Storage of a channel: float16, float32, or 8 bit for display (written only)."""
