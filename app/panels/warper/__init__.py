"""The editors of the colour warps, in cards and in the Warper panel."""
