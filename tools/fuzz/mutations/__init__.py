"""Mutators: (data, chance) -> data, a module for each structure."""
