"""Random use of the real window: exceptions, slow event loops, memory that is not returned."""
