"""A grade as a value: its entries, its colour settings, and how ops are blended and matrices folded."""
