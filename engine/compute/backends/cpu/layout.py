"""Constants shared by compiled functions and their callers."""

BLOCK = 512
"""Pixels per block: four planes of this length take 8 KB of the L1 cache."""
WORK = 14 * BLOCK
"""Floats of a band's scratch memory: the planes and one packed block; or the planes, a copy of them, and a queue."""
HALF, FLOAT, BYTE = 0, 1, 2
"""Storages of a channel: float16, float32, or 8 bits for display (only for targets)."""
